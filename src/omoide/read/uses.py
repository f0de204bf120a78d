"""Counts which items recall returned, without making recall wait for a commit."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping

from omoide.nouns.clock import Clock
from omoide.nouns.errors import StoreBusy, StoreFull
from omoide.nouns.hit import Hit
from omoide.nouns.ids import ItemId
from omoide.store.base import Store, committed
from omoide.tables.items import Items

HELD = 1024  # items counted before they are written without being asked for


class Uses:
    """Use counts not yet written. They are statistics: a crash may lose the last of them, never a
    memory.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, ItemId]] = Counter()

    def count(self, tenant: str, hits: Iterable[Hit]) -> None:
        """Count what was returned, and only that."""
        with self._lock:
            self._counts.update((tenant, hit.item.id) for hit in hits if hit.item is not None)
            full = len(self._counts) >= HELD
        if full:
            self.write()

    def write(self) -> None:
        """Write the counts; the sums are made in the database, so that no process loses
        another's.
        """
        with self._lock:
            counts, self._counts = self._counts, Counter()
        for tenant in sorted({tenant for tenant, _ in counts}):
            self._write(tenant, {id: times for (of, id), times in counts.items() if of == tenant})

    def _write(self, tenant: str, counts: Mapping[ItemId, int]) -> None:
        now = self._clock.now()
        try:
            committed(
                self._store,
                lambda tx: Items(tx).use(tenant, sorted(counts.items()), now),
                tenant=tenant,
            )
        except (StoreFull, StoreBusy):  # reading goes on; the counts wait for the next write
            with self._lock:
                self._counts.update({(tenant, id): times for id, times in counts.items()})
