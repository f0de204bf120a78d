"""Lets a reranker read, ahead of any question, what it has not read of a store.

The work can stop anywhere: each batch is one transaction, and what is unread is found again.
"""

from __future__ import annotations

from collections.abc import Sequence

from omoide.models.base import Reading, Reranker
from omoide.nouns.item import Item
from omoide.nouns.turn import Turn
from omoide.read.reranking import spoken
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.documents import DocumentPart, Documents
from omoide.tables.meta import Meta
from omoide.tables.readings import Readings
from omoide.upkeep.vectors import records_of

BATCH = 64  # texts; less than a second of MiniLM's time


class Ahead:
    """Lets a reranker read what it has not read of any tenant, a batch at a time. Not for several
    threads at once.
    """

    def __init__(self, store: Store, reader: Reading) -> None:
        self._store, self._reader = store, reader
        # by tenant, the last document looked at, so that no look goes through all of them
        self._after: dict[str, int] = {}

    def some(self) -> int | None:
        """Read one batch; how many texts, or None if there is nothing more, or no question has
        asked for a reranker that is loaded at its first use.

        Raises:
            ModelError: the reranker failed; what was read stays.
        """
        if not getattr(self._reader, "is_loaded", True):
            return None
        with read_only(self._store, None) as tx:
            tenants = Documents(tx).tenants()
        for tenant in tenants:
            parts, found = self._unread(tenant)
            if parts:
                readings = self._reader.read([spoken(record) for _, record in found])
                self._after[tenant] = parts[-1].doc
                return _keep(
                    self._store, tenant, self._reader.id, [part for part, _ in found], readings
                )
        return None

    def _unread(
        self, tenant: str
    ) -> tuple[list[DocumentPart], list[tuple[DocumentPart, Item | Turn]]]:
        """The next parts that lack a reading, and those of them whose record is there, with it."""
        with read_only(self._store, tenant) as tx:
            parts = Readings(tx).unread(tenant, self._reader.id, self._after.get(tenant, 0), BATCH)
            records = records_of(tx, tenant, parts)
        found = ((part, records.get((part.kind, part.ref))) for part in parts)
        return parts, [(part, record) for part, record in found if record is not None]

    def all(self) -> int:
        """Read whatever is unread, also what was passed over; how many texts.

        Raises:
            ModelError: as ``some``.
        """
        self._after.clear()
        return sum(iter(self.some, None))


def drop_others(store: Store, reranker: Reranker | None) -> int:
    """Erase what rerankers read that are not in use any more; how many texts. Nothing is looked for
    where none was changed.
    """
    reader = reranker.id if isinstance(reranker, Reading) else ""

    def write(tx: Transaction) -> int:
        if Meta(tx).get("reader") == reader:
            return 0
        Meta(tx).set("reader", reader)
        return sum(Readings(tx).drop_others(tenant, reader) for tenant in Documents(tx).tenants())

    return committed(store, write, tenant=None)


def _keep(
    store: Store, tenant: str, reader: str, parts: Sequence[DocumentPart], readings: Sequence[bytes]
) -> int:
    def write(tx: Transaction) -> int:
        there, kept = Documents(tx).hold(tenant, parts), Readings(tx)
        return sum(
            kept.add(tenant, part.doc, reader, reading)
            for part, reading in zip(parts, readings, strict=True)
            if part.doc in there
        )

    return committed(store, write, tenant=tenant)
