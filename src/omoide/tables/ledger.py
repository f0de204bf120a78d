"""The ledger: every change as one entry of a hash chain per tenant. Holds ids and keyed hashes,
never text.

An entry's hash is BLAKE2b, keyed by the tenant's ledger key, over the hash before it and the
entry's own fields; so an edit, a deletion or another order shows at the first entry that no longer
fits. What a change replaced is kept beside the chain, in ``revisions``, where forget can erase it
without breaking the chain.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import field
from datetime import datetime
from typing import Any

from omoide.nouns.change import Action, Change
from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.ids import ChangeId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.store.base import Row, Transaction
from omoide.tables.columns import asker, pack_json, picked
from omoide.tables.item_fields import hashed_of
from omoide.tables.rows import Rows

GENESIS = bytes(32)
STRETCH = 1000  # entries of the chain that are looked at together


@frozen_record
class Entry:
    """A change about to be written. before is what it replaced (None: there was no record)."""

    id: ChangeId
    tenant: str
    at: datetime
    action: Action
    kind: Kind
    record: str
    user: str | None = None
    session: str | None = None
    actor: str
    reason: str = ""
    cause: str | None = None
    content: bytes = b""
    before: dict[str, Any] = field(default_factory=dict)

    @property
    def keeps(self) -> bool:
        """Whether there is something of it to keep beside the chain."""
        return bool(self.before or self.reason)


@frozen_record
class Past:
    """A change with what it replaced; kept is False once forget has erased that, perhaps but for
    what was said in it. seq counts the changes of its tenant from 1, without gaps; people are not
    told it, since it shows how much others write.
    """

    seq: int
    change: Change
    before: dict[str, Any]
    kept: bool

    @property
    def positions(self) -> range:
        """Of the turns in its session that it is about, if it is about turns."""
        first = self.before.get("first", 0)
        return range(first, first + self.before.get("count", 0))


@frozen_record
class Replaced:
    """What one change replaced, and why: the text beside the chain."""

    scope: Scope
    seq: int
    kind: Kind
    record: str
    reason: str
    before: dict[str, Any]


@frozen_record
class Head(Record):
    """The end of a tenant's chain: export it to notice even a ledger rewritten as a whole."""

    tenant: str
    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"  # as omoide admin verify --head takes it


@frozen_record
class Mark:
    """How far a walk along a chain has come: the number and hash of the entry it stands at; at
    first before all of them.
    """

    seq: int = 0
    hash: bytes = GENESIS


