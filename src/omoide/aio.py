"""AsyncMemory: the verbs of Memory for asyncio, each run in a thread of its own pool.

Made by scripts/async_memory.py from the declarations of the verbs; edit these, not this file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Unpack

from omoide.context.budget import Budget
from omoide.context.result import Answer, Context, StrategyName
from omoide.forgetting.undo import Undone
from omoide.memory import CONTEXT_TOKENS, SOON, Memory
from omoide.nouns.access import Principal
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.hit import Recall
from omoide.nouns.item import CategoryName, Details, Item
from omoide.nouns.query import Query
from omoide.nouns.receipt import Receipt
from omoide.nouns.scope import DEFAULT_TENANT, GLOBAL, Scope
from omoide.nouns.turn import Turn
from omoide.read.lineage import Diff, History
from omoide.read.listings import Stats
from omoide.read.why_not import WhyNot
from omoide.settings.config import Config
from omoide.tables.items import Listing
from omoide.verbs.awaited import (
    AsyncAdmin,
    AsyncEntities,
    AsyncItems,
    AsyncJobs,
    AsyncProcedures,
    AsyncReflections,
    AsyncReview,
    AsyncSearches,
    AsyncSessions,
    AsyncToolCalls,
    AsyncUsers,
)
from omoide.verbs.opening import Settings
from omoide.verbs.other_names import OtherNames, check_opened
from omoide.verbs.threads import THREADS, Threaded
from omoide.write.ingest import Ingested, Talk
from omoide.write.remember import Remembered


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

    def at(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        context: str = GLOBAL,
        tenant: str = DEFAULT_TENANT,
        shared: bool = False,
    ) -> AsyncMemory:
        """Return the same memory bound to more names, with the same threads; see ``Memory.at``."""
        return self._over(
            self.memory.at(
                user=user,
                agent=agent,
                session=session,
                context=context,
                tenant=tenant,
                shared=shared,
            )
        )

    def acting(self, because: Because) -> AsyncMemory:
        """Return the same memory with its changes put down to an actor, a reason and a cause."""
        return self._over(self.memory.acting(because))

    def for_principal(self, principal: Principal) -> AsyncMemory:
        """Return the same memory for somebody else who asks, within their scope and rights."""
        return self._over(self.memory.for_principal(principal))

    def _over(self, memory: Memory) -> AsyncMemory:
        """Another memory in the same threads."""
        twin = object.__new__(type(self))
        twin._group, twin._pool = memory, self._pool
        return twin

    async def close(self) -> None:
        """Wait for calls in flight, then close the memory. Safe to call again."""
        await asyncio.get_running_loop().run_in_executor(None, self._close)

    def _close(self) -> None:
        self._pool.shutdown(wait=True)
        self.memory.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def items(self) -> AsyncItems:
        """Single items: list, file, judge and erase what is known."""
        return AsyncItems(self.memory.items, self._pool)

    @property
    def sessions(self) -> AsyncSessions:
        """Sessions: begin, end, read, learn from and erase talk."""
        return AsyncSessions(self.memory.sessions, self._pool)

    @property
    def entities(self) -> AsyncEntities:
        """Entities: the people, projects and things that items are about."""
        return AsyncEntities(self.memory.entities, self._pool)

    @property
    def users(self) -> AsyncUsers:
        """Users: which sender of a channel is which user."""
        return AsyncUsers(self.memory.users, self._pool)

    @property
    def review(self) -> AsyncReview:
        """The review queue: proposals that need a person's decision."""
        return AsyncReview(self.memory.review, self._pool)

    @property
    def procedures(self) -> AsyncProcedures:
        """Procedures: how to do things, from failures, successes and files."""
        return AsyncProcedures(self.memory.procedures, self._pool)

    @property
    def reflections(self) -> AsyncReflections:
        """Reflections, digests and the profile."""
        return AsyncReflections(self.memory.reflections, self._pool)

    @property
    def searches(self) -> AsyncSearches:
        """Saved searches: questions that are asked again and again."""
        return AsyncSearches(self.memory.searches, self._pool)

    @property
    def tool_calls(self) -> AsyncToolCalls:
        """Tool calls: how agents used their tools."""
        return AsyncToolCalls(self.memory.tool_calls, self._pool)

    @property
    def jobs(self) -> AsyncJobs:
        """Jobs: background work that waits, runs, or failed."""
        return AsyncJobs(self.memory.jobs, self._pool)

    @property
    def admin(self) -> AsyncAdmin:
        """Administration: backups, checks, upkeep and erasure."""
        return AsyncAdmin(self.memory.admin, self._pool)

    async def remember(
        self,
        text: str,
        scope: Scope | None = None,
        *,
        category: CategoryName | str = "fact",
        tags: Sequence[str] = (),
        entities: Sequence[str] = (),
        due_at: datetime | str | None = None,
        details: Details | None = None,
    ) -> Remembered:
        """Remember a statement, word for word; one known already is not added twice."""
        return await self._run(
            self.memory.remember,
            text,
            scope,
            category=category,
            tags=tags,
            entities=entities,
            due_at=due_at,
            details=details,
        )

    async def ingest(
        self, talk: Talk, scope: Scope | None = None, *, private: bool = False
    ) -> Ingested:
        """Log messages word for word, with secrets masked, in the scope's session or a new one."""
        return await self._run(self.memory.ingest, talk, scope, private=private)

    async def correct(
        self,
        id: str,
        text: str,
        scope: Scope | None = None,
        *,
        at: datetime | None = None,
        details: Details | None = None,
    ) -> Remembered:
        """Supersede an item by what is true instead, from a time on (None: now)."""
        return await self._run(self.memory.correct, id, text, scope, at=at, details=details)

    async def undo(self, what: str, scope: Scope | None = None, *, preview: bool = False) -> Undone:
        """Take back one change by its id, or all changes of a session or an import; return the
        ids of the changes that this made.
        """
        return await self._run(self.memory.undo, what, scope, preview=preview)

    async def forget(
        self, id: str, scope: Scope | None = None, *, preview: bool = False
    ) -> Receipt:
        """Erase an item with all its versions, a turn, or a proposal; then prove it."""
        return await self._run(self.memory.forget, id, scope, preview=preview)

    async def recall(
        self, query: str | Query, scope: Scope | None = None, *, limit: int = 10
    ) -> Recall:
        """Return the memories that answer a query, best first."""
        return await self._run(self.memory.recall, query, scope, limit=limit)

    async def context(
        self,
        query: str | Query,
        scope: Scope | None = None,
        *,
        budget: int | str | Budget = CONTEXT_TOKENS,
        strategy: StrategyName | str = "frozen",
    ) -> Context:
        """Return what a program puts into a prompt: the memories that answer a query, dated,
        labelled and fenced, as many as fit a budget.
        """
        return await self._run(self.memory.context, query, scope, budget=budget, strategy=strategy)

    async def ask(
        self,
        query: str | Query,
        scope: Scope | None = None,
        *,
        budget: int | str | Budget = CONTEXT_TOKENS,
    ) -> Answer:
        """Return the answer to a question in words, by the configured model, with the turns and
        items that it rests on.
        """
        return await self._run(self.memory.ask, query, scope, budget=budget)

    async def why_not(
        self, query: str | Query, id: str, scope: Scope | None = None, *, limit: int = 10
    ) -> WhyNot:
        """Explain why a query does not return a record: the first gate that it failed, or the
        rank that it has.
        """
        return await self._run(self.memory.why_not, query, id, scope, limit=limit)

    async def get(
        self,
        id: str,
        scope: Scope | None = None,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Item | Turn:
        """Return an item or turn by id; with times, the version that was true or known then."""
        return await self._run(self.memory.get, id, scope, as_of=as_of, known_at=known_at)

    async def history(self, id: str, scope: Scope | None = None) -> History:
        """Return an item's versions, oldest first, and every change to them."""
        return await self._run(self.memory.history, id, scope)

    async def diff(
        self,
        recorded_since: datetime,
        recorded_until: datetime | None = None,
        scope: Scope | None = None,
        *,
        include_sensitive: bool = False,
    ) -> Diff:
        """Return what a scope holds at ``recorded_until`` (None: now) and did not at
        ``recorded_since``, and what it no longer holds. Both say when it was recorded, not
        when it was true.
        """
        return await self._run(
            self.memory.diff,
            recorded_since,
            recorded_until,
            scope,
            include_sensitive=include_sensitive,
        )

    async def due(
        self,
        within: timedelta = SOON,
        scope: Scope | None = None,
        *,
        overdue: bool = True,
        listing: Listing | None = None,
    ) -> list[Item]:
        """Return items due within a time (zero: due now) and, unless told not to, overdue ones;
        soonest first. Of the listing, context, sensitive and limit count.
        """
        return await self._run(self.memory.due, within, scope, overdue=overdue, listing=listing)

    async def stats(self, scope: Scope | None = None, *, days: int = 30) -> Stats:
        """Return counts of a scope's items, turns, vectors and jobs, and of what happened on
        each of the last days.
        """
        return await self._run(self.memory.stats, scope, days=days)
