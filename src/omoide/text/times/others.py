"""Full dates in languages that the word file does not have, such as "3. března 2025" or "3 मार्च
2025", read by dateparser.

dateparser takes most of a second to load, so it is loaded when the first such date is met. It is
asked only about a number, one or two words and a year that stand together, in languages of its own,
and believed only where its answer has the figures that are written: alone it would read any four
figures as a year.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from omoide.text.times import calendar as calendar
from omoide.text.times.calendar import Stretch

_LANGUAGES = tuple(
    "cs sk hu ro fi el he hi id vi bg hr sr sl lt lv et ca th fa bn ta ur ms tl sw af is ka az kk"
    " hy mk be eu gl nb".split()
)
_WORD = r"[^\s\d.,;:!?()\[\]{}\"'/\\<>|=_@#]{2,20}"
# without a day beside it, a word must at least not be plain ASCII
_FOREIGN = r"(?=\S{0,19}[^\x00-\x7f\s])" + _WORD
_DATE = re.compile(
    rf"(?<!\w)(?:\d{{1,2}}\.?\s(?:{_WORD}\s){{1,2}}\d{{4}}|\d{{4}}\.?\s{_WORD}\s\d{{1,2}}|{_FOREIGN}\s\d{{4}})(?!\w)"
)
_YEAR = re.compile(r"\d{4}")
_DAY = re.compile(r"(?<!\d)\d{1,2}(?!\d)")


def full_date(text: str) -> tuple[Stretch, int, int] | None:
    """The first day or month that text writes out with its year in such a language, and where it
    starts and ends.
    """
    for found in _DATE.finditer(text) if _YEAR.search(text) else ():
        stretch = _read(found[0].lower())
        if stretch:
            return stretch, found.start(), found.end()
    return None


@lru_cache(maxsize=1024)
def _read(written: str) -> Stretch | None:
    try:
        return _stretch(written)
    except (ValueError, OverflowError):  # no such day, or none that ends within what can be told
        return None


def _stretch(written: str) -> Stretch | None:
    data = _parser().get_date_data(written)
    moment: datetime | None = data.date_obj
    year, day = _YEAR.search(written), _DAY.search(written)
    if moment is None or year is None or moment.year != int(year[0]):
        return None
    if day is None:
        return calendar.month(moment.year, moment.month) if data.period == "month" else None
    if data.period != "day" or moment.day != int(day[0]):
        return None
    return calendar.day(moment.year, moment.month, moment.day)


@cache
def _parser() -> Any:
    """dateparser, told to want a month and a year, and to guess nothing."""
    from dateparser.date import DateDataParser

    wants = {
        "REQUIRE_PARTS": ["month", "year"],
        "PARSERS": ["absolute-time"],
        "DATE_ORDER": "DMY",
        "PREFER_DAY_OF_MONTH": "first",
    }
    return DateDataParser(languages=list(_LANGUAGES), settings=wants)
