"""Vectors of texts met before."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from omoide.models import Vectors
from omoide.models.embedders.cache import CachedEmbedder
from omoide.models.embedders.fake import FakeEmbedder, Fault
from omoide.nouns.errors import BadVector, InvalidInput


@pytest.mark.covers("GM-45")
def test_the_same_text_is_embedded_once() -> None:
    """Within a batch and across batches; order and values are the model's."""
    fake = FakeEmbedder()
    cached = CachedEmbedder(fake)
    rows = cached.embed(["a", "b", "a"])
    again = cached.embed(["b", "c", "a"])

    assert fake.asked == ["a", "b", "c"]
    assert np.allclose(rows, FakeEmbedder().embed(["a", "b", "a"]), atol=1e-6)
    assert np.allclose(again, FakeEmbedder().embed(["b", "c", "a"]), atol=1e-6)
    assert (cached.id, cached.dimension) == (fake.id, fake.dimension)
    assert cached.embed([]).shape == (0, 64)


def test_a_question_and_a_document_are_kept_apart() -> None:
    """Models with prefixes give another vector to the same words as a question."""
    fake = FakeEmbedder()
    cached = CachedEmbedder(fake)
    cached.embed(["a"])
    cached.embed(["a"], query=True)

    assert fake.asked == ["a", "a"]


def test_the_cache_is_bounded_and_drops_the_longest_unused() -> None:
    """The size never passes the limit, even for one huge batch; a text just used stays."""
    fake = FakeEmbedder()
    cached = CachedEmbedder(fake, entries=2)
    cached.embed(["a", "b"])
    cached.embed(["a"])
    cached.embed(["c"])
    cached.embed(["a"])
    cached.embed(["b"])
    assert fake.asked == ["a", "b", "c", "b"]

    assert cached.embed([str(number) for number in range(50)]).shape == (50, 64)
    assert len(cached) == 2


def test_a_cache_of_nothing_is_refused() -> None:
    """A limit below one is a slip."""
    with pytest.raises(InvalidInput, match="cache"):
        CachedEmbedder(FakeEmbedder(), entries=0)


def test_callers_cannot_change_what_is_kept() -> None:
    """A caller that writes into its rows changes its own copy."""
    cached = CachedEmbedder(FakeEmbedder())
    cached.embed(["a"])[:] = 0

    assert np.linalg.norm(cached.embed(["a"])[0]) == pytest.approx(1, abs=1e-6)


@pytest.mark.covers("LS-74")
def test_a_bad_vector_is_not_kept() -> None:
    """After a failure the next call asks the model again."""
    fake = FakeEmbedder()
    cached = CachedEmbedder(fake)
    fake.fault = Fault.NAN
    with pytest.raises(BadVector):
        cached.embed(["a"])
    assert len(cached) == 0

    fake.fault = None
    assert np.isfinite(cached.embed(["a"])).all()


def test_no_text_is_kept() -> None:
    """What the cache holds in memory are hashes and vectors."""
    cached = CachedEmbedder(FakeEmbedder())
    cached.embed(["my secret is 4711"])

    assert "4711" not in repr(vars(vars(cached)["_rows"]))


def test_clearing_forgets_vectors_under_way_too() -> None:
    """A text erased while its vector is being computed does not come back into the cache."""

    class Erased(FakeEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            cached.clear()
            return super().embed(texts, query=query)

    cached = CachedEmbedder(Erased())
    assert cached.embed(["a secret"]).shape == (1, 64)

    assert len(cached) == 0


def test_threads_share_a_cache() -> None:
    """Many threads at once get the right vectors, and the bound holds."""
    cached = CachedEmbedder(FakeEmbedder(), entries=5)
    texts = [f"text {number}" for number in range(12)]
    right = FakeEmbedder().embed(texts)
    wrong: list[int] = []

    def work(offset: int) -> None:
        for number in range(60):
            at = (number * 7 + offset) % 12
            if not np.allclose(cached.embed([texts[at]])[0], right[at], atol=1e-6):
                wrong.append(at)

    threads = [threading.Thread(target=work, args=(offset,)) for offset in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong
    assert len(cached) <= 5
