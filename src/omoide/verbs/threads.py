"""Verbs for asyncio: each call runs in a thread of a pool that its memory owns."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Generic, ParamSpec, TypeVar

from omoide.nouns.errors import StoreClosed
from omoide.verbs.bound import Bound

P = ParamSpec("P")
T = TypeVar("T")
G = TypeVar("G", bound=Bound)

THREADS = 16  # calls in flight; SQLite and local embedders work in them, remote ones wait in them


class Threaded(Generic[G]):
    """A group of verbs whose calls run in a pool of threads."""

    def __init__(self, group: G, pool: ThreadPoolExecutor) -> None:
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
