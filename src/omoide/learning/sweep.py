"""Sessions that are in no line are put in line: what was logged where nothing was to be learnt by
itself.

A session is in line from the moment it is logged, if the settings then say when it is learnt from.
So a sweep finds something only where they said otherwise then. It is looked for when a worker
starts and each ten minutes from then on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from omoide.learning.session_work import job_of, schedule
from omoide.learning.teaching import Teaching
from omoide.nouns.clock import Clock
from omoide.nouns.session import Session
from omoide.settings.triggers import Triggers, Waiting, due_at
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.jobs import EXTRACT_JOB
from omoide.tables.ledger import Ledger
from omoide.tables.sessions import Sessions, Unlearnt
from omoide.telemetry.logs import get_logger

INACTIVE = timedelta(minutes=10)  # that nothing was said in a session: else it is still going on
EVERY = timedelta(minutes=10)
MOST = 100  # sessions of a tenant at a time
LONGEST = timedelta(days=36_500)

_log = get_logger(__name__)


class Sweep:
    """Puts sessions in line by the policy of this program. Safe to call at any time, from any
    thread: it looks when it is time to.
    """

    def __init__(self, store: Store, clock: Clock, triggers: Triggers, within: timedelta) -> None:
        """within: older sessions are left to who asks for them."""
        self._store, self._clock, self._triggers = store, clock, triggers
        self._within = min(within, LONGEST)
        self._swept_at: datetime | None = None
        self._lock = threading.Lock()

    def __call__(self) -> None:
        """Look, unless that was done in the last ten minutes."""
        now = self._clock.now()
        with self._lock:
            if self._swept_at is not None and now - self._swept_at < EVERY:
                return
            self._swept_at = now
        with read_only(self._store, None) as tx:
            found = {tenant: self._due(tx, tenant, now) for tenant in Ledger(tx).tenants()}
        for tenant in (tenant for tenant, due in found.items() if due):
            count = committed(self._store, partial(self._line_up, tenant, now), tenant=tenant)
            _log.info("sessions put in line", count=count)

    def _line_up(self, tenant: str, now: datetime, tx: Transaction) -> int:
        return sum(line_up(tx, one.session, at) for one, at in self._due(tx, tenant, now))

    def _due(self, tx: Transaction, tenant: str, now: datetime) -> list[tuple[Unlearnt, datetime]]:
        return [
            (one, at)
            for one in unlearnt(tx, tenant, now, after=now - self._within)
            if (at := self._at(one, now))
        ]

    def _at(self, one: Unlearnt, now: datetime) -> datetime | None:
        last_at = one.session.last_at or now
        return due_at(
            self._triggers,
            Waiting(turns=one.turns, weight=one.weight, words=0, last_at=last_at),
            now,
        )


def sweep_of(store: Store, clock: Clock, teaching: Teaching) -> Callable[[], object]:
    """The sweep of a memory; one that does nothing where sessions are learnt from by hand alone, or
    there is no model.
    """
    within = teaching.catch_up
    if within is None or not teaching.asker.is_on or teaching.triggers == Triggers():
        return lambda: None
    return Sweep(store, clock, teaching.triggers, within)


def unlearnt(
    tx: Transaction,
    tenant: str,
    now: datetime,
    *,
    after: datetime | None = None,
    recorded: datetime | None = None,
    user: str | None = None,
    limit: int = MOST,
) -> list[Unlearnt]:
    """Sessions at rest since some minutes, but not since before a time (after), that are in no
    line: a user's ("": nobody's; None: everybody's). recorded: with words stored from then on.
    """
    return Sessions(tx).unlearnt(
        tenant, after=after, before=now - INACTIVE, recorded=recorded, user=user, limit=limit
    )


def line_up(tx: Transaction, session: Session, at: datetime) -> bool:
    """Put a session in line, if it is still there and may be learnt from."""
    tenant = session.scope.tenant
    found = Sessions(tx).lock(tenant, session.id)
    if found is None or found.private:
        return False
    schedule(tx, job_of(found, EXTRACT_JOB), at)
    return True
