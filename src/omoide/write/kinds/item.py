"""What the product has to know of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from omoide.nouns.access import owns
from omoide.nouns.change import Action
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.documents import Words, item_row
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.pairs import Pairs
from omoide.tables.turns import split_turn_id
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door, item_hash
from omoide.write.erasing import is_of, note_erased
from omoide.write.index import item_words
from omoide.write.kinds.session import sessions_meant


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


def _meant(tx: Transaction, scope: Scope, target: Target) -> Iterator[Item]:
    items, tenant = Items(tx), scope.tenant
    if target.id is not None:
        item = items.get(scope, target.id)
        yield from () if item is None else (item,)
    if target.origin is not None:
        for origin in {target.origin, mask_line(target.origin)}:
            yield from (one for one in items.of_origin(tenant, origin) if is_of(scope, one))
    if target.entity is not None:
        entity = Entities(tx).by_name(scope, target.entity)
        yield from () if entity is None else items.of_entity(tenant, entity.id)
    for session in sessions_meant(tx, scope, target):
        only = items.only_in(tenant, session.id) if owns(scope, session) else ()
        yield from (one for one in only if one.scope.user in (None, scope.user))
    if target.user is not None:
        yield from items.of_user(tenant, target.user)
    elif target.everything is not None and target.sort != "turns":
        own = (one for one in items.of_user(tenant, scope.user or "") if is_of(scope, one))
        yield from (one for one in own if target.sort or is_sort(one, target.everything))


def is_sort(item: Item, sort: str) -> bool:
    """Whether an item came to be so, or is of that category: by identity, for a source and a
    category may have the same name.
    """
    return sort is item.source or sort is item.category


def _supports(tx: Transaction, tenant: str, item: Item) -> Iterator[Set[str]]:
    """Any of its turns and of what it rests on; of one that is made of its turns, that alone."""
    yield from ({base} for base in item.bases)
    if not item.is_made_of_turns:
        yield from ({turn} for turn in item.source_turns)


def _let_go(tx: Transaction, door: Door, item: Item, gone: Mapping[str, Any]) -> None:
    """Take forgotten turns, and a quote from them, out of an item that stays."""
    for turn in (gone[id] for id in item.source_turns if id in gone):
        quoted = bool(item.quote) and str(item.quote) in turn.text
        Items(tx).lose_source(item, turn.id, quote_too=quoted)


def _erase(
    tx: Transaction,
    door: Door,
    scope: Scope,
    items: Mapping[str, Item],
    gone: Mapping[str, Any],
) -> None:
    """Erase items, a change each, and doubt what rested on them."""
    for item in items.values():
        Items(tx).forget(item)
        Pairs(tx).forget(scope.tenant, item.id)
    for item in items.values():
        door.topple(scope.tenant, item.id, note_erased(tx, door, Kind.ITEM, item))


ITEM = RecordKind(
    name="item",
    record=Item,
    plural="items",
    tables=("items", "item_sources", "item_bases", "item_pairs", "item_entities"),
    texts=("text", "quote", "domain", "tags", "metadata", "origin"),
    names=("entities",),
    page=_page,
    find=_find,
    mask=_mask,
    edges=(
        Edge(rule=Rule.PART_OF, of=("session",), query="edges.items_of_sessions"),
        Edge(rule=Rule.PART_OF, of=("item",), query="edges.versions_of_items"),
        Edge(rule=Rule.MADE_OF, of=("turn",), query="edges.items_made_of_turns", key=split_turn_id),
        Edge(
            rule=Rule.SUPPORTS, of=("turn",), query="edges.items_told_by_turns", key=split_turn_id
        ),
        Edge(rule=Rule.SUPPORTS, of=("item",), query="edges.items_on_items"),
    ),
    meant=_meant,
    may_erase=lambda scope, item: item.scope.user in (None, scope.user),
    supports=_supports,
    proof=lambda item: filter(None, (item.text, item.quote)),
    let_go=_let_go,
    erase=_erase,
    rows=_rows,
)
