"""What the product has to know of items."""

from __future__ import annotations

from typing import Any

from omoide.nouns.change import Action
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import RecordKind
from omoide.store.base import Transaction
from omoide.tables.documents import Words, item_row
from omoide.tables.items import Items
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door, item_hash
from omoide.write.index import item_words


def _page(tx: Transaction, tenant: str, last: Item | None, limit: int) -> list[Item]:
    return Items(tx).after(tenant, last.id if last else "", limit)


def _find(tx: Transaction, tenant: str, id: str) -> Item | None:
    return Items(tx).find(tenant, id)


def _mask(tx: Transaction, door: Door, tenant: str, item: Item) -> None:
    clean = without_secrets(item)
    Items(tx).mask(item, clean.text, clean.masks, clean.quote)
    Items(tx).relabel(clean)
    content = item_hash(clean, Items(tx).salt(tenant, item.id))
    door.note(Action.MASK, Kind.ITEM, item.id, item.scope, content=content)


def _rows(tx: Transaction, tenant: str, item: Item) -> list[dict[str, Any]]:
    own, around = item_words(item)
    return [item_row(item, 0, Words(own=own, around=around))]


ITEM = RecordKind(
    name="item",
    record=Item,
    tables=("items", "item_sources", "item_bases", "item_pairs", "item_entities"),
    texts=("text", "quote", "domain", "tags", "metadata", "origin"),
    names=("entities",),
    page=_page,
    find=_find,
    mask=_mask,
    rows=_rows,
)
