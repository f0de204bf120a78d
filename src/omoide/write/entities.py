"""Entities by hand: give one another name, merge two that are the same, split one that is two."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from omoide.nouns.change import Action
from omoide.nouns.entity import Entity
from omoide.nouns.errors import CannotUndo, Conflict, InvalidInput, NotFound
from omoide.nouns.ids import EntityId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.entities import Entities, names_of
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger, Past
from omoide.text.sameness import name_key
from omoide.write.apply import Door, Writer
from omoide.write.checks import check_names, check_scope
from omoide.write.remember import check_session
from omoide.write.undoing import was_of_agent


def name_entity(writer: Writer, name: str, alias: str | None) -> Entity:
    """The entity that goes by a name, made if there is none, and from now on by an alias too.

    Raises:
        Conflict: the alias is another entity's name; merge the two instead.
    """
    scope = writer.scope
    (name,) = check_names([name], "entity")
    if alias is not None:
        (alias,) = check_names([alias], "alias")

    def write(tx: Transaction, door: Door) -> Entity:
        check_session(tx, check_scope(scope))
        door.lock(scope)
        known = Entities(tx).by_name(scope, name)
        entity = known or Entities(tx).ensure(scope, name, writer.clock)
        added = [] if alias is None else _add_alias(tx, scope, entity, alias)
        before = {"alias": alias, "names": added}
        if known is None:
            door.note_record(Action.ADD, Kind.ENTITY, entity, before)
        # named by hand, it stays without items too
        elif added or not Ledger(tx).of_record(scope.tenant, entity.id):
            door.note_record(Action.EDIT, Kind.ENTITY, entity, before)
        return found(tx, scope, name)

    return writer.write(write)


def _add_alias(tx: Transaction, scope: Scope, entity: Entity, alias: str) -> list[str]:
    """Let an entity go by one more name; the keys of the names that it has now.

    Raises:
        Conflict: it is another entity's name.
    """
    table = Entities(tx)
    taken = table.by_name(scope, alias)
    if taken is not None and taken.id != entity.id:
        raise Conflict(f"{alias!r} is a name of {taken.name!r}; merge the two if they are the same")
    known = table.aliases(scope.tenant, entity.id)
    table.add_alias(entity, alias)
    return sorted(table.aliases(scope.tenant, entity.id).keys() - known.keys())


def merge(writer: Writer, source: str, target: str) -> Entity:
    """Make one entity of two: all of source's names and items become target's.

    Raises:
        NotFound: one of them is not known in this scope.
        InvalidInput: both are the same already.
    """
    scope = writer.scope

    def write(tx: Transaction, door: Door) -> Entity:
        check_session(tx, scope)
        door.lock(scope)
        one, other = found(tx, scope, source), found(tx, scope, target)
        if one.id == other.id:
            raise InvalidInput("entity", f"{source!r} and {target!r} are one entity already")
        door.note_record(Action.MERGE, Kind.ENTITY, other, _join(door, one, other))
        return found(tx, scope, target)

    return writer.write(write)


def split(writer: Writer, entity: str, alias: str) -> Entity:
    """Make an entity of its own of one of an entity's names, with the items that were linked by
    that name.

    Raises:
        NotFound: no such entity in this scope, or it does not go by that name.
        InvalidInput: it is the entity's main name.
    """
    scope = writer.scope

    def write(tx: Transaction, door: Door) -> Entity:
        check_session(tx, scope)
        door.lock(scope)
        whole = found(tx, scope, entity)
        names = _names_of_part(whole, alias, Entities(tx).aliases(scope.tenant, whole.id))
        part = {"source": writer.clock.new_id(), "name": alias, "aliases": names}
        door.note_record(Action.SPLIT, Kind.ENTITY, whole, _part(door, whole, part))
        return found(tx, scope, alias)

    return writer.write(write)


def _names_of_part(whole: Entity, alias: str, written: Mapping[str, str]) -> dict[str, str]:
    """Of an entity's names, by their keys, those that go with one that is split off.

    Raises:
        NotFound: the entity does not go by that name.
        InvalidInput: it is the entity's main name.
    """
    key = name_key(alias)
    if key not in written:
        raise NotFound("alias", alias)
    if key == name_key(whole.name):
        raise InvalidInput(
            "alias", f"{alias!r} is the main name of this entity; split off another of its names"
        )
    return {name: written[name] for name in names_of(alias) if name in written}


def _join(door: Door, one: Entity, other: Entity) -> dict[str, Any]:
    """Let one entity go up in another; what _part needs to part them again."""
    table, tenant = Entities(door.tx), one.scope.tenant
    aliases, links = table.aliases(tenant, one.id), table.links(tenant, one.id)
    both = sorted({item for item, _ in links} & {item for item, _ in table.links(tenant, other.id)})
    _move(door, one, other.id, aliases, links)
    table.forget(tenant, one.id)
    door.relink(tenant, [item for item, _ in links])
    return {"source": one.id, "name": one.name, "aliases": aliases, "links": links, "both": both}


def _move(
    door: Door,
    source: Entity,
    target: str,
    aliases: Mapping[str, str],
    links: Iterable[tuple[str, str]],
    *,
    stay: Collection[str] = (),
) -> None:
    """Let names of an entity, and items linked by them, be another's; some items stay linked to
    both.
    """
    table, tenant = Entities(door.tx), source.scope.tenant
    for alias in aliases.values():
        table.move_alias(tenant, source.id, target, alias)
    for item, alias in links:
        if item not in stay:
            table.unlink(tenant, item, source.id)
        table.link_by_id(tenant, item, target, alias)


def _part(door: Door, whole: Entity, part: Mapping[str, Any]) -> dict[str, Any]:
    """Make an entity of its own of some names of another, with the items linked by them; what tells
    of it on the ledger.

    part has its id, name and aliases, and where the two were one before, its links, and which items
    named both.
    """
    links, stay = _links_of_part(door.tx, whole, part), part.get("both", ())
    Entities(door.tx).revive(whole.scope, part["source"], part["name"], door.now)
    _move(door, whole, part["source"], part["aliases"], links.items(), stay=stay)
    door.relink(whole.scope.tenant, links)
    return {"part": part["source"], "names": list(part["aliases"]), "links": list(links.items())}


def _links_of_part(tx: Transaction, whole: Entity, part: Mapping[str, Any]) -> dict[str, str]:
    """The items that go with a part, each with the name that links it; those forgotten since are
    left out.
    """
    tenant, names = whole.scope.tenant, set(map(name_key, part["aliases"].values()))
    links = {item: alias for item, alias in part.get("links", ()) if Items(tx).find(tenant, item)}
    now = Entities(tx).links(tenant, whole.id)
    return links | {item: alias for item, alias in now if name_key(alias) in names}


def found(tx: Transaction, scope: Scope, name: str) -> Entity:
    """The entity of this user and agent that goes by a name.

    Raises:
        NotFound: there is none.
    """
    (name,) = check_names([name], "entity")
    entity = Entities(tx).by_name(scope, name)
    if entity is None:
        raise NotFound("entity", name)
    about = Items(tx).of_entity(scope.tenant, entity.id)
    return replace(entity, items=sum(item.is_open for item in about))


def names_in(before: Mapping[str, Any]) -> set[str]:
    """The keys of the names of entities in what a change kept for undo."""
    written = [
        before.get("name"),
        before.get("alias"),
        *(alias for _, alias in before.get("links", ())),
        *before.get("names", ()),
        *dict(before.get("aliases", ())).values(),
    ]
    return {name_key(name) for name in written if name}


_DID = {Action.ADD: "make", Action.EDIT: "name", Action.MERGE: "join", Action.SPLIT: "part"}


def is_theirs(tx: Transaction, scope: Scope, past: Past) -> bool:
    """Whether a change of an entity, which may be gone, is the asker's."""
    if (
        Entities(tx).get(scope, past.change.record) is not None
        or past.change.action is Action.FORGET
    ):
        return True
    return past.kept and was_of_agent(scope, past)


