"""Finds secrets in records stored before they were masked at the door, or by another program, and
masks them.

Looked at is every text but ids: of whatever is remembered, learnt or waits, of calls of tools, of
what jobs hold, such as what a model said that made one fail, and what the ledger keeps beside its
chain for undo. A leak names the record, the kinds of secrets and how many, never the secrets
themselves.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from omoide.faculties.reflection.door import mask_reflected
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock
from omoide.nouns.entity import Entity
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import Proposal
from omoide.nouns.reflection import Digest, Reflection
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.read.masking import IDS, Record, without_secrets
from omoide.store.base import Store, Transaction, committed
from omoide.tables.columns import pack_json
from omoide.tables.digests import Digests
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.jobs import Jobs, Told
from omoide.tables.ledger import Ledger, Replaced
from omoide.tables.procedures import Procedures
from omoide.tables.proposals import Proposals
from omoide.tables.reflections import Reflections
from omoide.tables.sessions import Sessions
from omoide.tables.tools import ToolCall, ToolCalls
from omoide.tables.turns import Turns
from omoide.text.secrets import MARK, masking, stored_kinds
from omoide.text.secrets.fields import mask_json, mask_line
from omoide.upkeep.reindex import reindex
from omoide.write.apply import Door, item_hash, through

PAGE = 500
T = TypeVar("T")
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, kw_only=True, slots=True)
class Leak:
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
    for record in _records(store, tenant):
        clean = without_secrets(record)
        if clean == record:
            continue
        found[_KINDS[type(record)], record.id] = (_marks(clean) - _marks(record)) or Counter(
            _IN_A_KEY
        )
        if mask:
            through(
                store,
                clock,
                because,
                partial(_mask, clock=clock, tenant=tenant, found=record),
                tenant=tenant,
            )
    for past in _walk(
        store, tenant, lambda tx, last: Ledger(tx).replaced(tenant, last.seq if last else 0, PAGE)
    ):
        told = _told_without_secrets(past)
        if told == past:
            continue
        found.setdefault((past.kind, past.record), Counter()).update(_marks(told) - _marks(past))
        if mask:
            committed(store, partial(_mask_told, tenant, told), tenant=tenant)
    return [
        Leak(kind=kind, id=id, secrets=tuple(sorted(marks.items())), masked=mask)
        for (kind, id), marks in found.items()
    ]


_IN_A_KEY = ("api-key",)  # an idempotency key becomes a fingerprint, which has no mark
_KINDS: dict[type, str] = {
    Item: Kind.ITEM,
    Turn: Kind.TURN,
    Session: Kind.SESSION,
    Entity: Kind.ENTITY,
    Reflection: Kind.REFLECTION,
    Digest: Kind.DIGEST,
    Proposal: Kind.PROPOSAL,
    Procedure: Kind.PROCEDURE,
    ToolCall: "tool_call",
    Told: "job",
}


def _marks(record: object) -> Counter[str]:
    return Counter(mark[9:-1] for mark in MARK.findall(repr(record)))


def _records(store: Store, tenant: str) -> Iterator[Record]:
    yield from _walk(
        store, tenant, lambda tx, last: Items(tx).after(tenant, last.id if last else "", PAGE)
    )
    yield from _walk(store, tenant, lambda tx, last: Turns(tx).after(tenant, *_place(last), PAGE))
    yield from _walk(
        store, tenant, lambda tx, last: Sessions(tx).after(tenant, last.id if last else "", PAGE)
    )
    yield from _walk(
        store, tenant, lambda tx, last: Entities(tx).after(tenant, last.id if last else "", PAGE)
    )
    yield from _walk(
        store, tenant, lambda tx, last: Reflections(tx).after(tenant, last.id if last else "", PAGE)
    )
    yield from _walk(
        store, tenant, lambda tx, last: Digests(tx).after(tenant, last.id if last else "", PAGE)
    )
    yield from _walk(
        store, tenant, lambda tx, last: Jobs(tx).told(tenant, last.id if last else "", PAGE)
    )
    with store.transaction(tenant=tenant, write=False) as tx:  # few, or read whole elsewhere too
        whole: list[Record] = [
            *Proposals(tx).of_tenant(tenant),
            *Procedures(tx).of_tenant(tenant),
            *ToolCalls(tx).held(tenant, None),
        ]
    yield from whole


def _place(turn: Turn | None) -> tuple[str, int]:
    return (turn.session, turn.position) if turn else ("", -1)


def _walk(
    store: Store, tenant: str, page: Callable[[Transaction, T | None], Sequence[T]]
) -> Iterator[T]:
    """All that the pages hold, each read in a transaction of its own; page is given the last of the
    page before.
    """
    last: T | None = None
    while True:
        with store.transaction(tenant=tenant, write=False) as tx:
            found = page(tx, last)
        if not found:
            return
        yield from found
        last = found[-1]


def _told_without_secrets(past: Replaced) -> Replaced:
    """What a change replaced with its secrets masked; ids and the salts of hashes stay as they
    are.
    """
    before: dict[str, Any] = {}
    for name, value in past.before.items():
        if name in ("tags", "metadata") and isinstance(value, str):
            before[name] = pack_json(mask_json(json.loads(value)))
        else:
            before[name] = value if name == "salt" or name in IDS else mask_json(value)
    return past._replace(reason=mask_line(past.reason), before=before)


def _mask_told(tenant: str, told: Replaced, tx: Transaction) -> None:
    Ledger(tx).mask(tenant, told)


def _mask(tx: Transaction, door: Door, clock: Clock, tenant: str, found: Record) -> None:
    """Mask a record that was found with secrets, as it stands now."""
    match found:
        case Item():
            door.lock(found.scope)
            item = Items(tx).find(tenant, found.id)
            if item is not None:
                reindex(tx, tenant, _mask_item(tx, door, tenant, item), clock)
        case Turn():
            door.lock(Turns(tx).home(tenant, found)[0])
            turn = Turns(tx).find(tenant, found.id)
            if turn is not None:
                reindex(tx, tenant, _mask_turn(tx, door, tenant, turn), clock)
        case Reflection() | Digest():
            mask_reflected(tx, door, found)
        case Session() | Entity() | Proposal() | Procedure():
            door.lock(found.scope)
            _mask_row(tx, door, tenant, found)
        case ToolCall():
            ToolCalls(tx).mask(_clean(found))
        case Told():
            Jobs(tx).mask(tenant, _clean(found))


def _mask_row(
    tx: Transaction, door: Door, tenant: str, found: Session | Entity | Proposal | Procedure
) -> None:
    """Mask a record that is not searched as items and turns are."""
    before = {"agent": found.scope.agent or ""}
    match found:
        case Session():
            if (session := Sessions(tx).lock(tenant, found.id)) is not None:
                Sessions(tx).describe(_clean(session))
                door.note(Action.MASK, Kind.SESSION, session.id, session.scope)
        case Entity():
            if (entity := Entities(tx).get(found.scope, found.id)) is not None:
                _mask_entity(tx, door, entity)
        case Proposal():
            if (waiting := Proposals(tx).find(tenant, found.id)) is not None:
                Proposals(tx).reword(_clean(waiting))
                door.note(Action.MASK, Kind.PROPOSAL, found.id, found.scope, before=before)
        case Procedure():
            if (procedure := Procedures(tx).find(tenant, found.id)) is not None:
                Procedures(tx).mask(_clean(procedure))
                door.note(Action.MASK, Kind.PROCEDURE, found.id, found.scope, before=before)


def _clean(record: R) -> R:
    clean = without_secrets(record)
    assert isinstance(clean, type(record))
    return clean


def _mask_turn(tx: Transaction, door: Door, tenant: str, turn: Turn) -> Turn:
    clean = without_secrets(turn)
    assert isinstance(clean, Turn)
    Turns(tx).mask(tenant, turn.id, clean.text, clean.masks)
    Turns(tx).relabel(tenant, clean)
    if clean.text != turn.text:
        # the hash of the turns as they were logged holds no longer
        Ledger(tx).forget(tenant, turn.session)
    door.note(Action.MASK, Kind.TURN, turn.id, Turns(tx).home(tenant, turn)[0])
    return clean


def _mask_item(tx: Transaction, door: Door, tenant: str, item: Item) -> Item:
    clean = without_secrets(item)
    assert isinstance(clean, Item)
    Items(tx).mask(item, clean.text, clean.masks, clean.quote)
    Items(tx).relabel(clean)
    door.note(
        Action.MASK,
        Kind.ITEM,
        item.id,
        item.scope,
        content=item_hash(clean, Items(tx).salt(tenant, item.id)),
    )
    return clean


def _mask_entity(tx: Transaction, door: Door, entity: Entity) -> None:
    names = {name: mask_line(name) for name in (entity.name, *entity.aliases)}
    tenant = entity.scope.tenant
    names |= {alias: mask_line(alias) for _, alias in Entities(tx).links(tenant, entity.id)}
    Entities(tx).rename(entity, {old: new for old, new in names.items() if old != new})
    door.relink(tenant, [item for item, _ in Entities(tx).links(tenant, entity.id)])
    door.note(Action.MASK, Kind.ENTITY, entity.id, entity.scope)
