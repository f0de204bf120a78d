"""What a record should be found by, worked out from its row alone, and the index made so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from omoide.nouns.clock import Clock
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.turn import Turn
from omoide.store.base import Transaction
from omoide.tables.documents import Documents, Words, item_row, turn_row
from omoide.tables.jobs import EMBED_JOB, Jobs
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.write.index import item_words, turn_words


def rows_of(tx: Transaction, tenant: str, record: Item | Turn) -> list[dict[str, Any]]:
    """The rows a record should be indexed by; their counter still to be set."""
    if isinstance(record, Item):
        own, around = item_words(record)
        return [item_row(record, 0, Words(own=own, around=around))]
    if Turns(tx).purged(tenant, record):
        return []
    scope, shared = Turns(tx).home(tenant, record)
    session = Sessions(tx).find(tenant, record.session)
    if session is not None:
        scope = replace(scope, context=session.scope.context)
    only = record.session if shared or (session is not None and session.private) else ""
    rows = [
        turn_row(scope, 0, record, part, words, only)
        for part, words in enumerate(turn_words(record))
    ]
    if Turns(tx).hidden(tenant, record):
        rows = [row | {"superseded_at": 0, "closed_at": 0} for row in rows]
    return rows


def reindex(tx: Transaction, tenant: str, record: Item | Turn, clock: Clock) -> None:
    """Index a record anew, as it stands in this transaction; its vectors are made later."""
    kind = Kind.ITEM if isinstance(record, Item) else Kind.TURN
    rows = rows_of(tx, tenant, record)
    user = rows[0]["user"]
    seq = Documents(tx).lock(tenant, user or None)
    Documents(tx).forget(tenant, kind, record.id, {user: seq})
    for row in rows:
        Documents(tx).add(row | {"seq": seq})
    Jobs(tx).add(tenant, EMBED_JOB, EMBED_JOB, user="", args={}, run_at=clock.now())
