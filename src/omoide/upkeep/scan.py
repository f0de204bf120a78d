"""Finds secrets in records stored before they were masked at the door, or by another program, and
masks them.

Looked at is every text but ids: of whatever is remembered, learnt or waits, of calls of tools, of
what jobs hold, such as what a model said that made one fail, and what the ledger keeps beside its
chain for undo. A leak names the record, the kinds of secrets and how many, never the secrets
themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record_kind import RecordKind, all_kinds, damaged_records
from omoide.store.base import Store, Transaction, read_only
from omoide.text.secrets import MARK, masking, stored_kinds
from omoide.text.secrets.records import without_secrets
from omoide.upkeep.reindex import reindex
from omoide.write.apply import Door, through

PAGE = 500
_IN_A_KEY = ("api-key",)  # an idempotency key becomes a fingerprint, which has no mark


@frozen_record
class Leak(Record):
    """A record with secrets in its texts: how many of which kinds, never the secrets themselves."""

    kind: str  # that of a record on the ledger, or tool_call or job
    id: str
    secrets: tuple[tuple[str, int], ...]
    masked: bool


def scan(store: Store, clock: Clock, tenant: str, because: Because, *, mask: bool) -> list[Leak]:
    """Every record of a tenant with secrets in it; with mask, they are masked on the record itself,
    for good.
    """
    with masking(stored_kinds()):
        return _scan(store, clock, tenant, because, mask=mask)


def _scan(store: Store, clock: Clock, tenant: str, because: Because, *, mask: bool) -> list[Leak]:
    found: dict[tuple[str, str], Counter[str]] = {}
    with read_only(store, tenant) as tx:
        # masked, a damaged text would be taken for whole
        damaged = frozenset(damaged_records(tx, tenant) if mask else ())
    for kind, record in _records(store, tenant):
        clean = without_secrets(record)
        if clean == record:
            continue
        secrets = found.setdefault(kind.ref_of(record), Counter())
        secrets.update((_marks(clean) - _marks(record)) or _IN_A_KEY)
        if mask and kind.ref_of(record) not in damaged:
            masked = partial(_mask, clock, tenant, kind, record)
            through(store, clock, because, masked, tenant=tenant)
    return [
        Leak(
            kind=ref[0],
            id=ref[1],
            secrets=tuple(sorted(marks.items())),
            masked=mask and ref not in damaged,
        )
        for ref, marks in found.items()
    ]


def _marks(record: object) -> Counter[str]:
    return Counter(mark[9:-1] for mark in MARK.findall(repr(record)))


def _records(store: Store, tenant: str) -> Iterator[tuple[RecordKind[Any], Any]]:
    """Every record of a tenant that has texts, page by page, each read in a transaction of its
    own.
    """
    for kind in all_kinds():
        last: Any = None
        while kind.texts:
            with read_only(store, tenant) as tx:
                page = kind.page(tx, tenant, last, PAGE)
            yield from ((kind, record) for record in page)
            if not page:
                break
            last = page[-1]


def _mask(
    clock: Clock, tenant: str, kind: RecordKind[Any], found: Any, tx: Transaction, door: Door
) -> None:
    """Mask a record that was found with secrets, as it stands now."""
    door.lock(kind.scopes(tx, tenant, found)[0])
    record = kind.find(tx, tenant, found.id) if kind.table else found
    if record is not None and kind.mask is not None:
        kind.mask(tx, door, tenant, record)
        if kind.rows:
            reindex(tx, tenant, kind, record.id, clock)
