"""AsyncMemory: the verbs of Memory for asyncio, each run in a thread of its own pool."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Unpack

from omoide.memory import Memory
from omoide.nouns.clock import Clock
from omoide.settings.config import Config
from omoide.verbs.awaited import AsyncGroups
from omoide.verbs.opening import Settings
from omoide.verbs.other_names import OtherNames, check_opened
from omoide.verbs.threads import THREADS

P = ParamSpec("P")


def _bound(
    bind: Callable[Concatenate[Memory, P], Memory],
) -> Callable[Concatenate[AsyncMemory, P], AsyncMemory]:
    """What binds a memory, for asyncio: the memory that it gives, with the same threads."""

    @wraps(bind)
    def call(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> AsyncMemory:
        twin = object.__new__(type(self))
        twin._group, twin._pool = bind(self.memory, *args, **kwargs), self._pool
        return twin

    return call


class AsyncMemory(OtherNames, AsyncGroups[Memory]):
    """A Memory for asyncio, with the same verbs and arguments. It owns its threads, so no loop's
    pool runs dry.
    """

    def __init__(self, memory: Memory, *, threads: int = THREADS) -> None:
        check_opened(memory, "await AsyncMemory", "memory")
        super().__init__(memory, ThreadPoolExecutor(threads, thread_name_prefix="omoide"))

    @property
    def memory(self) -> Memory:
        """The memory whose verbs these are."""
        return self._group

    @classmethod
    async def open(
        cls,
        store: str | Path | None = None,
        *,
        config: Config | None = None,
        clock: Clock | None = None,
        **settings: Unpack[Settings],
    ) -> AsyncMemory:
        """Open a memory in a thread; see ``Memory.open``."""
        opening = partial(Memory.open, store, config=config, clock=clock, **settings)
        return cls(await asyncio.get_running_loop().run_in_executor(None, opening))

    at = _bound(Memory.at)
    acting = _bound(Memory.acting)
    for_principal = _bound(Memory.for_principal)

    async def close(self) -> None:
        """Wait for calls in flight, then close the memory. Safe to call again."""
        await asyncio.get_running_loop().run_in_executor(None, self._close)

    def _close(self) -> None:
        self._pool.shutdown(wait=True)
        self.memory.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()
