"""Passages of long texts: the parts that a turn is indexed by, its sentences, and the stretch of a
text that best answers a question. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice

from omoide.text.tokens import count_tokens
from omoide.text.words import index_terms

PART_CHARS = 2_000  # a longer turn is indexed in parts, so that one passage of it can be found
SENTENCE_CHARS = 160  # a longer sentence is cut between words
FAR = 8  # characters a token: a text with more has too many tokens
WORD_CHARS = 24  # a longer word is cut

# a row of signs is looked through once, from its first
_SENTENCE = re.compile(
    r"[^\n.!?…。！？؟۔।]*(?:(?<![.!?…؟۔।])[.!?…؟۔।]+[\"'»”’)\]*]*(?=\s|$)"
    r"|[。！？]|\n|$|[.!?…؟۔।])"
)
Span = tuple[int, int]  # where it starts in a text, and where it ends


def turn_parts(text: str) -> list[str]:
    """The parts a turn is indexed by, in order: the whole text, or pieces of up to 2,000
    characters.

    Pieces end at the last line or word end in them that leaves at least half; joined they are the
    text.
    """
    return list(_parts(text))


def _parts(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PART_CHARS:
        half, end = start + PART_CHARS // 2, start + PART_CHARS
        cut = max(text.rfind(sign, half, end) for sign in "\n 。") + 1 or end
        yield text[start:cut]
        start = cut
    yield text[start:]


def part_span(text: str, part: int) -> Span:
    """Where a part of a turn stands in its text."""
    lengths = [len(each) for each in islice(_parts(text), part + 1)]
    return sum(lengths[:-1]), sum(lengths)


def sentences(text: str, longest: int, near: Span | None = None) -> Iterator[Span]:
    """Where in a text, or near a place in it, its sentences stand, one after the other; of one that
    has more characters than that, pieces, cut between words where that is possible.
    """
    for found in _SENTENCE.finditer(text, *(near or (0, len(text)))):
        start, end = found.span()
        while end - start > longest:
            space = max(text.rfind(sign, start + longest // 2, start + longest) for sign in " \t")
            cut = space + 1 or start + longest
            yield start, cut
            start = cut
        if start < end:
            yield start, end


def fitting(text: str, tokens: int) -> int | None:
    """How many tokens a text has, if these are at most so many; of a far longer one none is
    counted.
    """
    if len(text) > FAR * tokens:
        return None
    counted = count_tokens(text)
    return counted if counted <= tokens else None


def best_span(text: str, words: Mapping[str, float], tokens: int, near: Span) -> Span | None:
    """The stretch of a text, of at most so many tokens, that has most of some weighted words.

    It is looked for in a part of the text and right around it. It begins and ends where sentences
    do, or between words. Of equals it is the middle one, so that what was found stands among what
    belongs to it; where no word is found, the beginning of the part. None: nothing fits.
    """
    start, end = max(0, near[0] - 2 * tokens), min(len(text), near[1] + 2 * tokens)
    told = _sentences(text, start, end, tokens, words.keys())
    if not any(each.words for each in told):
        told = [each for each in told if each.start >= near[0]]
    spans = list(_spans(told, tokens))
    return _trimmed(text, _best(spans, words)) if spans else None


def _best(spans: list[tuple[frozenset[str], Span]], words: Mapping[str, float]) -> Span:
    """The span with most of the words, the middle one of equals; without any, the first."""
    worth = [sum(words[word] for word in found) for found, _ in spans]
    if not (most := max(worth)):
        return spans[0][1]
    best = [span for (_, span), each in zip(spans, worth, strict=True) if each == most]
    return best[len(best) // 2]


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    tokens: int
    words: frozenset[str]  # of those looked for


def _sentences(
    text: str, start: int, end: int, tokens: int, words: Collection[str]
) -> list[_Sentence]:
    wide = _pieces(text, start, end, min(SENTENCE_CHARS, max(tokens, WORD_CHARS)), words)
    if all(each.tokens <= tokens for each in wide):
        return wide
    return _pieces(text, start, end, max(1, tokens // 2), words)


def _pieces(text: str, start: int, end: int, most: int, words: Collection[str]) -> list[_Sentence]:
    found = []
    for span in sentences(text, most, (start, end)):
        said = text[slice(*span)]
        held = frozenset(index_terms(said)).intersection(words)
        found.append(_Sentence(*span, count_tokens(said), held))
    return found


def _spans(told: list[_Sentence], tokens: int) -> Iterator[tuple[frozenset[str], Span]]:
    """From each sentence on as many as fit, with the words in them."""
    costs = [0, *accumulate(each.tokens for each in told)]
    last = 0
    for first, sentence in enumerate(told):
        last = max(last, first)
        while last < len(told) and costs[last + 1] - costs[first] <= tokens:
            last += 1
        if last > first:
            words = frozenset[str]().union(*(each.words for each in told[first:last]))
            yield words, (sentence.start, told[last - 1].end)
        if last == len(told):
            return


def _trimmed(text: str, span: Span) -> Span:
    """Without blanks at both ends."""
    shown = text[slice(*span)]
    start = span[0] + len(shown) - len(shown.lstrip())
    return start, max(start, span[0] + len(shown.rstrip()))
