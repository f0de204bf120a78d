"""What loading an archive tells, keeps and asks: foreign history, forgotten records, tool calls and
proposals.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Action
from omoide.nouns.clock import EPOCH
from omoide.nouns.errors import Conflict, ForgottenInArchive, ImportRefused
from omoide.nouns.proposal import Proposal
from omoide.store.base import Store
from omoide.tables.proposals import Proposals
from omoide.write.proposals import propose
from tests.fix_memory import ANA, BEN, OpenMemory


@pytest.fixture
def other(tmp_path: Path) -> Memory:
    """Another store, of Ana."""
    return Memory.open(tmp_path / "other.db", user="ana", embedder=None, background=False)


def exported(memory: Memory, tmp_path: Path) -> Path:
    memory.admin.export(tmp_path / "ana.jsonl", ANA)
    return tmp_path / "ana.jsonl"


def resealed(path: Path, *more: dict[str, object]) -> Path:
    """The archive with more lines, and whole."""
    lines = path.read_text().splitlines()
    body = "".join(f"{line}\n" for line in [*lines[:-1], *map(json.dumps, more)])
    end = {"end": {}, "sha256": hashlib.sha256(body.encode()).hexdigest()}
    path.write_text(body + json.dumps(end) + "\n")
    return path


def test_foreign_history_is_shown_as_such(memory: Memory, other: Memory, tmp_path: Path) -> None:
    """What happened before the loading stands apart; the store's own chain has one change."""
    item = memory.remember("Ana lives in Lisbon").item
    memory.items.edit(item.id, tags=["home"])

    loaded = other.admin.load(exported(memory, tmp_path))

    told = other.history(item.id)
    assert [(change.actor, change.action) for change in told.changes] == [("load", Action.ADD)]
    assert [change.action for change in told.foreign] == [Action.ADD, Action.EDIT]
    assert loaded.history == 2
    assert len(other.diff(EPOCH).foreign) == 2
    assert other.stats().changes == 1


def test_foreign_history_has_its_own_head(memory: Memory, other: Memory, tmp_path: Path) -> None:
    """Verifying names the head that the ledger had where it comes from."""
    memory.remember("Ana lives in Lisbon")
    other.admin.load(exported(memory, tmp_path))

    verdict = other.admin.verify()

    assert verdict.problems == ()
    assert [one.head for one in verdict.foreign] == [memory.admin.verify().head.hash]


def test_an_altered_entry_of_foreign_history_is_found(
    memory: Memory, other: Memory, tmp_path: Path
) -> None:
    """It is sealed as the store's own is."""
    memory.remember("Ana lives in Lisbon")
    other.admin.load(exported(memory, tmp_path))
    other.close()
    forge(tmp_path / "other.db", "UPDATE foreign_changes SET actor = 'nobody'")

    with Memory.open(tmp_path / "other.db", user="ana", embedder=None) as again:
        assert "was edited at entry 1" in again.admin.verify().problems[0]


def forge(path: Path, statement: str) -> None:
    import apsw

    connection = apsw.Connection(str(path))
    trigger = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE name = 'foreign_changes_keep'"
    ).fetchall()[0][0]
    connection.execute("DROP TRIGGER foreign_changes_keep")
    connection.execute(statement)
    connection.execute(str(trigger))
    connection.close()


def test_loading_back_keeps_no_history_twice(memory: Memory, tmp_path: Path) -> None:
    """The entries are on the store's own ledger already."""
    memory.remember("Ana lives in Lisbon")

    loaded = memory.admin.load(exported(memory, tmp_path))

    assert (loaded.added, loaded.known, loaded.history) == ({}, 1, 0)


def test_others_see_no_foreign_history(
    open_memory: OpenMemory, other: Memory, tmp_path: Path
) -> None:
    """It is of the user whose records it is about."""
    mine = open_memory()
    item = mine.remember("Ana lives in Lisbon").item
    other.admin.load(exported(mine, tmp_path))
    other.close()

    with Memory.open(tmp_path / "other.db", embedder=None, background=False) as again:
        assert again.diff(EPOCH, scope=BEN).foreign == ()
        assert again.diff(EPOCH, scope=replace(ANA, agent="cook")).foreign != ()
        assert len(again.history(item.id, ANA).foreign) == 1


def test_forgotten_records_are_asked_for(memory: Memory, tmp_path: Path) -> None:
    """An archive does not bring back what was forgotten unless that is said."""
    item = memory.remember("Ana lives in Lisbon").item
    memory.remember("Ana likes tea")
    archive = exported(memory, tmp_path)
    memory.forget(item.id)

    with pytest.raises(ForgottenInArchive) as raised:
        memory.admin.load(archive)

    assert raised.value.records == (f"item {item.id}",)
    assert len(memory.items.list()) == 1
    assert memory.admin.load(archive, preview=True).forgotten == raised.value.records
    assert memory.admin.load(archive, restore_forgotten=True).added == {"item": 1}
    assert memory.admin.load(archive).added == {}


