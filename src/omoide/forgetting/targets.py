"""What is meant to be forgotten, with all that hangs on it, as far as the asker may see it.

Each kind says which of its records a target stands for. From these, edges are followed outward in
batches: what is a part or made of something that goes, goes; what only things that go support goes
with the last of them, so that records which support each other fall together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from omoide.forgetting.portions import ALL, Portion
from omoide.forgetting.unsay import Speakers, is_correction, is_others, said_by_others
from omoide.nouns.access import owns
from omoide.nouns.entity import Entity
from omoide.nouns.item import Item
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule, all_kinds, kind_named, kind_of
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.store.base import Transaction
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.sessions import Sessions
from omoide.tables.tools import ToolCalls
from omoide.tables.turns import Turns
from omoide.text.sameness import name_key
from omoide.text.secrets.fields import mask_line

WITH_THE_FIRST = frozenset({Rule.PART_OF, Rule.MADE_OF})


@dataclass(slots=True)
class Gathered:
    """All that a target stands for, by kind and id."""

    records: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {kind.name: {} for kind in all_kinds()}
    )
    # of a source that is forgotten: what others said stays, as they said it
    origins: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()  # what goes in portions after this one
    # such items as they stay, by the ids of those that go
    spared: dict[str, Item] = field(default_factory=dict)
    # items that go since what told them first goes: what they took the place of stays
    led: set[str] = field(default_factory=set)

    @property
    def items(self) -> dict[str, Item]:
        """The items that go."""
        return self.records["item"]

    @property
    def turns(self) -> dict[str, Turn]:
        """The turns that go."""
        return self.records["turn"]

    @property
    def sessions(self) -> dict[str, Session]:
        """The sessions that go as a whole."""
        return self.records["session"]

    @property
    def gone(self) -> dict[str, Any]:
        """Everything that goes, by its id."""
        return {id: one for found in self.records.values() for id, one in found.items()}

    @property
    def source(self) -> Speakers:
        """All of it as who said something."""
        return Speakers(
            items=self.items,
            turns=self.turns,
            sessions=self.sessions,
            origins=self.origins,
            later=self.later,
        )

    def counts(self) -> dict[str, int]:
        """How many records of each kind go that is erased by itself."""
        erased = (kind for kind in all_kinds() if kind.table or kind.erase)
        return {kind.plural: len(self.records[kind.name]) for kind in erased}

    def texts(self) -> list[str]:
        """Every text that is about to be erased."""
        return [
            text
            for name, found in self.records.items()
            for record in found.values()
            for text in kind_named(name).proof(record)
        ]


def gather(tx: Transaction, scope: Scope, target: Target, portion: Portion = ALL) -> Gathered:
    """What a target stands for, or a portion of it, as far as the asker may see it."""
    if target.user is not None:
        scope = scope.of_user(target.user)
    found = Gathered(later=portion.later)
    if target.origin is not None:
        found.origins = frozenset({target.origin, mask_line(target.origin)})
    for record in portion.records(tx, scope, target):
        of_source = isinstance(record, Item) and found.origins
        if not (of_source and is_others(tx, record, found.source)):
            _take(tx, found, record, spare=bool(found.origins))
    _grow(tx, scope, found)
    if found.origins or found.spared:
        _take_emptied(tx, scope, found, began=portion.is_last)
        _take_entities_of_spared(tx, scope, found)
        _grow(tx, scope, found)
    return found


def _take(tx: Transaction, found: Gathered, record: Any, *, spare: bool) -> None:
    """Let a record go; of a source's item also what corrects it. With spare, an item that others
    said, too, stays as they said it.
    """
    kind = kind_of(record)
    assert kind is not None
    id = kind.ref_of(record)[1]
    if id in found.records[kind.name]:
        return
    found.records[kind.name][id] = record
    if not spare or not isinstance(record, Item):
        return
    found.led.add(record.id)
    said = said_by_others(tx, record, found.source)
    if said is not None:
        found.spared[record.id] = said
    elif found.origins:
        for later in Items(tx).successors(record.scope.tenant, record.id):
            if is_correction(tx, later):
                _take(tx, found, later, spare=True)


def _grow(tx: Transaction, scope: Scope, found: Gathered) -> None:
    """Add all that goes with what goes, until nothing is new."""
    while True:
        fresh = {name: dict(records) for name, records in found.records.items() if records}
        while fresh:
            fresh = _taken(tx, found, _going_with(tx, scope, found, fresh))
        lost = _unsupported(tx, scope.tenant, found)
        if not lost:
            return
        for record in lost:
            _take(tx, found, record, spare=_is_led(found, record))


def _is_led(found: Gathered, record: Any) -> bool:
    """Whether a record is an item that goes as what told it first goes, so that others may have
    said it, too.
    """
    if found.origins:
        return True
    return (
        isinstance(record, Item) and bool(record.own_turns) and record.first_came_from(found.turns)
    )


def _taken(tx: Transaction, found: Gathered, records: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """What is new after these were taken, by kind and id."""
    before = {name: set(known) for name, known in found.records.items()}
    for record in records:
        _take(tx, found, record, spare=_is_led(found, record))
    new = {
        name: {id: one for id, one in known.items() if id not in before[name]}
        for name, known in found.records.items()
    }
    return {name: records for name, records in new.items() if records}


def _going_with(
    tx: Transaction, scope: Scope, found: Gathered, fresh: Mapping[str, Mapping[str, Any]]
) -> list[Any]:
    """The records that are a part or made of these."""
    going = []
    for kind in all_kinds():
        for edge in kind.edges:
            versions = _is_of_versions(kind, edge)
            if edge.rule not in WITH_THE_FIRST or (found.origins and versions):
                continue
            for record in pointing(tx, scope.tenant, kind, edge, fresh):
                if versions and _stays_beside(found, record):
                    continue
                if edge.rule is Rule.MADE_OF or kind.may_erase(scope, record):
                    going.append(record)
    return going


def _stays_beside(found: Gathered, version: Item) -> bool:
    """Whether a wording of an item stays: what an item took the place of that goes with its turns,
    what comes after one that others said, too, and what such an item gave way to that was there
    already.
    """
    merged = version.supersedes not in found.items and any(
        found.items[id].superseded_by == version.id for id in found.led if id in found.items
    )
    return merged or version.superseded_by in found.led or version.supersedes in found.spared


def _is_of_versions(kind: RecordKind[Any], edge: Edge) -> bool:
    """Whether an edge leads to other wordings of the same item: of a source's items only what
    corrects them goes with them.
    """
    return kind.record is Item and edge.of == ("item",) and edge.rule is Rule.PART_OF


def pointing(
    tx: Transaction,
    tenant: str,
    kind: RecordKind[Any],
    edge: Edge,
    at: Mapping[str, Iterable[str]],
) -> Iterator[Any]:
    """The records that point at some of these, which are given by kind and id."""
    keys = [edge.key(id) for name in edge.of for id in at.get(name, ())]
    if not keys:
        return
    ids = {row["id"] for row in tx.rows(edge.query, tenant=tenant, ids=json.dumps(keys))}
    for id in sorted(ids):  # the ledger has them in the same order on every engine
        record = kind.find(tx, tenant, id)
        if record is not None:
            yield record


def _unsupported(tx: Transaction, tenant: str, found: Gathered) -> list[Any]:
    """The records that nothing supports any more but what goes, or what only they support."""
    shaken = _supported_by(tx, tenant, found)
    gone = (found.gone.keys() - found.spared.keys()) | shaken.keys()
    while True:
        stands = [
            id
            for id, (_, supports) in shaken.items()
            if any(gone.isdisjoint(whole) for whole in supports)
        ]
        if not stands:
            return [record for record, _ in shaken.values()]
        for id in stands:
            del shaken[id]
        gone -= set(stands)


def _supported_by(
    tx: Transaction, tenant: str, found: Gathered
) -> dict[str, tuple[Any, list[Any]]]:
    """The records that stand on what goes, directly or through others, with all they stand on."""
    shaken: dict[str, tuple[Any, list[Any]]] = {}
    fresh: dict[str, dict[str, Any]] = {
        name: {id: one for id, one in records.items() if id not in found.spared}
        for name, records in found.records.items()
    }
    while any(fresh.values()):
        reached: dict[str, dict[str, Any]] = {}
        for kind, record in _standing_on(tx, tenant, fresh):
            if record.id not in shaken and record.id not in found.records[kind.name]:
                shaken[record.id] = (record, list(kind.supports(tx, tenant, record)))
                reached.setdefault(kind.name, {})[record.id] = record
        fresh = reached
    return shaken


def _standing_on(
    tx: Transaction, tenant: str, at: Mapping[str, Iterable[str]]
) -> Iterator[tuple[RecordKind[Any], Any]]:
    """The records that stand on some of these, each with its kind."""
    for kind in all_kinds():
        for edge in kind.edges:
            if edge.rule is Rule.SUPPORTS:
                for record in pointing(tx, tenant, kind, edge, at):
                    yield kind, record


def _take_emptied(tx: Transaction, scope: Scope, found: Gathered, *, began: bool) -> None:
    """Sessions that a source spoke in, or with began those that it began, and in which nothing is
    left once it is gone.
    """
    if not found.origins:
        return
    spoken = {turn.session for turn in found.turns.values()}
    for origin in found.origins if began else ():
        spoken |= {session.id for session in Sessions(tx).of_origin(scope.tenant, origin)}
    for id in sorted(spoken):
        session = Sessions(tx).lock(scope.tenant, id)  # nothing is said there until it is gone
        if session is not None and owns(scope, session) and not _holds_more(tx, session, found):
            found.sessions[id] = session


def _holds_more(tx: Transaction, session: Session, found: Gathered) -> bool:
    """Whether there is something else in a session: turns, what is known in it alone, or calls of
    tools.
    """
    tenant = session.scope.tenant
    stays = any(turn.id not in found.turns for turn in Turns(tx).all_of_session(tenant, session.id))
    known = any(
        item.id not in found.items or item.id in found.spared
        for item in Items(tx).only_in(tenant, session.id)
    )
    return stays or known or ToolCalls(tx).made_in(tenant, session.id)


def _take_entities_of_spared(tx: Transaction, scope: Scope, found: Gathered) -> None:
    """Entities that only a source said of items that stay as others said them: their names are text
    too.
    """
    stay = {name_key(name) for said in found.spared.values() for name in said.entities}
    spared = (found.items[id] for id in found.spared)
    for entity in (
        Entities(tx).by_name(item.scope, name) for item in spared for name in item.entities
    ):
        if entity is not None and _is_lone(tx, scope, found, entity, stay):
            _take(tx, found, entity, spare=False)


def _is_lone(
    tx: Transaction, scope: Scope, found: Gathered, entity: Entity, stay: set[str]
) -> bool:
    """Whether nothing that stays speaks of an entity."""
    links = Entities(tx).links(scope.tenant, entity.id)
    names = map(name_key, (entity.name, *entity.aliases))
    return stay.isdisjoint(names) and all(link in found.items for link, _ in links)
