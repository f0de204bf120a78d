"""Passwords told by how they are used: "just type kangaroo-lamp-9 for the Wi-Fi".

No word beside such a value calls it a password. Three things are weighed instead: what the
sentence is about, what one does with the value, and how much the value looks chosen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from omoide.text.secrets import words
from omoide.text.secrets.names import CLAUSE_STOP, DECOR, SIGNS, Name, Span, whole_words
from omoide.text.secrets.phrases import is_told_phrase
from omoide.text.secrets.values import Strength, Value, is_counted, strength, values

_ENOUGH = 6  # points
_PASSWORD, _ACCESS = 4, 2  # points for a topic; one less in the sentence after
_TYPED, _USED = 3, 2  # points for a link
_REACH = 100  # characters around the word that tells the topic

_ACCESSES = whole_words(*words.ACCESS)
_WORD = r"[^\W\d_]{1,20}"
_EDGE = rf"[{re.escape(DECOR + SIGNS)}]{{0,4}}\Z"
_TYPES_BEFORE = re.compile(f"(?:{whole_words(*words.TYPED).pattern}){_EDGE}")
_USES_BEFORE = re.compile(f"(?:{whole_words(*words.USED).pattern}){_EDGE}")
_IS_BEFORE = re.compile(f"(?:{whole_words(*words.PHRASE_LINKS).pattern}){_EDGE}")
_LETS_IN = re.compile(rf"[\"'`”“»]?,?\s(?:{whole_words(*words.LETS_IN).pattern})")
_OTHERS = whole_words(*words.NOT_ACCESS)
_ANSWER = re.compile(r"(?:\A|\n)\s{0,8}(?:[^\W\d_]{1,12}\s?:\s{0,2}|[>*-]\s)?[\"'`*]{0,2}\Z")
_AT_END = re.compile(r"[\"'`*]{0,2}[.!]?\s*(?:\n|\Z)")
_PRODUCT = re.compile(r"(?:[A-Z][a-z]+|[A-Z]+|\d+[A-Z]*)(?:[-_.]?(?:[A-Z]+\d*|[A-Z][a-z]+|\d+[A-Z]{0,2}))*\Z")


def told_by_use(text: str, low: str, passwords: Sequence[Name]) -> Iterator[Span]:
    """The passwords in sentences about getting in, and in the sentences after these."""
    done = 0
    for start, end, topic in _topics(low, passwords):
        if start < done:
            continue
        first, stop = _sentence(text, start, end, done)
        found = list(_used(text, low, first, stop, topic))
        done = stop
        if not found:  # the answer may come next
            _, done = _sentence(text, stop + 1, stop + 1, stop)
            found = list(_used(text, low, stop, done, topic - 1))
        yield from found


_WORDS = re.compile(
    rf"(?:{whole_words(*words.THE_WORD).pattern})[\s:]{{1,2}}[\"'“„«]?"
    rf"(?P<said>{_WORD}(?:[ ,-]{{1,2}}{_WORD}){{0,11}})(?=[\"'”“»]?\s*(?:\Z|[\n.,;!?)]))"
)


def told_as_words(low: str, passwords: Sequence[Name]) -> Iterator[Span]:
    """The pass phrases that are said to be words: "the vault opens with the words …"."""
    topics: list[int] = []
    for match in _WORDS.finditer(low):
        topics = topics or sorted(end for _, end, _ in _topics(low, passwords))
        place = bisect_right(topics, match.start())
        first = topics[place - 1] if place else -_REACH
        is_near = match.start() - first < _REACH and not CLAUSE_STOP.search(low, first, match.start())
        if is_near and is_told_phrase(match["said"]):
            yield match.span("said")


def _topics(low: str, passwords: Sequence[Name]) -> list[tuple[int, int, int]]:
    """Where what a password is for is named, in order; with points for the topic."""
    named = [(name.start, name.end, _PASSWORD) for name in passwords]
    return sorted([*named, *((*one.span(), _ACCESS) for one in _ACCESSES.finditer(low))])


def _sentence(text: str, start: int, end: int, floor: int) -> Span:
    """The sentence or line around a stretch, as far as it is looked at."""
    first = max(floor, start - _REACH)
    for stop in CLAUSE_STOP.finditer(text, first, start + 1):
        first = stop.end() if stop.end() <= start else first
    after = CLAUSE_STOP.search(text, end, end + _REACH)
    return first, after.end() if after else min(len(text), end + _REACH)


def _used(text: str, low: str, start: int, stop: int, topic: int) -> Iterator[Span]:
    for value in values(text, start, stop):
        if (look := _look(text, value)) and (link := _link(text, low, value, start, topic)):
            if topic + look + link >= _ENOUGH:
                yield value.start, value.end


def _look(text: str, value: Value) -> int:
    """Points for how much a value looks chosen: less where products and models look so as well."""
    level = strength(value.text)
    if level < Strength.MIXED or " " in value.text or is_counted(text, value.end):
        return 0
    if len(value.text) < 6 or _PRODUCT.match(value.text):
        return 1
    return 3 if level is Strength.STRONG else 2


def _link(text: str, low: str, value: Value, start: int, topic: int) -> int:
    """Points for what is done with a value; none where it is said to be something else."""
    before = low[max(start, value.start - 24) : value.start]
    if _OTHERS.search(before, max(0, len(before) - 16)):
        return 0
    is_said = topic > _ACCESS
    if _TYPES_BEFORE.search(before) or (is_said and _is_answer(text, value)):
        return _TYPED
    is_used = _USES_BEFORE.search(before) or _LETS_IN.match(low, value.raw_end)
    return _USED if is_used or (is_said and _IS_BEFORE.search(before)) else 0


def _is_answer(text: str, value: Value) -> bool:
    """Whether a value is all that a line says."""
    begin = max(0, value.start - 24)
    is_first = _ANSWER.search(text, begin, value.start) is not None
    return is_first and _AT_END.match(text, value.end) is not None
