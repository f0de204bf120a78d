"""Entities by hand: give one another name, merge two that are the same, split one that is two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from omoide.clock import Clock
from omoide.errors import CannotUndo, Conflict, InvalidInput, NotFound
from omoide.records import Action, Because, Entity, Kind, Scope
from omoide.store.base import Store, Transaction
from omoide.tables.entities import Entities, folded_names
from omoide.tables.items import Items
from omoide.tables.ledger import Past
from omoide.text.words import fold
from omoide.write.apply import Door
from omoide.write.check import check_names, check_scope
from omoide.write.remember import check_session


def name_entity(store: Store, clock: Clock, scope: Scope, because: Because, name: str, alias: str | None) -> Entity:
    """The entity that goes by a name, made if there is none, and from now on by an alias too.

    Raises:
        Conflict: the alias is another entity's name; merge the two instead.
    """
    (name,) = check_names([name], "entity")
    with store.transaction() as tx, Door(tx, clock, because) as door:
        check_session(tx, check_scope(scope))
        door.lock(scope)
        table = Entities(tx)
        entity = table.by_name(scope, name)
        made, added = entity is None, list[str]()
        entity = entity or table.ensure(scope, name, clock)
        if alias is not None:
            (alias,) = check_names([alias], "alias")
            taken = table.by_name(scope, alias)
            if taken is not None and taken.id != entity.id:
                raise Conflict(f"{alias!r} is a name of {taken.name!r}; merge the two if they are the same")
            known = table.aliases(scope.tenant, entity.id)
            table.add_alias(entity, alias)
            added = sorted(table.aliases(scope.tenant, entity.id).keys() - known.keys())
        if made or added:
            before = {"alias": alias, "names": added}
            door.note(Action.ADD if made else Action.EDIT, Kind.ENTITY, entity.id, scope, before=before)
        return found(tx, scope, name)


def merge(store: Store, clock: Clock, scope: Scope, because: Because, source: str, target: str) -> Entity:
    """Make one entity of two: all of source's names and items become target's.

    Raises:
        NotFound: one of them is not known in this scope.
        InvalidInput: both are the same already.
    """
    with store.transaction() as tx, Door(tx, clock, because) as door:
        check_session(tx, scope)
        door.lock(scope)
        table = Entities(tx)
        one, other = found(tx, scope, source), found(tx, scope, target)
        if one.id == other.id:
            raise InvalidInput("entity", f"{source!r} and {target!r} are one entity already")
        aliases, links = table.aliases(scope.tenant, one.id), table.links(scope.tenant, one.id)
        for folded in aliases:
            table.move_alias(scope.tenant, one.id, other.id, folded)
        _relink(tx, door, scope, one.id, other.id, links)
        table.forget(scope.tenant, one.id)
        before = {"source": one.id, "name": one.name, "aliases": aliases, "links": links}
        door.note(Action.MERGE, Kind.ENTITY, other.id, scope, before=before)
        return found(tx, scope, target)


def split(store: Store, clock: Clock, scope: Scope, because: Because, entity: str, alias: str) -> Entity:
    """Make an entity of its own of one of an entity's names, with the items that were linked by that name.

    Raises:
        NotFound: no such entity in this scope, or it does not go by that name.
        InvalidInput: it is the entity's main name.
    """
    with store.transaction() as tx, Door(tx, clock, because) as door:
        check_session(tx, scope)
        door.lock(scope)
        table = Entities(tx)
        whole = found(tx, scope, entity)
        folded = fold(alias)
        if folded not in table.aliases(scope.tenant, whole.id):
            raise NotFound("alias", alias)
        if folded == fold(whole.name):
            raise InvalidInput("alias", f"{alias!r} is the main name of this entity; split off another of its names")
        names = [f for f in folded_names(alias) if f in table.aliases(scope.tenant, whole.id)]
        links = [link for link in table.links(scope.tenant, whole.id) if fold(link[1]) in names]
        for name in names:
            table.drop_alias(scope.tenant, whole.id, name)
        part = table.ensure(scope, alias, clock)
        _relink(tx, door, scope, whole.id, part.id, links)
        door.note(Action.SPLIT, Kind.ENTITY, whole.id, scope, before={"part": part.id, "names": names, "links": links})
        return found(tx, scope, alias)


def _relink(tx: Transaction, door: Door, scope: Scope, source: str, target: str, links: Sequence[tuple[str, str]]) -> None:
    table = Entities(tx)
    for item, alias in links:
        if Items(tx).find(scope.tenant, item) is None:
            continue  # forgotten, since a merging that is undone now
        table.unlink(scope.tenant, item, source)
        table.link_by_id(scope.tenant, item, target, alias)
    door.relink(scope.tenant, [item for item, _ in links])


def found(tx: Transaction, scope: Scope, name: str) -> Entity:
    """The entity of this user and agent that goes by a name.

    Raises:
        NotFound: there is none.
    """
    (name,) = check_names([name], "entity")
    entity = Entities(tx).by_name(scope, name)
    if entity is None:
        raise NotFound("entity", name)
    return replace(entity, items=sum(item.is_open for item in Items(tx).of_entity(scope.tenant, entity.id)))


def names_in(before: Mapping[str, Any]) -> set[str]:
    """The folded names of entities in what a change kept for undo."""
    written = [before.get("name"), before.get("alias"), *(alias for _, alias in before.get("links", ()))]
    return {fold(name) for name in written if name} | {*before.get("names", ()), *before.get("aliases", ())}


def revert_entity(tx: Transaction, door: Door, scope: Scope, past: Past) -> None:
    """Take back a change to entities: a name given, a merging, a splitting.

    Raises:
        CannotUndo: items were linked since, or the entity is gone.
    """
    table, change, before = Entities(tx), past.change, past.before
    entity = table.get(scope, change.record)
    if entity is None:
        raise CannotUndo(f"entity {change.record!r} is no more")
    match change.action:
        case Action.ADD:
            if table.links(scope.tenant, entity.id):
                raise CannotUndo(f"entity {entity.name!r} has items; forget or relink these first")
            table.forget(scope.tenant, entity.id)
        case Action.EDIT:
            for folded in before.get("names", folded_names(before["alias"])):
                table.drop_alias(scope.tenant, entity.id, folded)
        case Action.MERGE:
            table.revive(scope, before["source"], before["name"], door.now)
            for folded in before["aliases"]:
                table.move_alias(scope.tenant, entity.id, before["source"], folded)
            _relink(tx, door, scope, entity.id, before["source"], before["links"])
        case Action.SPLIT:
            for folded in before["names"]:
                table.move_alias(scope.tenant, before["part"], entity.id, folded)
            _relink(tx, door, scope, before["part"], entity.id, before["links"])
            table.forget(scope.tenant, before["part"])
        case _:
            raise CannotUndo(f"change {change.id!r} of an entity cannot be undone")
    door.note(Action.UNDO, Kind.ENTITY, entity.id, scope, cause=change.id)