def revert_entity(tx: Transaction, door: Door, past: Past) -> None:
    """Take back a change to entities: a making, a name given, a merging, a splitting, or the taking
    back of one.

    Raises:
        CannotUndo: the entity is gone, has items, or its name is another's by now.
    """
    change, before = past.change, past.before
    did = before.get("did") or _DID.get(change.action)
    scope = Scope(tenant=change.tenant, user=change.user, agent=before.get("agent") or None)
    entity = Entities(tx).get(scope, change.record)
    if did == "unmake" and entity is None:
        entity, done = _made_again(tx, door, scope, past), {"did": "make"}
    elif entity is None or not past.kept:
        raise CannotUndo(
            f"entity {change.record!r} is gone, or what change {change.id!r} replaced is"
        )
    elif did in _OPPOSITES:
        done = _OPPOSITES[did](door, entity, before)
    else:
        raise CannotUndo(f"a change of entity {entity.name!r} cannot be undone")
    door.note_record(Action.UNDO, Kind.ENTITY, entity, done, cause=change.id)


def _unmake(door: Door, entity: Entity, before: Mapping[str, Any]) -> dict[str, Any]:
    table, tenant = Entities(door.tx), entity.scope.tenant
    known, links = table.aliases(tenant, entity.id), table.links(tenant, entity.id)
    items = filter(None, (door.items.find(tenant, id) for id, _ in links))
    if not all(map(_is_taken_back, items)):
        raise CannotUndo(f"entity {entity.name!r} has items; forget or relink these first")
    for item, _ in links:
        table.unlink(tenant, item, entity.id)
    table.forget(tenant, entity.id)
    return {"did": "unmake", "name": entity.name, "aliases": known, "links": links}


