"""Passages: of a text that is too long, the sentences in a row that answer or say most. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from omoide.text.passages import Span, sentences
from omoide.text.tokens import count_tokens
from omoide.text.words import terms_of_parts

LONG = 140  # tokens of one of the very best hits, at most
WHOLE = 10  # hits that count as the best: these keep their order
# up to which place in the order a hit is shown with so many tokens at most, and of all others
_STEPS, _LEAST = ((4, LONG), (WHOLE, 64), (30, 28)), 18
_MET = 3  # a word of the question is worth so many others
_ASKED = 0.4  # what a question in a text is worth beside a statement
_CHARS = 3  # of a token, at which a sentence that is longer than all that is shown is cut


def most_tokens(place: int) -> int:
    """How many tokens of a hit are shown at most; its place in the order counts from 0."""
    return next((most for until, most in _STEPS if place < until), _LEAST)


def passage(text: str, words: Collection[str], most: int) -> Span:
    """Where in a text that stands of it that is shown: all of it if it has so many tokens at most;
    else the sentence that has most of the question's words, and says most, with those after it
    that fit, then those before it.
    """
    if count_tokens(text) <= most:
        return (0, len(text))
    places = [span for span in sentences(text, _CHARS * most) if text[slice(*span)].strip()]
    places = places or [(0, len(text))]
    parts = [text[slice(*place)] for place in places]
    costs = [max(1, count_tokens(part)) for part in parts]
    told = zip(parts, costs, terms_of_parts(parts), strict=True)
    worth = [_worth(part, terms, words) / cost**0.5 for part, cost, terms in told]
    first, last = _run(costs, worth.index(max(worth)), most)
    return places[first][0], places[last][1]


def _run(costs: Sequence[int], best: int, most: int) -> tuple[int, int]:
    """The first and the last of several in a row that cost so much together at most: the best one,
    those after it, and those before it.
    """
    first = last = best
    left = most - costs[best]
    while last + 1 < len(costs) and costs[last + 1] <= left:
        last += 1
        left -= costs[last]
    while first > 0 and costs[first - 1] <= left:
        first -= 1
        left -= costs[first]
    return first, last


def _worth(sentence: str, terms: frozenset[str], words: Collection[str]) -> float:
    asks = sentence.rstrip().endswith(("?", "？", "؟"))
    return (_MET * len(terms.intersection(words)) + len(terms)) * (_ASKED if asks else 1)
