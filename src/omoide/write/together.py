"""Statements that threads want remembered at the same moment, remembered in one transaction.

Python runs one thread at a time, and handing over between threads costs more than the work in between; so the
thread whose turn it is does the work of all who wait, once: one embedding, one look at what is known, one commit.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from omoide.errors import OmoideError, StoreError

W = TypeVar("W")
R = TypeVar("R")

MOST = 32  # done at once


class _Wish(Generic[W, R]):
    """What one thread wants done, and what came of it."""

    __slots__ = ("error", "is_done", "ready", "result", "wanted")

    def __init__(self, wanted: W) -> None:
        self.wanted, self.is_done = wanted, False
        self.result: R | None = None
        self.error: BaseException | None = None
        self.ready = threading.Lock()  # free once it is done, or once it is this thread's turn
        self.ready.acquire()


class Together(Generic[W, R]):
    """Work that is cheaper done for many at once. ``do`` gives one result for each of what it is given, or raises for all.

    Where it raises for several, each is done alone, so that one that cannot be done spoils no other; not where the
    store itself fails, as it would for each.
    """

    def __init__(self, do: Callable[[Sequence[W]], Sequence[R]]) -> None:
        self._do = do
        self._is_led = False
        self._begin()

    def __call__(self, wanted: W) -> R:
        """The result of what is wanted; raises what ``do`` raises for it alone."""
        if self._process != os.getpid():  # forked off, perhaps while another thread had its turn
            self._begin()
        wish: _Wish[W, R] = _Wish(wanted)
        with self._mutex:
            self._waiting.append(wish)
            leads = not self._is_led
            self._is_led = True
        if not leads:
            wish.ready.acquire()
        if not wish.is_done:
            self._lead()
        if wish.error is not None:
            raise wish.error
        assert wish.result is not None
        return wish.result

    def _begin(self) -> None:
        self._process = os.getpid()
        self._mutex = threading.Lock()
        self._waiting: deque[_Wish[W, R]] = deque()
        self._is_led = False

    def _lead(self) -> None:
        """Do the work of all who wait, this thread's among it, and hand the turn to who came meanwhile."""
        with self._mutex:
            wishes = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST))]
        try:
            self._work(wishes)
        finally:
            with self._mutex:
                following = self._waiting[0] if self._waiting else None
                self._is_led = following is not None
            for wish in wishes:
                if not wish.is_done:
                    wish.is_done, wish.error = True, StoreError("the thread that worked for this one was interrupted; nothing was stored")
                wish.ready.release()
            if following is not None:
                following.ready.release()

    def _work(self, wishes: Sequence[_Wish[W, R]]) -> None:
        try:
            results = self._do([wish.wanted for wish in wishes])
        except OmoideError as error:
            if len(wishes) > 1 and not isinstance(error, StoreError):
                for wish in wishes:
                    self._work([wish])
                return
            for wish in wishes:
                wish.is_done, wish.error = True, error
        else:
            for wish, result in zip(wishes, results, strict=True):
                wish.is_done, wish.result = True, result
