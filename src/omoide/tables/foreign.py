"""The ledgers of other stores that archives brought along: kept beside the store's own, never part
of its chain.

Each is a chain of its own, keyed as the store's ledger is, so that an entry that was altered here
shows. Reasons are left out, since they are text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from omoide.nouns.change import Change
from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.scope import Scope
from omoide.store.base import Row, Transaction
from omoide.tables.ledger import GENESIS, HASHED, STRETCH, Ledger, change_of, columns_of, linked

_HASHED = ("tenant", "ledger", *(name for name in HASHED if name != "tenant"))


@dataclass(frozen=True, kw_only=True, slots=True)
class ForeignLedger:
    """The ledger of another store, as far as an archive held it: its head there when the archive
    was written, and the hash over the entries that are kept here.
    """

    id: str  # of the loading
    tenant: str
    made_at: datetime
    head: str
    entries: int
    hash: str


class ForeignLedgers:
    """Foreign ledgers as rows, inside the caller's transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def add(self, ledger: ForeignLedger, changes: Sequence[Change]) -> int:
        """Keep entries of a ledger, in order; how many are new here."""
        ids = json.dumps([change.id for change in changes])
        rows = self._tx.rows("foreign_changes.known", tenant=ledger.tenant, ids=ids)
        known = {row["id"] for row in rows}
        new = {change.id: change for change in changes if change.id not in known}
        if not new:
            return 0
        place = self._tx.rows("foreign_ledgers.get", tenant=ledger.tenant, id=ledger.id)
        first, last = (place[0]["entries"], bytes(place[0]["hash"])) if place else (0, GENESIS)
        key, added = Ledger(self._tx).key(ledger.tenant), []
        for seq, change in enumerate(new.values(), start=first + 1):
            columns = _columns(change, ledger, seq)
            last = _chained(key, last, columns)
            added.append(columns | {"hash": last})
        self._tx.run("foreign_changes.add", many=added)
        self._tx.run(
            "foreign_ledgers.set",
            tenant=ledger.tenant,
            id=ledger.id,
            made_at=to_micros(ledger.made_at),
            head=ledger.head,
            entries=first + len(added),
            hash=last,
        )
        return len(added)

    def all(self, tenant: str) -> list[ForeignLedger]:
        """Every foreign ledger of a tenant, in the order of loading."""
        return [_ledger(row) for row in self._tx.rows("foreign_ledgers.all", tenant=tenant)]

    def of_record(self, scope: Scope, record: str) -> list[Change]:
        """What happened to a record of exactly this user before it was loaded, oldest first."""
        rows = self._tx.rows(
            "foreign_changes.of_record",
            tenant=scope.tenant,
            user=scope.user or "",
            record=record,
        )
        return [_change(row) for row in rows]

    def between(self, scope: Scope, since: datetime, until: datetime, limit: int) -> list[Change]:
        """What happened elsewhere to a user's records and to nobody's, after since, up to and with
        until; oldest first.
        """
        rows = self._tx.rows(
            "foreign_changes.between",
            tenant=scope.tenant,
            user=scope.user or "",
            since=to_micros(since),
            until=to_micros(until),
            limit=limit,
        )
        return [_change(row) for row in rows]

    def breaks(self, ledger: ForeignLedger) -> list[str]:
        """Where the entries of a ledger are not as they were loaded."""
        key, seq, last = Ledger(self._tx).key_of(ledger.tenant), 0, GENESIS
        name = f"the ledger that loading {ledger.id!r} brought"
        while rows := self._tx.rows(
            "foreign_changes.after",
            tenant=ledger.tenant,
            ledger=ledger.id,
            after=seq,
            limit=STRETCH,
        ):
            for row in rows:
                seq, last = seq + 1, _chained(key, last, row)
                if row["seq"] != seq or last != bytes(row["hash"]):
                    return [f"{name} was edited at entry {row['seq']}, or lacks one before it"]
        if (seq, last.hex()) != (ledger.entries, ledger.hash):
            return [f"{name} ends at {seq}, it should end at {ledger.entries}"]
        return []


def _chained(key: bytes, before: bytes, columns: Row) -> bytes:
    hashes = [bytes(columns[name]).hex() for name in ("content", "told")]
    return linked(key, before, [columns[name] for name in _HASHED] + hashes)


def _columns(change: Change, ledger: ForeignLedger, seq: int) -> dict[str, Any]:
    return columns_of(change, seq) | {
        "tenant": ledger.tenant,
        "ledger": ledger.id,
        "content": bytes.fromhex(change.content),
        "told": bytes.fromhex(change.hash),
    }


def _change(row: Row) -> Change:
    return change_of({**row, "reason": "", "hash": row["told"]})


def _ledger(row: Row) -> ForeignLedger:
    return ForeignLedger(
        id=row["id"],
        tenant=row["tenant"],
        made_at=from_micros(row["made_at"]),
        head=row["head"],
        entries=row["entries"],
        hash=bytes(row["hash"]).hex(),
    )
