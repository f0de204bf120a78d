"""Schedules of five fields, as of cron, in a time zone. Pure.

Where clocks go forward, a time that is left out comes right after the gap; where they go back, a time of day comes
once, the first of both, and one of every hour each hour.
"""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from omoide.errors import InvalidInput

BY_HAND = "hand"  # instead of a schedule: never by itself


def check_schedule(name: str, schedule: str) -> None:
    """That a setting is a schedule, or ``hand``.

    Raises:
        InvalidInput: it is neither, or never comes about; it names the setting.
    """
    if schedule != BY_HAND:
        next_time(schedule, "UTC", datetime(2000, 1, 1, tzinfo=UTC), name=name)


def next_time(schedule: str, zone: str, after: datetime, *, name: str = "schedule") -> datetime:
    """The first time after another that a schedule such as ``30 3 * * 0`` names, in UTC; name is what an error calls it.

    Raises:
        InvalidInput: it is no schedule of five fields, or never comes about; or there is no such zone.
    """
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise InvalidInput("zone", f"{zone!r} is no time zone such as Europe/Berlin or UTC") from None
    try:
        if len(schedule.split()) != 5:
            raise CronSimError
        return next(CronSim(schedule, after.astimezone(place))).astimezone(UTC)
    except (CronSimError, StopIteration):
        raise InvalidInput(name, f"{schedule!r} is no schedule such as '30 3 * * 0': minute, hour, day, month, weekday") from None
