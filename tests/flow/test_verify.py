"""The ledger: whole, or exactly where it is not."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.store import open_store
from tests.fix_memory import ANA, NINE

S = Scope(user="ana", session="s")


def lived_in(path: Path) -> Memory:
    """A memory with some history, in a file."""
    memory = Memory(
        open_store(str(path)),
        scope=ANA,
        embedder=FakeEmbedder(),
        clock=FixedClock(NINE),
        background=False,
    )
    if memory.admin.verify().head.seq == 0:
        item = memory.remember("Ana lives in Rome", entities=["person:ana"]).item
        memory.correct(item.id, "Ana lives in Oslo")
        memory.ingest([{"content": "one"}, {"content": "two"}], S)
        memory.items.pin(memory.remember("Ben likes tea").id)
    return memory


def test_a_life_leaves_a_whole_ledger(memory: Memory) -> None:
    """Whatever was done; its head moves with every change and names tenant and number."""
    heads = [memory.admin.verify().head]
    item = memory.remember("Ana lives in Rome").item
    heads.append(memory.admin.verify().head)
    memory.forget(item.id)
    heads.append(memory.admin.verify().head)

    assert [h.seq for h in heads] == [0, 1, 2]
    assert len({h.hash for h in heads}) == 3
    assert {h.tenant for h in heads} == {"default"}
    assert memory.admin.verify(heads[1]).problems == ()


TAMPERING = {
    "an entry edited": (
        "UPDATE changes SET actor = 'eve' WHERE seq = 2",
        "entry 2 was edited",
    ),
    "an entry gone": (
        "DELETE FROM changes WHERE seq = 2",
        "entries 2 to 2 are missing",
    ),
    "the last entry gone": (
        "DELETE FROM changes WHERE seq = 6",
        "it should end at 6",
    ),
    "a text edited": (
        "UPDATE items SET text = 'Ana lives in Moscow' WHERE text LIKE '%Oslo'",
        "was altered",
    ),
    "an attribute edited": (
        "UPDATE items SET sensitive = 1, tier = 0 WHERE text LIKE 'Ben%'",
        "was altered",
    ),
    "a turn edited": (
        "UPDATE turns SET text = 'three' WHERE text = 'two'",
        "turns 0 to 1 of session 's.85973aa855' were altered",
    ),
    "a turn gone": (
        "DELETE FROM turns WHERE text = 'two'",
        "turns 0 to 1 of session 's.85973aa855' were altered",
    ),
    "an item gone": ("DELETE FROM items WHERE text LIKE 'Ben%'", "gone"),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_shows(name: str, tmp_path: Path) -> None:
    """Whatever is changed behind its back, and where."""
    path, (script, told) = tmp_path / "m.db", TAMPERING[name]
    lived_in(path).close()
    with apsw.Connection(str(path)) as raw:
        made = list(raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"))
        for trigger, _ in made:
            raw.execute(f"DROP TRIGGER {trigger}")
        raw.execute(script)
        for _, sql in made:
            raw.execute(str(sql))
    raw.close()

    with lived_in(path) as memory:
        problems = memory.admin.verify().problems
        assert any(told in problem for problem in problems), problems


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_shows_wherever_the_walk_rests(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long ledger is read in many transactions; here each reads one entry or record."""
    for place in (
        "omoide.tables.ledger.STRETCH",
        "omoide.upkeep.verify.PAGE",
        "omoide.upkeep.verify.LOGGINGS",
    ):
        monkeypatch.setattr(place, 1)

    test_tampering_shows(name, tmp_path)


def test_a_session_is_read_once_however_often_it_was_written_to(
    memory: Memory, turns_read: list[Turn]
) -> None:
    """Each logging is compared with its own turns; no read lasts for as long as there is
    history.
    """
    for n in range(20):
        memory.ingest([{"content": f"message {n}"}], S)
    turns_read.clear()

    assert memory.admin.verify().problems == ()
    assert len(turns_read) == 20


def test_the_ledger_refuses_to_be_edited(tmp_path: Path) -> None:
    """The database itself allows neither change nor deletion."""
    lived_in(tmp_path / "m.db").close()
    with apsw.Connection(str(tmp_path / "m.db")) as raw:
        for statement in ("UPDATE changes SET actor = 'eve'", "DELETE FROM changes"):
            with pytest.raises(apsw.ConstraintError, match="append-only"):
                raw.execute(statement)
    raw.close()


def test_a_ledger_rewritten_as_a_whole_shows_against_a_known_head(tmp_path: Path) -> None:
    """A head kept elsewhere proves that today's ledger runs through it."""
    with lived_in(tmp_path / "a.db") as memory:
        known = memory.admin.verify().head
        memory.remember("one more thing")
        assert memory.admin.verify(known).problems == ()
    with lived_in(tmp_path / "b.db") as other:
        assert other.admin.verify().problems == ()
        assert any("rewritten" in problem for problem in other.admin.verify(known).problems)
    with Memory(
        open_store(":memory:"), scope=Scope(user="ana"), embedder=None, background=False
    ) as empty:
        assert any("gone" in problem for problem in empty.admin.verify(known).problems)


def test_the_ledger_holds_no_text(tmp_path: Path) -> None:
    """Ids, keyed hashes and names of actions only."""
    lived_in(tmp_path / "m.db").close()
    with apsw.Connection(str(tmp_path / "m.db")) as raw:
        dump = repr(list(raw.execute("SELECT * FROM changes")))
    raw.close()

    for word in ("Rome", "Oslo", "Ben", "tea", "one", "two"):
        assert word not in dump


def test_each_tenant_has_its_own_chain(memory: Memory) -> None:
    """Counted from 1 in each."""
    for tenant in ("a", "b", "a"):
        memory.remember(
            f"fact of {tenant} {memory.clock.new_id()}", Scope(tenant=tenant, shared=True)
        )

    assert memory.admin.verify(scope=Scope(tenant="a", shared=True)).head.seq == 2
    assert memory.admin.verify(scope=Scope(tenant="b", shared=True)).head.seq == 1


def test_recall_does_not_disturb_it(memory: Memory, clock: FixedClock) -> None:
    """Use counts and the confidence they move are statistics."""
    memory.remember("Ana lives in Rome")
    for _ in range(5):
        memory.recall("Rome")
    clock.move(**{"days": timedelta(days=1).days})
    memory.stats()

    assert memory.admin.verify().problems == ()
