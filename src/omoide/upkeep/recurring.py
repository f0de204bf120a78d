"""Jobs that come again and again: a schedule of five fields, as of cron, in a time zone.

Such a job carries its schedule in its args, and takes its next time in the transaction that ends it. Times missed
while no program ran are made up for once. Where clocks go forward, a time that is left out comes right after the
gap; where they go back, a time of day comes once, the first of both, and one of every hour each hour.
"""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from omoide.errors import InvalidInput
from omoide.store.base import Transaction
from omoide.tables.jobs import Job, Jobs

SCHEDULE, ZONE = "schedule", "zone"  # where the args of a job hold them


def next_time(schedule: str, zone: str, after: datetime) -> datetime:
    """The first time after another that a schedule such as ``30 3 * * 0`` names, in UTC.

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
        raise InvalidInput("schedule", f"{schedule!r} is no schedule such as '30 3 * * 0': minute, hour, day, month, weekday") from None


def repeat(tx: Transaction, job: tuple[str, str, str], schedule: str, zone: str, now: datetime) -> None:
    """Let a job of a tenant, id and kind come at these times; nothing changes if it does already.

    Raises:
        InvalidInput: as next_time.
    """
    tenant, id, kind = job
    Jobs(tx).repeat(tenant, id, kind, user="", args={SCHEDULE: schedule, ZONE: zone}, run_at=next_time(schedule, zone, now))


def again_at(job: Job, now: datetime) -> datetime | None:
    """When a job that is done comes again; None if it does not."""
    if SCHEDULE not in job.args:
        return None
    return next_time(str(job.args[SCHEDULE]), str(job.args.get(ZONE, "UTC")), now)
