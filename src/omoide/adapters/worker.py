"""Calls of a memory from asyncio: one thread makes them in order, and never keeps a process."""

from __future__ import annotations

import asyncio
import contextvars
import weakref
from collections.abc import Callable, Coroutine
from functools import partial, wraps
from threading import Lock, Thread
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
W = TypeVar("W", bound="HasWorker")


class SerialWorker:
    """Runs calls one after the other in a thread of its own, which starts with the first.

    Writes stay in order, the caller's loop never waits, and a call that hangs does not keep the
    process from ending.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a call gives, made after all those before it."""
        in_context = partial(contextvars.copy_context().run, partial(call, *args, **kwargs))
        done = asyncio.run_coroutine_threadsafe(_made(in_context), self._started())
        return await asyncio.wrap_future(done)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=_run, args=[self._loop], name="omoide", daemon=True).start()
                weakref.finalize(self, self._loop.call_soon_threadsafe, self._loop.stop)
            return self._loop


class HasWorker(Protocol):
    """What has a worker of its own."""

    _worker: SerialWorker


def in_worker(
    method: Callable[Concatenate[W, P], T],
) -> Callable[Concatenate[W, P], Coroutine[Any, Any, T]]:
    """A method as a coroutine that its object's worker makes."""

    @wraps(method)
    async def call(self: W, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._worker(partial(method, self), *args, **kwargs)

    return call


async def _made(call: Callable[[], T]) -> T:
    return call()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()
