"""Turns to suggestions: what a model is shown of a session, and what is read from its answer.
Nothing of it is believed here.

A turn stands on one line, with its number and who speaks, so that no text can pass for another
turn. Items are shown under short marks: a model never sees an id, so it can make none up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any

from omoide.grounding.pasted import marked
from omoide.learning.entries import first_word, mark, names, number, repeated
from omoide.models.chat.answers import objects, one_line
from omoide.models.chat.material import one_name
from omoide.nouns.clock import local
from omoide.nouns.item import EXTRACTABLE, TEXT_LIMIT, Item
from omoide.nouns.metadata import Json
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.turn import Role, Turn

WINDOW_TURNS, WINDOW_CHARS = 40, 12_000  # shown at once; longer talks and turns are shown in parts
# of what was learnt from already, so that "yes, that one" can be understood
CONTEXT_TURNS, CONTEXT_CHARS = 4, 300
ASIDE_CHARS = 600  # of a turn that is shown only to understand the others
MOST = 500  # suggestions for one window: a model that is caught in a loop says more
PAUSE = timedelta(hours=1)  # after which the time is told again


class Operation(StrEnum):
    """What a model would have done."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    NONE = "none"


@frozen_record
class Suggestion:
    """What a model would have remembered, as it said it: any of it may be wrong."""

    text: str = ""
    quote: str = ""
    turn: int | None = None  # the number that the turn was shown under
    category: str = "fact"
    entities: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    due: str = ""
    about: str = "user"  # or "agent": what the agent knows itself, whoever it talks to
    op: Operation = Operation.ADD
    ref: str = ""
    was: str = ""  # words of what it replaces or ends
    holds: str = ""  # how it is said: fact, plan, wish, habit, opinion or hearsay
    who: str = ""  # whom it is about
    negated: bool = False  # it says what is not so


@dataclass(frozen=True, slots=True)
class Window:
    """What one question shows: turns by their numbers from 1, parts of long ones as turns of their
    own.

    ``said`` are all turns of that stretch in order, also those that are not shown: words that they
    hold are theirs.
    """

    text: str
    turns: Mapping[int, Turn]
    said: tuple[Turn, ...]


def windows(turns: Sequence[Turn], before: Sequence[Turn], *, everybody: bool) -> Iterator[Window]:
    """The turns in one or more windows, each after a little of what was said before it.

    Without ``everybody`` nothing is learnt from assistants, tools and systems: of an assistant's
    turn the beginning is shown, of tools that they were used.
    """
    portion: list[tuple[Turn, str]] = []  # with "" for what is not shown
    size, earlier = 0, list(before[-CONTEXT_TURNS:])
    for turn in turns:
        for part in _parts(turn, everybody):
            if portion and (len(portion) >= WINDOW_TURNS or size + len(part) > WINDOW_CHARS):
                yield _window(portion, earlier)
                earlier = [said for said, _ in portion[-CONTEXT_TURNS:]]
                portion, size = [], 0
            portion.append((turn, part))
            size += len(part)
    if any(part for _, part in portion):
        yield _window(portion, earlier)


def _parts(turn: Turn, everybody: bool) -> Iterator[str]:
    if turn.role is not Role.USER and not everybody:
        yield cut(turn.text, ASIDE_CHARS) if turn.role is Role.ASSISTANT else ""
        return
    for start in range(0, len(turn.text), WINDOW_CHARS):
        yield _shown(turn, start, start + WINDOW_CHARS)


def shown(turn: Turn, most: int) -> str:
    """A turn's beginning, what was pasted marked, with a sign where there is more."""
    return _shown(turn, 0, most) + (" …" if len(turn.text) > most else "")


def _shown(turn: Turn, start: int, end: int) -> str:
    """A stretch of a turn, what was pasted into a person's marked."""
    if turn.role is not Role.USER:
        return turn.text[start:end]
    return marked(turn.text, start, min(end, len(turn.text)))


def cut(text: str, limit: int) -> str:
    """The text, or its beginning with a sign that there is more."""
    return text if len(text) <= limit else text[:limit] + " …"


