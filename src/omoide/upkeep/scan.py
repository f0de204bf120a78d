"""Finds secrets in records stored before they were masked at the door, or by another program, and masks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from omoide.clock import Clock
from omoide.records import Action, Because, Item, Kind, Turn
from omoide.store.base import Store, Transaction
from omoide.tables.documents import Documents, Words, item_row, turn_row
from omoide.tables.items import Items
from omoide.tables.jobs import EMBED_JOB, Jobs
from omoide.tables.ledger import Ledger
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.text.secrets import find_secrets, mask_secrets
from omoide.write.apply import Door, item_hash
from omoide.write.index import item_words, turn_words

PAGE = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Leak:
    """A record with secrets in its text: how many of which kinds, never the secrets themselves."""

    kind: Kind
    id: str
    secrets: tuple[tuple[str, int], ...]
    masked: bool


def scan(store: Store, clock: Clock, tenant: str, because: Because, *, mask: bool) -> list[Leak]:
    """Every record of a tenant with secrets in it; with mask, they are masked on the record itself, for good."""
    leaks = []
    for record in _records(store, tenant):
        text = record.text if isinstance(record, Turn) else f"{record.text}\n{record.quote or ''}"
        found = Counter(finding.kind for finding in find_secrets(text))
        if not found:
            continue
        if mask:
            with store.transaction() as tx, Door(tx, clock, because) as door:
                _mask(tx, door, clock, tenant, record)
        kind = Kind.TURN if isinstance(record, Turn) else Kind.ITEM
        leaks.append(Leak(kind=kind, id=record.id, secrets=tuple(sorted(found.items())), masked=mask))
    return leaks


def _records(store: Store, tenant: str) -> Iterator[Item | Turn]:
    last, place = "", ("", -1)
    items: Sequence[Item] | None = None
    while items is None or items:
        with store.transaction(write=False) as tx:
            items = Items(tx).after(tenant, last, PAGE)
        yield from items
        last = items[-1].id if items else last
    turns: Sequence[Turn] | None = None
    while turns is None or turns:
        with store.transaction(write=False) as tx:
            turns = Turns(tx).after(tenant, *place, PAGE)
        yield from turns
        place = (turns[-1].session, turns[-1].position) if turns else place


def _mask(tx: Transaction, door: Door, clock: Clock, tenant: str, record: Item | Turn) -> None:
    masked = mask_secrets(record.text)
    if isinstance(record, Turn):
        scope, shared = Turns(tx).home(tenant, record)
        session = Sessions(tx).find(tenant, record.session)
        seq = door.lock(scope)
        turn = replace(record, text=masked.text, masks=(*record.masks, *masked.masks))
        Turns(tx).mask(tenant, turn.id, turn.text, turn.masks)
        scope = replace(scope, context=session.scope.context if session else scope.context)
        only = turn.session if shared or (session and session.private) else ""
        _reindex(tx, tenant, Kind.TURN, turn.id, [turn_row(scope, seq, turn, n, w, only) for n, w in enumerate(turn_words(turn))])
        Ledger(tx).forget(tenant, turn.session)  # the hash of the turns as they were logged holds no longer
        door.note(Action.MASK, Kind.TURN, turn.id, scope)
    else:
        scope = record.scope
        seq = door.lock(scope)
        quote = mask_secrets(record.quote).text if record.quote else None
        item = replace(record, text=masked.text, masks=(*record.masks, *masked.masks))
        Items(tx).mask(item, item.text, item.masks, quote)
        own, around = item_words(item)
        _reindex(tx, tenant, Kind.ITEM, item.id, [item_row(item, seq, Words(own=own, around=around))])
        content = item_hash(item, Items(tx).salt(tenant, item.id))
        door.note(Action.MASK, Kind.ITEM, item.id, scope, content=content)
    Jobs(tx).add(tenant, EMBED_JOB, EMBED_JOB, user="", args={}, run_at=clock.now())


def _reindex(tx: Transaction, tenant: str, kind: Kind, ref: str, rows: Sequence[dict[str, object]]) -> None:
    there = {doc["part"]: doc["doc"] for doc in Documents(tx).of(tenant, kind, ref)}
    for row in rows:
        Documents(tx).rewrite(row, doc=there.get(row["part"]))
