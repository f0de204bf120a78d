"""All the times that a text names, and which of them hang on when it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from omoide.text.times import EARLIEST, LATEST, READ_LIMIT, Interval, find_interval

MOST = 12  # times of one text that are read
_EARLIER = timedelta(days=400)  # another day of the week, the month and the year
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that a text names.

    relative: it is another one when read at another time, as "yesterday" and "last week" are. "On 3 May" comes every year: it is not.
    """

    interval: Interval
    relative: bool


def moments(text: str, now: datetime) -> list[Moment]:
    """The first twelve times that a text names, in order, as read at now."""
    return [Moment(found, _is_relative(found, now)) for found in _intervals(text, now)]


def _intervals(text: str, now: datetime) -> Iterator[Interval]:
    at = 0
    for _ in range(MOST):
        found = find_interval(text[at:], now)
        if found is None:
            if at + READ_LIMIT >= len(text):
                return
            at += READ_LIMIT - 100  # no expression is longer
            continue
        start, end = at + found.span[0], at + found.span[1]
        yield Interval(found.start, found.end, (start, end), found.text)
        at = end


def _is_relative(found: Interval, now: datetime) -> bool:
    again = find_interval(found.text, now - _EARLIER)
    if again is None:
        return False
    starts, ends = (found.start, again.start), (found.end, again.end)
    if starts[0] == starts[1]:
        return ends[0] != ends[1] and not (_is_now(ends[0], now) or ends[0] == LATEST)
    if starts[0] <= EARLIEST:
        return False
    if not (_same_day_of_year(*starts) and _same_day_of_year(*ends)) or found.end - found.start >= timedelta(days=360):
        return True
    within = find_interval(found.text, found.start + timedelta(hours=1))  # there "summer" is this one, "last summer" another
    return within is None or within.start != found.start


def _is_now(moment: datetime, now: datetime) -> bool:
    return abs(moment - now) <= _DAY


def _same_day_of_year(one: datetime, other: datetime) -> bool:
    return (one.month, one.day) == (other.month, other.day)