def _window(portion: Sequence[tuple[Turn, str]], earlier: Sequence[Turn]) -> Window:
    lines: list[str] = []
    last: Turn | None = None
    for turn in (turn for turn in earlier if turn.role in (Role.USER, Role.ASSISTANT)):
        lines.append(f"earlier {who(turn)}: {one_line(shown(turn, CONTEXT_CHARS))}")
    seen = [(turn, part) for turn, part in portion if part]
    for n, (turn, part) in enumerate(seen, start=1):
        if last is None or is_later(turn, last):
            lines.append(told_at(turn))
        last = turn
        lines.append(f"{n} {who(turn)}: {one_line(part)}")
    tools = dict.fromkeys(
        one_name(turn.speaker) for turn, part in portion if turn.role is Role.TOOL and not part
    )
    if tools:
        lines.append(f"Tools used: {', '.join(tools)}")
    turns = {n: turn for n, (turn, _) in enumerate(seen, start=1)}
    return Window("\n".join(lines), turns, tuple({turn.id: turn for turn, _ in portion}.values()))


def told_local(turns: Iterable[Turn]) -> list[Turn]:
    """Turns with the days and hours of the user, as a model is to read them."""
    return [replace(turn, at=local(turn.at)) for turn in turns]


def is_later(turn: Turn, last: Turn) -> bool:
    """Whether a turn is so much later than the last one that its time is told again."""
    return turn.at.date() != last.at.date() or turn.at - last.at >= PAUSE


def told_at(turn: Turn) -> str:
    """When a turn was said, as a model is told."""
    return f"# {turn.at:%Y-%m-%d %A %H:%M %z}"


def who(turn: Turn) -> str:
    """Who speaks, as a model is told."""
    return one_name(turn.speaker) if turn.role is Role.USER else f"[{turn.role.value}]"


def marks(items: Sequence[Item]) -> dict[str, Item]:
    """Items by the marks they are shown under: k1, k2 and so on."""
    return {f"k{number}": item for number, item in enumerate(items, start=1)}


def known_lines(marked: Mapping[str, Item], most: int = TEXT_LIMIT) -> str:
    """Items as a model is shown them, a line each, of each so many characters at most."""
    return "\n".join(
        f"{mark} ({local(item.valid_from):%Y-%m-%d}) {one_line(cut(item.text, most))}"
        for mark, item in marked.items()
    )


def read_suggestions(answer: dict[str, Any]) -> list[Suggestion]:
    """The suggestions in an answer, one for each entry, the same ones once; what an entry says
    wrongly is left at its default.

    Raises:
        ValueError: it has no list of them, or one that does not end.
    """
    values = objects(answer, "items", "text")
    if len(values) > MOST:
        raise ValueError(f"the answer has {len(values)} items, where {MOST} are the most")
    return list(dict.fromkeys(map(read_suggestion, values)))


def read_suggestion(value: Mapping[str, Any]) -> Suggestion:
    """One entry of an answer; what it says wrongly is left at its default."""
    return Suggestion(
        text=one_line(value.get("text")),
        quote=one_line(value.get("quote")),
        turn=number(value.get("turn")),
        category=_category(value.get("category")),
        entities=names(value.get("entities")),
        since=one_line(value.get("since")),
        until=one_line(value.get("until")),
        due=one_line(value.get("due")),
        about="agent" if value.get("about") == "agent" else "user",
        op=operation(value.get("op")),
        ref=mark(value.get("ref")),
        was=repeated(value),
        holds=one_line(value.get("holds")).casefold(),
        who=one_line(value.get("who")),
        negated=value.get("negated") is True,
    )


def _category(value: Json) -> str:
    """The category as it was named, so that one that a model may not write is seen as that; a fact
    where it is none at all.
    """
    named = one_line(value).casefold()
    return named if named else EXTRACTABLE[0].value


def operation(value: Json) -> Operation:
    """What is none of the four is an addition: nothing is dropped for want of a verb."""
    named = first_word(value)
    return Operation(named) if named in tuple(Operation) else Operation.ADD
