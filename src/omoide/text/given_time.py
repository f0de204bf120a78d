"""Times as callers give them: aware times, dates, ISO 8601 texts, and words such as "yesterday"."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import overload

from omoide.nouns.clock import check_moment, check_window, moved_to, parse_time, user_zone
from omoide.nouns.errors import InvalidTime


@overload
def read_time(
    given: None,
    field: str,
    now: datetime | None = None,
    *,
    end_of_day: bool = False,
    ahead: bool = False,
) -> None: ...
@overload
def read_time(
    given: datetime | date | str,
    field: str,
    now: datetime | None = None,
    *,
    end_of_day: bool = False,
    ahead: bool = False,
) -> datetime: ...
def read_time(
    given: datetime | date | str | None,
    field: str,
    now: datetime | None = None,
    *,
    end_of_day: bool = False,
    ahead: bool = False,
) -> datetime | None:
    """An aware time, from one, a date, ISO 8601 text, or, with ``now``, words such as "yesterday".

    What has no offset is meant in the user's zone. A day is its start; with end_of_day, its end.
    With ahead, words have to name a time that is not over.

    Raises:
        InvalidTime: naive, unreadable, or outside the years 1 to 9999 in UTC; or words name a time
            that is over.
    """
    if given is None:
        return None
    if isinstance(given, date) and not isinstance(given, datetime):
        given = given.isoformat()
    if isinstance(given, str):
        given = _read(given, field, now, end_of_day=end_of_day, ahead=ahead)
    if not isinstance(given, datetime):
        raise InvalidTime(field, f"must be a time, not {type(given).__name__}")
    check_moment(given, field)
    return given


def read_window(
    since: datetime | date | str | None, until: datetime | date | str | None, now: datetime
) -> tuple[datetime | None, datetime | None]:
    """Start and end of a window, as ``since`` and ``until`` were given; a day is taken in as a
    whole.

    Raises:
        InvalidTime: until is not after since, or one cannot be read.
    """
    start = read_time(since, "since", now)
    end = read_time(until, "until", now, end_of_day=True)
    check_window(start, end, "until")
    return start, end


def _read(
    text: str, field: str, now: datetime | None, *, end_of_day: bool, ahead: bool
) -> datetime:
    try:
        return parse_time(text, field=field, end_of_day=end_of_day)
    except InvalidTime as error:
        if now is None:
            raise
        if (worded := _in_words(text, now)) is None:
            error.add_note("or in words, such as tomorrow or 'two weeks ago'")
            raise
    start, end = worded
    if ahead and end <= now:
        raise InvalidTime(
            field, f"{text!r} is read as {start:%Y-%m-%d}, which is over; name the day in full"
        )
    return end if end_of_day else start


def _in_words(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Start and end of the time that words name, if they name that and nothing else; what has no
    end or start names no moment.
    """
    from omoide.text.times import EARLIEST, LATEST, find_interval

    if re.match(r"\d{4}-", text):  # meant as ISO 8601
        return None
    found = find_interval(text, moved_to(now, user_zone()))
    if found is None or found.text.strip() != text.strip():
        return None
    is_open = found.start <= EARLIEST or found.end >= LATEST
    return None if is_open else (found.start, found.end)
