"""What a model would reflect on: how it is asked, and what of its answer is a reflection. Nothing
of it is believed as it stands.

A reflection changes how an agent behaves, so it rests on what people say, or an agent; one for a
user on that user's own words alone. What rests on anything else, or fails a check, waits for a
person. What is none at sight is refused: the turns stay in the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from omoide.faculties.reflection.digest_text import shown_lines
from omoide.grounding.chatter import recalled
from omoide.grounding.claims import Claim, Flag, Grounded, ground
from omoide.grounding.known_names import names_known
from omoide.learning.drafts import Line
from omoide.learning.extraction import Window, who
from omoide.learning.grounding import not_to_learn_from
from omoide.learning.judgement import NoteVerdict, Supported, around
from omoide.models.chat.answers import objects, one_line
from omoide.models.prompts import prompt
from omoide.nouns.clock import Clock
from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.item import Tier, Unconfirmed
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import (
    REFLECTION_WORDS,
    DigestKind,
    Reflection,
    ReflectionId,
    count_words,
)
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.settings.config import LearnFrom
from omoide.text.secrets import MARK, has_secret
from omoide.text.secrets.fields import mask_line

# why a reflection waits, beside what grounding finds
NO_PERSON, NOT_THE_USER = "a_tool_or_document_says_it", "the_user_did_not_say_it"
# findings that are no doubt about meaning: nobody said it, or it leads elsewhere
AUTHORITY = frozenset({Flag.NO_QUOTE, Flag.ADDRESS})
# each says only what those before it do not
LEVELS = (DigestKind.AGENT, DigestKind.USER, DigestKind.SESSION)


@frozen_record
class Thought:
    """What a model would reflect on, as it said it: any of it may be wrong."""

    level: str
    text: str
    quote: str
    turn: int | None  # the number that the turn was shown under


@frozen_record
class Grounds:
    """Where reflections on a session go, what is known there, and by what they are judged."""

    scopes: Mapping[DigestKind, Scope]  # without a level, none is formed there
    # the digest and the latest reflections of each
    known: Mapping[DigestKind, tuple[str, ...]] = field(default_factory=dict)
    facts: tuple[str, ...] = ()  # just extracted from the same turns
    names: frozenset[str] = frozenset()  # of those present
    things: tuple[str, ...] = ()  # the names of what is known, as type:label
    learn_from: LearnFrom = "people"


@frozen_record
class Pondered(Record):
    """What a thought becomes: a reflection, one that waits and why, or none and why."""

    text: str
    level: str
    turn: TurnId | None = None
    reflection: Reflection | None = None
    flags: tuple[str, ...] = ()  # why it waits for review
    waits: bool = False
    refused: str = ""


@frozen_record
class Reflected(Record):
    """What was reflected on in a session's turns from first to before end. undo takes all of it
    back by its id.
    """

    id: str
    session: SessionId
    first: int
    end: int
    pondered: tuple[Pondered, ...] = ()


def rules(grounds: Grounds, persona: str, steering: str = "") -> str:
    """What a model is told: the levels there are here, what is worth remembering by an install's
    own words, and who the assistant is.
    """
    own = [steering] if steering else []
    levels = [prompt(f"reflect_{level.value}") for level in LEVELS if level in grounds.scopes]
    return "\n".join(
        (
            prompt("reflect"),
            *levels,
            prompt("reflect_rules"),
            *own,
            *([f"The assistant: {persona}"] if persona else ()),
        )
    )


def material(grounds: Grounds, window: Window) -> str:
    """What a model is shown: the talk, and what is known at each level there is."""
    parts = [window.text]
    for level in LEVELS:
        if known := [line for text in grounds.known.get(level, ()) for line in shown_lines(text)]:
            parts.append("\n".join((f"Known ({level.value}):", *known)))
    if grounds.facts:
        parts.append("\n".join(("New facts:", *(f"- {one_line(fact)}" for fact in grounds.facts))))
    return "\n\n".join(parts)


def read_thoughts(answer: dict[str, Any]) -> list[Thought]:
    """The thoughts in an answer, in the order of their levels.

    Raises:
        ValueError: it has no list of them.
    """
    thoughts = [
        Thought(
            level=one_line(o.get("level")).casefold(),
            text=one_line(o.get("text")),
            quote=one_line(o.get("quote")),
            turn=_number(o.get("turn")),
        )
        for o in objects(answer, "reflections")
    ]
    order = {level.value: place for place, level in enumerate(LEVELS)}
    return sorted(thoughts, key=lambda thought: order.get(thought.level, len(order)))


def ponder(
    thoughts: Sequence[Thought], window: Window, grounds: Grounds, clock: Clock
) -> list[Pondered]:
    """What each thought comes to. Which of two that say the same is kept is told by their order."""
    known = list(known for level in LEVELS for known in grounds.known.get(level, ()))
    done: list[Pondered] = []
    for thought in thoughts:
        one = _ponder(thought, window, grounds, clock, known)
        done.append(one)
        known += [one.text] if one.reflection and not one.flags else []
    return done


def _ponder(
    thought: Thought, window: Window, grounds: Grounds, clock: Clock, known: Sequence[str]
) -> Pondered:
    scope = next(
        (scope for level, scope in grounds.scopes.items() if level.value == thought.level), None
    )
    if scope is None:
        return Pondered(
            text=mask_line(thought.text),
            level=thought.level,
            refused="no such memory is formed here",
        )
    turns = window.said
    shown = window.turns.get(thought.turn or 0)
    claim = Claim(
        text=thought.text,
        quote=thought.quote,
        turns=(shown.position,) if shown else (),
        entities=_named_here(thought, grounds),
    )
    found = ground(claim, turns, names=grounds.names, user=scope.user)
    turn = found.turn or shown
    why = _improper(thought, known) or not_to_learn_from(turn, found.span, grounds.learn_from)
    if why or turn is None:
        place = turn.id if turn else None
        return Pondered(
            text=mask_line(thought.text), level=thought.level, turn=place, refused=why or "no_quote"
        )
    reflection = _reflection(thought, found, turn, scope, clock)
    flags = _flags(found, scope)
    if found.flags and not flags:  # the user's own word, and perhaps another meaning
        reflection = replace(reflection, unconfirmed=Unconfirmed.NEVER)
    return Pondered(
        text=thought.text,
        level=thought.level,
        turn=turn.id,
        reflection=reflection,
        flags=flags,
    )


def _named_here(thought: Thought, grounds: Grounds) -> tuple[str, ...]:
    """The known names that a thought has and nothing that a model was shown beside the talk: the
    talk itself has to say them.
    """
    texts = (text for known in grounds.known.values() for text in known)
    beside = "\n".join((*texts, *grounds.facts))
    here = names_known(thought.text, grounds.things)
    shown = frozenset(names_known(beside, here))
    return tuple(name for name in here if name not in shown)


def to_judge(found: Sequence[Pondered], window: Window) -> tuple[dict[int, Line], dict[str, str]]:
    """The reflections that a judge is asked about, by their places, and the turns that they rest
    on, each with the one before, under marks. Those that wait are for a person.
    """
    numbers = {turn.id: n for n, turn in window.turns.items()}
    lines: dict[int, Line] = {}
    sources: dict[int, str] = {}
    for place, one in enumerate(found):
        if one.reflection is None or one.flags or one.turn not in numbers:
            continue
        last = numbers[one.turn]
        rests_on = {numbers[id] for id in one.reflection.source_turns if id in numbers}
        marked = sorted(rests_on | ({last - 1, last} & window.turns.keys()))
        quoted = [one.reflection.quote_span] if one.reflection.quote_span else []
        for n in marked:
            sources.setdefault(n, _source(window.turns[n], quoted if n == last else ()))
        lines[place] = Line(
            text=one.text,
            marks=tuple(f"k{n}" for n in marked),
            is_said=one.text == one_line(one.reflection.quote),
        )
    return lines, {f"k{n}": sources[n] for n in sorted(sources)}


def _source(turn: Turn, spans: Sequence[tuple[int, int]]) -> str:
    return f"{who(turn)}: {around(turn, spans)}"


def judged(one: Pondered, verdict: NoteVerdict | None) -> Pondered:
    """What a judge makes of a reflection: what it denies is none, what it bears out is not in doubt
    any more. That a rule says more than the talk in part is no new doubt.
    """
    match verdict:
        case NoteVerdict(supported=Supported.NO):
            return replace(one, text=mask_line(one.text), reflection=None, refused="judged_no")
        case NoteVerdict(supported=Supported.YES) if one.reflection is not None:
            return replace(one, reflection=replace(one.reflection, unconfirmed=None))
        case _:
            return one


def _improper(thought: Thought, known: Sequence[str]) -> str:
    """Why it is refused at sight."""
    words = count_words(thought.text)
    if not words:
        return "it has no text"
    if words > REFLECTION_WORDS:
        return f"it has {words} words, the limit is {REFLECTION_WORDS}"
    if (
        MARK.search(f"{thought.text}\n{thought.quote}")
        or has_secret(thought.text)
        or has_secret(thought.quote)
    ):
        return "it holds a secret"
    return (
        "it is known already"
        if recalled(thought.text, [line for text in known for line in text.splitlines()])
        else ""
    )


def _flags(found: Grounded, scope: Scope) -> tuple[str, ...]:
    """Why a reflection waits for a person, whatever else does: it is not the user's own word, or
    nobody said it. What the user says themselves may be meant otherwise, and waits for nobody.
    """
    said = found.tier is Tier.USER and AUTHORITY.isdisjoint(found.flags)
    flags = [] if said else [flag.value for flag in sorted(found.flags)]
    if found.tier is Tier.DOCUMENT:
        flags.append(NO_PERSON)
    elif found.tier is not Tier.USER and scope.user is not None and scope.session is None:
        flags.append(NOT_THE_USER)
    return tuple(flags)


def _reflection(
    thought: Thought, found: Grounded, turn: Turn, scope: Scope, clock: Clock
) -> Reflection:
    start, end = found.span or (0, 0)
    return Reflection(
        id=ReflectionId(clock.new_id()),
        scope=scope,
        text=thought.text,
        formed_at=clock.now(),
        quote=turn.text[start:end],
        quote_span=found.span,
        source_turns=(*(one.id for one in found.also), turn.id),
        tier=found.tier,
    )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
