"""A memory that learns from recorded answers, and what became of what it heard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count

from omoide.evals.unchecked import Unchecked
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.embedders.static import StaticEmbedder
from omoide.nouns.clock import StoryClock
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Role
from omoide.store import open_store
from omoide.tables.listing import Listing
from tests.evals.answers import Merging, Player, Record, Spoken


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """How answers are played: with the checks on or off, with a judge or without; the rest as
    ``Player`` says.
    """

    checks: bool = True
    judge: bool = True
    stubborn: bool = False
    decides: bool = True
    merging: Merging = "whole"

    def __str__(self) -> str:
        if not self.checks:
            return "checks off"
        return "checks and judge" if self.judge else "checks alone"


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """What became of a record, and whether that is right; sort: its kind or shape, if it has any."""

    id: str
    lang: str
    found: str
    right: bool
    sort: str = ""


def case(record: Record, found: str, *, right: bool) -> Case:
    """A record as a case."""
    sort = str(record.get("kind") or record.get("shape") or "")
    return Case(id=record["id"], lang=record["lang"], found=found, right=right, sort=sort)


def share(cases: Sequence[Case], *found: str) -> float:
    """The share of cases with one of these findings; of all without: those that are right."""
    held = [one.found in found if found else one.right for one in cases]
    return sum(held) / len(held) if held else 0.0


class Bench:
    """A store with a recorded model, for one way of playing."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.clock = setup, StoryClock()
        self.player = Player(stubborn=setup.stubborn, decides=setup.decides, merging=setup.merging)
        self.teaching = Teaching(asker=Asker(self.player.model), judge=setup.judge)
        self.memory = Memory(
            open_store(":memory:"),
            embedder=StaticEmbedder(),
            clock=self.clock,
            background=False,
            teaching=self.teaching,
        )

    def pupil(self, id: str) -> Pupil:
        """A person of whom nothing is known yet."""
        return Pupil(self, id)


@contextmanager
def bench(setup: Setup) -> Iterator[Bench]:
    """A bench with an empty store."""
    opened = Bench(setup)
    with opened.memory:
        yield opened


class Pupil:
    """A person in a tenant of their own, whose talks are learnt from."""

    def __init__(self, bench: Bench, id: str) -> None:
        self._bench, self._sessions = bench, count(1)
        self.memory, self.scope = bench.memory, Scope(tenant=id, user="user")

    def hear(self, turns: Sequence[Record], spoken: Sequence[Spoken]) -> None:
        """Log a talk and learn from it, where the model makes these notes."""
        bench, session = self._bench, f"talk-{next(self._sessions)}"
        messages = tuple(map(_message, turns))
        bench.clock.at = max(m.at for m in messages if m.at) + timedelta(minutes=1)
        bench.player.play(spoken)
        self.memory.ingest(Conversation(id=session, messages=messages), self.scope)
        if bench.setup.checks:
            self.memory.sessions.extract(session, self.scope)
        else:
            Unchecked(self.memory, self.scope, bench.teaching).learn(session)

    def items(self, *, closed: bool = False) -> list[Item]:
        """Its open items, or the closed ones."""
        listed = self.memory.items.list(
            Listing(sensitive=None, closed=True, limit=200), self.scope
        ).items
        return [item for item in listed if item.is_open is not closed]

    @property
    def waiting(self) -> int:
        """How many proposals need a person."""
        return len(self.memory.review.list(self.scope))

    def fate(self) -> str:
        """What became of the one note that it heard."""
        items = self.items()
        if any(item.holds for item in items):
            return "confirmed"
        if items:
            return "unconfirmed"
        return "waiting" if self.waiting else "dropped"


def _message(turn: Record) -> Message:
    return Message(
        text=turn["text"],
        role=Role(turn["role"]),
        speaker=turn["speaker"],
        at=datetime.fromisoformat(turn["at"]),
    )
