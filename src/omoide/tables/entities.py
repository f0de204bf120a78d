"""The entities tables: people, projects and things, the names they go by, and the items that speak
of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.nouns.change import Action
from omoide.nouns.clock import Clock, to_micros
from omoide.nouns.entity import Entity
from omoide.nouns.ids import EntityId
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from omoide.store.base import Row
from omoide.tables.columns import asker, moment, owner, scope_of
from omoide.tables.ledger import Ledger
from omoide.tables.rows import Rows
from omoide.text.letters import fold
from omoide.text.sameness import name_key

# entities that an item may be about: one that is linked to more lists them, and is found by its
# text alone
ABOUT_MOST = 8
NAMES_MOST = 2_000  # that a text is held against


def label_of(name: str) -> str:
    """The part of ``type:label`` that people say; all of a name without a type."""
    kind, mark, label = name.partition(":")
    return label.replace("_", " ").strip() if mark and kind and label.strip() else name


def type_of(name: str) -> str:
    """What stands before the label; empty where nothing does."""
    return "" if label_of(name) == name else name_key(name.partition(":")[0])


def names_of(name: str) -> dict[str, str]:
    """The keys that a name is known by: its own and its label's, each with the name as written."""
    return {name_key(name): name, name_key(label_of(name)): label_of(name)}


