"""Drafts: texts that a model makes of records, such as a profile or a digest, before any line of
them is believed. A judge is asked once whether the records say what their new lines say; what it
says nothing of is told by the checks. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from omoide.grounding.claims import Flag
from omoide.learning.judgement import NoteVerdict, Support, support
from omoide.models.chat.answers import one_line
from omoide.models.chat.base import Purpose
from omoide.nouns.record.frozen import frozen_record


@frozen_record
class Line:
    """A line of a draft. marks: of the records that it is made of; none: of any of them. flags:
    what the checks find. is_said: a record has it word for word.
    """

    text: str
    marks: tuple[str, ...] = ()
    flags: frozenset[Flag] = frozenset()
    is_said: bool = False


class Drafted(Protocol):
    """What a model wrote, by its lines."""

    @property
    def lines(self) -> Sequence[Line]:
        """All of them, in order."""
        ...


S = TypeVar("S")
D = TypeVar("D", bound=Drafted)
# what becomes of a draft, given which of its lines are borne out; None: nobody was asked.
# It raises ValueError, without text of the draft, where that may not become anything.
Settle = Callable[[D, Sequence[bool] | None], S]


@frozen_record
class Writing(Generic[D, S]):
    """A text that a model is to make of records.

    Attributes:
        rules: What the model is told.
        material: What it is shown.
        sources: The records under their marks, as a judge is shown them.
        read: The draft in its answer; raises ValueError where there is none.
        settle: What becomes of the draft.
    """

    purpose: Purpose
    rules: str
    material: str
    sources: Mapping[str, str]
    read: Callable[[dict[str, Any]], D]
    settle: Settle[D, S]

    def unjudged(self, answer: dict[str, Any]) -> S:
        """What becomes of an answer where no judge is asked.

        Raises:
            ValueError: nothing.
        """
        return self.settle(self.read(answer), None)


def lines_text(lines: Sequence[Line], sources: Mapping[str, str]) -> str:
    """Lines as a judge is shown them, under their numbers from 1, after the records that they are
    made of.
    """
    named = {mark for line in lines for mark in line.marks}
    shown = sources if not all(line.marks for line in lines) else named
    records = [f"{mark}: {one_line(text)}" for mark, text in sources.items() if mark in shown]
    return "\n".join(
        ("Records:", *records, "Lines:", *map(_shown, range(1, len(lines) + 1), lines))
    )


def _shown(number: int, line: Line) -> str:
    of = f" of {', '.join(line.marks)}" if line.marks else ""
    return f"{number}{of}: {one_line(line.text)}"


def borne_out(lines: Sequence[Line], verdicts: Mapping[int, NoteVerdict]) -> list[bool]:
    """Which lines hold, given verdicts by their places from 0."""
    return [_is_borne_out(line, verdicts.get(n)) for n, line in enumerate(lines)]


def _is_borne_out(line: Line, verdict: NoteVerdict | None) -> bool:
    """As for notes; but no judge lets an address through that nobody gave."""
    confirmed = support(line.flags, verdict)[0] is Support.CONFIRMED
    return line.is_said or (confirmed and Flag.ADDRESS not in line.flags)
