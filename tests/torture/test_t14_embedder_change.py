"""T14: the embedder changes, and the process is killed while new vectors are made; answers go on,
vectors never mix.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.models.base import Embedder
from omoide.models.embedders.encoders import Named
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.embedder import ModelState
from omoide.nouns.query import Arm
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.store.sqlite.connections import ConnectionSettings, connected
from omoide.store.sqlite.engine import SqliteStore
from omoide.tables.embedders import Embedders
from omoide.upkeep import vectors
from tests.torture.kit import Child, Report, count

TURNS = 120
OLD, NEW = "fake-64", "other-64"  # the same width, so that only the identity tells them apart


def opened(path: Path, embedder: Embedder) -> Memory:
    return Memory(
        SqliteStore.open(path),
        scope=Scope(user="ana"),
        embedder=Named("fake", embedder),
        background=False,
    )


def fill(path: Path) -> None:
    """A store whose vectors are all of the old embedder."""
    with opened(path, FakeEmbedder()) as memory:
        said = tuple(
            Message(text=f"house {n} has a garden with {n * 7} trees") for n in range(TURNS)
        )
        memory.ingest(Conversation(id="houses", messages=said))
        memory.admin.tidy()


def states(memory: Memory) -> dict[str, ModelState]:
    with memory.store.transaction(tenant=None, write=False) as tx:
        return {model.id: model.state for model in Embedders(tx).all()}


def asked_by(memory: Memory) -> list[str]:
    """The records that the vector search alone brings for a question."""
    hits = memory.recall("a garden with many trees", limit=20).hits
    return [hit.id for hit in hits if any(arm.arm is Arm.VECTOR for arm in hit.arms)]


def change(path: Path, say: Callable[[str], None], pace: int) -> None:
    """Make the new embedder's vectors, a few at a time, each batch when a byte arrives from the
    pipe, telling of it.
    """
    vectors.BATCH = 8
    embedder = FakeEmbedder(name="other")
    plain = embedder.embed

    def paced(texts: list[str], *, query: bool = False) -> object:
        if len(texts) > 1:
            os.read(pace, 1)
            say(str(len(texts)))
        return plain(texts, query=query)

    embedder.embed = paced  # type: ignore[assignment,method-assign]
    with opened(path, embedder) as memory:
        for _ in vectors.fill(memory.store, "default", memory.encoders.loaded[-1], set()):
            pass


def mixed(path: Path) -> int:
    """Documents that have not one vector of each of the two embedders: of the new, and of the old
    that is set aside.
    """
    each = (
        "(SELECT count(*) FROM vectors v WHERE v.doc = d.doc), (SELECT count(DISTINCT v.model) FROM"
        " vectors v WHERE v.doc = d.doc)"
    )
    with connected(ConnectionSettings(path=str(path))) as db:
        return sum(row != (2, 2) for row in db.execute(f"SELECT {each} FROM docs d"))


@pytest.mark.torture
@pytest.mark.covers("LS-86", "GM-41", "GM-46")
def test_a_killed_change_of_embedder_goes_on_where_it_was(tmp_path: Path) -> None:
    """The old vectors serve until the new are complete; a kill loses nothing; in the end the new
    ones alone serve.
    """
    with Report("T14") as report:
        for round in range(count(3, 50)):
            path = tmp_path / f"{round}.db"
            fill(path)
            report["kills"] += kill_in_the_middle(path, report)
            with opened(path, FakeEmbedder(name="other")) as memory:
                assert states(memory) == {OLD: ModelState.ACTIVE, NEW: ModelState.BUILDING}
                before = memory.stats().coverage
                assert 0 < before[1].with_vector < TURNS  # it was killed in the middle
                assert len(asked_by(memory)) == 20  # the old ones still answer
                # made anew, every vector is its own embedder's
                assert memory.admin.doctor(deep=True) == []
                memory.admin.tidy()
                assert states(memory) == {OLD: ModelState.RETIRED, NEW: ModelState.ACTIVE}
                assert len(asked_by(memory)) == 20
                assert memory.admin.doctor(deep=True) == []
            assert mixed(path) == 0
        assert report["kills"] == count(3, 50)


def kill_in_the_middle(path: Path, report: Report) -> int:
    """Kill a change of embedder: after some batches, each with a question to another process, and
    within the next; whether it was.
    """
    pace, go = os.pipe()
    child = Child(lambda say: change(path, say, pace))
    with opened(path, FakeEmbedder(name="other")) as memory:
        for _ in range(report.random.randrange(2, 9)):
            os.write(go, b".")
            assert child.next_line()
            assert len(asked_by(memory)) == 20
            report["answers"] += 1
        os.write(go, b"....")
        time.sleep(report.random.random() * 0.01)
        child.kill()
    os.close(go)
    os.close(pace)
    return int(child.status == -9)


@pytest.mark.covers("LS-86", "CX-15")
def test_vectors_of_another_embedder_are_never_searched(tmp_path: Path) -> None:
    """Same width, another model: until its own vectors are there, it serves nothing."""
    path = tmp_path / "memory.db"
    fill(path)
    with opened(path, FakeEmbedder(name="other")) as memory:
        serving = memory.encoders.serving
        assert serving is not None
        assert serving.model.id == OLD
        assert len(asked_by(memory)) == 20


@pytest.mark.covers("CX-1", "CX-2")
def test_an_old_embedder_that_is_not_at_hand_is_told_of(tmp_path: Path) -> None:
    """Where stored vectors cannot be searched, every answer says so."""
    path = tmp_path / "memory.db"
    with Memory(
        SqliteStore.open(path), embedder=Named("fake", FakeEmbedder(name="gone")), background=False
    ) as memory:
        memory.at(user="ana").remember("the garden is large")
    with opened(path, FakeEmbedder(name="other")) as memory:
        assert any("gone-64" in note for note in memory.recall("garden").degraded)
