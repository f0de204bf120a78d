"""Procedures: how-tos that can be used again, a lesson from a failure or a recipe from successes.
Pure.

Each is told in three tiers of detail: what it is found and ranked by, when and why to do what, and
the steps.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NewType

from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Tier
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope

ProcedureId = NewType("ProcedureId", str)

# characters of the first three; how many of the others
DISCOVERY, DETAIL, NAME, STEPS, TAGS, TOOLS = 600, 2_000, 100, 50, 20, 50
# a file that a person wrote may say more: steps, and characters of all of them
MODEL_LIMITS, FILE_LIMITS = (STEPS, DETAIL), (2_000, 100_000)
ERROR_CUT = 200  # characters of an error that a proposer sees
NON_INFERABLE = "non-inferable"  # the tag of what could not have been known without having failed
OLD = timedelta(days=90)
TARGETS = 10  # agents that a procedure is handed on to at once
_PLACES = re.compile(
    r"\b[a-z][a-z0-9+.-]{0,60}://\S+|\bwww\.\S+|(?:[A-Za-z]:)?(?:[\\/][^\s\\/:*?\"'<>|,;()]+)+[\\/]?",
    re.IGNORECASE,
)


class Provenance(StrEnum):
    """What a procedure was learnt from."""

    FAILURE = "failure"  # of a task: a lesson
    SUCCESS = "success"  # of tools, again and again: a recipe
    FILE = "file"  # written by somebody
    AGENT = "agent"  # handed on by another agent


@frozen_record
class Failed(Record):
    """What is told of a task that failed. What was said meanwhile is no part of it."""

    task: str  # its id
    title: str = ""
    description: str = ""
    kind: str = ""
    error: str = ""
    category: str = ""  # of the error
    ended: str = ""  # why the run ended
    tools: tuple[str, ...] = ()  # that were called, in order
    turns: int = 0
    retries: int = 0
    missing: str = ""  # the capability that was lacking, if any


@frozen_record
class Advice:
    """What a model would make a procedure of; any of it may be wrong."""

    name: str
    when_to_use: str
    discovery: str
    activation: str
    steps: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: float = 0.0


@frozen_record
class Procedure(Record):
    """A how-to. Only its counts and whether it is enabled change; a new one supersedes it."""

    id: ProcedureId
    scope: Scope
    name: str
    when_to_use: str
    discovery: str  # what it is ranked by
    activation: str  # condition, action and why
    steps: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    provenance: Provenance
    origin: str  # such as "failure:<task>"
    # ids of turns, sessions and procedures that it was made of, with which it is forgotten
    sources: tuple[str, ...] = ()
    confidence: float
    tier: Tier = Tier.AGENT  # whose word it is: the lowest of what it was made of
    successes: int = 0
    attempts: int = 0
    version: int = 1
    enabled: bool = True
    superseded_by: ProcedureId | None = None
    created_at: datetime
    last_used_at: datetime | None = None

    @property
    def is_current(self) -> bool:
        """Whether it may be recalled."""
        return self.enabled and self.superseded_by is None

    def texts(self) -> tuple[str, ...]:
        """All that it tells, text by text."""
        return (self.name, self.when_to_use, self.discovery, self.activation, *self.steps)


@frozen_record
class Lesson(Record):
    """A recalled procedure, and how near its purpose is to the goal, from -1 to 1."""

    procedure: Procedure
    score: float


def without_places(error: str) -> str:
    """An error without addresses and paths, on one line, cut at 200 characters: what it says and
    not where.
    """
    text = _PLACES.sub("…", error[: 20 * ERROR_CUT])
    plain = "".join(
        " " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text
    )
    return " ".join(plain.split())[:ERROR_CUT]


def check_advice(advice: Advice, limits: tuple[int, int] = MODEL_LIMITS) -> Advice:
    """The advice, if it is within its limits; limits are how many steps it may have, and of how
    many characters together.

    Raises:
        InvalidInput: a text is missing or too long, there are too many steps or tags, or the
            confidence is none.
    """
    for name, limit in _TEXT_LIMITS.items():
        text = getattr(advice, name)
        if not text.strip() or len(text) > limit:
            raise InvalidInput(
                name, f"has {len(text)} characters; it needs some, and the limit is {limit}"
            )
    most, characters = limits
    if len(advice.steps) > most or sum(map(len, advice.steps)) > characters:
        raise InvalidInput(
            "steps", f"are more than {most}, or longer than {characters} characters together"
        )
    if len(advice.tags) > TAGS:
        raise InvalidInput("tags", f"are {len(advice.tags)}; the limit is {TAGS}")
    if not 0 <= advice.confidence <= 1:
        raise InvalidInput("confidence", f"{advice.confidence} is not from 0 to 1")
    return advice


_TEXT_LIMITS = {"name": NAME, "when_to_use": DETAIL, "discovery": DISCOVERY, "activation": DETAIL}


def to_prune(procedures: Sequence[Procedure], now: datetime) -> list[Procedure]:
    """Those not worth keeping: unused for ninety days, and another is no less of use and as recent,
    and better in one of the two.

    What somebody less trusted says is no reason to let one go.
    """
    old = [one for one in procedures if now - (one.last_used_at or one.created_at) >= OLD]
    return [one for one in old if any(_is_better(other, one) for other in procedures)]


def handed_on(procedure: Procedure, agents: Sequence[str]) -> list[Procedure]:
    """The procedure for up to ten other agents, tagged with the one it comes from. A person enables
    them; ids are the giver's.

    A user's stays that user's: with none of these agents do others see it.
    """
    giver = procedure.scope.agent or ""
    others = [agent for agent in dict.fromkeys(agents) if agent != giver][:TARGETS]
    tags = dict.fromkeys((*procedure.tags, f"from:{giver}"))
    given = replace(
        procedure,
        tags=tuple(tags)[-TAGS:],
        provenance=Provenance.AGENT,
        origin=f"agent:{giver}",
        enabled=False,
        successes=0,
        attempts=0,
        sources=(*procedure.sources, procedure.id),
        tier=min(procedure.tier, Tier.AGENT),  # to them it is another agent's
    )
    return [replace(given, scope=replace(procedure.scope, agent=agent)) for agent in others]


def _is_better(one: Procedure, other: Procedure) -> bool:
    mine, theirs = _worth(one), _worth(other)
    return (
        one.id != other.id
        and one.tier >= other.tier
        and all(a >= b for a, b in zip(mine, theirs, strict=True))
        and mine != theirs
    )


def _worth(one: Procedure) -> tuple[float, float]:
    """How much it helped, and how lately."""
    rate = one.successes / one.attempts if one.attempts else one.confidence
    return rate, (one.last_used_at or one.created_at).timestamp()
