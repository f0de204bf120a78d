"""What a reranker reads ahead of questions: kept in the store, erased with its text, made once."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest

from omoide.models.base import Reading, RerankScores
from omoide.nouns.errors import ModelError
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.store.base import Store
from omoide.upkeep.readings import BATCH, Ahead
from omoide.write.remember import Statement
from tests.fix_memory import OpenMemory

ANA = Scope(user="ana")
BEST = Query(text="Which tea?", preset="best")


class Reader:
    """A reranker that reads a text as its first bytes, and likes those that begin late in the
    alphabet.
    """

    id, reach = "reader@1", 200

    def __init__(self) -> None:
        self.texts: list[str] = []

    def read(self, texts: Sequence[str]) -> list[bytes]:
        self.texts += texts
        return [text.encode()[:8] for text in texts]

    def score_read(self, query: str, readings: Sequence[bytes]) -> RerankScores:
        return np.array([reading[0] for reading in readings], np.float32)

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        return self.score_read(query, self.read(texts))


def kept(store: Store, reader: str = Reader.id) -> int:
    """How many documents a reranker has read."""
    with store.transaction(tenant=None, write=False) as tx:
        docs = tx.rows("docs.without_vector", tenant="default", model=-1, after=0, limit=1_000)
        unread = tx.rows("readings.unread", tenant="default", reader=reader, after=0, limit=1_000)
    return sum(int(doc["part"] == 0) for doc in docs) - len(unread)


@pytest.fixture
def reader() -> Reader:
    return Reader()


def test_what_was_read_ahead_is_not_read_when_a_question_comes(
    open_memory: OpenMemory, reader: Reader
) -> None:
    """Items and turns, with who spoke; the order is that of the readings. What is new since is read
    at once.
    """
    memory = open_memory(reranker=reader)
    memory.remember("Ana drinks green tea", ANA)
    memory.ingest([Message(text="white tea too", speaker="Zoe")], ANA)
    memory.admin.tidy(only=["vectors"])

    assert isinstance(reader, Reading)
    assert sorted(reader.texts) == ["Ana drinks green tea", "Zoe: white tea too"]
    assert [hit.kind for hit in memory.recall(BEST, ANA).hits] == [Kind.TURN, Kind.ITEM]
    assert len(reader.texts) == 2
    memory.remember("zest of lemon in her tea", ANA)
    assert memory.recall(BEST, ANA).hits[0].text == "zest of lemon in her tea"
    assert reader.texts[2:] == ["zest of lemon in her tea"]


def test_what_is_forgotten_is_erased_and_the_index_made_anew_is_read_anew(
    open_memory: OpenMemory, reader: Reader
) -> None:
    """A reading could betray its text."""
    memory = open_memory(reranker=reader)
    tea = memory.remember("Ana drinks green tea", ANA)
    memory.ingest([Message(text="white tea too", speaker="Zoe")], Scope(user="ana", session="s"))
    memory.admin.tidy(only=["vectors"])
    assert kept(memory.store) == 2

    memory.forget(tea.id, ANA)
    assert kept(memory.store) == 1
    memory.sessions.forget("s", scope=ANA)
    with memory.store.transaction(tenant=None, write=False) as tx:
        assert tx.rows("copy.read_readings", tenant="", doc=-1, reader="", limit=9) == []


def test_reading_goes_on_where_it_was_stopped(open_memory: OpenMemory, reader: Reader) -> None:
    """Batch by batch; nothing is read twice, and another reranker reads for itself."""
    memory = open_memory(reranker=reader)
    memory.ingest([Message(text=f"tea number {n}") for n in range(BATCH + 5)], ANA)

    assert Ahead(memory.store, reader).some() == BATCH
    ahead = Ahead(memory.store, reader)
    assert (ahead.some(), ahead.some()) == (5, None)
    assert ahead.all() == 0
    assert (len(reader.texts), kept(memory.store), kept(memory.store, "reader@2")) == (
        BATCH + 5,
        BATCH + 5,
        0,
    )


def test_doctor_finds_a_reading_whose_document_is_gone(
    open_memory: OpenMemory, reader: Reader
) -> None:
    """As older code leaves it; repaired, it is erased."""
    memory = open_memory(reranker=reader)
    with memory.store.transaction(tenant=None) as tx:
        tx.run("readings.add", tenant="default", doc=999, reader=reader.id, reading=b"tea")
    memory.remember("Ana drinks green tea", ANA)

    (found,) = memory.admin.doctor()
    assert (found.place, found.mended) == ("reading of document 999", False)
    assert memory.admin.doctor(repair=True)[0].mended
    assert memory.admin.doctor() == []


def test_a_reader_that_fails_stops_no_vectors(
    open_memory: OpenMemory, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tidy says so; what it read before stays, and recall without it works."""
    memory = open_memory(reranker=reader)
    memory.ingest([Message(text="green tea")], ANA)

    def broken(texts: Sequence[str]) -> list[bytes]:
        raise ModelError("no memory left")

    monkeypatch.setattr(reader, "read", broken)
    with pytest.raises(ModelError, match="no memory left"):
        memory.admin.tidy(only=["vectors"])
    assert memory.recall("Which tea?", ANA).degraded == ()
    with pytest.raises(ModelError, match="no memory left"):
        memory.recall(BEST, ANA)


