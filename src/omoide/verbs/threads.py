"""Verbs for asyncio: each call runs in a thread of a pool that its memory owns."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from omoide.nouns.errors import StoreClosed
from omoide.verbs.bound import Bound

P = ParamSpec("P")
T = TypeVar("T")
G = TypeVar("G", bound=Bound)
G_co = TypeVar("G_co", bound=Bound, covariant=True)

THREADS = 16  # calls in flight; SQLite and local embedders work in them, remote ones wait in them


class Threaded(Generic[G_co]):
    """A group of verbs whose calls run in a pool of threads."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, verb in vars(cls).items():
            if hasattr(verb, "__wrapped__"):  # found, and pickled, as what it is here
                verb.__module__, verb.__qualname__ = cls.__module__, f"{cls.__qualname__}.{name}"

    def __init__(self, group: G_co, pool: ThreadPoolExecutor) -> None:
        self._group, self._pool = group, pool

    def __repr__(self) -> str:
        return f"Async{self._group!r}"

    async def _run(self, verb: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        call = partial(contextvars.copy_context().run, partial(verb, *args, **kwargs))
        try:
            begun = asyncio.get_running_loop().run_in_executor(self._pool, call)
        except RuntimeError:  # the pool takes no more
            raise StoreClosed("the memory was closed") from None
        return await begun


def threaded(
    verb: Callable[Concatenate[G, P], T],
) -> Callable[Concatenate[Threaded[G], P], Coroutine[Any, Any, T]]:
    """A verb of a group as a coroutine of its threaded face, with the same signature and
    docstring.
    """

    @wraps(verb)
    async def call(self: Threaded[G], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(getattr(self._group, verb.__name__), *args, **kwargs)

    return call
