"""Stage 6, decision: what a model would do with the candidates, given what is near to each: what it
is shown, what is read from its answer, and what a merged text loses. Pure.

Items are shown under short marks, candidates by their numbers: a model never sees an id, so it can
make none up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from omoide.learning.entries import by_note, mark, number, repeated
from omoide.learning.extraction import (
    WINDOW_CHARS,
    Operation,
    cut,
    known_lines,
    marks,
    operation,
)
from omoide.learning.merging import agree, lacks_news, lost, stands
from omoide.models.chat.answers import one_line
from omoide.nouns.clock import local
from omoide.nouns.item import Item
from omoide.nouns.record.frozen import frozen_record
from omoide.text.sameness import same_text

# of an item, or of what is compared with items: six of them are shown at once in any case
COMPARED_CHARS = 1_500
LOST_CHARS = 200  # of what the text for a note lost


@frozen_record
class Choice:
    """What a model would do with a candidate, as it said it."""

    note: int  # its number, from 1
    op: Operation
    ref: str = ""
    was: str = ""  # words of what it replaces
    text: str = ""


@frozen_record
class Intent:
    """What a model would do with a candidate, with what can be told of that by the texts.

    target: the item that it means, of those that it was shown; twin: the candidate of the same
    talk that says it already, by its place.
    """

    operation: Operation
    target: Item | None = None
    twin: int | None = None
    was: str = ""
    text: str = ""  # of both together
    stands: bool = True  # the item says what the model repeats of it
    lost: tuple[str, ...] = ()  # what would be lost of what still holds
    agrees: bool = True  # names, figures and negation are the item's

    @property
    def closes(self) -> bool:
        """Whether it would have an item end."""
        return self.target is not None and self.operation in (Operation.UPDATE, Operation.DELETE)

    @property
    def merges(self) -> bool:
        """Whether its text takes the place of the item, with nothing lost."""
        return self.closes and bool(self.text) and self.stands and not self.lost


def intent_of(choice: Choice, target: Item | None, note: Item, twin: int | None = None) -> Intent:
    """A choice about a candidate, held against the item that it means."""
    told = Intent(operation=choice.op, target=target, twin=twin, was=choice.was, text=choice.text)
    if target is None or choice.op is Operation.ADD:
        return told
    if choice.op is Operation.NONE:
        agrees = agree(note.text, note.entities, target.text, target.entities)
        return replace(told, agrees=agrees)
    text = choice.text or note.text
    gone = lost(target.text, choice.was, text, target.entities)
    missing = lacks_news(text, note.text, note.entities) if choice.text else ()
    # without words to repeat nothing is known to hold no longer: all of the item has to be kept
    is_slip = bool(choice.was) and bool(gone) and not stands(choice.was, target.text)
    return replace(told, stands=not is_slip, lost=(*gone, *missing))


def compared_lines(
    notes: Sequence[Item],
    known: Mapping[str, Item],
    lost_of: Mapping[int, Sequence[str]] | None = None,
) -> str:
    """Items under their marks, then notes by their numbers; with its date where one of the items is
    later. lost_of: what the text for a note lost when it was asked for first.
    """
    last = max((item.valid_from for item in known.values()), default=None)
    dates = [
        f"(of {local(note.valid_from):%Y-%m-%d}) " if last and note.valid_from < last else ""
        for note in notes
    ]
    texts = (one_line(cut(note.text, COMPARED_CHARS)) for note in notes)
    lines = [
        f"{n}. {date}{text}" for n, (date, text) in enumerate(zip(dates, texts, strict=True), 1)
    ]
    again = [
        f"Lost in the text of note {n}: {cut(one_line(', '.join(gone)), LOST_CHARS)}"
        for n, gone in (lost_of or {}).items()
    ]
    return "\n".join(
        ["Known:", known_lines(known, COMPARED_CHARS) or "nothing", "New:", *lines, *again]
    )


def portions(
    notes: Mapping[int, Item], near: Sequence[Sequence[Item]], *, spare: int = 0
) -> Iterator[tuple[list[int], dict[str, Item]]]:
    """Notes in one question or more, by their numbers, each with the items that they are compared
    with; a long one goes alone.

    near: the items of each number. spare: characters to be left for each note.
    """
    part: list[int] = []
    for n in notes:
        more = (*part, n)
        text = compared_lines([notes[one] for one in more], _marks_of(more, near))
        if part and len(text) + spare * len(more) > WINDOW_CHARS:
            yield part, _marks_of(part, near)
            part = []
        part.append(n)
    if part:
        yield part, _marks_of(part, near)


def _marks_of(numbers: Sequence[int], near: Sequence[Sequence[Item]]) -> dict[str, Item]:
    return marks(list({item.id: item for n in numbers for item in near[n]}.values()))


def read_choices(answer: dict[str, Any]) -> dict[int, list[Choice]]:
    """The choices in an answer, by the number of the note they are for: the first for each, and
    what it replaces besides.

    Raises:
        ValueError: it has no list of them.
    """
    choices: dict[int, list[Choice]] = {}
    for note, value in by_note(answer, "decisions", "op"):
        choice = Choice(
            note=note,
            op=operation(value.get("op")),
            ref=mark(value.get("ref")),
            was=repeated(value),
            text=one_line(value.get("text")),
        )
        choices.setdefault(note, []).append(choice)
    return choices


def meant(ref: str, known: Mapping[str, Item]) -> Item | None:
    """The item that a reference means: by its mark, or by its text."""
    return known.get(ref) or next(
        (item for item in known.values() if ref and same_text(item.text, ref)), None
    )


def twin_of(ref: str) -> int | None:
    """The note that a reference such as n2 means."""
    return number(ref[1:]) if ref[:1] == "n" else None