class Ledger(Rows):
    """The chain of one store, inside the caller's transaction."""

    def __init__(self, tx: Transaction, entropy: Callable[[int], bytes] = os.urandom) -> None:
        super().__init__(tx)
        self._entropy = entropy

    def write(self, entries: list[Entry]) -> list[int]:
        """Append entries of one tenant; their numbers."""
        if not entries:
            return []
        tenant = entries[0].tenant
        row = self._reserve(tenant, len(entries))
        first, last, key = row["seq"] - len(entries) + 1, bytes(row["hash"]), bytes(row["key"])
        numbers, rows = [*range(first, first + len(entries))], []
        for seq, entry in zip(numbers, entries, strict=True):
            columns = columns_of(entry, seq) | {"content": entry.content}
            last = chain(key, last, columns)
            rows.append(columns | {"hash": last})
        self._tx.run("changes.add", many=rows)
        self._tx.run("ledgers.advance", tenant=tenant, hash=last)
        kept = [_kept(e, seq) for e, seq in zip(entries, numbers, strict=True) if e.keeps]
        if kept:
            self._tx.run("revisions.add", many=kept)
        return numbers

    def _reserve(self, tenant: str, count: int) -> Row:
        rows = self._tx.rows("ledgers.reserve", tenant=tenant, count=count)
        if not rows:
            self._tx.run("ledgers.begin", tenant=tenant, hash=GENESIS, key=self._entropy(32))
            rows = self._tx.rows("ledgers.reserve", tenant=tenant, count=count)
        return rows[0]

    def get(self, tenant: str, id: str) -> Past | None:
        """One change by its id."""
        return self._one(_past, "changes.get", tenant=tenant, id=id)

    def at(self, tenant: str, seq: int) -> Past | None:
        """One change by its number."""
        return self._one(_past, "changes.at", tenant=tenant, seq=seq)

    def root(self, past: Past) -> Past:
        """What an undoing, or the undoing of one, is about in the end; of another change,
        itself.
        """
        while (
            past.change.action is Action.UNDO
            and past.change.cause
            and (undone := self.get(past.change.tenant, past.change.cause))
        ):
            past = undone
        return past

    def standing(self, tenant: str, record: str) -> list[Past]:
        """What happened to one record and is not undone, by undoings that stand themselves; oldest
        first.
        """
        history, gone = self.of_record(tenant, record), set[str | None]()
        for past in reversed(history):
            if past.change.action is Action.UNDO and past.change.id not in gone:
                gone.add(past.change.cause)
        return [past for past in history if past.change.id not in gone]

    def last_forgotten(self, tenant: str) -> dict[str, datetime]:
        """When an item of each user was forgotten last."""
        rows = self._tx.rows("changes.last_forgotten", tenant=tenant)
        return {row["user_id"]: from_micros(row["at"]) for row in rows}

    def of_record(self, tenant: str, record: str) -> list[Past]:
        """What happened to one record, oldest first."""
        return self._all(_past, "changes.of_record", tenant=tenant, record=record)

    def sayings(self, item: Item) -> list[Past]:
        """The changes of an item that kept what was said, oldest first."""
        history = self.of_record(item.scope.tenant, item.id)
        return [past for past in history if "said" in past.before]

    def of_cause(self, tenant: str, cause: str) -> list[Past]:
        """What one import, job or change brought about, newest first."""
        return self._all(_past, "changes.of_cause", tenant=tenant, cause=cause)

    def of_gone_entities(self, tenant: str, user: str | None) -> list[Past]:
        """What happened to a user's entities that are no more, as far as it is kept, newest
        first.
        """
        return self._all(_past, "changes.of_gone_entities", tenant=tenant, user=user or "")

    def of_session(self, tenant: str, session: str) -> list[Past]:
        """What happened within one session, newest first."""
        return self._all(_past, "changes.of_session", tenant=tenant, session_id=session)

    def logging_of(self, tenant: str, session: str, position: int) -> Past | None:
        """The change that logged the turn at a position of a session."""
        logged = (p for p in self.of_session(tenant, session) if p.change.action is Action.LOG)
        return next((past for past in logged if position in past.positions), None)

    def between(
        self, tenant: str, user: str | None, since: datetime, until: datetime, limit: int
    ) -> list[Change]:
        """What happened to the records an asker's partitions hold after since, up to and with
        until; oldest first.
        """
        return self._all(
            change_of,
            "changes.between",
            tenant=tenant,
            user=user or "",
            since=to_micros(since),
            until=to_micros(until),
            limit=limit,
        )

    def count(self, scope: Scope) -> int:
        """How many changes there were of what this asker sees."""
        return self._total("changes.seen", **asker(scope))

    def last_contents(self, tenant: str, after: str, limit: int) -> list[tuple[Kind, str, bytes]]:
        """Kind and id of records, in the order of ids after one, and the keyed hash that the last
        change of each left.
        """
        rows = self._tx.rows("changes.contents", tenant=tenant, after=after, limit=limit)
        return [(Kind(row["kind"]), row["record"], bytes(row["content"])) for row in rows]

    def logged(self, tenant: str, after: int, limit: int) -> list[Past]:
        """The loggings of turns after a change whose salt is still kept, oldest first."""
        return self._all(_past, "changes.logged", tenant=tenant, after=after, limit=limit)

    def told(self, tenant: str) -> list[Past]:
        """The changes of items that kept what was said, and those that ended one, oldest first."""
        told = map(_past, self._tx.rows("changes.told", tenant=tenant))
        return [
            past
            for past in told
            if not past.before.keys().isdisjoint(("said", "told"))
            or past.change.action is Action.RETRACT
        ]

    def judged(self, tenant: str) -> list[Past]:
        """What comparing items moved, and the undoings of that, oldest first."""
        return self._all(_past, "changes.judged", tenant=tenant)

    def replaced(self, tenant: str, after: int, limit: int) -> list[Replaced]:
        """What the changes after one replaced, in order: a walk through all of it."""
        return self._all(_replaced, "revisions.after", tenant=tenant, after=after, limit=limit)

    def mask(self, masked: Replaced) -> None:
        """Write the same again with its secrets masked. The chain holds no text and stays as it
        is.
        """
        before = pack_json(masked.before) if masked.before else ""
        self._tx.run(
            "revisions.rewrite",
            tenant=masked.scope.tenant,
            seq=masked.seq,
            reason=masked.reason,
            before=before,
        )

    def forget(self, tenant: str, record: str) -> int:
        """Erase what changes to a record replaced, and their reasons; the entries stay."""
        return self._tx.run("revisions.forget", tenant=tenant, record=record)

    def forget_but_sayings(self, tenant: str, record: str, changes: Collection[ChangeId]) -> None:
        """Erase what changes to an item replaced, and their reasons, but for what was said in
        some.
        """
        for past in self.of_record(tenant, record):
            seq = past.seq
            if past.change.id in changes and "said" in past.before:
                before = pack_json({"said": past.before["said"]})
                self._tx.run("revisions.rewrite", tenant=tenant, seq=seq, reason="", before=before)
            else:
                self._tx.run("revisions.forget_one", tenant=tenant, seq=seq)

    def forget_turns(self, tenant: str, session: str, positions: Set[int]) -> None:
        """Erase what changes to a session replaced that are of one of its turns at these positions,
        or of no turns, and their reasons.
        """
        for past in self.of_record(tenant, session):
            if not past.positions or not positions.isdisjoint(past.positions):
                self._tx.run("revisions.forget_one", tenant=tenant, seq=past.seq)

    def key(self, tenant: str) -> bytes:
        """What keys the chain of a tenant, which begins with it."""
        return bytes(self._reserve(tenant, 0)["key"])

    def key_of(self, tenant: str) -> bytes:
        """What keys the chain of a tenant; empty where it has none."""
        rows = self._tx.rows("ledgers.head", tenant=tenant)
        return bytes(rows[0]["key"]) if rows else b""

    def forgotten(self, tenant: str, records: Collection[str]) -> list[tuple[Kind, str]]:
        """Those of some records whose last change was that they were forgotten: kinds and ids."""
        rows = self._tx.rows("changes.forgotten", tenant=tenant, ids=json.dumps(list(records)))
        return [(Kind(row["kind"]), row["record"]) for row in rows]

    def head(self, tenant: str) -> Head:
        """The end of the chain."""
        rows = self._tx.rows("ledgers.head", tenant=tenant)
        return (
            Head(tenant=tenant, seq=rows[0]["seq"], hash=bytes(rows[0]["hash"]).hex())
            if rows
            else Head(tenant=tenant, seq=0, hash="")
        )

    def tenants(self) -> list[str]:
        """Every tenant that has a ledger."""
        return self._column("tenant", "ledgers.tenants")

    def walk(
        self, tenant: str, mark: Mark, known: Head | None = None
    ) -> tuple[list[str], Mark | None]:
        """What is wrong with the next stretch of the chain, and where the walk stands then: None at
        its end.

        Each stretch may be read in a transaction of its own, since a chain only grows. With known,
        an earlier head, also that the chain still runs through it.
        """
        rows = self._tx.rows("ledgers.head", tenant=tenant)
        if not rows:
            is_lost = bool(mark.seq or (known and known.seq))
            return [f"tenant {tenant!r}: the ledger is gone"] * is_lost, None
        stretch = self._tx.rows("changes.all", tenant=tenant, after=mark.seq, limit=STRETCH)
        if not stretch:
            return list(_end_problems(tenant, rows[0], mark, known)), None
        key, end = bytes(rows[0]["key"]), stretch[-1]
        stands = Mark(seq=end["seq"], hash=bytes(end["hash"]))
        return list(_breaks(tenant, key, mark, stretch, known)), stands


