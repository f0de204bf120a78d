"""Random programs in several threads of several memories over one database, and what must hold
whatever came first.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import Deadlock, OmoideError
from omoide.nouns.scope import Scope
from omoide.store.base import Store
from tests.fix_memory import NINE
from tests.programs.hosts import OpenStore, opened
from tests.programs.program import Program, Run
from tests.programs.rows import rows_of

# What is loaded from an archive may be what another forgets meanwhile.
ALONE = frozenset({"admin.load"})


class SharedClock(FixedClock):
    """A fixed clock of several threads."""

    def __init__(self) -> None:
        super().__init__(NINE)
        self._lock = threading.Lock()

    def new_id(self) -> str:
        """The next id, once."""
        with self._lock:
            return super().new_id()

    def move(self, **by: float) -> None:
        """Go forward."""
        with self._lock:
            super().move(**by)


class Member:
    """One of several that use a memory at once, with what it was told."""

    def __init__(self, memory: Memory, clock: FixedClock) -> None:
        self.clock, self._memory = clock, memory
        self.acknowledged: dict[str, str] = {}  # ids of items and turns that were stored, and kind
        self.raised: list[BaseException] = []

    def call(self, verb: str, because: Because, arguments: dict[str, Any]) -> Any:
        """What the verb returns."""
        try:
            told = attrgetter(verb)(self._memory.acting(because))(**arguments)
        except Exception as error:
            self.raised.append(error)
            raise
        if verb in ("remember", "correct"):
            self.acknowledged[told.id] = "item"
        elif verb == "items.add_many":
            self.acknowledged |= {item.id: "item" for item in told}
        elif verb == "ingest":
            self.acknowledged |= dict.fromkeys(told.turns, "turn")
        return told

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of the store."""
        return rows_of(self._memory.store)

    def close(self) -> None:
        """The memory is closed by whoever opened it."""


def crowded(
    open_store: OpenStore, programs: Sequence[Program], setting: int, folder: Path
) -> list[str]:
    """What is wrong after programs ran at once, on two memories in turn; empty if nothing."""
    clock = SharedClock()
    with ExitStack() as stack:
        memories = [stack.enter_context(opened(open_store(), clock, setting)) for _ in range(2)]
        members = [Member(memories[n % 2], clock) for n in range(len(programs))]
        with ThreadPoolExecutor(len(programs)) as pool:
            done = [
                pool.submit(walk, member, program, folder / str(n))
                for n, (member, program) in enumerate(zip(members, programs, strict=True))
            ]
        problems = [problem for one in done for problem in one.result()]
        return problems + left(memories[0], members)


def walk(member: Member, program: Program, folder: Path) -> list[str]:
    """Take the steps of a program; the errors that are not Omoide's own, or that say that a write
    was given up.
    """
    folder.mkdir()
    run = Run(member, folder)
    for step in program:
        if step.verb not in ALONE:
            run.take(step)
    return [
        f"{type(error).__name__}: {error}"
        for error in member.raised
        if isinstance(error, Deadlock) or not isinstance(error, OmoideError)
    ]


def left(memory: Memory, members: Sequence[Member]) -> list[str]:
    """What is wrong with the store in the end."""
    with suppress(OmoideError):
        memory.admin.tidy(only=["vectors"])
    problems = [
        str(finding)
        for finding in memory.admin.doctor(deep=True)
        if not finding.place.startswith("sender of")  # advice, on who is linked to whom
    ]
    for tenant in ("default", "other"):
        problems += memory.admin.verify(scope=Scope(tenant=tenant)).problems
    return problems + lost(memory.store, members)


def lost(store: Store, members: Sequence[Member]) -> list[str]:
    """What was acknowledged and is neither there nor forgotten."""
    rows = rows_of(store)
    held = {row["id"] for row in rows["items"]}
    held |= {f"{row['session_id']}#{row['position']}" for row in rows["turns"]}
    gone = {row["record"] for row in rows["changes"] if row["action"] == "forget"}
    return [
        f"{kind} {id} is lost"
        for member in members
        for id, kind in member.acknowledged.items()
        if id not in held and id not in gone and id.partition("#")[0] not in gone
    ]
