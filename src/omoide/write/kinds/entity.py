"""What the product has to know of entities."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Set
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.nouns.change import Action, Change
from omoide.nouns.entity import Entity
from omoide.nouns.ids import EntityId
from omoide.nouns.kind import Kind
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule, Table, Undoing
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.entities import Entities
from omoide.tables.ledger import Ledger, Past
from omoide.text.sameness import name_key
from omoide.text.secrets.fields import mask_line
from omoide.write.apply import Door
from omoide.write.checks import check_id, check_names
from omoide.write.entities import is_theirs, names_in, revert_entity
from omoide.write.erasing import note_erased
from omoide.write.loading import users_of
from omoide.write.undoing import was_theirs


def _mask(tx: Transaction, door: Door, tenant: str, entity: Entity) -> None:
    links = Entities(tx).links(tenant, entity.id)
    names = (entity.name, *entity.aliases, *(alias for _, alias in links))
    masked = {name: mask_line(name) for name in dict.fromkeys(names)}
    Entities(tx).rename(entity, {old: new for old, new in masked.items() if old != new})
    door.relink(tenant, [item for item, _ in links])
    door.note(Action.MASK, Kind.ENTITY, entity.id, entity.scope)


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[Entity]:
    if target.entity is not None:
        entity = Entities(tx).by_name(scope, target.entity)
        return [entity] if entity else _gone(tx, scope, target.entity, every_agent=False)
    if target.user is not None:
        gone = _gone(tx, scope, None, every_agent=True)
        return [*Entities(tx).of_user(scope.tenant, target.user), *gone]
    return _gone(tx, scope, None, every_agent=False) if target.sort in ("items", "all") else []


def _gone(tx: Transaction, scope: Scope, name: str | None, *, every_agent: bool) -> list[Entity]:
    """Entities that were made and unmade, of that name or of any: the ledger keeps their names, to
    make them again.
    """
    found = []
    for past in Ledger(tx).of_gone_entities(scope.tenant, scope.user):
        id, agent = EntityId(past.change.record), past.before.get("agent") or None
        seen = every_agent or agent in (None, scope.agent)
        if seen and (name is None or name_key(name) in names_in(past.before)):
            home = Scope(tenant=scope.tenant, agent=agent, user=scope.user)
            found.append(Entity(id=id, scope=home, name=name or id))
    return found


def _supports(tx: Transaction, tenant: str, entity: Entity) -> Iterator[Set[str]]:
    return ({item} for item, _ in Entities(tx).links(tenant, entity.id))


def _erase(
    tx: Transaction,
    door: Door,
    scope: Scope,
    entities: Mapping[str, Entity],
    gone: Mapping[str, Any],
) -> None:
    """Erase entities with their links, and their names in what the ledger kept of others."""
    _forget_namings(tx, scope.tenant, entities)
    for entity in entities.values():
        for link, _ in Entities(tx).links(scope.tenant, entity.id):
            Entities(tx).unlink(scope.tenant, link, entity.id)
        Entities(tx).forget(scope.tenant, entity.id)
        note_erased(tx, door, Kind.ENTITY, entity)


def _forget_namings(tx: Transaction, tenant: str, forgotten: Mapping[str, Entity]) -> None:
    """Erase what the ledger kept for undo of entities that stay, where it has a forgotten one's
    names.
    """
    names = {name_key(entity.name) for entity in forgotten.values()}
    names |= {key for id in forgotten for key in Entities(tx).aliases(tenant, id)}
    for user in sorted({entity.scope.user or "" for entity in forgotten.values()}):
        for other in Entities(tx).of_user(tenant, user):
            kept = () if other.id in forgotten else Ledger(tx).of_record(tenant, other.id)
            if any(not names.isdisjoint(names_in(past.before)) for past in kept):
                Ledger(tx).forget(tenant, other.id)


def _exported(tx: Transaction, tenant: str, user: str | None) -> Iterator[Entity]:
    names = users_of(tx, tenant, user)
    return (entity for name in names for entity in Entities(tx).of_user(tenant, name))


def _fit(entity: Entity, now: datetime) -> Entity:
    names = check_names((entity.name, *entity.aliases), "entity")
    return replace(entity, id=EntityId(check_id(entity.id, "id")), name=names[0], aliases=names[1:])


def _load(tx: Transaction, door: Door, entity: Entity, told: Container[str]) -> Mapping[str, int]:
    if Entities(tx).get(entity.scope, entity.id) is not None:
        return {}
    Entities(tx).revive(entity.scope, entity.id, entity.name, door.now)
    for alias in (entity.name, *entity.aliases):
        Entities(tx).add_alias(entity, alias)
    return {"entity": 1}


def _sees(tx: Transaction, scope: Scope, change: Change) -> bool:
    entity = Entities(tx).find(scope.tenant, change.record)
    if entity is None or entity.scope.user != scope.user:
        return was_theirs(tx, scope, change)
    return entity.scope.agent in (None, scope.agent)


def _revert(tx: Transaction, door: Door, past: Past, undoing: Undoing) -> None:
    revert_entity(tx, door, past)


def _stats(tx: Transaction, scope: Scope, now: datetime) -> Mapping[str, Any]:
    return {"entities": len(Entities(tx).page(scope, 1_000_000, include_sensitive=True))}


ENTITY = RecordKind(
    name="entity",
    record=Entity,
    plural="entities",
    tables=(Table("entities"), Table("entity_aliases", ("tenant", "entity_id", "folded", "alias"))),
    columns=("folded", "alias"),
    texts=("name", "aliases"),
    table=Entities,
    mask=_mask,
    edges=(Edge(rule=Rule.SUPPORTS, of=("item",), query="edges.entities_of_items"),),
    meant=_meant,
    stats=_stats,
    sees=_sees,
    may_undo=is_theirs,
    revert=_revert,
    exported=_exported,
    fit=_fit,
    load=_load,
    supports=_supports,
    erase=_erase,
)
