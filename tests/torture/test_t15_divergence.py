"""T15: part of the search index is deleted or altered by hand; doctor finds all of it and makes it
as it was.
"""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from omoide.memory import Memory
from omoide.models.embedders.encoders import Named
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.store.sqlite.connections import ConnectionSettings, connected
from omoide.store.sqlite.engine import SqliteStore
from tests.torture.kit import Report, count

WORDS = "garden tea bicycle river letter window piano summer bread mountain lantern orchard".split()
ITEMS, TURNS = 60, 60

DAMAGES = (
    "DELETE FROM docs WHERE doc = ?",
    "UPDATE docs SET own = 'nothing' WHERE doc = ?",
    "UPDATE docs SET around = 'nothing' WHERE doc = ?",
    "UPDATE docs SET superseded_at = 5, closed_at = 5 WHERE doc = ?",
    "UPDATE docs SET context = 'elsewhere' WHERE doc = ?",
    "UPDATE docs SET agent = 'somebody' WHERE doc = ?",
    "UPDATE docs SET at = at + 1 WHERE doc = ?",
    "UPDATE docs SET seq = seq + 100000 WHERE doc = ?",
    "UPDATE vectors SET vector = zeroblob(length(vector)) WHERE doc = ?",
    "UPDATE vectors SET vector = substr(vector, 1, 8) WHERE doc = ?",
    "UPDATE vectors SET seq = seq + 100000 WHERE doc = ?",
)


def filled(path: Path) -> None:
    """A store with items and turns, all indexed."""
    with opened(path) as memory:
        for n in range(ITEMS):
            memory.remember(
                f"the {WORDS[n % 12]} of house {n} is next to the {WORDS[(n * 5 + 1) % 12]} {n}x{n}"
            )
        messages = tuple(
            Message(
                text=f"we saw the {WORDS[n % 12]} near the {WORDS[(n * 7 + 3) % 12]}, number {n}"
            )
            for n in range(TURNS)
        )
        memory.ingest(Conversation(id="walk", messages=messages))
        memory.admin.tidy()


def opened(path: Path) -> Memory:
    return Memory(
        SqliteStore.open(path),
        scope=Scope(user="ana"),
        embedder=Named("fake", FakeEmbedder()),
        background=False,
    )


def answers(memory: Memory) -> list[list[tuple[str, float]]]:
    """What some questions bring, by id and score."""
    return [
        [
            (h.id, round(h.score, 5))
            for h in memory.recall(f"the {word} near the lantern", limit=20).hits
        ]
        for word in WORDS
    ]


def damage(path: Path, numbers: list[int], statements: tuple[str, ...]) -> set[str]:
    """Damage one document with each statement; the places that doctor must name."""
    places = set()
    with connected(ConnectionSettings(path=str(path)), writes=True) as db:
        docs = list(db.execute("SELECT doc, ref FROM docs ORDER BY doc"))
        for number, statement in zip(numbers, statements, strict=True):
            doc, ref = docs[number]
            before = db.total_changes()
            db.execute(statement, (doc,))
            assert db.total_changes() > before
            table = f"vector of document {doc}" if " vectors " in statement else f"index of {ref}"
            # told of once, with how many rows
            places.add("partition of ana" if " seq " in statement else table)
    return places


@pytest.mark.torture
@pytest.mark.covers("GM-30", "LS-17")
def test_doctor_finds_every_divergence_and_mends_it(tmp_path: Path) -> None:
    """Whatever is missing or altered in the index is found, mended online, and answers are as
    before.
    """
    path, copy = tmp_path / "whole.db", tmp_path / "damaged.db"
    filled(path)
    with opened(path) as memory:
        expected = answers(memory)
        assert memory.admin.doctor(deep=True) == []
        assert all(expected)
    whole = path.read_bytes()
    with Report("T15") as report:
        for _ in range(count(6, 100)):
            copy.write_bytes(whole)
            places = damage(copy, report.random.sample(range(ITEMS + TURNS), len(DAMAGES)), DAMAGES)
            with opened(copy) as memory:
                found = memory.admin.doctor(repair=True)
                assert {finding.place for finding in found} >= places
                assert all(finding.mended for finding in found)
                memory.admin.tidy()
                assert memory.admin.doctor(deep=True) == []
                assert answers(memory) == expected
            report["damaged"] = report["damaged"] + len(DAMAGES)


@pytest.mark.covers("GM-30")
def test_documents_and_vectors_of_nothing_are_found(tmp_path: Path) -> None:
    """What is left in the index of a record that is gone is found and removed."""
    path = tmp_path / "memory.db"
    filled(path)
    with connected(ConnectionSettings(path=str(path)), writes=True) as db:
        db.execute(
            "DELETE FROM items WHERE id = (SELECT ref FROM docs WHERE kind = 'item' ORDER BY doc"
            " LIMIT 1)"
        )
        db.execute("DELETE FROM docs WHERE doc = (SELECT max(doc) FROM docs)")
    with opened(path) as memory:
        problems = sorted(f.problem for f in memory.admin.doctor(repair=True))
        assert "its record is gone" in problems
        memory.admin.tidy()
        assert memory.admin.doctor() == []


def test_without_repair_nothing_is_touched(tmp_path: Path) -> None:
    """Doctor alone only looks."""
    path = tmp_path / "memory.db"
    filled(path)
    damage(path, [3], DAMAGES[1:2])
    with opened(path) as memory:
        assert [f.mended for f in memory.admin.doctor()] == [False]
        assert [f.mended for f in memory.admin.doctor()] == [False]


def test_a_damaged_page_is_told_of(tmp_path: Path) -> None:
    """Doctor of a store whose file is sound finds nothing; the file's own check is part of it."""
    path = tmp_path / "memory.db"
    filled(path)
    with opened(path) as memory:
        assert memory.admin.doctor() == []
    assert apsw.Connection(str(path)).pragma("integrity_check") == "ok"
