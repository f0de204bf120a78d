"""Codes of one's own places: a door, a garage, an alarm. Unlike a key or password they are kept,
and hidden where a text is shown.
"""

from __future__ import annotations

import re

from omoide.text.secrets import words
from omoide.text.secrets.names import CLAUSE_STOP, Name, Span, whole_words

PLACE_CODE = "place-code"
_PLACES = whole_words(*words.PLACES)
_NOT_PLACES = whole_words(*words.NOT_PLACES)
_FOR = re.compile(
    r"\s(?:for|of|to|at|fürs?|vo[nm]|zu[rm]?|pour|d[eu]|del|della|do|da|van|voor|till?|от|для|на)\s"
)
_RIGHT_BEFORE = re.compile(rf"(?:{_PLACES.pattern})[\s-]\Z")
_REACH = 30  # characters around the code and its name in which the place is named
_SHORT = re.compile(
    r"[#*]?(?:[A-Z]?[0-9]{2,8}[A-Z]?[0-9]{0,3}|[0-9]{1,4}(?:[- ,]{1,3}[0-9]{1,4}){1,3})[#*]?"
)


def opens_place(name: Name) -> bool:
    """Whether a code's name is said to be of a place: "the code of our building"."""
    return (
        name.before not in words.NOT_CODE_MARKS
        and _FOR.match(name.low, name.end) is not None
        and _PLACES.search(name.low, name.end, name.forth(_REACH)) is not None
    )


def is_named_after_place(name: Name) -> bool:
    """Whether a code's name begins with a place: "shed code"."""
    return _RIGHT_BEFORE.search(name.low, name.back(_REACH), name.start) is not None


def is_place_code(name: Name, span: Span) -> bool:
    """Whether a short code or a code word belongs to a place, and to no account or device."""
    if name.word in words.CODE_WORDS:
        return opens_place(name) or is_named_after_place(name)
    if not _SHORT.fullmatch(name.text[slice(*span)]):
        return False
    around = _around(name, min(name.start, span[0]), max(name.end, span[1]))
    is_of_place = _PLACES.search(name.low, *around) is not None
    return is_of_place and _NOT_PLACES.search(name.low, *around) is None


def _around(name: Name, start: int, end: int) -> Span:
    """The clause that a code and its name stand in, as far as it is looked at."""
    first, last = max(0, start - _REACH), end + _REACH
    for stop in CLAUSE_STOP.finditer(name.text, first, start):
        first = stop.end()
    after = CLAUSE_STOP.search(name.text, end, last)
    return first, after.start() if after else last
