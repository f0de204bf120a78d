"""An embedder that is waited for, but not for ever: given up on when it hangs, and left alone while that does not pass."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from omoide.errors import ModelTimeout
from omoide.models.base import Embedder, Vectors
from omoide.models.patient import PATIENCE, Breaker, within

TIMEOUT_S = 120.0  # that one call is waited for, unless the setting embedder_timeout_s says otherwise


class Awaited:
    """An embedder whose calls end within a time, whatever the model does.

    A call that hangs goes on by itself in a thread of its own, which keeps no process alive. After some in a row the embedder
    is left alone for a while, so that no more such threads gather; then one call tries whether it answers again.
    """

    def __init__(self, inner: Embedder, timeout_s: float, now: Callable[[], float] = time.monotonic) -> None:
        """timeout_s: above 0."""
        self._inner, self._timeout_s = inner, timeout_s
        self._breaker = Breaker(PATIENCE.failures, PATIENCE.pause_s, now)
        self.id, self.dimension = inner.id, inner.dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says.

        Raises:
            ModelTimeout: no answer in time, or it hung so often that it is left alone for now.
        """
        left = self._breaker.left_s()
        if left:
            raise ModelTimeout(f"{self.id} gave no answer {PATIENCE.failures} times in a row and is left alone for now", left)
        answered = True
        try:
            return within(self._timeout_s, self.id, partial(self._inner.embed, texts, query=query))
        except ModelTimeout:
            answered = False
            raise
        finally:
            self._breaker.note(worked=answered)


def awaited(embedder: Embedder, timeout_s: float) -> Embedder:
    """The embedder with its calls bounded; one that works in this process and answers at once (``at_once``) as it is."""
    return embedder if answers_at_once(embedder) else Awaited(embedder, timeout_s)


def answers_at_once(embedder: Embedder) -> bool:
    """Whether an embedder needs nobody's answer and little time: calls of several threads are then made as one."""
    return bool(getattr(embedder, "at_once", False))
