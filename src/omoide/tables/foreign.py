"""The ledgers of other stores that archives brought along: kept beside the store's own, never part
of its chain.

Each is a chain of its own, keyed as the store's ledger is, so that an entry that was altered here
shows. Reasons are left out, since they are text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from omoide.nouns.change import Change
from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.store.base import Row
from omoide.tables.columns import partition, picked
from omoide.tables.ledger import GENESIS, HASHED, STRETCH, Ledger, change_of, columns_of, linked
from omoide.tables.rows import Rows

_HASHED = ("tenant", "ledger", *(name for name in HASHED if name != "tenant"))


@frozen_record
class ForeignLedger(Record):
    """The ledger of another store, as far as an archive held it: its head there when the archive
    was written, and the hash over the entries that are kept here.
    """

    id: str  # of the loading
    tenant: str
    made_at: datetime
    head: str
    entries: int
    hash: str


class ForeignLedgers(Rows):
    """Foreign ledgers as rows, inside the caller's transaction."""

    def add(self, ledger: ForeignLedger, changes: Sequence[Change]) -> int:
        """Keep entries of a ledger, in order; how many are new here."""
        new = self._new(ledger.tenant, changes)
        if not new:
            return 0
        first, last = self._end(ledger)
        key, added = Ledger(self._tx).key(ledger.tenant), []
        for seq, change in enumerate(new, start=first + 1):
            columns = _columns(change, ledger, seq)
            last = _chained(key, last, columns)
            added.append(columns | {"hash": last})
        self._tx.run("foreign_changes.add", many=added)
        self._set(ledger, first + len(added), last)
        return len(added)

    def _end(self, ledger: ForeignLedger) -> tuple[int, bytes]:
        """How many entries of a ledger are here, and the hash over them."""
        rows = self._tx.rows("foreign_ledgers.get", tenant=ledger.tenant, id=ledger.id)
        return (rows[0]["entries"], bytes(rows[0]["hash"])) if rows else (0, GENESIS)

    def _new(self, tenant: str, changes: Sequence[Change]) -> list[Change]:
        """Those of some changes that are not here, each once."""
        ids = json.dumps([change.id for change in changes])
        known = set(self._column("id", "foreign_changes.known", tenant=tenant, ids=ids))
        return list({change.id: change for change in changes if change.id not in known}.values())

    def _set(self, ledger: ForeignLedger, entries: int, hash: bytes) -> None:
        self._tx.run(
            "foreign_ledgers.set",
            tenant=ledger.tenant,
            id=ledger.id,
            made_at=to_micros(ledger.made_at),
            head=ledger.head,
            entries=entries,
            hash=hash,
        )

    def all(self, tenant: str) -> list[ForeignLedger]:
        """Every foreign ledger of a tenant, in the order of loading."""
        return self._all(_ledger, "foreign_ledgers.all", tenant=tenant)

    def of_record(self, scope: Scope, record: str) -> list[Change]:
        """What happened to a record of exactly this user before it was loaded, oldest first."""
        return self._all(_change, "foreign_changes.of_record", **partition(scope), record=record)

    def between(self, scope: Scope, since: datetime, until: datetime, limit: int) -> list[Change]:
        """What happened elsewhere to a user's records and to nobody's, after since, up to and with
        until; oldest first.
        """
        return self._all(
            _change,
            "foreign_changes.between",
            **partition(scope),
            since=to_micros(since),
            until=to_micros(until),
            limit=limit,
        )

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
        **picked(row, "id", "tenant", "head", "entries"),
        made_at=from_micros(row["made_at"]),
        hash=bytes(row["hash"]).hex(),
    )
