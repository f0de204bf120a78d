"""Backup: a proven copy of a store, noted so that a receipt of forget can name it."""

from __future__ import annotations

from pathlib import Path

from omoide.nouns.errors import InvalidInput
from omoide.store.base import Store, committed
from omoide.tables.meta import Meta


def back_up(store: Store, target: str) -> list[str]:
    """Copy a store and note where the copy is.

    Raises:
        StoreError: this kind of store is backed up with its server's own tools.
        Conflict: there is something at target.
        InvalidInput: there is no folder for it.
    """
    folder = Path(target).absolute().parent
    if not folder.is_dir():
        problem = "is not a folder; make it first, or name another place"
        raise InvalidInput("target", f"{str(folder)!r} {problem}")
    problems = store.backup(target)
    committed(store, lambda tx: Meta(tx).add_backup(str(Path(target).resolve())), tenant=None)
    return problems