def test_a_receipt_names_exports_made_before(memory: Memory, tmp_path: Path) -> None:
    """By file name and day; those of others are not named."""
    item = memory.remember("Ana lives in Lisbon").item
    exported(memory, tmp_path)
    memory.admin.export(tmp_path / "ben.jsonl", BEN)

    named = [told for told in memory.forget(item.id).pending if told.startswith("export")]

    assert len(named) == 1
    assert named[0].startswith("export ana.jsonl of 2026-01-05")


def test_what_is_passed_over_is_said(memory: Memory, other: Memory, tmp_path: Path) -> None:
    """Records of a later version are counted, and the rest is loaded."""
    memory.remember("Ana lives in Lisbon")
    archive = resealed(exported(memory, tmp_path), {"type": "hologram"}, {"type": "hologram"})

    loaded = other.admin.load(archive)

    assert (loaded.added, loaded.passed_over) == ({"item": 1}, {"hologram": 2})


def waiting(memory: Memory, store: Store) -> Proposal:
    """A proposal of Ana's to replace an item."""
    old = memory.remember("Ana lives in Lisbon").item
    new = replace(old, id=type(old.id)("new"), text="Ana lives in Porto")
    with store.transaction(tenant="default") as tx:
        id = propose(tx, memory.clock, ANA, new, target=old.id, flags=["unsupported"], session=None)
        found = Proposals(tx).find("default", id)
    assert found is not None
    return found


def test_proposals_are_loaded(memory: Memory, store: Store, other: Memory, tmp_path: Path) -> None:
    """What waits for a person waits in the other store, too; once."""
    proposal = waiting(memory, store)
    archive = exported(memory, tmp_path)

    assert other.admin.load(archive).added == {"item": 1, "proposal": 1}
    assert other.admin.load(archive).added == {}

    with other.store.transaction(tenant="default") as tx:
        assert Proposals(tx).find("default", proposal.id) == proposal
    assert other.admin.verify().problems == ()


def test_a_proposal_brings_in_nothing_of_another(
    memory: Memory, store: Store, other: Memory, tmp_path: Path
) -> None:
    """What would be added belongs to whom the proposal belongs to."""
    waiting(memory, store)
    archive = exported(memory, tmp_path)
    lines = [json.loads(line) for line in archive.read_text().splitlines()]
    (line,) = [line for line in lines if line.get("type") == "proposal"]
    line["id"], line["item"]["scope"] = "forged", {"user": "ben"}

    with pytest.raises(ImportRefused, match="another scope"):
        other.admin.load(resealed(archive, line))


def test_a_proposal_without_its_target_is_left_out(
    memory: Memory, store: Store, other: Memory, tmp_path: Path
) -> None:
    """And counted."""
    waiting(memory, store)
    archive = exported(memory, tmp_path)
    lines = [json.loads(line) for line in archive.read_text().splitlines()]
    (line,) = [line for line in lines if line.get("type") == "proposal"]
    archive.write_text(
        "".join(json.dumps(line) + "\n" for line in lines if line.get("type") != "proposal")
    )

    loaded = other.admin.load(resealed(archive, line | {"target": "nowhere"}))

    assert loaded.added == {"item": 1, "missing target": 1}


def test_a_known_proposal_that_differs_is_a_conflict(
    memory: Memory, store: Store, tmp_path: Path
) -> None:
    """As with every other record."""
    waiting(memory, store)
    archive = exported(memory, tmp_path)
    lines = [json.loads(line) for line in archive.read_text().splitlines()]
    (line,) = [line for line in lines if line.get("type") == "proposal"]
    line["item"]["text"] = "Ana lives in Faro"

    with pytest.raises(Conflict, match="proposal"):
        memory.admin.load(resealed(archive, line))


def test_due_jobs_run_when_asked(open_memory: OpenMemory) -> None:
    """As many as are asked for, and it is said which."""
    memory = open_memory()
    memory.ingest([{"role": "user", "content": "the wombat sleeps"}])

    ran = memory.jobs.run(limit=1)

    assert (ran.done, ran.kinds) == (1, {"embed": 1})
    assert memory.jobs.run().done == 0


def test_a_change_that_is_none_is_refused(memory: Memory, other: Memory, tmp_path: Path) -> None:
    """Its hashes are hashes."""
    memory.remember("Ana lives in Lisbon")
    archive = exported(memory, tmp_path)
    lines = [json.loads(line) for line in archive.read_text().splitlines()]
    (line,) = [line for line in lines if line.get("type") == "change"]

    with pytest.raises(ImportRefused, match="hash"):
        other.admin.load(resealed(archive, line | {"hash": "not hex"}))
