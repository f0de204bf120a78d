"""The time zone of each user: of the user's record, else of the setting, else the machine's."""

from __future__ import annotations

import time
from datetime import tzinfo

from omoide.jobs.queue import Effect, Handler
from omoide.nouns.clock import in_zone, zone_named
from omoide.nouns.errors import OmoideError
from omoide.store.base import Store, read_only
from omoide.tables.jobs import Job
from omoide.tables.users import UserRecords

FRESH_S = 5.0  # until what another process set is looked for
MOST = 10_000  # users whose zones are held

_EVERYBODY = ""
_Held = tuple[tzinfo | None, float]


class Zones:
    """The zones of users, as they were read a moment ago. Where no user of a tenant has one, that
    is held for all of them.
    """

    def __init__(self, store: Store, *, usual: tzinfo | None = None) -> None:
        """usual: of users without one; None: the machine's."""
        self.usual = usual
        self._store = store
        self._held: dict[tuple[str, str], _Held] = {}

    def of(self, tenant: str, user: str | None) -> tzinfo | None:
        """A user's zone; None: the machine's. Where the store cannot be read it is the usual one,
        since what is done in the zone tells that.
        """
        if not user:
            return self.usual
        now, held = time.monotonic(), self._held  # replaced where a zone is set meanwhile
        for key in ((tenant, _EVERYBODY), (tenant, user)):
            zone, until = held.get(key, (None, now))
            if until > now:
                return zone or self.usual
        try:
            zone, whose = self._read(tenant, user)
        except OmoideError:
            return self.usual
        if len(held) >= MOST:
            held.clear()
        held[tenant, whose] = zone, now + FRESH_S
        return zone or self.usual

    def look_again(self) -> None:
        """A zone was set here."""
        self._held = {}

    def around(self, handler: Handler) -> Handler:
        """What does a job, in the zone of the job's user."""

        def within(job: Job) -> Effect | None:
            with in_zone(self.of(job.tenant, job.user)):
                return handler(job)

        return within

    def _read(self, tenant: str, user: str) -> tuple[tzinfo | None, str]:
        """A user's zone, and for whom it holds."""
        with read_only(self._store, tenant) as tx:
            records = UserRecords(tx)
            record = records.find(tenant, user)
            is_set = record is not None or records.after(tenant, "", 1) != []
        return zone_named(record.zone) if record else None, user if is_set else _EVERYBODY
