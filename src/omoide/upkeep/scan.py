"""Finds secrets in records stored before they were masked at the door, or by another program, and masks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from omoide.clock import Clock
from omoide.records import Action, Because, Item, Kind, Turn
from omoide.store.base import Store, Transaction
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger
from omoide.tables.turns import Turns
from omoide.text.secrets import find_secrets, mask_secrets
from omoide.upkeep.reindex import reindex
from omoide.write.apply import Door, item_hash

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


def _mask(tx: Transaction, door: Door, clock: Clock, tenant: str, found: Item | Turn) -> None:
    """Mask a record that was found with secrets, as it stands now."""
    if isinstance(found, Turn):
        door.lock(Turns(tx).home(tenant, found)[0])
        turn = Turns(tx).find(tenant, found.id)
        if turn is not None:
            _mask_turn(tx, door, tenant, turn)
            reindex(tx, tenant, replace(turn, text=mask_secrets(turn.text).text), clock)
        return
    door.lock(found.scope)
    item = Items(tx).find(tenant, found.id)
    if item is not None:
        reindex(tx, tenant, _mask_item(tx, door, tenant, item), clock)


def _mask_turn(tx: Transaction, door: Door, tenant: str, turn: Turn) -> None:
    masked = mask_secrets(turn.text)
    Turns(tx).mask(tenant, turn.id, masked.text, (*turn.masks, *masked.masks))
    Ledger(tx).forget(tenant, turn.session)  # the hash of the turns as they were logged holds no longer
    door.note(Action.MASK, Kind.TURN, turn.id, Turns(tx).home(tenant, turn)[0])


def _mask_item(tx: Transaction, door: Door, tenant: str, item: Item) -> Item:
    masked = mask_secrets(item.text)
    quote = mask_secrets(item.quote).text if item.quote else None
    clean = replace(item, text=masked.text, masks=(*item.masks, *masked.masks), quote=quote)
    Items(tx).mask(item, clean.text, clean.masks, quote)
    door.note(Action.MASK, Kind.ITEM, item.id, item.scope, content=item_hash(clean, Items(tx).salt(tenant, item.id)))
    return clean
