"""What else of a talk may bear out a claim: the same person's words around the quote and before it,
and the turn it answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from omoide.grounding.chatter import in_memory_block
from omoide.grounding.pasted import holds_pasted, pasted_spans, unpasted
from omoide.grounding.reading import SaidText
from omoide.nouns.turn import Role, Turn

MOST_WITNESSES = 40  # turns
_LIMIT = 12_000  # characters of a turn


@dataclass(frozen=True, slots=True)
class Witness:
    """A turn whose words may bear out a value that a quote has not."""

    turn: Turn
    reading: SaidText


def witnesses(turn: Turn, turns: Sequence[Turn], languages: Sequence[str]) -> Iterator[Witness]:
    """The turn of a quote and what the same person said before it, nearest first; then the turn of
    another that it answers directly.

    Nobody says what they paste, nor what was recalled for them.
    """
    before = list({one.position: one for one in turns if one.position < turn.position}.values())
    same = [one for one in reversed(before) if is_same_person(one, turn)]
    asked = [
        one
        for one in before[-1:]
        if turn.role is Role.USER and one.role in (Role.ASSISTANT, Role.USER) and one not in same
    ]
    for one in (turn, *same[: MOST_WITNESSES - 1], *asked):
        text = (
            ""
            if in_memory_block(one.text, 0, len(one.text))
            else unpasted(one.text, one.role)[:_LIMIT]
        )
        if text:
            yield Witness(one, SaidText(text, one.at, languages))


def is_same_person(one: Turn, other: Turn) -> bool:
    """Whether both turns are of one speaker in one role."""
    return one.role is other.role and one.speaker == other.speaker and one.user == other.user


def beside(turn: Turn, turns: Sequence[Turn]) -> str:
    """What somebody else wrote beside what a turn says: pasted in it, or brought by a tool."""
    pasted = [turn.text[start:end] for start, end in pasted_spans(turn.text, turn.role)]
    return "\n".join((*pasted, *(one.text[:_LIMIT] for one in _brought(turn, turns))))


def is_led(turn: Turn, span: tuple[int, int] | None, turns: Sequence[Turn]) -> bool:
    """Whether what a turn says comes with what somebody else wrote: pasted in it, or brought by a
    tool that all of it calls for.

    A model that reads on may be led by that. span: the characters that it quotes.
    """
    if holds_pasted(turn.text, turn.role):
        return True
    return (
        bool(_brought(turn, turns))
        and span is not None
        and not any(map(str.isalnum, turn.text[: span[0]] + turn.text[span[1] :]))
    )


def _brought(turn: Turn, turns: Sequence[Turn]) -> list[Turn]:
    """The turns of tools and systems between a turn and the next of a user."""
    after = (one for one in turns if one.position > turn.position)
    until = takewhile(lambda one: one.role is not Role.USER, after)
    return [one for one in until if one.role in (Role.TOOL, Role.SYSTEM)]
