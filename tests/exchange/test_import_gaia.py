"""Memories that GAIA's published releases wrote, one for each version of its schema, taken in."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from omoide.exchange.gaia import GaiaIntake, is_gaia, take_in_gaia
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.errors import ImportRefused
from omoide.nouns.item import Item, Tier
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from tests.fix_memory import ANA, BEN

FOLDER = Path(__file__).parent / "fixtures" / "gaia"
VERSIONS = {2: "0.18 to 0.21", 3: "0.22 and 0.23", 4: "0.24", 5: "0.25.0", 7: "0.25.1"}
EVERY = pytest.mark.parametrize("version", VERSIONS)


def unpacked(version: int, folder: Path) -> Path:
    """A memory.db of that version."""
    path = folder / "memory.db"
    path.write_bytes(gzip.decompress((FOLDER / f"memory-v{version}.db.gz").read_bytes()))
    return path


@pytest.fixture(autouse=True)
def later(memory: Memory) -> None:
    """The files were written after these tests' clock."""
    memory.clock.move(days=340)  # type: ignore[attr-defined]


def items(memory: Memory, **listing: Any) -> dict[str, Item]:
    """What is known, by its text."""
    return {item.text: item for item in memory.items.list(Listing(sensitive=None, **listing))}


@pytest.mark.covers("GM-8", "GM-10")
@EVERY
def test_each_version_comes_in_whole(version: int, memory: Memory, tmp_path: Path) -> None:
    """Statements with their time, source, confidence, context, entity and due date; turns in
    sessions; what was superseded with its successor.
    """
    path = unpacked(version, tmp_path)
    assert is_gaia(path)
    report = take_in_gaia(memory, path, ANA)

    assert (report.version, report.items, report.conversations, report.added) == (version, 5, 2, 3)
    assert (report.repeated, report.problems) == (0, ())
    found = items(memory)
    assert set(found) == {
        "Prefers green tea without sugar",
        "Pay the rent",
        "PIN of the bike lock is four digits",
        "The office moved to Porto in the spring",
    }
    tea, rent = found["Prefers green tea without sugar"], found["Pay the rent"]
    assert (tea.category, tea.source, tea.confidence) == ("preference", "user", 0.8)
    assert tea.valid_from.year == 2026
    assert (rent.domain, rent.due_at and rent.due_at.isoformat()) == (
        "home",
        "2026-12-01T09:00:00+00:00",
    )
    assert rent.reminded_at is not None
    pin = found["PIN of the bike lock is four digits"]
    assert (pin.sensitive, pin.metadata["where"]) == (True, "garage")
    office = found["The office moved to Porto in the spring"]
    assert (office.scope.context, office.entities) == ("work", ("project:office",))
    assert [one.text for one in memory.history(office.id)] == [
        "The office is in Lisbon",
        "The office moved to Porto in the spring",
    ]
    assert [turn.text for turn in memory.sessions.turns("gaia:chat-1")] == [
        "We moved the office to Porto",
        "Noted, the office is in Porto now.",
    ]
    assert [str(one.kind) for one in report.left_out][:1] == ["tool calls"]


@EVERY
def test_a_second_time_adds_nothing(version: int, memory: Memory, tmp_path: Path) -> None:
    """And another user's copy is theirs."""
    path = unpacked(version, tmp_path)
    take_in_gaia(memory, path, ANA)
    again = take_in_gaia(memory, path, ANA)

    assert (again.items, again.added, again.repeated) == (0, 0, 8)
    assert len(items(memory)) == 4


def test_an_import_can_be_undone(memory: Memory, tmp_path: Path) -> None:
    """By the id of its report."""
    report: GaiaIntake = take_in_gaia(memory, unpacked(7, tmp_path), ANA)
    memory.acting(Because(actor="cli", tier=Tier.USER)).undo(report.id)

    assert not memory.items.list(Listing(sensitive=None))
    assert not memory.recall("office Porto")


def test_nothing_of_it_is_anothers(memory: Memory, tmp_path: Path) -> None:
    """Who imports it has it alone."""
    take_in_gaia(memory, unpacked(7, tmp_path), ANA)

    assert not memory.items.list(scope=BEN)
    assert not memory.recall("office", BEN)


def test_other_databases_are_not_taken_for_it(tmp_path: Path) -> None:
    """Neither another SQLite file nor what is none."""
    other = tmp_path / "other.db"
    with apsw.Connection(str(other)) as db:
        db.execute("CREATE TABLE knowledge (id TEXT)")
    db.close()
    text = tmp_path / "text.db"
    text.write_text("SQLite format 3, or so")

    assert not is_gaia(other)
    assert not is_gaia(text)
    assert not is_gaia(tmp_path)


def test_an_unknown_version_is_refused(memory: Memory, tmp_path: Path) -> None:
    """With those that are known; nothing is taken in."""
    path = unpacked(7, tmp_path)
    with apsw.Connection(str(path)) as db:
        db.execute("UPDATE schema_version SET version = 99")
    db.close()

    with pytest.raises(ImportRefused, match="version 99; known are 2 to 7"):
        take_in_gaia(memory, path, Scope(user="ana"))
    assert not memory.items.list()


@pytest.mark.parametrize(
    "value", ["{bad", b"\xff\x00", "[" * 100_000, "1" * 5_000, '"\\ud800"', 1.5]
)
@pytest.mark.parametrize("column", ["metadata", "confidence", "created_at", "content", "domain"])
def test_a_value_of_any_type_costs_no_other_statement(
    column: str, value: object, memory: Memory, tmp_path: Path
) -> None:
    """Its own is imported too, or is a problem."""
    path = unpacked(7, tmp_path)
    with closing(apsw.Connection(str(path))) as db:
        for (name,) in list(db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")):
            db.execute(f'DROP TRIGGER "{name}"')
        db.execute("PRAGMA ignore_check_constraints = 1")
        change = f"UPDATE knowledge SET {column} = ? WHERE content LIKE 'Pay the rent%'"
        db.execute(change, (value,))
        assert db.changes() == 1

    report = take_in_gaia(memory, path, ANA)

    assert report.items + len(report.problems) == 5
    assert len(report.problems) <= 1


def test_a_text_in_no_encoding_is_a_typed_refusal(memory: Memory, tmp_path: Path) -> None:
    """As another damage of the file."""
    path = unpacked(7, tmp_path)
    with closing(apsw.Connection(str(path))) as db:
        for (name,) in list(db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")):
            db.execute(f'DROP TRIGGER "{name}"')
        db.execute("UPDATE knowledge SET metadata = CAST(x'ff41' AS TEXT)")

    with pytest.raises(ImportRefused, match="UTF-8"):
        take_in_gaia(memory, path, ANA)
