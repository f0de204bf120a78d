"""Passages: of a text that is too long, the sentences that answer or say most. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from omoide.text.passages import Span, sentences
from omoide.text.tokens import count_tokens
from omoide.text.words import terms_of_parts

LONG = 140  # tokens of one of the very best hits, at most
WHOLE = 10  # hits that count as the best: these keep their order
# up to which place in the order a hit is shown with so many tokens at most, and of all others
_STEPS, _LEAST = ((4, LONG), (WHOLE, 64), (30, 28)), 16
_MET = 3  # a word of the question is worth so many others
_ASKED = 0.4  # what a question in a text is worth beside a statement
_SIGN = 1  # token of a sign between two passages
_CHARS = 3  # of a token, at which a sentence that is longer than all that is shown is cut


def most_tokens(place: int) -> int:
    """How many tokens of a hit are shown at most; its place in the order counts from 0."""
    return next((most for until, most in _STEPS if place < until), _LEAST)


def passages(text: str, words: Collection[str], most: int) -> list[Span]:
    """Where in a text that stands of it that is shown: all of it if it has so many tokens at most;
    else the sentences that have most of the question's words, and say most, in order.
    """
    if count_tokens(text) <= most:
        return [(0, len(text))]
    places = [span for span in sentences(text, _CHARS * most) if text[slice(*span)].strip()]
    places = places or [(0, len(text))]
    parts = [text[slice(*place)] for place in places]
    costs = [max(1, count_tokens(part)) for part in parts]
    told = zip(parts, terms_of_parts(parts), strict=True)
    worth = [_worth(sentence, terms, words) for sentence, terms in told]
    return _joined([places[n] for n in _best(costs, worth, most)])


def _best(costs: Sequence[int], worth: Sequence[float], most: int) -> list[int]:
    """Which of several cost so much at most, together with the signs between them; the worthiest
    are taken first, one at least.
    """
    ranked = sorted(range(len(costs)), key=lambda n: (-worth[n] / costs[n] ** 0.5, n))
    chosen, left = [ranked[0]], most - costs[ranked[0]]
    for n in ranked[1:]:
        if costs[n] + _SIGN <= left:
            chosen.append(n)
            left -= costs[n] + _SIGN
    return sorted(chosen)


def _worth(sentence: str, terms: frozenset[str], words: Collection[str]) -> float:
    asks = sentence.rstrip().endswith(("?", "？", "؟"))
    return (_MET * len(terms.intersection(words)) + len(terms)) * (_ASKED if asks else 1)


def _joined(places: list[Span]) -> list[Span]:
    """Places in order, those that follow each other as one."""
    whole: list[Span] = []
    for start, end in places:
        if whole and whole[-1][1] == start:
            whole[-1] = whole[-1][0], end
        else:
            whole.append((start, end))
    return whole
