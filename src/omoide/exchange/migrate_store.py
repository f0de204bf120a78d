"""Moves a whole store to another engine or place, row by row, and proves that nothing was lost or
altered.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

from omoide.nouns.errors import Conflict, StoreError
from omoide.store import open_store
from omoide.store.base import Store, Transaction
from omoide.tables.columns import unpack_vector

PAGE = 1_000


class Table(NamedTuple):
    """A table: its name, the queries that read and add its rows, and the key they are read by."""

    name: str
    read: str
    add: str
    key: tuple[str, ...]


TABLES = (
    Table("meta", "copy.read_meta", "copy.add_meta", ("key",)),
    Table("sessions", "copy.read_sessions", "copy.add_sessions", ("tenant", "id")),
    Table("turns", "copy.read_turns", "copy.add_turns", ("tenant", "session_id", "position")),
    Table("items", "copy.read_items", "copy.add_items", ("tenant", "id")),
    Table(
        "item_sources",
        "copy.read_item_sources",
        "copy.add_item_sources",
        ("tenant", "item_id", "session_id", "position"),
    ),
    Table(
        "item_bases",
        "copy.read_item_bases",
        "copy.add_item_bases",
        ("tenant", "item_id", "base_id"),
    ),
    Table(
        "item_pairs",
        "copy.read_item_pairs",
        "copy.add_item_pairs",
        ("tenant", "one_id", "other_id"),
    ),
    Table("procedures", "copy.read_procedures", "copy.add_procedures", ("tenant", "id")),
    Table(
        "procedure_vectors",
        "copy.read_procedure_vectors",
        "copy.add_procedure_vectors",
        ("tenant", "procedure_id", "model"),
    ),
    Table("proposals", "copy.read_proposals", "copy.add_proposals", ("tenant", "id")),
    Table("reflections", "copy.read_reflections", "copy.add_reflections", ("tenant", "id")),
    Table(
        "reflection_sources",
        "copy.read_reflection_sources",
        "copy.add_reflection_sources",
        ("tenant", "reflection_id", "session_id", "position"),
    ),
    Table("digests", "copy.read_digests", "copy.add_digests", ("tenant", "id")),
    Table(
        "digest_sources",
        "copy.read_digest_sources",
        "copy.add_digest_sources",
        ("tenant", "digest_id", "source"),
    ),
    Table("senders", "copy.read_senders", "copy.add_senders", ("tenant", "channel", "sender")),
    Table("entities", "copy.read_entities", "copy.add_entities", ("tenant", "id")),
    Table(
        "entity_aliases",
        "copy.read_entity_aliases",
        "copy.add_entity_aliases",
        ("tenant", "entity_id", "folded", "alias"),
    ),
    Table(
        "item_entities",
        "copy.read_item_entities",
        "copy.add_item_entities",
        ("tenant", "item_id", "entity_id"),
    ),
    Table("ledgers", "copy.read_ledgers", "copy.add_ledgers", ("tenant",)),
    Table("changes", "copy.read_changes", "copy.add_changes", ("tenant", "seq")),
    Table("revisions", "copy.read_revisions", "copy.add_revisions", ("tenant", "seq")),
    Table("partitions", "copy.read_partitions", "copy.add_partitions", ("tenant", "user_id")),
    Table("docs", "copy.read_docs", "copy.add_docs", ("doc",)),
    Table("erased", "copy.read_erased", "copy.add_erased", ("tenant", "user_id", "seq", "doc")),
    Table("embedders", "copy.read_embedders", "copy.add_embedders", ("model",)),
    Table("vectors", "copy.read_vectors", "copy.add_vectors", ("tenant", "doc", "model")),
    Table("readings", "copy.read_readings", "copy.add_readings", ("tenant", "doc", "reader")),
    Table("jobs", "copy.read_jobs", "copy.add_jobs", ("tenant", "id")),
    Table("model_calls", "copy.read_model_calls", "copy.add_model_calls", ("tenant", "id")),
    Table("tool_calls", "copy.read_tool_calls", "copy.add_tool_calls", ("tenant", "id")),
)
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
            for table in TABLES:
                if _page(write, table, None):
                    raise Conflict(f"{target} holds {table.name} already; move into an empty store")
            for table in TABLES:
                for page in _pages(read, table):
                    write.run(table.add, many=page)
                    tell(len(page))
            write.rows("copy.count_docs")
            write.rows("copy.count_embedders")
        return _compare(old, new)


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
                    f"{table.name} differ after the move: {before[0]} rows before, {after[0]}"
                    " after; throw the new store away"
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
