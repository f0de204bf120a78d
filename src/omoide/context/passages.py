"""Passages: of a long text, the sentences that answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from omoide.text.tokens import count_tokens
from omoide.text.words import index_terms

LONG = 160  # tokens; a longer text is shown as a passage of about so many
_SENTENCE = re.compile(
    r"[^\n.!?…。！？؟۔।]*(?:[.!?…؟۔।]+[\"'»”’)*]*(?=\s|$)|[。！？]|\n|$|[.!?…؟۔।])"
)


def passage(text: str, part: str, words: Sequence[str]) -> tuple[int, int]:
    """From where to where of a text is shown: all of it where it is short; else the part that was
    found, or the sentences around the one with most of the question's words.
    """
    if count_tokens(text) <= LONG:
        return 0, len(text)
    if len(part) < len(text) and (at := text.find(part)) >= 0:
        return at, at + len(part)
    return _around(text, [*_sentences(text)], frozenset(words))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end; of one that is too long, pieces of it."""
    most = LONG * 3
    for found in _SENTENCE.finditer(text):
        for start in range(found.start(), found.end(), most):
            yield start, min(start + most, found.end())


def _around(text: str, places: list[tuple[int, int]], words: frozenset[str]) -> tuple[int, int]:
    """The best sentence with as many before and after it as there is room for."""
    met = [len(words.intersection(index_terms(text[start:end]))) for start, end in places]
    first = last = met.index(max(met))
    room = LONG - count_tokens(text[slice(*places[first])])
    while True:
        grown = False
        for step in (1, -1):
            at = last + 1 if step > 0 else first - 1
            if not 0 <= at < len(places):
                continue
            if (cost := count_tokens(text[slice(*places[at])])) <= room:
                first, last, room, grown = min(first, at), max(last, at), room - cost, True
        if not grown:
            return places[first][0], places[last][1]
