"""Dates written in figures: ``2026-06-10``, ``15.01.2024``, ``01/15/2024``, ``2026-W14``,
``2024-03``, timestamps.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

from omoide.text.times import calendar as calendar
from omoide.text.times.calendar import Stretch

_START, _END = r"(?<![a-z0-9_/.\\])", r"(?![a-z0-9_/\\]|[.:\-+]\d|-[a-z])"
_STAMP = re.compile(
    _START + r"(\d{4})-(\d\d)-(\d\d)[t"
    r" ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?"
    r"\s?(z|utc|[+-]\d\d:?\d\d)?(?![a-z0-9_/\\]|[.:\-]\d)"
)
_YEAR_FIRST = re.compile(_START + r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})" + _END)
_YEAR_LAST = re.compile(_START + r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)" + _END)
_COMPACT = re.compile(_START + r"((?:19|20)\d\d)(\d\d)(\d\d)" + _END)
_WEEK = re.compile(_START + r"(\d{4})-?w(\d\d)(?:-?([1-7]))?" + _END)
_MONTH = re.compile(_START + r"(\d{4})[-/](0[1-9]|1[0-2])" + _END)
_MONTH_FIRST = re.compile(_START + r"(0?[1-9]|1[0-2])/(\d{4})" + _END)
# Anything else of several numbers is a version, an address, a phone number: no date, and no part of
# it is one.
_OPAQUE = re.compile(
    r"\d+(?:\.\d+)+(?!\d)|\d{1,2}:\d\d(?::\d\d)?|\d+(?:[-/.:]\d+){2,}|\d{7,}|\d[\d,]*,\d{3}(?!\d)"
)


def read_written(text: str, at: int, zone: tzinfo | None) -> tuple[Stretch | None, int] | None:
    """The date in figures that starts here and where it ends.

    text is folded. The stretch is None where the figures are something else, such as a version
    number or an impossible date, that must not be read in parts; the whole is None where an
    ordinary number starts. A timestamp with an offset is turned into local time of zone.
    """
    for form, read in _FORMS:
        found = form.match(text, at)
        if found:
            try:
                return read(found, zone), found.end()
            except (ValueError, OverflowError):
                return None, found.end()
    found = _OPAQUE.match(text, at)
    return (None, found.end()) if found else None


def full_year(figures: str) -> int:
    """A year of two figures lies between 1950 and 2049."""
    year = int(figures)
    return year if len(figures) == 4 else year + (1900 if year >= 50 else 2000)


def _stamp(found: re.Match[str], zone: tzinfo | None) -> Stretch:
    year, month, day, hour, minute, second = (int(found[part] or 0) for part in range(1, 7))
    moment = datetime(year, month, day, hour, minute, second)
    if found[7] and zone is not None:
        moment = moment.replace(tzinfo=_offset(found[7])).astimezone(zone).replace(tzinfo=None)
    if found[6]:
        return Stretch(moment, moment + timedelta(seconds=1), "second")
    return Stretch(moment, moment + timedelta(minutes=1), "minute")


def _offset(written: str) -> tzinfo | None:
    return UTC if written in ("z", "utc") else datetime.strptime(written, "%z").tzinfo


def _year_first(found: re.Match[str], _: tzinfo | None) -> Stretch:
    return calendar.day(int(found[1]), int(found[3]), int(found[4]))


def _year_last(found: re.Match[str], _: tzinfo | None) -> Stretch:
    """Day first, unless only the month can come first."""
    first, second, year = int(found[1]), int(found[3]), full_year(found[4])
    if first <= 12 < second and found[2] != ".":
        first, second = second, first
    return calendar.day(year, second, first)


def _compact(found: re.Match[str], _: tzinfo | None) -> Stretch:
    return calendar.day(int(found[1]), int(found[2]), int(found[3]))


def _week(found: re.Match[str], _: tzinfo | None) -> Stretch:
    week = calendar.week_of_year(int(found[1]), int(found[2]))
    return calendar.weekday_of(week, int(found[3]) - 1) if found[3] else week


def _month(found: re.Match[str], _: tzinfo | None) -> Stretch:
    return calendar.month(int(found[1]), int(found[2]))


def _month_first(found: re.Match[str], _: tzinfo | None) -> Stretch:
    return calendar.month(int(found[2]), int(found[1]))


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], tzinfo | None], Stretch]], ...] = (
    (_STAMP, _stamp),
    (_YEAR_FIRST, _year_first),
    (_YEAR_LAST, _year_last),
    (_WEEK, _week),
    (_MONTH, _month),
    (_MONTH_FIRST, _month_first),
    (_COMPACT, _compact),
)
