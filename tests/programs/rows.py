"""All rows of a store, as one that moves reads them, without what is a store's own."""

from __future__ import annotations

from typing import Any

from omoide.exchange.migrate_store import TABLES
from omoide.nouns.record_kind import Table
from omoide.store.base import Store, Transaction
from omoide.tables.columns import unpack_vector

# Salts, what is keyed by them, how long something took, and names drawn at random.
OWN = {
    "": {"salt", "hash", "content"},
    "exports": {"head", "path"},
    "ledgers": {"key"},
    "meta": {"value"},
    "model_calls": {"ms"},
    "revisions": {"before"},
    "sessions": {"participants"},
}


def rows_of(store: Store) -> dict[str, list[dict[str, Any]]]:
    """Every row by table; documents by their place instead of their number."""
    with store.transaction(tenant=None, write=False) as tx:
        rows = {table: _read(tx, table) for table in TABLES}
        docs = next(found for table, found in rows.items() if table.name == "docs")
        numbers = {row["doc"]: n for n, row in enumerate(docs)}
        return {
            table.name: [_own(table, dict(row), numbers) for row in found]
            for table, found in rows.items()
        }


def _read(tx: Transaction, table: Table) -> list[Any]:
    whole = {"seq", "position", "doc", "model"}
    after = {column: -1 if column in whole else "" for column in table.key}
    return list(tx.rows(table.read, **after, limit=1_000_000))


def _own(table: Table, row: dict[str, Any], numbers: dict[int, int]) -> dict[str, Any]:
    if "doc" in row:
        row["doc"] = numbers.get(row["doc"])
    if "vector" in row:
        row["vector"] = unpack_vector(row["vector"]).tolist()
    if "numbers" in row:
        row["numbers"] = unpack_vector(bytes(row["numbers"])).tolist()
    return {
        name: bytes(value) if isinstance(value, memoryview) else value
        for name, value in row.items()
        if name not in OWN[""] | OWN.get(table.name, set())
    }
