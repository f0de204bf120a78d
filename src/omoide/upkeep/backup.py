"""Backup: a proven copy of a store, noted so that a receipt of forget can name it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from omoide.nouns.errors import StoreError
from omoide.store.base import Store, committed
from omoide.tables.meta import Meta


@runtime_checkable
class Copying(Protocol):
    """A store that can copy itself while it is used."""

    def backup(self, target: Path | str) -> list[str]:
        """Copy to a new file and prove the copy; what is wrong with the rows of both."""
        ...


def back_up(store: Store, target: str) -> list[str]:
    """Copy a store and note where the copy is.

    Raises:
        StoreError: this kind of store is backed up with its server's own tools.
        Conflict: there is something at target.
    """
    if not isinstance(store, Copying):
        raise StoreError(
            "this store is backed up with its server's own tools, such as pg_dump; or export it"
        )
    problems = store.backup(target)
    committed(store, lambda tx: Meta(tx).add_backup(str(Path(target).resolve())))
    return problems