def _unname(door: Door, entity: Entity, before: Mapping[str, Any]) -> dict[str, Any]:
    table, tenant = Entities(door.tx), entity.scope.tenant
    known = table.aliases(tenant, entity.id)
    dropped = {key: known[key] for key in before["names"] if key in known}
    for alias in dropped.values():
        table.drop_alias(tenant, entity.id, alias)
    return {"did": "unname", "aliases": dropped}


def _name_again(door: Door, entity: Entity, before: Mapping[str, Any]) -> dict[str, Any]:
    _give(door.tx, entity, before["aliases"])
    return {"did": "name", "names": list(before["aliases"])}


def _part_again(door: Door, entity: Entity, before: Mapping[str, Any]) -> dict[str, Any]:
    return {"did": "part"} | _part(door, entity, before)


def _join_again(door: Door, entity: Entity, before: Mapping[str, Any]) -> dict[str, Any]:
    part = Entities(door.tx).get(entity.scope, before["part"])
    if part is None:
        raise CannotUndo(f"entity {before['part']!r} is gone")
    return {"did": "join"} | _join(door, part, entity)


# the opposite of what was done to an entity; each gives what is needed to do that again
_OPPOSITES: dict[str, Callable[[Door, Entity, Mapping[str, Any]], dict[str, Any]]] = {
    "make": _unmake,
    "name": _unname,
    "unname": _name_again,
    "join": _part_again,
    "part": _join_again,
}


def _is_taken_back(item: Item) -> bool:
    """Whether it is held never to have been true, as after an undoing."""
    return (
        item.closed_at is not None
        and item.superseded_by is None
        and item.closed_at <= item.valid_from
    )


def _made_again(tx: Transaction, door: Door, scope: Scope, past: Past) -> Entity:
    id, name = past.change.record, past.before["name"]
    entity = Entity(id=EntityId(id), scope=scope, name=name)
    _check_free(tx, scope, [name])
    Entities(tx).revive(scope, id, name, door.now)
    _give(tx, entity, past.before["aliases"])
    for item, alias in past.before.get("links", ()):
        if Items(tx).find(scope.tenant, item) is not None:
            Entities(tx).link_by_id(scope.tenant, item, id, alias)
    return entity


def _give(tx: Transaction, entity: Entity, aliases: Mapping[str, str]) -> None:
    """Let an entity go by names again.

    Raises:
        CannotUndo: one of them is another's by now.
    """
    _check_free(tx, entity.scope, aliases.values())
    for alias in aliases.values():
        Entities(tx).restore_alias(entity, alias)


def _check_free(tx: Transaction, scope: Scope, aliases: Iterable[str]) -> None:
    for alias in aliases:
        taken = Entities(tx).by_name(scope, alias)
        if taken is not None:
            raise CannotUndo(f"{alias!r} is a name of entity {taken.name!r} by now")
