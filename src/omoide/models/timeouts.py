"""Embedders and rerankers that are waited for, but not for ever: given up on when they hang, and
left alone while that does not pass.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from omoide.models.base import Embedder, Over, Reading, Reranker, RerankScores, Vectors
from omoide.models.chat.patient import PATIENCE, Breaker, within
from omoide.models.rerankers.judge import Judge
from omoide.nouns.errors import ModelTimeout

# that one call is waited for, unless the setting embedder_timeout_s says otherwise
TIMEOUT_S = 120.0
# the same of a reranker, by reranker_timeout_s: somebody waits for the answer
RERANKER_TIMEOUT_S = 30.0
TOLD = ("reach", "optional", "point")  # what a reranker may say of itself

R = TypeVar("R")


class Bounded:
    """Calls of a model, each of which ends within a time, whatever the model does.

    A call that hangs goes on by itself in a thread of its own, which keeps no process alive. After
    some in a row the model is left alone for a while, so that no more such threads gather; then one
    call tries whether it answers again.
    """

    def __init__(
        self, model: str, timeout_s: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        """timeout_s: above 0."""
        self._model, self._timeout_s = model, timeout_s
        self._breaker = Breaker(PATIENCE.failures, PATIENCE.pause_s, now)

    def __call__(self, call: Callable[[], R]) -> R:
        """What a call gives or raises.

        Raises:
            ModelTimeout: no answer in time, or it hung so often that it is left alone for now.
        """
        left = self._breaker.left_s()
        if left:
            raise ModelTimeout(
                f"{self._model} gave no answer {PATIENCE.failures} times in a row and is left alone"
                " for now",
                left,
            )
        answered = True
        try:
            return within(self._timeout_s, self._model, call)
        except ModelTimeout:
            answered = False
            raise
        finally:
            self._breaker.note(worked=answered)


class Awaited(Over):
    """An embedder whose calls are bounded."""

    def __init__(
        self, inner: Embedder, timeout_s: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        """timeout_s: above 0."""
        super().__init__(inner)
        self._bounded = Bounded(inner.id, timeout_s, now)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says.

        Raises:
            ModelTimeout: as ``Bounded``.
        """
        return self._bounded(partial(self._inner.embed, texts, query=query))


class AwaitedReranker:
    """A reranker whose calls are bounded; what it says of itself is as it was."""

    def __init__(self, inner: Reranker, timeout_s: float) -> None:
        """timeout_s: above 0."""
        self._inner, self._bounded = inner, Bounded(inner.id, timeout_s)
        self.id = inner.id
        self.__dict__.update({name: getattr(inner, name) for name in TOLD if hasattr(inner, name)})

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        """As the protocol says.

        Raises:
            ModelTimeout: as ``Bounded``.
        """
        return self._bounded(partial(self._inner.score, query, texts))


class AwaitedReading(AwaitedReranker):
    """The same, of one that reads ahead."""

    def __init__(self, inner: Reading, timeout_s: float) -> None:
        """timeout_s: above 0."""
        super().__init__(inner, timeout_s)
        self._reader = inner

    @property
    def is_loaded(self) -> bool:
        """Whether it reads ahead by now: one that is loaded at its first use does not before."""
        return bool(getattr(self._reader, "is_loaded", True))

    def read(self, texts: Sequence[str]) -> list[bytes]:
        """As the protocol says; raises as ``score``."""
        return self._bounded(partial(self._reader.read, texts))

    def score_read(self, query: str, readings: Sequence[bytes]) -> RerankScores:
        """As the protocol says; raises as ``score``."""
        return self._bounded(partial(self._reader.score_read, query, readings))


def awaited(embedder: Embedder, timeout_s: float) -> Embedder:
    """The embedder with its calls bounded; one that works in this process and answers at once
    (``at_once``) as it is.
    """
    return embedder if answers_at_once(embedder) else Awaited(embedder, timeout_s)


def awaited_reranker(reranker: Reranker, timeout_s: float = RERANKER_TIMEOUT_S) -> Reranker:
    """The reranker with its calls bounded, by its own ``timeout_s`` if it has one.

    As it is where it answers at once, is bounded already, or asks the language model, whose calls
    are.
    """
    if answers_at_once(reranker) or isinstance(reranker, AwaitedReranker | Judge):
        return reranker
    timeout_s = float(getattr(reranker, "timeout_s", timeout_s))
    return (
        AwaitedReading(reranker, timeout_s)
        if isinstance(reranker, Reading)
        else AwaitedReranker(reranker, timeout_s)
    )


def answers_at_once(model: Embedder | Reranker) -> bool:
    """Whether a model needs nobody's answer and little time: calls of several threads are then made
    as one.
    """
    return bool(getattr(model, "at_once", False))
