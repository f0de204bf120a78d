"""Time and new ids, injected everywhere, so that the same log and the same answers give the same
store.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tzlocal import get_localzone

from omoide.nouns.errors import InvalidInput, InvalidTime

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Clock(Protocol):
    """Where now and new ids come from."""

    def now(self) -> datetime:
        """The current time, aware."""
        ...

    def new_id(self) -> str:
        """A fresh id; ids sort by the time they were made."""
        ...


# Crockford's base 32, in lower case: sorts as the numbers do, in any collation
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 24
_PAIRS = [one + other for one in _DIGITS for other in _DIGITS]
_SHIFTS = range(5 * (_ID_LENGTH - 2), -1, -10)  # of the bits of each pair, the first highest


class SystemClock:
    """The machine's clock; its ids are 24 letters and digits: 60 bits of time, then 60 random ones.

    An id stands some ten times in the file for each item, in rows, indexes and the ledger, so its
    length counts.
    """

    def __init__(
        self,
        now: Callable[[], int] = time.time_ns,
        entropy: Callable[[int], bytes] = os.urandom,
        *,
        zone: tzinfo | None = None,
    ) -> None:
        """zone: the user's; None: the machine's."""
        self.zone = zone
        self._now, self._entropy = now, entropy
        self._lock = threading.Lock()
        self._last = 0

    def now(self) -> datetime:
        """The current time in UTC."""
        return EPOCH + timedelta(microseconds=self._now() // 1000)

    def new_id(self) -> str:
        """Such as ``06g5kq2m8r4tv1c9w3xz7ye0``: in the order they were made, if by one process."""
        with self._lock:
            # 1/4096 ms ticks; never backwards
            self._last = max(self._last + 1, self._now() * 4096 // 1_000_000)
            tick = self._last
        value = (tick & (1 << 60) - 1) << 60 | int.from_bytes(self._entropy(8)) >> 4
        return "".join([_PAIRS[value >> shift & 1023] for shift in _SHIFTS])


class StoryClock(SystemClock):
    """A clock that stands where a story is, so that everything is recorded when it was said, and
    "last week" means what it meant.
    """

    def __init__(
        self, at: datetime | None = None, entropy: Callable[[int], bytes] = os.urandom
    ) -> None:
        """at: aware; None: the machine's time."""
        self.at = at or SystemClock().now()
        super().__init__(now=lambda: to_micros(self.at) * 1000, entropy=entropy)


class FixedClock:
    """A clock that stands still until moved; ids count up. For tests and replays."""

    def __init__(self, start: datetime = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)) -> None:
        self._now, self._count = start, 0

    def now(self) -> datetime:
        """The time it was set to."""
        return self._now

    def new_id(self) -> str:
        """``00000000-0000-7000-8000-000000000001`` and up."""
        self._count += 1
        return f"00000000-0000-7000-8000-{self._count:012x}"

    def move(self, **by: float) -> None:
        """Go forward (or back) by a timedelta's keywords, such as ``days=2``."""
        self._now += timedelta(**by)


class in_zone:
    """Within this block days are those of this zone; None: of the machine's."""

    def __init__(self, zone: tzinfo | None) -> None:
        self._zone = zone

    def __enter__(self) -> None:
        self._token = _ZONE.set(self._zone)

    def __exit__(self, *_: object) -> None:
        _ZONE.reset(self._token)


_ZONE: ContextVar[tzinfo | None] = ContextVar("zone of the user", default=None)


def use_zone(zone: tzinfo | None) -> None:
    """From here on days are those of this zone, as in `in_zone`."""
    _ZONE.set(zone)


def user_zone() -> tzinfo:
    """The zone in which a day without one is meant, and times are shown."""
    return _ZONE.get() or get_localzone()


def moved_to(moment: datetime, zone: tzinfo | None) -> datetime:
    """A time in a zone (None: the machine's); where that would be before year 1 or after 9999, as
    it is.
    """
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment


def local(moment: datetime) -> datetime:
    """A time in the user's zone, unless it keeps the offset that it was told with."""
    return moment if moment.utcoffset() else moved_to(moment, user_zone())


def ahead_of_utc(moment: datetime) -> int:
    """By how many microseconds the user's clock is ahead of UTC then."""
    return (moved_to(moment, user_zone()).utcoffset() or timedelta(0)) // _MICROSECOND


def zone_named(name: str) -> tzinfo | None:
    """The zone of a name such as Europe/Berlin; None for an empty one.

    Raises:
        InvalidInput: there is no such zone.
    """
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput(
            "zone", f"unknown time zone {name!r}; give a name such as Europe/Berlin or UTC"
        ) from None


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 in UTC.

    Raises:
        InvalidTime: moment is naive, or no datetime.
    """
    if not isinstance(moment, datetime):
        raise InvalidTime("time", f"must be a datetime, not {type(moment).__name__}")
    if moment.tzinfo is None:
        raise _naive(moment, "time")
    return (moment - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The UTC time of that many microseconds since 1970."""
    return EPOCH + timedelta(microseconds=micros)


def parse_time(
    text: str, *, field: str = "time", end_of_day: bool = False, zone: tzinfo | None = None
) -> datetime:
    """An ISO 8601 time, or a date alone: the midnight it starts with; with end_of_day the midnight
    after it. Without an offset it is meant in zone; None: in the user's.

    Raises:
        InvalidTime: not ISO 8601, or an end after the year 9999.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidTime(
            field, f"{text!r} is not ISO 8601, such as 2026-03-01 or 2026-03-01T09:00+01:00"
        ) from None
    if moment.tzinfo is not None:
        return moment
    if end_of_day and len(text.strip()) <= len("2026-03-01"):
        try:
            moment += timedelta(days=1)
        except OverflowError:
            raise InvalidTime(field, f"{text!r} ends after the year 9999") from None
    return moment.replace(tzinfo=zone or user_zone())


def check_moment(moment: datetime, field: str) -> None:
    """That a time is aware and within the years 1 to 9999 in UTC.

    Raises:
        InvalidTime: it is not.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise _naive(moment, field)
    try:
        moment.astimezone(UTC)
    except OverflowError:  # it would be stored, and never be read again
        raise InvalidTime(
            field, f"{moment.isoformat()} is not within the years 1 to 9999 in UTC"
        ) from None


def _naive(moment: datetime, field: str) -> InvalidTime:
    return InvalidTime(
        field,
        f"{moment.isoformat()} has no zone; give an aware datetime, such as datetime.now(UTC)",
    )


def check_window(start: datetime | None, end: datetime | None, field: str) -> None:
    """That a window does not end before it starts.

    Raises:
        InvalidTime: it does.
    """
    if start is not None and end is not None and end <= start:
        raise InvalidTime(
            field, f"ends at {end.isoformat()}, which is not after its start {start.isoformat()}"
        )