def test_the_background_reads_between_jobs(open_memory: OpenMemory, reader: Reader) -> None:
    """One batch at each look, until nothing is left; then it rests."""
    memory = open_memory(reranker=reader)
    memory.ingest([Message(text=f"tea number {n}") for n in range(2 * BATCH)], ANA)

    with memory.upkeep.worker() as worker:
        worker.wait(idle=True)

    assert kept(memory.store) == 2 * BATCH


def test_what_a_reranker_read_that_is_not_in_use_goes_with_a_tidy(
    open_memory: OpenMemory, reader: Reader
) -> None:
    """Of another one, and of one that was switched off; what is in use stays. Another tenant's,
    too.
    """
    first = open_memory(reranker=reader)
    first.remember("Ana drinks green tea", ANA)
    first.remember("Eve drinks mint tea", Scope(tenant="other", user="eve"))
    first.admin.tidy(only=["vectors"])
    first.admin.tidy(only=["vectors"])
    assert held(first.store) == {(tenant, "reader@1") for tenant in ("default", "other")}

    second = Reader()
    second.id = "reader@2"
    open_memory(reranker=second).admin.tidy(only=["vectors"])
    assert held(first.store) == {(tenant, "reader@2") for tenant in ("default", "other")}

    open_memory().admin.tidy(only=["vectors"])
    assert held(first.store) == set()


def held(store: Store) -> set[tuple[str, str]]:
    """The tenants of which something was read, and by which reranker."""
    found = set()
    with store.transaction(tenant=None, write=False) as tx:
        for tenant in ("default", "other"):
            rows = tx.rows("copy.read_readings", tenant="", doc=-1, reader="", limit=99)
            found |= {(row["tenant"], row["reader"]) for row in rows if row["tenant"] == tenant}
    return found


@pytest.mark.parametrize("verb", ["remember", "seed", "correct"])
def test_what_is_told_is_read_ahead_at_once(
    open_memory: OpenMemory, reader: Reader, verb: str
) -> None:
    """In the background, and not at its next look in five minutes."""
    memory = open_memory(reranker=reader, background=True)
    tea = memory.remember("Ana drinks green tea", ANA)
    waited(reader, 1)
    time.sleep(0.2)  # until it sleeps

    if verb == "remember":
        memory.remember("zest of lemon", ANA)
    elif verb == "seed":
        memory.items.add_many([Statement(text="zest of lemon")], ANA)
    else:
        memory.correct(tea.id, "zest of lemon", ANA)

    waited(reader, 2)
    assert reader.texts == ["Ana drinks green tea", "zest of lemon"]


def waited(reader: Reader, count: int) -> None:
    """Wait until so many texts were read, ten seconds at most."""
    until = time.monotonic() + 10
    while len(reader.texts) < count:
        assert time.monotonic() < until
        time.sleep(0.01)
