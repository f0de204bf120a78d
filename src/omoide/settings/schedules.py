"""Schedules of five fields, as of cron, in a time zone. Pure.

Where clocks go forward, a time that is left out comes right after the gap; where they go back, a
time of day comes once, the first of both, and one of every hour each hour.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType

from cronsim import CronSim, CronSimError

from omoide.nouns.clock import zone_named
from omoide.nouns.errors import InvalidInput

BY_HAND = "hand"  # instead of a schedule: never by itself


class Frequency(StrEnum):
    """How often, for whom the hour is all the same; each stands for a schedule."""

    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    NEVER = "never"


_SCHEDULES: Mapping[str, str] = MappingProxyType(
    {
        Frequency.HOURLY: "30 * * * *",
        Frequency.DAILY: "30 3 * * *",
        Frequency.WEEKLY: "30 3 * * 0",
        Frequency.NEVER: BY_HAND,
    }
)


def read_schedule(name: str, written: str) -> str:
    """The schedule that a setting means: one of five fields, or ``hand``; it may be written as an
    interval.

    Raises:
        InvalidInput: it is none, or never comes about; it names the setting.
    """
    schedule = _SCHEDULES.get(written, written)
    if schedule != BY_HAND:
        next_time(schedule, "UTC", datetime(2000, 1, 1, tzinfo=UTC), name=name)
    return schedule


def next_time(schedule: str, zone: str, after: datetime, *, name: str = "schedule") -> datetime:
    """The first time after another that a schedule such as ``30 3 * * 0`` names, in UTC; name is
    what an error calls it.

    Raises:
        InvalidInput: it is no schedule of five fields, or never comes about; or there is no such
            zone.
    """
    place = zone_named(zone) or UTC
    try:
        if len(schedule.split()) != 5:
            raise CronSimError
        return next(CronSim(schedule, after.astimezone(place))).astimezone(UTC)
    except (CronSimError, StopIteration):
        raise InvalidInput(
            name,
            f"{schedule!r} is not a schedule such as '30 3 * * 0': minute, hour, day, month,"
            " weekday",
        ) from None