def _end_problems(tenant: str, head: Row, mark: Mark, known: Head | None) -> Iterator[str]:
    """What is wrong with the end of a chain, where a walk has come to it."""
    ends = f"tenant {tenant!r}: the ledger ends at {mark.seq}"
    if mark.seq != head["seq"] or mark.hash != bytes(head["hash"]):
        yield f"{ends}, it should end at {head['seq']}"
    if known and known.seq > mark.seq:
        yield f"{ends}, before {known.seq} that was known"


def _breaks(
    tenant: str, key: bytes, mark: Mark, stretch: Sequence[Row], known: Head | None
) -> Iterator[str]:
    """Where a stretch of the chain does not follow from what is before it."""
    seq, last = mark.seq, mark.hash
    for row in stretch:
        if row["seq"] != seq + 1:
            yield f"tenant {tenant!r}: entries {seq + 1} to {row['seq'] - 1} are missing"
        seq = row["seq"]
        expected, last = chain(key, last, row), bytes(row["hash"])
        if expected != last:
            yield f"tenant {tenant!r}: entry {seq} was edited, moved or follows one that was"
        if known and known.seq == seq and known.hash != last.hex():
            yield (
                f"tenant {tenant!r}: entry {seq} is not the one known before; the ledger was"
                " rewritten"
            )


