"""A model that is waited for, but not for ever: tried again, left alone while that does not help,
and given up on when it hangs.

Waits double, each cut by chance (full jitter), so that what failed together does not come back
together. A server that says how long it wants to be left alone is listened to. After some failures
in a row a model is not called for a while; then one call tries whether it works again, and the
others wait for what that one finds.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from types import TracebackType
from typing import Generic, TypeVar

from omoide.models.chat.base import Ask, ChatModel, Checkable, Completion, Priced, Streaming
from omoide.nouns.errors import ModelError, ModelTimeout, ModelUnreachable
from omoide.nouns.record.frozen import frozen_record

R = TypeVar("R")
Clockwork = Callable[[], float]  # seconds from some moment on


@frozen_record
class Patience:
    """How long, and how often, a model is waited for. Times are in seconds."""

    timeout_s: float = 120.0  # for one call
    attempts: int = 3
    first_wait_s: float = (
        1.0  # before the second attempt, cut by chance; twice that before each one more
    )
    longest_wait_s: float = (
        30.0  # a server that asks for more is given up on here, and asked later by who has time
    )
    failures: int = 5  # in a row, until it is left alone
    pause_s: float = 60.0  # that it is left alone for


PATIENCE = Patience()


class Breaker:
    """Counts failures in a row, and says when to leave a model alone. Safe in several threads."""

    def __init__(self, failures: int, pause_s: float, now: Clockwork) -> None:
        self._most, self._pause_s, self._now = failures, pause_s, now
        self._failed, self._until = 0, 0.0
        self._lock = threading.Lock()

    def left_s(self) -> float:
        """For how many seconds it is still to be left alone; 0: call it. After the pause the first
        who asks may, nobody else meanwhile.
        """
        with self._lock:
            if self._failed < self._most:
                return 0.0
            left = self._until - self._now()
            if left <= 0:
                self._until = self._now() + self._pause_s
            return max(left, 0.0)

    def note(self, *, worked: bool) -> None:
        """What came of a call."""
        with self._lock:
            self._failed = 0 if worked else self._failed + 1
            if self._failed >= self._most:
                self._until = self._now() + self._pause_s


class Patient:
    """A model as the protocol says, with patience: its errors are those that stay."""

    def __init__(
        self,
        model: ChatModel,
        patience: Patience = PATIENCE,
        *,
        now: Clockwork = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.id, self._model, self._patience = model.id, model, patience
        self.is_priced = isinstance(model, Priced) and model.is_priced
        self._breaker = Breaker(patience.failures, patience.pause_s, now)
        self._wait, self._chance = wait, chance

    def check(self) -> None:
        """As the model says, where it can tell."""
        if isinstance(self._model, Checkable):
            self._model.check()

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says.

        Raises:
            ModelUnreachable: it does not answer, keeps failing, or is left alone for now; says when
                to come back, if that is known.
            ModelError: it failed in a way that does not pass.
        """
        for attempt in range(1, self._patience.attempts + 1):
            try:
                return self._once(partial(self._model.answer, ask))
            # trying again at once would take as long, and who waits has waited long enough
            except ModelTimeout:
                raise
            except ModelUnreachable as error:
                pause = self._pause(attempt, error.retry_after_s)
                if attempt == self._patience.attempts or pause > self._patience.longest_wait_s:
                    raise
            self._wait(pause)
        raise AssertionError("the last attempt returns or raises")

    def stream(self, ask: Ask, hear: Callable[[str], None]) -> Completion:
        """As the protocol says, once: what was heard cannot be taken back. A model that does not
        stream answers as ever.

        Raises:
            ModelUnreachable, ModelError: as ``answer`` does.
        """
        if not isinstance(self._model, Streaming):
            return self.answer(ask)
        return self._once(partial(self._model.stream, ask, hear))

    def _pause(self, attempt: int, told_s: float | None) -> float:
        patience = self._patience
        own = min(patience.longest_wait_s, patience.first_wait_s * 2.0 ** (attempt - 1))
        return max(own * self._chance(), told_s or 0.0)

    def _once(self, call: Callable[[], Completion]) -> Completion:
        """One call; a server that says anything at all works.

        Raises:
            ModelUnreachable: it does not, or is left alone for now.
        """
        if left := self._breaker.left_s():
            raise ModelUnreachable(
                f"{self.id} failed {self._patience.failures} times in a row and is left alone"
                " for now",
                left,
            )
        try:
            answer = within(self._patience.timeout_s, self.id, call)
        except ModelError as error:
            self._breaker.note(worked=not isinstance(error, ModelUnreachable))
            raise
        self._breaker.note(worked=True)
        return answer


def within(timeout_s: float, model: str, call: Callable[[], R]) -> R:
    """What a model's call gives or raises, if that comes in time. One that hangs goes on in a
    thread that keeps no process alive.

    Raises:
        ModelTimeout: it does not.
    """
    made = _ThreadCall(model, call)
    made.start()
    made.join(timeout_s)
    if made.is_alive():
        raise ModelTimeout(f"{model}: no answer within {timeout_s:g} seconds")
    if made.error is not None:
        raise made.error
    return made.said[0]


class _ThreadCall(threading.Thread, Generic[R]):
    """One call in a thread of its own, in the context of who made it; what it raises is kept."""

    def __init__(self, model: str, call: Callable[[], R]) -> None:
        super().__init__(name=f"omoide-{model}", daemon=True)
        self.said: tuple[R, ...] = ()
        self.error: BaseException | None = None
        self._made, self._context = call, copy_context()

    def run(self) -> None:
        """As a thread does."""
        with self:
            self.said = (self._context.run(self._made),)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self.error = error
        return True
