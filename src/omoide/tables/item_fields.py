"""The fields of an item that stand in columns of their own: a new field is one line here and one in
the record.

The SQL is written by hand; a test compares it with this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, replace
from datetime import date, datetime
from operator import attrgetter
from typing import Any, TypedDict

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.ids import ItemId, TurnId
from omoide.nouns.item import Category, Item, Meant, Source, Tier, Unconfirmed
from omoide.nouns.record.frozen import frozen_record
from omoide.store.base import Row
from omoide.tables.columns import (
    micros,
    moment,
    pack_json,
    pack_masks,
    pack_metadata,
    scope_in,
    unpack_json,
    unpack_masks,
    unpack_tags,
    unpack_text,
)


@frozen_record
class ItemField:
    """How a field of an item is stored, and what may happen to it.

    Attributes:
        name: The field, and the column. The context is a part of the item's scope.
        pack: The value as the column holds it.
        unpack: What the column holds as the value.
        fixed: It never changes; what does is kept for undo, and is part of the item's hash.
        late: It came later than the first items: where it is not set, it is no part of the hash.
        hashed_as: What it is called in the hash, where that was its name before; empty: as now.
        editable: ``edit`` changes it.
        inherited: A correction takes it over from what it corrects.
        filterable: Searches filter by it, so the search index has it too.
        asked: The named query of the documents of the items that have a value, where a question may
            ask for one.
        words: It holds words, in which secrets are masked.
        guarded: A lower tier may not change it; the others only file the item, or count.
    """

    name: str
    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]
    fixed: bool = False
    late: bool = False
    hashed_as: str = ""
    editable: bool = False
    inherited: bool = False
    filterable: bool = False
    asked: str = ""
    words: bool = False
    guarded: bool = False


_IN_SCOPE = {"context": "scope.context"}
# the time that comes with a closed basis is in the hash of every item that has one
_UNSET = (None, "", 0, "[]", Unconfirmed.BASIS_CLOSED.value)
# recall and rounds of upkeep move these without a change of the item
_MOVING = frozenset({"confidence", "confirmed_confidence"})


def _field(pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> Callable[..., ItemField]:
    def field(name: str, **what: Any) -> ItemField:
        return ItemField(name=name, pack=pack, unpack=unpack, **what)

    return field


def _text_or_none(column: str) -> str | None:
    return column or None


_as_is = _field(lambda value: value, lambda column: column)
_text = _field(lambda value: value or "", _text_or_none)
_flag = _field(int, bool)
_time: Callable[..., ItemField] = _field(to_micros, from_micros)
_maybe: Callable[..., ItemField] = _field(micros, moment)
_id = _field(lambda value: value or "", lambda column: ItemId(column) or None)


def pack_meant(meant: Meant | None) -> str:
    """The column of what an item is meant to do; empty where it is nothing."""
    if meant is None:
        return ""
    return pack_json({"op": meant.op, "ref": meant.ref, "was": meant.was, "text": meant.text})


def unpack_meant(column: str) -> Meant | None:
    """What an item is meant to do, as its column has it."""
    held = unpack_json(column, dict[str, Any]()) if column else {}
    return Meant(**held) if held.keys() == {"op", "ref", "was", "text"} else None


ITEM_FIELDS: tuple[ItemField, ...] = (
    _as_is("context", editable=True, filterable=True, guarded=True),
    _field(str, Category)("category", editable=True, filterable=True, guarded=True),
    _text("domain", editable=True, inherited=True, words=True, asked="items.with_domain"),
    _field(lambda tags: pack_json(list(tags)), unpack_tags)(
        "tags", editable=True, inherited=True, words=True
    ),
    _field(pack_metadata, lambda column: unpack_json(column, dict[str, Any]()))(
        "metadata", editable=True, inherited=True, words=True
    ),
    _field(int, Tier)("tier", guarded=True),
    _as_is("confidence", editable=True, inherited=True, guarded=True),
    _flag("sensitive", editable=True, inherited=True, filterable=True, guarded=True),
    _flag("pinned", editable=True, inherited=True),
    _flag("muted", editable=True, inherited=True, filterable=True, guarded=True),
    _maybe("due_at", editable=True, inherited=True, guarded=True),
    _maybe("reminded_at", editable=True, inherited=True),
    _maybe("expires_at", editable=True, inherited=True, filterable=True, guarded=True),
    _time("valid_from", editable=True, filterable=True, guarded=True),
    _maybe("valid_until", editable=True, inherited=True, filterable=True, guarded=True),
    _maybe("closed_at", filterable=True),
    _maybe("superseded_at", filterable=True),
    _id("superseded_by"),
    _field(
        lambda why: why.value if why else "", lambda column: Unconfirmed(column) if column else None
    )("unconfirmed", late=True, filterable=True, guarded=True),
    _maybe("unconfirmed_at", late=True, hashed_as="doubted_at"),
    _as_is("confirmed_confidence", late=True),
    _field(pack_meant, unpack_meant)("meant", late=True, words=True),
    _time("updated_at"),
    _as_is("helpful"),
    _as_is("harmful"),
    _field(str, Source)("source", fixed=True),
    _text("origin", fixed=True, words=True),
    _field(pack_masks, unpack_masks)("masks", fixed=True),
    _time("created_at", fixed=True),
    _time("recorded_at", fixed=True),
    _as_is("uses", fixed=True),
    _maybe("last_used_at", fixed=True),
    _id("supersedes", fixed=True),
    _id("similar_to", fixed=True),
)


class ItemEdit(TypedDict, total=False):
    """The attributes of an item that can be edited, as the table of its fields has them."""

    category: str
    domain: str | None
    tags: Sequence[str]
    metadata: Mapping[str, Any]
    context: str | None  # None: the global one
    confidence: float
    sensitive: bool
    pinned: bool
    muted: bool
    due_at: datetime | date | str | None
    reminded_at: datetime | date | str | None
    expires_at: datetime | date | str | None
    valid_from: datetime | date | str
    valid_until: datetime | date | str | None


CHANGING = tuple(field for field in ITEM_FIELDS if not field.fixed)
EDITABLE = tuple(field.name for field in ITEM_FIELDS if field.editable)
INHERITED = tuple(field.name for field in ITEM_FIELDS if field.inherited)
_READ = [field for field in ITEM_FIELDS if field.name not in _IN_SCOPE]
_UNPACKS = [(field.name, field.unpack) for field in _READ]
FLAGS = frozenset(field.name for field in ITEM_FIELDS if field.unpack is bool)
TEXTS = frozenset(field.name for field in ITEM_FIELDS if field.unpack is _text_or_none)
# short texts such as the domain, which statements tell too
NAMES = tuple(name for name in EDITABLE if name in TEXTS)
ASKED = {field.name: field.asked for field in ITEM_FIELDS if field.asked}
WORDS = tuple(field.name for field in ITEM_FIELDS if field.words)
GUARDED = tuple(_IN_SCOPE.get(field.name, field.name) for field in ITEM_FIELDS if field.guarded)


def _reader(fields: Sequence[ItemField]) -> Callable[[Item], dict[str, Any]]:
    """What gives the columns of an item for some fields."""
    packs = [(field.name, field.pack) for field in fields]
    values_of = attrgetter(*(_IN_SCOPE.get(field.name, field.name) for field in fields))

    def columns(item: Item) -> dict[str, Any]:
        return {
            name: pack(value) for (name, pack), value in zip(packs, values_of(item), strict=True)
        }

    return columns


columns_of = _reader(ITEM_FIELDS)  # all columns of an item that are fields of their own
state_of = _reader(CHANGING)  # those that may change, as they stand: what undo brings back
# those with words that are masked beside the text
labels_of = _reader([field for field in ITEM_FIELDS if field.words])
# those that the search index has too
filters_of = _reader([field for field in ITEM_FIELDS if field.filterable])


def hashed_of(item: Item) -> dict[str, Any]:
    """What of these is part of the item's hash: recall moves confidence without a change, and what
    came later counts once it is set.
    """
    state = state_of(item)
    return {
        field.hashed_as or field.name: state[field.name]
        for field in CHANGING
        if field.name not in _MOVING and not (field.late and state[field.name] in _UNSET)
    }


def fields_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that columns hold, as far as these are there; the context aside."""
    return {name: unpack(columns[name]) for name, unpack in _UNPACKS if name in columns}


