"""What the product has to know of entities."""

from __future__ import annotations

from omoide.nouns.change import Action
from omoide.nouns.entity import Entity
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import RecordKind
from omoide.store.base import Transaction
from omoide.tables.entities import Entities
from omoide.text.secrets.fields import mask_line
from omoide.write.apply import Door


def _page(tx: Transaction, tenant: str, last: Entity | None, limit: int) -> list[Entity]:
    return Entities(tx).after(tenant, last.id if last else "", limit)


def _find(tx: Transaction, tenant: str, id: str) -> Entity | None:
    return Entities(tx).find(tenant, id)


def _mask(tx: Transaction, door: Door, tenant: str, entity: Entity) -> None:
    links = Entities(tx).links(tenant, entity.id)
    names = (entity.name, *entity.aliases, *(alias for _, alias in links))
    masked = {name: mask_line(name) for name in dict.fromkeys(names)}
    Entities(tx).rename(entity, {old: new for old, new in masked.items() if old != new})
    door.relink(tenant, [item for item, _ in links])
    door.note(Action.MASK, Kind.ENTITY, entity.id, entity.scope)


ENTITY = RecordKind(
    name="entity",
    record=Entity,
    tables=("entities", "entity_aliases"),
    texts=("name", "aliases"),
    page=_page,
    find=_find,
    mask=_mask,
)
