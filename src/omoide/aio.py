"""AsyncMemory: the verbs of Memory for asyncio, each run in a thread of its own pool."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, Unpack

from omoide.faculties.reflection.suggestions import Reflected
from omoide.forgetting.undo import Undone
from omoide.learning.consider import Extraction
from omoide.learning.usage_analysis import Analysis
from omoide.memory import NO_LISTING, SOON, Memory
from omoide.nouns.change import Because
from omoide.nouns.chore import Tidied
from omoide.nouns.clock import Clock
from omoide.nouns.entity import Entity
from omoide.nouns.errors import StoreClosed
from omoide.nouns.hit import Recall
from omoide.nouns.item import NO_DETAILS, CategoryName, Details, Item
from omoide.nouns.metadata import NO_METADATA
from omoide.nouns.procedure import Failed, Lesson, Procedure
from omoide.nouns.proposal import ForReview, Made
from omoide.nouns.query import Query
from omoide.nouns.receipt import Receipt
from omoide.nouns.reflection import Digest, Profile, Reflection
from omoide.nouns.scope import DEFAULT_TENANT, GLOBAL, Scope
from omoide.nouns.turn import Turn
from omoide.read.lineage import Diff, History
from omoide.read.listings import Page, Stats
from omoide.read.why_not import WhyNot
from omoide.settings.config import Config
from omoide.tables.items import Listing
from omoide.tables.jobs import Queued
from omoide.tables.ledger import Head
from omoide.tables.sessions import Preview, Unlearnt
from omoide.tables.tools import ToolCall, ToolSummary
from omoide.upkeep.doctor import Finding
from omoide.upkeep.scan import Leak
from omoide.upkeep.verify import Verdict
from omoide.verbs.opening import Settings
from omoide.verbs.other_names import OtherNames, check_opened
from omoide.verbs.practising import LEAST, LESSON_LIMIT
from omoide.write.ingest import Ingested, Talk
from omoide.write.remember import Remembered, Statement

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 16  # calls in flight; SQLite and local embedders work in them, remote ones wait in them


class AsyncMemory(OtherNames):
    """A Memory for asyncio, with the same verbs and arguments. It owns its threads, so no loop's
    pool runs dry.
    """

    def __init__(self, memory: Memory, *, threads: int = THREADS) -> None:
        check_opened(memory, "await AsyncMemory", "memory")
        self.memory = memory
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="omoide")

    @classmethod
    async def open(
        cls,
        store: str | Path | None = None,
        *,
        config: Config | None = None,
        clock: Clock | None = None,
        **settings: Unpack[Settings],
    ) -> AsyncMemory:
        """Memory.open, in a thread."""
        opening = partial(Memory.open, store, config=config, clock=clock, **settings)
        memory = await asyncio.get_running_loop().run_in_executor(None, opening)
        return cls(memory)

    def acting(self, because: Because) -> AsyncMemory:
        """The same memory and threads, its changes put down to somebody."""
        return self._over(self.memory.acting(because))

    def at(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        context: str = GLOBAL,
        tenant: str = DEFAULT_TENANT,
    ) -> AsyncMemory:
        """Memory.at, with the same threads."""
        return self._over(
            self.memory.at(user=user, agent=agent, session=session, context=context, tenant=tenant)
        )

    def _over(self, memory: Memory) -> AsyncMemory:
        """Another memory in the same threads."""
        twin = object.__new__(type(self))
        twin.memory, twin._pool = memory, self._pool
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

    async def _run(self, verb: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        call = partial(contextvars.copy_context().run, partial(verb, *args, **kwargs))
        try:
            begun = asyncio.get_running_loop().run_in_executor(self._pool, call)
        except RuntimeError:  # the pool takes no more
            raise StoreClosed("the memory was closed") from None
        return await begun

    async def remember(
        self,
        text: str,
        scope: Scope | None = None,
        *,
        category: CategoryName | str = "fact",
        tags: Sequence[str] = (),
        entities: Sequence[str] = (),
        due_at: datetime | str | None = None,
        details: Details = NO_DETAILS,
    ) -> Remembered:
        """Memory.remember, in a thread."""
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
        """Memory.ingest, in a thread."""
        return await self._run(self.memory.ingest, talk, scope, private=private)

    async def seed(self, statements: Iterable[Statement], scope: Scope | None = None) -> list[Item]:
        """Memory.seed, in a thread."""
        return await self._run(self.memory.seed, statements, scope)

    async def correct(
        self,
        id: str,
        text: str,
        scope: Scope | None = None,
        *,
        at: datetime | None = None,
        details: Details = NO_DETAILS,
    ) -> Remembered:
        """Memory.correct, in a thread."""
        return await self._run(self.memory.correct, id, text, scope, at=at, details=details)

    async def edit(self, id: str, scope: Scope | None = None, **attributes: Any) -> Item:
        """Memory.edit, in a thread."""
        return await self._run(self.memory.edit, id, scope, **attributes)

    async def pin(self, id: str, scope: Scope | None = None, *, pinned: bool = True) -> Item:
        """Memory.pin, in a thread."""
        return await self._run(self.memory.pin, id, scope, pinned=pinned)

    async def feedback(self, id: str, scope: Scope | None = None, *, helpful: bool) -> Item:
        """Memory.feedback, in a thread."""
        return await self._run(self.memory.feedback, id, scope, helpful=helpful)

    async def reopen(self, id: str, scope: Scope | None = None) -> Item:
        """Memory.reopen, in a thread."""
        return await self._run(self.memory.reopen, id, scope)

    async def cascade(self, id: str, scope: Scope | None = None) -> list[Item]:
        """Memory.cascade, in a thread."""
        return await self._run(self.memory.cascade, id, scope)

    async def review(self, scope: Scope | None = None, *, limit: int = 100) -> list[ForReview]:
        """Memory.review, in a thread."""
        return await self._run(self.memory.review, scope, limit=limit)

    async def approve(
        self, id: str, seal: str, scope: Scope | None = None, *, as_mine: bool = False
    ) -> Item | Made:
        """Memory.approve, in a thread."""
        return await self._run(self.memory.approve, id, seal, scope, as_mine=as_mine)

    async def reword(self, id: str, text: str, scope: Scope | None = None) -> ForReview:
        """Memory.reword, in a thread."""
        return await self._run(self.memory.reword, id, text, scope)

    async def reject(self, id: str, scope: Scope | None = None) -> None:
        """Memory.reject, in a thread."""
        await self._run(self.memory.reject, id, scope)

    async def undo(self, what: str, scope: Scope | None = None) -> Undone:
        """Memory.undo, in a thread."""
        return await self._run(self.memory.undo, what, scope)

    async def forget(
        self,
        id: str | None = None,
        scope: Scope | None = None,
        *,
        session: str | None = None,
        origin: str | None = None,
        entity: str | None = None,
        user: str | None = None,
        everything: str | None = None,
    ) -> Receipt:
        """Memory.forget, in a thread."""
        return await self._run(
            self.memory.forget,
            id,
            scope,
            session=session,
            origin=origin,
            entity=entity,
            user=user,
            everything=everything,
        )

    async def record_tool(
        self,
        tool: str,
        scope: Scope | None = None,
        *,
        args: Mapping[str, Any] = NO_METADATA,
        result: str = "",
        error: str | None = None,
        duration_ms: float | None = None,
        sensitive: bool = False,
    ) -> ToolCall:
        """Memory.record_tool, in a thread."""
        return await self._run(
            self.memory.record_tool,
            tool,
            scope,
            args=args,
            result=result,
            error=error,
            duration_ms=duration_ms,
            sensitive=sensitive,
        )

    async def recall(
        self, query: str | Query, scope: Scope | None = None, *, limit: int = 10
    ) -> Recall:
        """Memory.recall, in a thread."""
        return await self._run(self.memory.recall, query, scope, limit=limit)

    async def why_not(
        self, query: str | Query, id: str, scope: Scope | None = None, *, limit: int = 10
    ) -> WhyNot:
        """Memory.why_not, in a thread."""
        return await self._run(self.memory.why_not, query, id, scope, limit=limit)

    async def get(
        self,
        id: str,
        scope: Scope | None = None,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Item | Turn:
        """Memory.get, in a thread."""
        return await self._run(self.memory.get, id, scope, as_of=as_of, known_at=known_at)

    async def history(self, id: str, scope: Scope | None = None) -> History:
        """Memory.history, in a thread."""
        return await self._run(self.memory.history, id, scope)

    async def diff(
        self,
        since: datetime,
        until: datetime | None = None,
        scope: Scope | None = None,
        *,
        include_sensitive: bool = False,
    ) -> Diff:
        """Memory.diff, in a thread."""
        return await self._run(
            self.memory.diff, since, until, scope, include_sensitive=include_sensitive
        )

    async def items(self, listing: Listing = NO_LISTING, scope: Scope | None = None) -> Page:
        """Memory.items, in a thread."""
        return await self._run(self.memory.items, listing, scope)

    async def due(
        self,
        within: timedelta = SOON,
        scope: Scope | None = None,
        *,
        overdue: bool = True,
        listing: Listing = NO_LISTING,
    ) -> list[Item]:
        """Memory.due, in a thread."""
        return await self._run(self.memory.due, within, scope, overdue=overdue, listing=listing)

    async def begin(self, scope: Scope | None = None) -> Scope:
        """Memory.begin, in a thread."""
        return await self._run(self.memory.begin, scope)

    async def extract(
        self,
        session: str,
        scope: Scope | None = None,
        *,
        again: bool = False,
        dry_run: bool = False,
    ) -> list[Extraction]:
        """Memory.extract, in a thread."""
        return await self._run(self.memory.extract, session, scope, again=again, dry_run=dry_run)

    async def end(self, session: str, scope: Scope | None = None) -> None:
        """Memory.end, in a thread."""
        return await self._run(self.memory.end, session, scope)

    async def catch_up(
        self,
        scope: Scope | None = None,
        *,
        since: datetime | None = None,
        limit: int = 100,
        dry_run: bool = False,
    ) -> list[Unlearnt]:
        """Memory.catch_up, in a thread."""
        return await self._run(
            self.memory.catch_up, scope, since=since, limit=limit, dry_run=dry_run
        )

    async def analyse(self, scope: Scope | None = None, *, dry_run: bool = False) -> Analysis:
        """Memory.analyse, in a thread."""
        return await self._run(self.memory.analyse, scope, dry_run=dry_run)

    async def sessions(
        self, scope: Scope | None = None, *, limit: int = 20, offset: int = 0
    ) -> list[Preview]:
        """Memory.sessions, in a thread."""
        return await self._run(self.memory.sessions, scope, limit=limit, offset=offset)

    async def turns(
        self,
        session: str | None = None,
        scope: Scope | None = None,
        *,
        since: datetime | None = None,
        limit: int = 100,
        first: int = 0,
    ) -> list[Turn]:
        """Memory.turns, in a thread."""
        return await self._run(
            self.memory.turns, session, scope, since=since, limit=limit, first=first
        )

    async def sources(self, id: str, scope: Scope | None = None, *, around: int = 2) -> list[Turn]:
        """Memory.sources, in a thread."""
        return await self._run(self.memory.sources, id, scope, around=around)

    async def entities(
        self, scope: Scope | None = None, *, limit: int = 100, include_sensitive: bool = False
    ) -> list[Entity]:
        """Memory.entities, in a thread."""
        return await self._run(
            self.memory.entities, scope, limit=limit, include_sensitive=include_sensitive
        )

    async def tool_calls(
        self,
        tool: str | None = None,
        scope: Scope | None = None,
        *,
        failed: bool = False,
        limit: int = 50,
    ) -> list[ToolCall]:
        """Memory.tool_calls, in a thread."""
        return await self._run(self.memory.tool_calls, tool, scope, failed=failed, limit=limit)

    async def tools(self, scope: Scope | None = None) -> list[ToolSummary]:
        """Memory.tools, in a thread."""
        return await self._run(self.memory.tools, scope)

    async def name(
        self, entity: str, alias: str | None = None, scope: Scope | None = None
    ) -> Entity:
        """Memory.name, in a thread."""
        return await self._run(self.memory.name, entity, alias, scope)

    async def merge(self, source: str, target: str, scope: Scope | None = None) -> Entity:
        """Memory.merge, in a thread."""
        return await self._run(self.memory.merge, source, target, scope)

    async def split(self, entity: str, alias: str, scope: Scope | None = None) -> Entity:
        """Memory.split, in a thread."""
        return await self._run(self.memory.split, entity, alias, scope)

    async def reflect(
        self, session: str, scope: Scope | None = None, *, again: bool = False
    ) -> list[Reflected]:
        """Memory.reflect, in a thread."""
        return await self._run(self.memory.reflect, session, scope, again=again)

    async def reflections(
        self, scope: Scope | None = None, *, waiting: bool = False, limit: int = 50
    ) -> list[Reflection]:
        """Memory.reflections, in a thread."""
        return await self._run(self.memory.reflections, scope, waiting=waiting, limit=limit)

    async def digests(self, scope: Scope | None = None, *, history: bool = False) -> list[Digest]:
        """Memory.digests, in a thread."""
        return await self._run(self.memory.digests, scope, history=history)

    async def condense(
        self, scope: Scope | None = None, *, kind: str | None = None
    ) -> list[Digest]:
        """Memory.condense, in a thread."""
        return await self._run(self.memory.condense, scope, kind=kind)

    async def profile(self, scope: Scope | None = None) -> Profile | None:
        """Memory.profile, in a thread."""
        return await self._run(self.memory.profile, scope)

    async def lesson(
        self, failure: Failed, scope: Scope | None = None, *, later: bool = False
    ) -> Procedure | None:
        """Memory.lesson, in a thread."""
        return await self._run(self.memory.lesson, failure, scope, later=later)

    async def lessons(
        self,
        goal: str,
        scope: Scope | None = None,
        *,
        limit: int = LESSON_LIMIT,
        least: float = LEAST,
    ) -> list[Lesson]:
        """Memory.lessons, in a thread."""
        return await self._run(self.memory.lessons, goal, scope, limit=limit, least=least)

    async def recipes(self, scope: Scope | None = None) -> list[Procedure]:
        """Memory.recipes, in a thread."""
        return await self._run(self.memory.recipes, scope)

    async def procedures(
        self, scope: Scope | None = None, *, all_of_them: bool = False, limit: int = 100
    ) -> list[Procedure]:
        """Memory.procedures, in a thread."""
        return await self._run(self.memory.procedures, scope, all_of_them=all_of_them, limit=limit)

    async def enable(
        self, id: str, scope: Scope | None = None, *, enabled: bool = True
    ) -> Procedure:
        """Memory.enable, in a thread."""
        return await self._run(self.memory.enable, id, scope, enabled=enabled)

    async def hand_on(
        self, id: str, agents: Sequence[str], scope: Scope | None = None
    ) -> list[Procedure]:
        """Memory.hand_on, in a thread."""
        return await self._run(self.memory.hand_on, id, agents, scope)

    async def write_skill(self, id: str, folder: Path | str, scope: Scope | None = None) -> Path:
        """Memory.write_skill, in a thread."""
        return await self._run(self.memory.write_skill, id, folder, scope)

    async def read_skill(
        self, path: Path | str, scope: Scope | None = None, *, as_mine: bool = False
    ) -> Procedure:
        """Memory.read_skill, in a thread."""
        return await self._run(self.memory.read_skill, path, scope, as_mine=as_mine)

    async def stats(self, scope: Scope | None = None, *, days: int = 30) -> Stats:
        """Memory.stats, in a thread."""
        return await self._run(self.memory.stats, scope, days=days)

    async def jobs(
        self, scope: Scope | None = None, *, state: str | None = None, limit: int = 100
    ) -> list[Queued]:
        """Memory.jobs, in a thread."""
        return await self._run(self.memory.jobs, scope, state=state, limit=limit)

    async def replay(
        self, id: str | None = None, scope: Scope | None = None, *, kind: str | None = None
    ) -> int:
        """Memory.replay, in a thread."""
        return await self._run(self.memory.replay, id, scope, kind=kind)

    async def raw_answer(self, id: str, scope: Scope | None = None) -> str:
        """Memory.raw_answer, in a thread."""
        return await self._run(self.memory.raw_answer, id, scope)

    async def doctor(self, *, repair: bool = False, deep: bool = False) -> list[Finding]:
        """Memory.doctor, in a thread."""
        return await self._run(self.memory.doctor, repair=repair, deep=deep)

    async def verify(self, known: Head | None = None, scope: Scope | None = None) -> Verdict:
        """Memory.verify, in a thread."""
        return await self._run(self.memory.verify, known, scope)

    async def scan(self, scope: Scope | None = None, *, mask: bool = False) -> list[Leak]:
        """Memory.scan, in a thread."""
        return await self._run(self.memory.scan, scope, mask=mask)

    async def backup(self, target: Path | str) -> list[str]:
        """Memory.backup, in a thread."""
        return await self._run(self.memory.backup, target)

    async def tidy(self, *, only: Sequence[str] | None = None) -> Tidied:
        """Memory.tidy, in a thread."""
        return await self._run(self.memory.tidy, only=only)
