"""Jobs that come again and again: a schedule of five fields, as of cron, in a time zone.

Such a job carries its schedule in its args, and takes its next time in the transaction that ends
it. Times missed while no program ran are made up for once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from omoide.nouns.clock import Clock
from omoide.settings.schedules import BY_HAND, next_time
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.jobs import Job, Jobs

SCHEDULE, ZONE = "schedule", "zone"  # where the args of a job hold them


def repeat(
    tx: Transaction, job: tuple[str, str, str], schedule: str, zone: str, now: datetime
) -> None:
    """Let a job of a tenant, id and kind come at these times; nothing changes if it does already.

    Raises:
        InvalidInput: as next_time.
    """
    tenant, id, kind = job
    Jobs(tx).repeat(
        tenant,
        id,
        kind,
        user="",
        args={SCHEDULE: schedule, ZONE: zone},
        run_at=next_time(schedule, zone, now),
    )


def come(
    store: Store, clock: Clock, tenants: Iterable[str], schedules: Mapping[str, str | None]
) -> None:
    """Let jobs of these kinds come to each tenant as their schedules say, in UTC; where one says
    nothing, as they do.

    Raises:
        InvalidInput: one is no schedule.
    """
    for tenant in tenants:
        for kind, schedule in schedules.items():
            if schedule is not None:
                _come(store, clock, tenant, kind, schedule)


def _come(store: Store, clock: Clock, tenant: str, kind: str, schedule: str) -> None:
    with read_only(store, tenant) as tx:
        there = Jobs(tx).args(tenant, kind)
    if (there or {}).get(SCHEDULE, BY_HAND) != schedule:

        def write(tx: Transaction) -> None:
            if schedule == BY_HAND:
                Jobs(tx).cancel(tenant, kind)
            else:
                repeat(tx, (tenant, kind, kind), schedule, "UTC", clock.now())

        committed(store, write, tenant=tenant)


def again_at(job: Job, now: datetime) -> datetime | None:
    """When a job that is done comes again; None if it does not."""
    if SCHEDULE not in job.args:
        return None
    return next_time(str(job.args[SCHEDULE]), str(job.args.get(ZONE, "UTC")), now)
