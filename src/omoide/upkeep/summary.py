"""What becomes of an old session's summary: whose word it is, whether it says what was said, and
the item that it would be. Pure.

A summary rests on all that it sums up, so it weighs as little as the least trusted of its turns. It
quotes nobody: each of its sentences is held against the turns, a stretch of them at a time, and
what no stretch has is flagged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from omoide.grounding.chatter import is_action_report
from omoide.grounding.claims import TEXT_LIMIT, Claim, Flag, ground, tier_of
from omoide.models.chat.answers import one_line
from omoide.nouns.clock import Clock
from omoide.nouns.item import Category, Details, Item, Source, Tier
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Role, Turn
from omoide.settings.config import LearnFrom
from omoide.write.remember import Statement, draft

STRETCH = 6_000  # characters of turns that a sentence is held against at once
CONFIDENCE = 0.5
MARK = 8  # characters of the session's id in the summary's domain
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")


def summed_up(turns: Sequence[Turn], learn_from: LearnFrom) -> list[Turn]:
    """The turns that a summary may rest on: unless all is learnt from, what people and assistants
    say, but not what these did.
    """
    said = [
        turn
        for turn in turns
        if turn.role in (Role.USER, Role.ASSISTANT) and not is_action_report(turn)
    ]
    return list(turns) if learn_from == "all" else said


def read_summary(answer: dict[str, Any]) -> str:
    """The summary in an answer.

    Raises:
        ValueError: it has none, or one that is too long.
    """
    text = one_line(answer.get("summary"))
    if not text:
        raise ValueError("the answer has no text 'summary'")
    if len(text) > TEXT_LIMIT:
        raise ValueError(f"the summary is longer than {TEXT_LIMIT} characters")
    return text


def summary_flags(
    text: str, turns: Sequence[Turn], names: Collection[str], user: str | None
) -> frozenset[Flag]:
    """What a summary says that no stretch of the turns does."""
    stretches = list(_stretches(turns))
    found: set[Flag] = set()
    for sentence in filter(None, _SENTENCE_END.split(text)):
        found |= min(
            (_flags(sentence, stretch, names, user) for stretch in stretches),
            key=len,
            default=frozenset({Flag.NO_QUOTE}),
        )
    return frozenset(found)


def draft_summary(
    text: str, session: Session, turns: Sequence[Turn], scope: Scope, clock: Clock
) -> Item:
    """The summary as an item: a note that names its session, true since the last of its turns.

    Raises:
        InvalidInput: it is no text that can be stored.
    """
    said = min(max(turn.at for turn in turns), clock.now())
    details = Details(
        domain=f"session:{session.name[:MARK]}",
        confidence=CONFIDENCE,
        source=Source.CONSOLIDATION,
        tier=lowest_tier(turns, scope.user),
        source_turns=tuple(turn.id for turn in turns),
        valid_from=said,
    )
    return draft(Statement(text=text, category=Category.NOTE, details=details), scope, clock)


def lowest_tier(turns: Sequence[Turn], user: str | None) -> Tier:
    """The tier of the least trusted of some turns, of the memory of a user."""
    return min((tier_of(turn, user) for turn in turns), default=Tier.DOCUMENT)


def _stretches(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Turns that follow each other as one, told when the last of them was."""
    texts: list[str] = []
    last: Turn | None = None
    for turn in turns:
        if last is not None and sum(map(len, texts)) + len(turn.text) > STRETCH:
            yield replace(last, text="\n".join(texts))
            texts = []
        texts.append(turn.text)
        last = turn
    if last is not None:
        yield replace(last, text="\n".join(texts))


def _flags(sentence: str, said: Turn, names: Collection[str], user: str | None) -> frozenset[Flag]:
    return ground(
        Claim(text=sentence, quote=said.text, turns=(said.position,)),
        (said,),
        names=names,
        user=user,
    ).flags
