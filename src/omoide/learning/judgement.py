"""Stage 4, judgement: whether the talk says what a candidate says, of whom, and how surely. A judge
is asked once for all candidates; without one the findings of grounding stand. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Any

from omoide.grounding.claims import Flag
from omoide.grounding.pasted import marked
from omoide.learning.entries import by_note, first_word
from omoide.learning.extraction import (
    CONTEXT_CHARS,
    WINDOW_CHARS,
    is_later,
    shown,
    told_at,
    who,
)
from omoide.learning.grounding import Grounding
from omoide.models.chat.answers import one_line
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.turn import Role, Turn

AROUND = 600  # characters on each side of a quote that a judge is shown


class Supported(StrEnum):
    """How far the talk bears a candidate out."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


class Support(StrEnum):
    """What a candidate's item is."""

    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"
    REJECTED = "rejected"  # it is not stored


@frozen_record
class NoteVerdict:
    """What a judge says of a candidate."""

    supported: Supported
    said: str = ""  # how the talk says it: fact, plan, wish, habit, opinion, hearsay
    noted: str = ""  # how the candidate tells it
    to_assistant: bool = False


_REAL, _OPEN = "real", "open"
# what differs enough that one may not be noted as the other
_SORTS = {
    "fact": _REAL,
    "habit": _REAL,
    "opinion": _REAL,
    "plan": _OPEN,
    "wish": _OPEN,
    "hearsay": "hearsay",
}


def support(
    findings: Collection[Flag], verdict: NoteVerdict | None
) -> tuple[Support, tuple[str, ...]]:
    """The table of support: what the item is, and why it is not confirmed."""
    match verdict:
        case None if not findings:
            return Support.CONFIRMED, ()
        case None:
            return Support.UNCONFIRMED, tuple(sorted(findings))
        case NoteVerdict(supported=Supported.NO):
            return Support.REJECTED, ("judged_no",)
        case NoteVerdict(to_assistant=True):
            return Support.UNCONFIRMED, (Flag.TO_ASSISTANT.value,)
        case NoteVerdict(supported=Supported.PARTLY):
            return Support.UNCONFIRMED, ("judged_partly",)
        case NoteVerdict(said=said, noted=noted) if _differ(said, noted):
            return Support.UNCONFIRMED, ("judged_otherwise",)
        case _:
            return Support.CONFIRMED, ()


def _differ(said: str, noted: str) -> bool:
    one, other = _SORTS.get(said), _SORTS.get(noted)
    return one is not None and other is not None and one != other


def to_judge(candidates: Sequence[Grounding]) -> list[int]:
    """The places of those that a judge can tell of, those of one message together: their quote
    stands in it.
    """
    found = [
        (one.turn.position, n)
        for n, one in enumerate(candidates)
        if one.item is not None and one.turn is not None and Flag.NO_QUOTE not in one.findings
    ]
    return [n for _, n in sorted(found)]


def in_parts(numbers: Sequence[int], candidates: Sequence[Grounding]) -> Iterator[list[int]]:
    """Candidates in one question, or several where it would be too long."""
    part: list[int] = []
    size = 0
    for n in numbers:
        length = len(judgement_text([candidates[n]]))
        if part and size + length > WINDOW_CHARS:
            yield part
            part, size = [], 0
        part.append(n)
        size += length
    if part:
        yield part


def judgement_text(candidates: Sequence[Grounding]) -> str:
    """Candidates as a judge is shown them, after the message that each rests on."""
    lines: list[str] = []
    last: Turn | None = None
    numbered = list(enumerate(candidates, start=1))
    for turn, group in groupby(numbered, key=lambda one: one[1].turn):
        notes = list(group)
        if turn is not None:
            lines += _message(turn, [one for _, one in notes], last)
            last = turn
        lines += [
            f'{n}. "{one_line(one.suggestion.quote)}" - note: {one_line(one.suggestion.text)}'
            for n, one in notes
        ]
    return "\n".join(lines)


def _message(turn: Turn, notes: Sequence[Grounding], last: Turn | None) -> list[str]:
    """A message with its time and what was said before it, unless the last one shown tells that."""
    before = [
        one
        for one in notes[0].said
        if one.position < turn.position and one.role in (Role.USER, Role.ASSISTANT)
    ]
    earlier = [
        f"before {who(one)}: {one_line(shown(one, CONTEXT_CHARS))}"
        for one in before[-1:]
        if last is None or one.id != last.id
    ]
    time = [told_at(turn)] if last is None or is_later(turn, last) else []
    spans = [one.item.quote_span for one in notes if one.item and one.item.quote_span]
    return [*earlier, *time, f"message {who(turn)}: {one_line(around(turn, spans))}"]


def around(turn: Turn, spans: Sequence[tuple[int, int]]) -> str:
    """A message, of a long one the stretch that holds the quotes, what was pasted marked."""
    if len(turn.text) <= 3 * AROUND or not spans:
        return marked(turn.text, role=turn.role)
    start = max(0, min(a for a, _ in spans) - AROUND)
    end = min(len(turn.text), max(b for _, b in spans) + AROUND, start + WINDOW_CHARS // 2)
    return marked(turn.text, start, end, turn.role)


def read_verdicts(answer: dict[str, Any]) -> dict[int, NoteVerdict]:
    """The verdicts in an answer, by the number of the note they are of; the first for each.

    Raises:
        ValueError: it has no list of them.
    """
    found: dict[int, NoteVerdict] = {}
    for note, value in by_note(answer, "verdicts", "supported"):
        verdict = _verdict(value)
        if verdict is not None:
            found.setdefault(note, verdict)
    return found


def _verdict(value: Mapping[str, Any]) -> NoteVerdict | None:
    supported = first_word(value.get("supported"))
    if supported not in tuple(Supported):
        return None
    return NoteVerdict(
        supported=Supported(supported),
        said=first_word(value.get("said")),
        noted=first_word(value.get("noted")),
        to_assistant=value.get("to_assistant") is True,
    )
