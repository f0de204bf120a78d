"""An embedder's server that takes only so much of a text: that is remembered, and told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from omoide.models.base import Vectors
from omoide.models.embedders.encoders import Named
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.errors import BadVector
from omoide.upkeep.vectors import BATCH
from tests.fix_memory import OpenMemory


class Narrow(FakeEmbedder):
    """Refuses what has more than some bytes, once."""

    input_bytes: int | None = None

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        if any(len(text.encode()) > 40 for text in texts):
            self.input_bytes = 40
        return super().embed(texts, query=query)

    def limit(self, input_bytes: int) -> None:
        self.input_bytes = input_bytes


def test_a_limit_is_remembered_and_told(open_memory: OpenMemory) -> None:
    """By the next program too, before it is refused anything; doctor names the texts."""
    memory = open_memory(embedder=Named("narrow", Narrow()))
    memory.ingest([{"content": "the wombat sleeps " * 5}, {"content": "good night"}])
    memory.admin.tidy(only=["vectors"])

    (finding,) = memory.admin.doctor()
    later = Narrow()
    open_memory(embedder=Named("narrow", later))

    assert "takes 40 bytes" in finding.problem
    assert "1 longer text read in pieces: document " in finding.problem
    assert finding.mended
    assert later.input_bytes == 40


def test_without_longer_texts_all_is_well(open_memory: OpenMemory) -> None:
    """A limit alone is no finding."""
    memory = open_memory(embedder=Named("narrow", Narrow()))
    memory.ingest([{"content": "good night"}])
    memory.admin.tidy(only=["vectors"])

    assert memory.admin.doctor() == []


def test_a_limit_found_by_work_leaves_the_embedder_the_same(open_memory: OpenMemory) -> None:
    """The memory that was open while it was found still searches by meaning."""
    memory = open_memory(embedder=Named("narrow", Narrow()))
    other = open_memory(embedder=Named("narrow", Narrow()))
    memory.ingest([{"content": "the wombat sleeps " * 5}, {"content": "good night"}])
    memory.admin.tidy(only=["vectors"])

    for opened in (memory, other):
        recall = opened.recall("good night")
        assert recall.degraded == ()
        assert "vector" in {rank.arm for rank in recall.hits[0].arms}


class Picky(FakeEmbedder):
    """Has no vectors of a request in which somebody speaks of foxes."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        vectors = super().embed(texts, query=query)
        return vectors * (0 if any("fox" in text for text in texts) else 1)


def test_texts_without_a_vector_leave_those_of_others_alone(open_memory: OpenMemory) -> None:
    """Whatever the embedder does instead; doctor names them, and recall has them by their words."""
    memory = open_memory(embedder=Named("picky", Picky()))
    memory.ingest([{"content": f"wombat number {n}"} for n in range(9)])
    memory.ingest([{"content": "the fox ran"}, {"content": "good night"}, {"content": "a fox?"}])

    assert memory.admin.tidy(only=["vectors"]).vectors == 10

    (finding,) = memory.admin.doctor()
    assert "it refused 2 texts, found by words alone: documents 10, 12" in finding.problem
    assert not finding.mended
    assert "fox" in memory.recall("who ran").hits[0].text
    assert "vector" in {rank.arm for rank in memory.recall("good night").hits[0].arms}


def test_an_embedder_that_refuses_a_text_takes_over_all_the_same(open_memory: OpenMemory) -> None:
    """When it has the vectors of all others."""
    memory = open_memory()
    memory.ingest([{"content": "the fox ran"}, {"content": "good night"}])
    memory.admin.tidy(only=["vectors"])

    later = open_memory(embedder=Named("picky", Picky(32)))
    later.admin.tidy(only=["vectors"])

    assert [one.state for one in later.stats().coverage] == ["active"]


def test_refused_texts_keep_no_others_from_their_vectors(open_memory: OpenMemory) -> None:
    """However many there are, and where one stands alone; nothing waits."""
    memory = open_memory(embedder=Named("picky", Picky()))
    memory.ingest([{"content": "the fox ran"}])
    assert memory.admin.tidy(only=["vectors"]).vectors == 0
    memory.ingest([{"content": f"fox number {n}"} for n in range(BATCH + 30)])
    memory.ingest([{"content": f"wombat number {n}"} for n in range(9)])

    assert memory.admin.tidy(only=["vectors"]).vectors == 9
    assert "it refused 287 texts" in memory.admin.doctor()[0].problem


class Broken(FakeEmbedder):
    """Has no vectors."""

    calls = 0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.calls += 1
        return super().embed(texts, query=query) * 0


def test_an_embedder_that_has_no_vector_at_all_is_an_error(open_memory: OpenMemory) -> None:
    """After few tries; nothing is taken for refused."""
    embedder = Broken()
    memory = open_memory(embedder=Named("broken", embedder))
    memory.ingest([{"content": f"fox number {n}"} for n in range(200)])

    with pytest.raises(BadVector):
        memory.admin.tidy(only=["vectors"])

    assert embedder.calls < 10
