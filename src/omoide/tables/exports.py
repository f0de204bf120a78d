"""The exports table: which archives were written, of whom, and under which file name."""

from __future__ import annotations

from datetime import datetime

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.record.frozen import frozen_record
from omoide.store.base import Row
from omoide.tables.rows import Rows


@frozen_record
class Export:
    """A note of an archive that was written: what may be in it, and where it may be."""

    id: str
    tenant: str
    made_at: datetime
    user: str | None = None
    agent: str | None = None
    everything: bool = False
    name: str | None = None  # of the file
    head: str = ""  # the hash at the end of the ledger by then


class Exports(Rows):
    """Notes of archives as rows, inside the caller's transaction."""

    def add(self, export: Export) -> None:
        """Note an archive."""
        self._tx.run(
            "exports.add",
            tenant=export.tenant,
            id=export.id,
            made_at=to_micros(export.made_at),
            user=export.user or "",
            agent=export.agent or "",
            everything=int(export.everything),
            name=export.name or "",
            head=export.head,
        )

    def of_user(self, tenant: str, user: str | None) -> list[Export]:
        """The archives that may hold something of a user (None: of nobody), oldest first."""
        return self._all(_export, "exports.of_user", tenant=tenant, user=user or "")


def _export(row: Row) -> Export:
    return Export(
        id=row["id"],
        tenant=row["tenant"],
        made_at=from_micros(row["made_at"]),
        user=row["user_id"] or None,
        agent=row["agent"] or None,
        everything=bool(row["everything"]),
        name=row["name"] or None,
        head=row["head"],
    )
