"""What a hit shows of a long text: its best passage. Pure: hits in, hits out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from omoide.nouns.hit import Hit, Passage
from omoide.nouns.item import Item
from omoide.nouns.turn import Turn
from omoide.text.passages import PART_CHARS, Span, best_span, fitting, part_span
from omoide.text.secrets import ALL_KINDS, find_secrets
from omoide.text.tokens import count_tokens
from omoide.text.words import QueryTerm

R = TypeVar("R", Item, Turn)


def shown_part(
    hit: Hit, terms: Sequence[QueryTerm], tokens: int | None, part: int | None = None
) -> Hit | None:
    """A hit with its tokens counted; of a text with more than ``tokens``, its best passage.

    part is the number of the part of a turn that was found; None: any. None is given where not
    even a word fits.
    """
    text = hit.text
    counted = count_tokens(text) if tokens is None else fitting(text, tokens)
    if tokens is None or counted is not None:
        return replace(hit, tokens=counted or 0)
    near = (0, len(text)) if part is None else part_span(text, part)
    words: Mapping[str, float] = {term.term: term.weight for term in terms}
    span = best_span(text, words, tokens, near)
    return None if span is None else _cut(hit, _without_bare_secrets(text, span))


def _cut(hit: Hit, span: Span) -> Hit:
    """A hit that shows a stretch of its text; so do its item and its turn."""
    start, end = span
    text, before = hit.text[start:end], hit.passage or Passage(0, len(hit.text), len(hit.text))
    turn = hit.turn and replace(
        hit.turn,
        text=text,
        masks=tuple(
            replace(mask, start=mask.start - start, end=mask.end - start)
            for mask in hit.turn.masks
            if start <= mask.start and mask.end <= end
        ),
    )
    return replace(
        hit,
        text=text,
        tokens=count_tokens(text),
        item=hit.item and replace(hit.item, text=text),
        turn=turn,
        passage=Passage(before.start + start, before.start + end, before.total),
    )


def _without_bare_secrets(text: str, span: Span) -> Span:
    """A stretch of a text less what is seen to be secret only beside words that are cut off."""
    start, end = span
    first = max(0, start - PART_CHARS)
    around = find_secrets(text[first : end + PART_CHARS], kinds=ALL_KINDS)
    if not around:
        return span
    alone = find_secrets(text[start:end], kinds=ALL_KINDS)
    for secret in around:
        low, high = max(start, first + secret.start), min(end, first + secret.end)
        seen = any(span[0] + a.start <= low and high <= span[0] + a.end for a in alone)
        if low >= high or seen:
            continue
        start, end = (high, end) if low - start < end - high else (start, low)
    return start, end
