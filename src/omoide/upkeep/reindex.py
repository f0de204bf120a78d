"""The search index of a record, made anew from its row alone."""

from __future__ import annotations

from typing import Any

from omoide.nouns.clock import Clock
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import RecordKind
from omoide.store.base import Transaction
from omoide.tables.documents import Documents
from omoide.write.index import queue_vectors


def reindex(tx: Transaction, tenant: str, kind: RecordKind[Any], id: str, clock: Clock) -> None:
    """Index a record anew, as it stands in this transaction; its vectors are made later."""
    assert kind.rows
    record = kind.find(tx, tenant, id)
    rows = [] if record is None else kind.rows(tx, tenant, record)
    users = {row["user"] for row in rows}
    seqs = {user: Documents(tx).lock(tenant, user or None) for user in users}
    Documents(tx).forget(tenant, Kind(kind.name), id, seqs)
    for row in rows:
        Documents(tx).add(row | {"seq": seqs[row["user"]]})
    if rows:
        queue_vectors(tx, tenant, clock.now())
