"""Counts which items recall returned, without making recall wait for a commit."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from omoide.nouns.clock import Clock
from omoide.nouns.errors import StoreBusy, StoreFull
from omoide.nouns.hit import Hit
from omoide.nouns.ids import ItemId
from omoide.store.base import Store, committed
from omoide.tables.items import Items

Used = tuple[str, ItemId]  # a tenant and an item of it

HELD = 1024  # items counted before they are written without being asked for


class Uses:
    """Use counts not yet written. A crash may lose the last of these statistics, never a memory."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._lock = threading.Lock()
        self._counts: Counter[Used] = Counter()
        self._last: dict[Used, datetime] = {}  # when each was used last

    def count(self, tenant: str, hits: Iterable[Hit]) -> None:
        """Count what was returned, and only that."""
        used = [(tenant, hit.item.id) for hit in hits if hit.item is not None]
        with self._lock:
            self._counts.update(used)
            self._last.update(dict.fromkeys(used, self._clock.now()))
            full = len(self._counts) >= HELD
        if full:
            self.write()

    def write(self) -> None:
        """Write the counts; the sums are made in the database, so that no process loses
        another's.
        """
        with self._lock:
            counts, self._counts = self._counts, Counter()
            last, self._last = self._last, {}
        for tenant in sorted({tenant for tenant, _ in counts}):
            own = {used: times for used, times in counts.items() if used[0] == tenant}
            self._write(tenant, own, last)

    def _write(
        self, tenant: str, counts: Mapping[Used, int], last: Mapping[Used, datetime]
    ) -> None:
        rows = [(used[1], times, last[used]) for used, times in sorted(counts.items())]
        try:
            committed(self._store, lambda tx: Items(tx).use(tenant, rows), tenant=tenant)
        except (StoreFull, StoreBusy):  # reading goes on; the counts wait for the next write
            with self._lock:
                self._counts.update(counts)
                self._last = {used: last[used] for used in counts} | self._last
