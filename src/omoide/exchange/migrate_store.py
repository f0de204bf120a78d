"""Moves a whole store to another engine or place, row by row, and proves that nothing was lost or
altered.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from omoide.kinds import KINDS, UNOWNED
from omoide.nouns.errors import Conflict, StoreError
from omoide.nouns.record.lines import counted
from omoide.nouns.record_kind import Table
from omoide.store import open_store
from omoide.store.base import Store, Transaction
from omoide.tables.columns import unpack_vector

PAGE = 1_000


TABLES = (*UNOWNED, *(table for kind in KINDS for table in kind.tables))
_NUMBERS = ("seq", "position", "doc", "model")


def move_store(
    source: str,
    target: str,
    *,
    passphrase: str | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> dict[str, int]:
    """Copy every row of a store into an empty one, in one transaction, and compare both; rows by
    table.

    Raises:
        Conflict: the target holds something already.
        StoreError: the two differ afterwards; the target is then to be thrown away.
    """
    with (
        closing(open_store(source, passphrase=passphrase, create=False)) as old,
        closing(open_store(target, passphrase=passphrase)) as new,
    ):
        with old.lasting(tenant=None) as read, new.transaction(tenant=None) as write:
            _check_empty(write, target)
            _copy(read, write, tell)
        return _compare(old, new)


def _check_empty(tx: Transaction, target: str) -> None:
    for table in TABLES:
        if _page(tx, table, None):
            raise Conflict(f"{target} holds {table.name} already; move into an empty store")


def _copy(read: Transaction, write: Transaction, tell: Callable[[int], None]) -> None:
    for table in TABLES:
        for page in _pages(read, table):
            write.run(table.add, many=page)
            tell(len(page))
    write.rows("copy.count_docs")
    write.rows("copy.count_embedders")


def _pages(tx: Transaction, table: Table) -> Iterator[list[dict[str, Any]]]:
    last = None
    while page := _page(tx, table, last):
        yield page
        last = page[-1]


def _page(tx: Transaction, table: Table, last: dict[str, Any] | None) -> list[dict[str, Any]]:
    after = {name: last[name] if last else (-1 if name in _NUMBERS else "") for name in table.key}
    rows = [dict(row) for row in tx.rows(table.read, **after, limit=PAGE)]
    for row in rows:
        if "vector" in row:
            row["vector"] = unpack_vector(row["vector"])
    return rows


def _compare(old: Store, new: Store) -> dict[str, int]:
    with old.lasting(tenant=None) as one, new.lasting(tenant=None) as other:
        counts = {}
        for table in TABLES:
            before, after = _digest(one, table), _digest(other, table)
            if before != after:
                raise StoreError(
                    f"{table.name} differ after the move: {counted(before[0], 'row')} before,"
                    f" {after[0]} after; throw the new store away"
                )
            counts[table.name] = before[0]
        return counts


def _digest(tx: Transaction, table: Table) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    for page in _pages(tx, table):
        for row in page:
            digest.update(json.dumps(row, sort_keys=True, default=_bytes).encode())
        count += len(page)
    return count, digest.hexdigest()


def _bytes(value: Any) -> str:
    return value.tobytes().hex() if hasattr(value, "tobytes") else bytes(value).hex()
