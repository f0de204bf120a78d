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
from omoide.verbs.awaited import (
    AsyncAdminVerbs,
    AsyncEntityVerbs,
    AsyncItemVerbs,
    AsyncJobVerbs,
    AsyncProcedureVerbs,
    AsyncReflectionVerbs,
    AsyncReviewVerbs,
    AsyncSearchVerbs,
    AsyncSessionVerbs,
    AsyncToolCallVerbs,
    AsyncUserVerbs,
)
from omoide.verbs.opening import Settings
from omoide.verbs.other_names import OtherNames, check_opened
from omoide.verbs.threads import THREADS, Threaded, threaded

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


class AsyncMemory(OtherNames, Threaded[Memory]):
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

    remember = threaded(Memory.remember)
    ingest = threaded(Memory.ingest)
    correct = threaded(Memory.correct)
    undo = threaded(Memory.undo)
    forget = threaded(Memory.forget)
    recall = threaded(Memory.recall)
    context = threaded(Memory.context)
    ask = threaded(Memory.ask)
    why_not = threaded(Memory.why_not)
    get = threaded(Memory.get)
    history = threaded(Memory.history)
    diff = threaded(Memory.diff)
    due = threaded(Memory.due)
    stats = threaded(Memory.stats)

    @property
    def items(self) -> AsyncItemVerbs:
        """Single items: list, file, judge and erase what is known."""
        return AsyncItemVerbs(self.memory.items, self._pool)

    @property
    def sessions(self) -> AsyncSessionVerbs:
        """Sessions: begin, end, read, learn from and erase talk."""
        return AsyncSessionVerbs(self.memory.sessions, self._pool)

    @property
    def entities(self) -> AsyncEntityVerbs:
        """Entities: the people, projects and things that items are about."""
        return AsyncEntityVerbs(self.memory.entities, self._pool)

    @property
    def users(self) -> AsyncUserVerbs:
        """Users: which sender of a channel is which user."""
        return AsyncUserVerbs(self.memory.users, self._pool)

    @property
    def review(self) -> AsyncReviewVerbs:
        """The review queue: proposals that need a person's decision."""
        return AsyncReviewVerbs(self.memory.review, self._pool)

    @property
    def procedures(self) -> AsyncProcedureVerbs:
        """Procedures: how to do things, from failures, successes and files."""
        return AsyncProcedureVerbs(self.memory.procedures, self._pool)

    @property
    def reflections(self) -> AsyncReflectionVerbs:
        """Reflections, digests and the profile."""
        return AsyncReflectionVerbs(self.memory.reflections, self._pool)

    @property
    def searches(self) -> AsyncSearchVerbs:
        """Saved searches: questions that are asked again and again."""
        return AsyncSearchVerbs(self.memory.searches, self._pool)

    @property
    def tool_calls(self) -> AsyncToolCallVerbs:
        """Tool calls: how agents used their tools."""
        return AsyncToolCallVerbs(self.memory.tool_calls, self._pool)

    @property
    def jobs(self) -> AsyncJobVerbs:
        """Jobs: background work that waits, runs, or failed."""
        return AsyncJobVerbs(self.memory.jobs, self._pool)

    @property
    def admin(self) -> AsyncAdminVerbs:
        """Administration: backups, checks, upkeep and erasure."""
        return AsyncAdminVerbs(self.memory.admin, self._pool)
