"""What random programs run on: one memory, one that is opened anew for each step, two that take
turns, and one for asyncio.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeVar

from omoide.aio import AsyncMemory
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.settings.levels import Level
from omoide.settings.retention import read_retention
from omoide.settings.switches import Switches, Use
from omoide.store.base import Store
from omoide.store.queries import load_queries
from omoide.store.sqlite.engine import SqliteStore
from omoide.write.proposals import Mode
from tests.fix_memory import NINE
from tests.programs.mind import model
from tests.programs.rows import rows_of
from tests.programs.values import ANA, Chance

T = TypeVar("T")
OpenStore = Callable[[], Store]


def opened(store: Store, clock: FixedClock, setting: int) -> Memory:
    """A memory of Ana's that learns, with settings by chance."""
    chance = Chance(setting)
    teaching = Teaching(
        asker=Asker(model()),
        learn_from=chance.choice(("people", "all")),
        strategy=chance.choice(("two-calls", "one-call")),
        judge=chance.often(0.7),
        review=chance.choice((Mode.AUTO, Mode.AUTO, *Mode)),
        reflect=chance.often(0.6),
        recipes=True,
        switches=Switches(agent_memory=chance.choice(tuple(Use)), shared_memory=chance.often(0.8)),
        retention=read_retention("90d", "30d", "31d", chance.choice((0, 0, 12)), "60d"),
    )
    level = chance.choice((*(Level.PERSISTENT,) * 8, Level.PROJECT, Level.SESSION))
    memory = Memory(
        store,
        # what a level needs, its calls have
        scope=ANA if level is Level.PERSISTENT else replace(ANA, session="s1", context="work"),
        embedder=FakeEmbedder(),
        clock=clock,
        background=False,
        teaching=teaching,
    )
    memory._engine.level = level
    return memory


def called(memory: Memory, verb: str, because: Because, arguments: dict[str, Any]) -> Any:
    """What a verb returns. Use counts, which a memory holds back as statistics, are written."""
    try:
        return attrgetter(verb)(memory.acting(because))(**arguments)
    finally:
        memory._engine.uses.write()


class Unordered(SqliteStore):
    """A store in which the rows of a query that says no order come in another one."""

    @contextmanager
    def transaction(
        self, *, tenant: str | None, write: bool = True, durable: bool = True
    ) -> Iterator[Any]:
        """As the store's."""
        with super().transaction(tenant=tenant, write=write, durable=durable) as tx:
            rows = tx.rows
            read = lambda query, /, **values: turned(rows(query, **values), query)  # noqa: E731
            setattr(tx, "rows", read)  # noqa: B010 - of this transaction alone
            yield tx


def turned(rows: list[Any], query: str) -> list[Any]:
    """The rows of a query, the last first if it says no order."""
    return rows if "ORDER BY" in load_queries("sqlite")[query] else rows[::-1]


class OneMemory:
    """A memory that stays open."""

    def __init__(self, open_store: OpenStore, setting: int) -> None:
        self.clock = FixedClock(NINE)
        self._memory = opened(open_store(), self.clock, setting)

    def call(self, verb: str, because: Because, arguments: dict[str, Any]) -> Any:
        """What the verb returns."""
        return called(self._memory, verb, because, arguments)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of the store."""
        return rows_of(self._memory.store)

    def close(self) -> None:
        """Close the memory."""
        self._memory.close()


class Reopened:
    """A memory whose store is closed after each step."""

    def __init__(self, open_store: OpenStore, setting: int) -> None:
        self.clock, self._open, self._setting = FixedClock(NINE), open_store, setting

    def call(self, verb: str, because: Because, arguments: dict[str, Any]) -> Any:
        """What the verb returns."""
        with opened(self._open(), self.clock, self._setting) as memory:
            return called(memory, verb, because, arguments)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of the store."""
        store = self._open()
        try:
            return rows_of(store)
        finally:
            store.close()

    def close(self) -> None:
        """Nothing is open."""


class TakingTurns:
    """Two memories over two stores at one place, which are called in turn: each has to notice what
    the other wrote.
    """

    def __init__(self, open_store: OpenStore, setting: int) -> None:
        self.clock = FixedClock(NINE)
        self._memories = [opened(open_store(), self.clock, setting) for _ in range(2)]

    def call(self, verb: str, because: Because, arguments: dict[str, Any]) -> Any:
        """What the verb returns."""
        self._memories.reverse()
        self._memories[0]._engine.zones.look_again()  # else it does so after five seconds
        return called(self._memories[0], verb, because, arguments)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of the store."""
        return rows_of(self._memories[0].store)

    def close(self) -> None:
        """Close both."""
        for memory in self._memories:
            memory.close()


class Awaited:
    """An AsyncMemory."""

    def __init__(self, open_store: OpenStore, setting: int) -> None:
        self.clock, self._loop = FixedClock(NINE), asyncio.new_event_loop()
        self._memory = AsyncMemory(opened(open_store(), self.clock, setting))

    def call(self, verb: str, because: Because, arguments: dict[str, Any]) -> Any:
        """What the verb returns."""
        try:
            return self._run(attrgetter(verb)(self._memory.acting(because))(**arguments))
        finally:
            self._memory.memory._engine.uses.write()

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of the store."""
        return rows_of(self._memory.memory.store)

    def close(self) -> None:
        """Close it, and its loop."""
        self._run(self._memory.close())
        self._loop.close()

    def _run(self, call: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await call

        return self._loop.run_until_complete(awaited())
