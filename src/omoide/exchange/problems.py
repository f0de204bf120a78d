"""How an importer says what it could not read: a problem with its place, while the rest goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from omoide.nouns.errors import shortened
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import counted
from omoide.nouns.session import Conversation

PARTICIPANTS = "participants"  # the place of a problem with who takes part
PROBLEM_LIMIT = 1_000  # problems listed for one import; the rest is counted


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was not imported, or not whole.

    place is like ``conversations.json: conversation 17, message 3`` or ``chat.txt: line 120``.
    """

    place: str
    what: str

    def __str__(self) -> str:
        return shortened(f"{self.place}: {self.what}")


@dataclass(frozen=True, slots=True)
class Omission:
    """What was left out on purpose: how many records of a kind, and the place of one of them."""

    kind: str
    count: int
    place: str

    def __str__(self) -> str:
        return f"{self.count} × {self.kind} (such as {self.place})"


ReadConversations: TypeAlias = Iterator[Conversation | Problem]
Findings: TypeAlias = Iterator[Conversation | Problem | Omission]


@frozen_record
class Watch:
    """Who is told, while an export is read, how much of it was read, from 0 to 1, and at the end
    what was left out, once for each kind.
    """

    share: Callable[[float], None] = lambda share: None
    left_out: Callable[[Omission], None] = lambda omission: None


class BadRecord(Exception):
    """One record cannot be read; the reader stands behind it and can go on."""


class BrokenFile(Exception):
    """The file cannot be read any further."""


def without_omissions(findings: Findings, tell: Callable[[Omission], None]) -> ReadConversations:
    """The findings without the omissions; ``tell`` is told of them at the end, once a kind."""
    kinds: dict[str, Omission] = {}
    for reading in findings:
        if isinstance(reading, Omission):
            known = kinds.get(reading.kind, Omission(reading.kind, 0, reading.place))
            kinds[reading.kind] = replace(known, count=known.count + reading.count)
        else:
            yield reading
    for omission in kinds.values():
        tell(omission)


def limited(readings: ReadConversations) -> ReadConversations:
    """The readings with at most ``PROBLEM_LIMIT`` problems, and one more that counts those left
    out.
    """
    seen = 0
    for reading in readings:
        seen += isinstance(reading, Problem)
        if isinstance(reading, Conversation) or seen <= PROBLEM_LIMIT:
            yield reading
    if seen > PROBLEM_LIMIT:
        yield Problem("import", f"{counted(seen - PROBLEM_LIMIT, 'more problem')}, not listed")
