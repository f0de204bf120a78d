"""Statements that threads want remembered at the same moment, remembered in one transaction.

Python runs one thread at a time, and handing over between threads costs more than the work in
between; so the thread whose turn it is does the work of all who wait, once: one embedding, one look
at what is known, one commit.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from copy import copy
from itertools import islice
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from omoide.nouns.errors import ModelMissing, ModelUnreachable, OmoideError, StoreError

W = TypeVar("W")
R = TypeVar("R")

MOST = 32  # done at once
_FAILS_EACH = (StoreError, ModelMissing, ModelUnreachable)  # as likely with one as with many


class _BatchRequest(Generic[W, R]):
    """What one thread wants done, and what came of it."""

    __slots__ = ("alone", "error", "is_done", "ready", "result", "wanted")

    def __init__(self, wanted: W) -> None:
        self.wanted, self.is_done, self.alone = wanted, False, False
        self.result: R | None = None
        self.error: OmoideError | None = None
        self.ready = threading.Lock()  # free once it is done, or once it is this thread's turn
        self.ready.acquire()

    def settle(self, result: R | None, error: OmoideError | None = None) -> None:
        """Note what came of it."""
        self.is_done, self.result, self.error = True, result, error


class Together(Generic[W, R]):
    """Work that is cheaper done for many at once. ``do`` gives one result for each of what it is
    given, or raises for all; it is given only what has one ``group``, such as a tenant.

    Where it raises for several, each is done alone by its own thread, so that one that cannot be
    done spoils no other; not where the store or the model's server fails, as it would for each.
    What was done with an interrupted thread's is done again.
    """

    def __init__(
        self,
        do: Callable[[Sequence[W]], Sequence[R]],
        group: Callable[[W], object] = lambda wanted: None,
    ) -> None:
        self._do, self._group = do, group
        self._leader: _BatchRequest[W, R] | None = None  # whose turn it is
        self._begin()
        _all.add(self)

    def __call__(self, wanted: W) -> R:
        """The result of what is wanted; raises what ``do`` raises for it alone."""
        wish: _BatchRequest[W, R] = _BatchRequest(wanted)
        try:
            with self._mutex:
                self._waiting.append(wish)
                self._leader = self._leader or wish
            if self._leader is not wish:
                wish.ready.acquire()
            while not wish.is_done:
                self._lead()
        finally:
            if self._leader is wish or not wish.is_done:
                self._leave(wish)
        if wish.error is not None:
            raise copy(wish.error) from wish.error  # others raise it too
        assert wish.result is not None
        return wish.result

    def _begin(self) -> None:
        self._mutex = threading.Lock()
        self._waiting: deque[_BatchRequest[W, R]] = deque()
        self._leader = None

    def _leave(self, wish: _BatchRequest[W, R]) -> None:
        """Wait no more, and hand the turn to who has waited longest; a thread may be interrupted at
        any place.
        """
        with self._mutex:
            if wish in self._waiting:
                self._waiting.remove(wish)
            if self._leader is wish:
                self._leader = self._waiting[0] if self._waiting else None
                if self._leader is not None:
                    self._leader.ready.release()

    def _lead(self) -> None:
        """Do the work of all who wait, this thread's first; where that fails for several, each is
        to be done alone.
        """
        wishes = self._gather()
        try:
            results = self._do([wish.wanted for wish in wishes])
        except _FAILS_EACH as error:
            for wish in wishes:
                wish.settle(None, error)
        except Exception:
            if len(wishes) > 1:
                return
            raise
        else:
            for wish, result in zip(wishes, results, strict=True):
                wish.settle(result)
        finally:
            self._let_go(wishes)

    def _gather(self) -> list[_BatchRequest[W, R]]:
        with self._mutex:
            first = self._waiting[0]
            if first.alone:
                return [first]
            group = self._group(first.wanted)
            return [
                wish
                for wish in islice(self._waiting, MOST)
                if not wish.alone and self._group(wish.wanted) == group
            ]

    def _let_go(self, wishes: Sequence[_BatchRequest[W, R]]) -> None:
        """Wake the threads whose wishes are done, but for this one; the others go on waiting."""
        with self._mutex:
            for wish in wishes:
                if not wish.is_done:
                    wish.alone = True
                elif wish in self._waiting:  # else its thread was interrupted
                    self._waiting.remove(wish)
        for wish in wishes[1:]:
            if wish.is_done:
                wish.ready.release()


_all: WeakSet[Together[Any, Any]] = WeakSet()


def _after_fork() -> None:
    for together in list(_all):
        together._begin()  # forked off, perhaps while another thread had its turn


os.register_at_fork(after_in_child=_after_fork)
