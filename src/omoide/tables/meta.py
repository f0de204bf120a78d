"""The meta table: a few values about the store itself."""

from __future__ import annotations

import json

from omoide.store.base import Transaction
from omoide.tables.columns import pack_json


class Meta:
    """Values about the store, inside the caller's transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def get(self, key: str) -> str | None:
        """One value."""
        rows = self._tx.rows("meta.get", key=key)
        return rows[0]["value"] if rows else None

    def set(self, key: str, value: str) -> None:
        """Set one value."""
        self._tx.run("meta.set", key=key, value=value)

    def backups(self) -> list[str]:
        """The paths of the backups made of this store, oldest first."""
        return list(json.loads(self.get("backups") or "[]"))

    def add_backup(self, path: str) -> None:
        """Note a backup, so that a receipt of forget can name it."""
        self.set("backups", pack_json([*(p for p in self.backups() if p != path), path]))
