"""The exports table: which archives were written, of whom, and under which file name."""

from __future__ import annotations

from omoide.nouns.archive import Export
from omoide.nouns.clock import from_micros, to_micros
from omoide.store.base import Row, Transaction


class Exports:
    """Notes of archives as rows, inside the caller's transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

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
        rows = self._tx.rows("exports.of_user", tenant=tenant, user=user or "")
        return [_export(row) for row in rows]


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
