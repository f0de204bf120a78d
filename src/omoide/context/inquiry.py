"""Inquiry: a question answered in words by a model, from what memory holds, and what that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from omoide.context.assembly import Assembler
from omoide.context.budget import Budget
from omoide.context.frozen import hit_pieces, standing_pieces
from omoide.context.material import NO_STANDING, Material, Standing
from omoide.context.pieces import Piece, fill
from omoide.context.result import Answer, Citation
from omoide.context.strategies import Need
from omoide.grounding.invented import SourceText
from omoide.models.chat.answers import one_line
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Purpose
from omoide.models.prompts import prompt
from omoide.nouns.clock import moved_to
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.telemetry.model_calls import paid_by
from omoide.text.given_time import read_time
from omoide.text.secrets import masking
from omoide.text.secrets.fields import mask_line

NEEDS = frozenset({Need.HITS, Need.STANDING})
# filters that the store alone can apply: what stands whatever is asked was not chosen by them
FILTERS = ("domain", "tags", "entities", "metadata", "since", "until", "confirmed_only")
NOT_HELD = "Memory does not hold an answer to this."
ANSWER_CHARS = 4_000  # of an answer; a longer one is none


@frozen_record
class HeldAnswer:
    """What a model says: whether the answer is held, in which words, and the marks it names."""

    held: bool
    text: str
    marks: tuple[str, ...] = ()


class Inquirer:
    """Answers questions from one store."""

    def __init__(self, assembler: Assembler, asker: Asker) -> None:
        self._assembler, self._asker = assembler, asker

    def answer(
        self, scope: Scope, query: Query, budget: Budget, kinds: frozenset[str]
    ) -> tuple[Answer, Material]:
        """The answer to a question, and what it was looked for in.

        Raises:
            InvalidInput: the question is blank.
            ModelMissing: no language model is configured.
            ModelError: the model failed, or what it said is no answer.
        """
        if not query.text.strip():
            raise InvalidInput("question", "is blank; say what you want to know")
        material = self._assembler.material(scope, query, budget, NEEDS, kinds)
        as_of = read_time(query.as_of, "as_of", material.now)
        material = replace(material, standing=chosen(material.standing, query, as_of))
        marked = marks(material, budget, private=query.include_sensitive)
        if not marked:
            return _none(material, ""), material
        asker = self._asker.for_user(scope.user)
        with masking(kinds), paid_by(scope.tenant):
            said = asker.ask(
                Purpose.ANSWER,
                prompt("answer"),
                question_text(query, marked, material.now),
                reader(marked),
            )
            return _answer(said, marked, material, asker.model_id(Purpose.ANSWER)), material


def chosen(standing: Standing, query: Query, as_of: datetime | None) -> Standing:
    """What stands whatever is asked, as far as the filters of a query choose it."""
    usual = Query()
    if any(getattr(query, name) != getattr(usual, name) for name in FILTERS):
        return NO_STANDING
    items = [item for item in standing.items if _is_chosen(item, query)]
    are_turns_asked = Kind.TURN in query.kinds and query.categories is None
    said = standing.said if are_turns_asked else ()
    return replace(
        standing,
        items=tuple(item for item in items if as_of is None or item.valid_from <= as_of),
        said=tuple(hit for hit in said if as_of is None or hit.at <= as_of),
    )


def _is_chosen(item: Item, query: Query) -> bool:
    return (
        Kind.ITEM in query.kinds
        and (query.categories is None or item.category in query.categories)
        and (query.contexts is None or item.scope.context in query.contexts)
    )


def marks(material: Material, budget: Budget, *, private: bool = False) -> dict[str, Piece]:
    """What the model is shown, under its marks: the lines that fit, in the order of their dates.

    Private items, such as sensitive ones, are not among them unless they are asked for.
    """
    hits = tuple(
        hit for hit in material.hits if private or hit.item is None or not hit.item.is_private
    )
    zone = material.now.tzinfo
    standing = standing_pieces(material.standing, zone)
    pieces = [*hit_pieces(replace(material, hits=hits)), *standing]
    chosen = sorted(fill(pieces, budget), key=lambda piece: (piece.at or material.now, piece.ids))
    return {f"m{number}": piece for number, piece in enumerate(chosen, start=1)}


def question_text(query: Query, marked: Mapping[str, Piece], now: datetime) -> str:
    """What a model is shown: the question, the time, and the lines under their marks."""
    lines = (f"{mark} {_line(piece, now.tzinfo)}" for mark, piece in marked.items())
    asked = f"Question: {one_line(query.text)}\nNow: {now:%Y-%m-%d %A %H:%M %z}"
    if as_of := read_time(query.as_of, "as_of", now):
        day = moved_to(as_of, now.tzinfo)
        asked += f"\nAsked as of: {day:%Y-%m-%d %A %H:%M %z}. Answer as things stood then."
    return f"{asked}\n\nMemory:\n" + "\n".join(lines)


def reader(marked: Mapping[str, Piece]) -> Callable[[dict[str, Any]], HeldAnswer]:
    """Reads an answer. It raises ValueError where a held one has no text or names no mark."""

    def read(answer: dict[str, Any]) -> HeldAnswer:
        text, held, named = one_line(answer.get("answer")), answer.get("held"), answer.get("from")
        if not isinstance(held, bool):
            raise ValueError("held is neither true nor false")
        if len(text) > ANSWER_CHARS:
            raise ValueError(f"the answer has {len(text)} characters; the limit is {ANSWER_CHARS}")
        names = named if isinstance(named, list) else []
        known = tuple(dict.fromkeys(name for name in names if name in marked))
        if held and not (text and known):
            raise ValueError("an answer that is held needs its text and the marks it rests on")
        return HeldAnswer(held=held, text=text, marks=known if held else ())

    return read


def _line(piece: Piece, zone: tzinfo | None) -> str:
    day = f"({moved_to(piece.at, zone):%Y-%m-%d}) " if piece.at else ""
    return day + one_line(piece.line.removeprefix("- "))


def _answer(
    said: HeldAnswer, marked: Mapping[str, Piece], material: Material, model: str
) -> Answer:
    if not said.held:
        return _none(material, model, said.text)
    cited = [marked[mark] for mark in said.marks]
    told = SourceText([material.question, *(piece.line for piece in cited)], material.now)
    return Answer(
        text=mask_line(said.text),
        held=True,
        citations=tuple(_citations(cited, material)),
        unsupported=tuple(sorted(str(flag) for flag in told.lacks(said.text))),
        model=model,
        answerable=material.answerable,
        degraded=material.degraded,
    )


def _none(material: Material, model: str, text: str = "") -> Answer:
    return Answer(
        text=mask_line(text) or NOT_HELD,
        held=False,
        model=model,
        answerable=material.answerable,
        degraded=material.degraded,
    )


def _citations(cited: Sequence[Piece], material: Material) -> list[Citation]:
    shown = (*material.hits, *material.standing.said)
    turns = {hit.id for hit in shown if hit.turn is not None}
    return [
        Citation(
            kind=Kind.TURN if id in turns else Kind.ITEM,
            id=id,
            text=one_line(piece.line.removeprefix("- ")),
            at=piece.at or material.now,
        )
        for piece in cited
        for id in piece.ids
    ]
