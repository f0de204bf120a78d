"""Combinations of locks with dials or wheels: "the safe is 32 left, 7 right, 19 left"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from omoide.text.secrets import words
from omoide.text.secrets.names import CLAUSE_STOP, DECOR, SIGNS, whole_words
from omoide.text.secrets.places import PLACE_CODE

_LOCKS = whole_words(*words.LOCKS)
_WAYS = whole_words(*words.WAYS)
_WAY = _WAYS.pattern
_LETTER = r"(?<![a-z0-9])[lr] ?-?[0-9]{1,2}(?![0-9])"
# "32 left", "right to 18" or "R18"
_TURN = (
    rf"(?:{_LETTER}|[0-9]{{1,2}}\s?(?:{_WAY})|(?:{_WAY})[^0-9\n.;]{{0,14}}[0-9]{{1,2}}(?![0-9]))"
)
_TURNS = re.compile(rf"(?<![0-9]){_TURN}(?:[^0-9\n.]{{1,24}}?{_TURN}){{1,4}}")
_WHEELS = re.compile(
    r"(?<![A-Za-z0-9_.:/-])[0-9]{1,2}(?:([ –-])[0-9]{1,2})(?:\1[0-9]{1,2}){1,2}"
    r"(?![A-Za-z0-9_/:%-]|[.,][0-9])"
)
_ANY_WAY = re.compile(f"{_WAY}|{_LETTER}")
_REACH = 60  # characters between a lock and its combination


_THREE_NUMBERS = re.compile(r"[0-9][^0-9\n]{1,40}[0-9]{1,2}[^0-9\n]{1,40}[0-9]")


def may_hold_combination(low: str) -> bool:
    """Whether a lower-cased text has three numbers near each other: a cheap look before."""
    return _THREE_NUMBERS.search(low) is not None


def combinations(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every combination of a lock that is named beside it."""
    locks = list(_LOCKS.finditer(low))
    if not locks:
        return
    ends = [lock.end() for lock in locks]
    if _ANY_WAY.search(low):
        for turns in _TURNS.finditer(low):
            if any(_is_beside(text, lock, turns) for lock in _near(locks, ends, turns)):
                yield PLACE_CODE, *turns.span()
    for wheels in _WHEELS.finditer(low):
        is_short = len(wheels[0]) in (5, 7)  # wheels of one digit each
        near = _near(locks, ends, wheels)
        if any(_announces(low, lock.end(), wheels.start(), is_short=is_short) for lock in near):
            yield PLACE_CODE, *wheels.span()


def _near(
    locks: Sequence[re.Match[str]], ends: Sequence[int], numbers: re.Match[str]
) -> Iterator[re.Match[str]]:
    """The locks, of which these are the ends, that are named within reach of numbers."""
    for place in range(bisect_left(ends, numbers.start() - _REACH), len(locks)):
        if locks[place].start() > numbers.end() + _REACH:
            return
        yield locks[place]


def _is_beside(text: str, lock: re.Match[str], turns: re.Match[str]) -> bool:
    """Whether a lock stands near in the same sentence."""
    between = sorted((*lock.span(), *turns.span()))[1:3]
    return between[1] - between[0] <= _REACH and CLAUSE_STOP.search(text, *between) is None


def _announces(low: str, end: int, start: int, *, is_short: bool) -> bool:
    """Whether the words between a lock and numbers say that the numbers open it."""
    gap = low[end:start]
    if not 0 < len(gap) <= _REACH or CLAUSE_STOP.search(gap):
        return False
    if is_short and gap.isspace():
        return True
    said = gap.strip(DECOR)
    core = said.rstrip(SIGNS + DECOR)
    last = core.split()[-1] if core else ""
    is_linked = last in words.LINKS or last in words.OPENED_WITH
    return said != core or is_linked or core.endswith(words.UNSPACED_LINKS)
