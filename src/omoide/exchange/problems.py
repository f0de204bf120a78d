"""How an importer says what it could not read: a problem with its place, while the rest goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from omoide.nouns.errors import shortened
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


Readings: TypeAlias = Iterator[Conversation | Problem]


class BadRecord(Exception):
    """One record cannot be read; the reader stands behind it and can go on."""


class BrokenFile(Exception):
    """The file cannot be read any further."""


def limited(readings: Readings) -> Readings:
    """The readings with at most ``PROBLEM_LIMIT`` problems, and one more that counts those left
    out.
    """
    seen = 0
    for reading in readings:
        seen += isinstance(reading, Problem)
        if isinstance(reading, Conversation) or seen <= PROBLEM_LIMIT:
            yield reading
    if seen > PROBLEM_LIMIT:
        yield Problem("import", f"{seen - PROBLEM_LIMIT} more problems, not listed")