def _unset_columns(field: ItemField) -> tuple[Any, ...]:
    """What a column holds where the field has the value that every new item has."""
    place = Item.__dataclass_fields__[field.name]
    return () if place.default is MISSING else (field.pack(place.default),)


_GIVEN = [(field.name, field.unpack, _unset_columns(field)) for field in _READ]


def given_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a whole row sets; what is left out is as in a new item. The context
    aside.
    """
    return {
        name: unpack(column) for name, unpack, unset in _GIVEN if (column := row[name]) not in unset
    }


def with_state(item: Item, state: Mapping[str, Any]) -> Item:
    """The item with the columns that state_of gave of it at another time, and the bases and the
    turns that said it again where these were kept too.
    """
    bases = tuple(state.get("bases", item.bases))
    if "said_again" in state:
        item = item.supported_by(state["said_again"])
    changed = {field.name: state[field.name] for field in CHANGING if field.name in state}
    scope = replace(item.scope, context=state["context"])
    return replace(item, scope=scope, bases=bases, **fields_of(changed))


def item_of(
    row: Row, entities: Sequence[str], turns: Sequence[TurnId], bases: Sequence[ItemId]
) -> Item:
    """A row as an item, with its links."""
    return Item(
        id=ItemId(row["id"]),
        scope=scope_in(row),
        entities=tuple(entities),
        source_turns=tuple(turns),
        bases=tuple(bases),
        text=unpack_text(row["text"], row["escaped"] & 1),
        quote=unpack_text(row["quote"], row["escaped"] & 2) or None,
        quote_span=None if row["quote_start"] is None else (row["quote_start"], row["quote_end"]),
        **given_of(row),
    )
