"""Embedders that are waited for: given up on when they hang, left alone for a while, and as they
are otherwise.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import pytest

from omoide.models.base import Narrowed, Vectors
from omoide.models.chat.patient import PATIENCE
from omoide.models.embedders.cache import CachedEmbedder
from omoide.models.embedders.fake import FakeEmbedder, Fault
from omoide.models.timeouts import Awaited, awaited
from omoide.nouns.errors import ModelError, ModelTimeout, ModelUnreachable

SOON_S = 0.05


class Hanging(FakeEmbedder):
    """An embedder that gives no answer to a text with a word in it until it is let go."""

    at_once = False

    def __init__(self, word: str = "hang") -> None:
        super().__init__()
        self._at = word
        self.free, self.called = threading.Event(), 0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says, at some time."""
        self.called += 1
        if any(self._at in text for text in texts):
            self.free.wait(60)
        return super().embed(texts, query=query)


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    """It is let go at the end, so that no thread stays."""
    embedder = Hanging()
    yield embedder
    embedder.free.set()


def test_what_answers_is_as_it_is(hanging: Hanging) -> None:
    """Its vectors, its name and width, and its errors."""
    waited = Awaited(hanging, 60)

    assert (waited.id, waited.dimension) == (hanging.id, hanging.dimension)
    assert (waited.embed(["tea"]) == hanging.embed(["tea"])).all()
    hanging.fault = Fault.DOWN
    with pytest.raises(ModelUnreachable, match="not reachable"):
        waited.embed(["tea"])


def test_one_that_hangs_is_given_up_on(hanging: Hanging) -> None:
    """With an error of its own, which says how long it was waited for; the next text is
    embedded.
    """
    waited = Awaited(hanging, SOON_S)

    with pytest.raises(ModelTimeout, match=r"fake-64: no answer within 0\.05 seconds"):
        waited.embed(["hang"])
    assert len(waited.embed(["tea"])) == 1


def test_one_that_hangs_again_and_again_is_left_alone_for_a_while(hanging: Hanging) -> None:
    """So no more threads gather than that; after a while one call tries again. An error is an
    answer.
    """
    now = [0.0]
    waited = Awaited(hanging, SOON_S, lambda: now[0])
    hanging.fault = Fault.DOWN
    for _ in range(2 * PATIENCE.failures):
        with pytest.raises(ModelError, match="not reachable"):
            waited.embed(["tea"])
    hanging.fault = None
    for _ in range(PATIENCE.failures):
        with pytest.raises(ModelTimeout):
            waited.embed(["hang"])
    called = hanging.called

    with pytest.raises(ModelTimeout, match="left alone") as caught:
        waited.embed(["tea"])
    assert hanging.called == called
    assert caught.value.retry_after_s == PATIENCE.pause_s
    now[0] += PATIENCE.pause_s
    assert len(waited.embed(["tea"])) == 1


def test_what_works_in_this_process_needs_no_thread() -> None:
    """Narrowed or with a cache before it, too."""
    embedder = FakeEmbedder()

    for one in (embedder, Narrowed(embedder, 8), CachedEmbedder(embedder)):
        assert awaited(one, 60) is one
    assert isinstance(awaited(CachedEmbedder(Hanging()), 60), Awaited)