HASHED = (  # columns of an entry that its hash covers, with what it changed
    "tenant",
    "seq",
    "id",
    "at",
    "action",
    "kind",
    "record",
    "user_id",
    "session_id",
    "actor",
    "cause",
)


def chain(key: bytes, before: bytes, columns: Row) -> bytes:
    """The hash of an entry: 32 bytes, over the hash before it and its columns."""
    fields = [columns[name] for name in HASHED] + [bytes(columns["content"]).hex()]
    return linked(key, before, fields)


def linked(key: bytes, before: bytes, fields: Sequence[object]) -> bytes:
    """The hash of fields that follow on a hash: 32 bytes."""
    told = before + json.dumps(fields, ensure_ascii=True).encode()
    return hashlib.blake2b(told, digest_size=32, key=key).digest()


def columns_of(change: Entry | Change, seq: int) -> dict[str, Any]:
    """The columns that every ledger has of a change, but for its content and hash."""
    return {
        "tenant": change.tenant,
        "seq": seq,
        "id": change.id,
        "at": to_micros(change.at),
        "action": change.action.value,
        "kind": change.kind.value,
        "record": change.record,
        "user_id": change.user or "",
        "session_id": change.session or "",
        "actor": change.actor,
        "cause": change.cause or "",
    }


def change_of(row: Row) -> Change:
    """The change that a row of a ledger tells of."""
    return Change(
        id=ChangeId(row["id"]),
        tenant=row["tenant"],
        at=from_micros(row["at"]),
        action=Action(row["action"]),
        kind=Kind(row["kind"]),
        record=row["record"],
        user=row["user_id"] or None,
        session=row["session_id"] or None,
        actor=row["actor"],
        reason=row["reason"],
        cause=row["cause"] or None,
        content=bytes(row["content"]).hex(),
        hash=bytes(row["hash"]).hex(),
    )


def _past(row: Row) -> Past:
    before = json.loads(row["before"]) if row["before"] else {}
    is_saying_alone = row["action"] != Action.ADD.value and before.keys() == {"said"}
    kept = row["before"] is not None and not is_saying_alone
    return Past(seq=row["seq"], change=change_of(row), before=before, kept=kept)


def _kept(entry: Entry, seq: int) -> dict[str, Any]:
    """The row beside the chain."""
    return {
        "tenant": entry.tenant,
        "seq": seq,
        "record": entry.record,
        "reason": entry.reason,
        "before": pack_json(entry.before) if entry.before else "",
    }


def _replaced(row: Row) -> Replaced:
    return Replaced(
        scope=Scope(tenant=row["tenant"]),
        kind=Kind(row["kind"]),
        before=json.loads(row["before"] or "{}"),
        **picked(row, "seq", "record", "reason"),
    )


def item_hash(item: Item, salt: bytes) -> bytes:
    """What the ledger keeps of an item: a hash of its text and state, keyed by a salt that is
    erased with it.

    Confidence is left out, since rounds of upkeep move that of many items by one change.
    """
    return _hashed([item.text, hashed_of(item)], salt)


def old_item_hash(item: Item, salt: bytes) -> bytes:
    """The hash of an item that a person marked as confirmed when that was a mark of its own."""
    return _hashed([item.text, hashed_of(item) | {"confirmed": 1}], salt)


def turns_hash(turns: Sequence[Turn], salt: bytes) -> bytes:
    """What the ledger keeps of turns: a hash of their texts, keyed by a salt that is erased with
    them.
    """
    return _hashed([turn.text for turn in turns], salt)


def _hashed(told: list[Any], salt: bytes) -> bytes:
    return hashlib.blake2b(pack_json(told).encode(), digest_size=16, key=salt).digest()
