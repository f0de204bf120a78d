"""The meta table: a few values about the store itself."""

from __future__ import annotations

import json

from omoide.tables.columns import pack_json
from omoide.tables.rows import Rows


class Meta(Rows):
    """Values about the store, inside the caller's transaction."""

    def get(self, key: str) -> str | None:
        """One value."""
        return next(iter(self._column("value", "meta.get", key=key)), None)

    def set(self, key: str, value: str) -> None:
        """Set one value."""
        self._tx.run("meta.set", key=key, value=value)

    def backups(self) -> list[str]:
        """The paths of the backups made of this store, oldest first."""
        return list(json.loads(self.get("backups") or "[]"))

    def add_backup(self, path: str) -> None:
        """Note a backup, so that a receipt of forget can name it."""
        self.set("backups", pack_json([*(p for p in self.backups() if p != path), path]))