class Entities(Rows):
    """Entities as rows, inside the caller's transaction."""

    def ensure(self, scope: Scope, name: str, clock: Clock) -> Entity:
        """The entity of this user and agent that goes by a name, made if there is none."""
        found = self.by_name(scope, name)
        if found:
            return found
        id = EntityId(clock.new_id())
        self.revive(scope, id, name, clock.now())
        for alias in names_of(name).values():
            # the bare label belongs to whoever had it first: "person:ana" and "project:ana" stay
            # two
            if self.by_name(scope, alias) is None:
                self._name(scope.tenant, id, alias)
        return self._entity(self._tx.rows("entities.get", **asker(scope), id=id)[0])

    def revive(self, scope: Scope, id: str, name: str, at: datetime) -> None:
        """Make an entity with a given id, not yet found by any name."""
        self._tx.run("entities.add", **owner(scope), id=id, name=name, created_at=to_micros(at))

    def by_name(self, scope: Scope, name: str) -> Entity | None:
        """The entity of exactly this user and agent that goes by the whole name, with its accents,
        or is of the type that stands before it and goes by the rest; case does not count.
        """
        found = self._called(scope, name)
        if found is not None or label_of(name) == name:
            return found
        labelled = self._called(scope, label_of(name))
        return labelled if labelled and type_of(labelled.name) == type_of(name) else None

    def _called(self, scope: Scope, name: str) -> Entity | None:
        """The entity of exactly this user and agent that goes by exactly this name."""
        rows = self._tx.rows("entities.by_alias", **owner(scope), folded=fold(name))
        key = name_key(name)
        row = next((row for row in rows if name_key(row["called"]) == key), None)
        return None if row is None else self._entity(row)

    def _name(self, tenant: str, entity: str, alias: str) -> None:
        self._tx.run(
            "entity_aliases.add",
            tenant=tenant,
            entity_id=entity,
            folded=fold(alias),
            alias=alias,
        )

    def get(self, scope: Scope, id: str) -> Entity | None:
        """The entity, if this asker may see it."""
        return self._one(self._entity, "entities.get", **asker(scope), id=id)

    def find(self, tenant: str, id: str) -> Entity | None:
        """The entity, whoever asks: for the write path."""
        return self._one(self._entity, "entities.raw", tenant=tenant, id=id)

    def page(self, scope: Scope, limit: int, *, include_sensitive: bool) -> list[Entity]:
        """The asker's entities, those with most open items first.

        One is not among them when all that was said of it was taken back, or is sensitive and that
        was not asked for, unless it was named by hand.
        """
        rows = self._tx.rows(
            "entities.list", **asker(scope), with_sensitive=int(include_sensitive), limit=limit
        )
        found = [row for row in rows if row["spoken_of"] or self._is_named(row)]
        return _with_likely(self._entities(found))

    def names(self, scope: Scope) -> tuple[str, ...]:
        """The names of the asker's entities, as ``type:label``, those with most items first; also
        of what is sensitive, since they are compared and not shown.
        """
        rows = self._tx.rows("entities.list", **asker(scope), with_sensitive=1, limit=NAMES_MOST)
        return tuple(row["name"] for row in rows if row["spoken_of"])

    def _is_named(self, row: Row) -> bool:
        standing = Ledger(self._tx).standing(row["tenant"], row["id"])
        return any(past.change.action is not Action.UNDO for past in standing)

    def searched(self, scope: Scope, name: str) -> str:
        """The name to search by for a name: itself, or where it is ``type:label`` and nobody's, the
        name of what the asker knows of that type which goes by the label, as by an alias.
        """
        label = label_of(name)
        if label == name or self._seen(scope, name):
            return name
        seen = self._seen(scope, label)
        return next((one for one in seen if type_of(one) == type_of(name)), name)

    def _seen(self, scope: Scope, name: str) -> list[str]:
        """The names of what an asker knows by a name, accents aside."""
        return self._column("name", "entities.seen_by_alias", **asker(scope), folded=fold(name))

    def of_user(self, tenant: str, user: str) -> list[Entity]:
        """Every entity of one user."""
        return self._entities(self._tx.rows("entities.of_user", tenant=tenant, user=user))

    def link(self, item: Item, names: Iterable[str], clock: Clock) -> None:
        """Link an item to entities by name, making those that are new."""
        for name in names:
            self.link_by_id(
                item.scope.tenant, item.id, self.ensure(item.scope, name, clock).id, name
            )

    def link_by_id(self, tenant: str, item: str, entity: str, alias: str) -> None:
        """Link an item to a known entity, by a name."""
        self._tx.run(
            "item_entities.add", tenant=tenant, item_id=item, entity_id=entity, alias=alias
        )

    def called(self, tenant: str, item: str) -> list[str]:
        """The names by which an item was linked to its entities."""
        ids = json.dumps([item])
        return self._column("alias", "item_entities.many", tenant=tenant, ids=ids)

    def unlink(self, tenant: str, item: str, entity: str) -> None:
        """Take one link away."""
        self._tx.run("item_entities.unlink", tenant=tenant, item_id=item, entity_id=entity)

    def links(self, tenant: str, entity: str) -> list[tuple[str, str]]:
        """The items linked to an entity, and by which name."""
        return [
            (row["item_id"], row["alias"])
            for row in self._tx.rows("item_entities.of_entity", tenant=tenant, entity_id=entity)
        ]

    def add_alias(self, entity: Entity, alias: str) -> None:
        """Let it go by one more name."""
        for written in names_of(alias).values():
            if self.by_name(entity.scope, written) is None:
                self._name(entity.scope.tenant, entity.id, written)

    def restore_alias(self, entity: Entity, alias: str) -> None:
        """Let it go by a name that it went by before."""
        self._name(entity.scope.tenant, entity.id, alias)

    def move_alias(self, tenant: str, source: str, target: str, alias: str) -> None:
        """Hand a name over to another entity."""
        self._tx.run(
            "entity_aliases.move", tenant=tenant, entity_id=source, target=target, alias=alias
        )

    def drop_alias(self, tenant: str, entity: str, alias: str) -> None:
        """Let it no longer go by a name."""
        self._tx.run("entity_aliases.drop", tenant=tenant, entity_id=entity, alias=alias)

    def aliases(self, tenant: str, entity: str) -> dict[str, str]:
        """The names it goes by, by their keys."""
        names = self._column("alias", "entity_aliases.of_entity", tenant=tenant, entity_id=entity)
        return {name_key(name): name for name in names}

    def after(self, tenant: str, id: str, limit: int) -> list[Entity]:
        """The entities of a tenant whose ids follow one, in order: a walk through all of them."""
        return self._entities(self._tx.rows("entities.after", tenant=tenant, after=id, limit=limit))

    def rename(self, entity: Entity, names: Mapping[str, str]) -> None:
        """Put other names in the place of those it goes by; one that is another entity's gets a
        number.
        """
        tenant, id = entity.scope.tenant, entity.id
        for old, new in names.items():
            self.drop_alias(tenant, id, old)
            free = self._free(entity, new)
            if old == entity.name:
                self._tx.run("entities.rename", tenant=tenant, id=id, name=free)
            self._name(tenant, id, free)
            link: dict[str, Any] = {"tenant": tenant, "entity_id": id}
            self._tx.run("item_entities.rename", **link, before=old, alias=free)

    def _free(self, entity: Entity, name: str) -> str:
        """A name, with a number where another entity goes by it."""
        number, free = 1, name
        while (other := self.by_name(entity.scope, free)) is not None and other.id != entity.id:
            number += 1
            free = f"{name} {number}"
        return free

    def forget(self, tenant: str, entity: str) -> int:
        """Erase the entity and its names."""
        self._tx.run("entity_aliases.forget", tenant=tenant, entity_id=entity)
        return self._tx.run("entities.forget", tenant=tenant, id=entity)

    def _entity(self, row: Row) -> Entity:
        return self._entities([row])[0]

    def _entities(self, rows: Sequence[Row]) -> list[Entity]:
        """Rows of one tenant as records, with the names of all of them asked for at once."""
        if not rows:
            return []
        names: dict[str, set[str]] = {row["id"]: set() for row in rows}
        tenant, ids = rows[0]["tenant"], json.dumps(list(names))
        for alias in self._tx.rows("entity_aliases.many", tenant=tenant, ids=ids):
            names[alias["entity_id"]].add(alias["alias"])
        return [_entity(row, names[row["id"]]) for row in rows]


def _entity(row: Row, names: set[str]) -> Entity:
    return Entity(
        id=EntityId(row["id"]),
        scope=scope_of(row["tenant"], row["agent"], row["user_id"]),
        name=row["name"],
        aliases=tuple(sorted(names - {row["name"]})),
        items=row.get("items") or 0,
        last_used_at=moment(row.get("last_used_at")),
    )


def _with_likely(entities: Sequence[Entity]) -> list[Entity]:
    """Entities with the names of those among them that may be the same: of one user and agent, with
    a name that differs in accents or width alone.
    """
    sharing: dict[tuple[Scope, str], dict[str, str]] = {}
    for entity in entities:
        for key in _keys(entity):
            sharing.setdefault(key, {})[entity.id] = entity.name
    return [replace(one, likely=_likely(one, sharing)) for one in entities]


def _likely(
    entity: Entity, sharing: Mapping[tuple[Scope, str], Mapping[str, str]]
) -> tuple[str, ...]:
    named = (found for key in _keys(entity) for found in sharing[key].items())
    return tuple(sorted({other for id, other in named if id != entity.id}))


def _keys(entity: Entity) -> Iterator[tuple[Scope, str]]:
    return ((entity.scope, fold(name)) for name in (entity.name, *entity.aliases))
