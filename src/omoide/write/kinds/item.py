"""What the product has to know of items."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from omoide.nouns.access import owns
from omoide.nouns.change import Action, Change
from omoide.nouns.clock import check_moment, check_window, to_micros
from omoide.nouns.errors import CannotUndo, Conflict, InvalidTime
from omoide.nouns.ids import ChangeId, ItemId
from omoide.nouns.item import Category, Item, Meant
from omoide.nouns.kind import Kind
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule, Table, Undoing
from omoide.nouns.scope import Scope
from omoide.store.base import Row, Transaction
from omoide.tables.columns import asker, moment
from omoide.tables.documents import item_row
from omoide.tables.entities import Entities
from omoide.tables.item_fields import NAMES, WORDS, with_state
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger, Past
from omoide.tables.pairs import Pairs
from omoide.tables.turns import Turns, split_turn_id
from omoide.text.secrets import mask_stored
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.checks import (
    ORIGIN_LIMIT,
    check_confidence,
    check_id,
    check_line,
    check_metadata,
    check_name,
    check_names,
    check_text,
)
from omoide.write.erasing import is_of, note_erased
from omoide.write.index import words_of
from omoide.write.kinds.session import sessions_meant
from omoide.write.loading import check_counts, check_past, check_same, known_turns, placed
from omoide.write.remember import check_privilege
from omoide.write.trust import check_word
from omoide.write.undoing import is_of_part, was_theirs


def _mask(tx: Transaction, door: Door, tenant: str, item: Item) -> None:
    clean = without_secrets(item)
    if clean.meant != item.meant:
        door.unsay(item, clean, _sayings(tx, item))
    Items(tx).mask(item, clean.text, clean.masks, clean.quote)
    Items(tx).relabel(clean)
    door.note_item(Action.MASK, clean)


def _rows(tx: Transaction, tenant: str, item: Item) -> list[dict[str, Any]]:
    return [item_row(item, 0, words_of(item))]


def _meant(tx: Transaction, scope: Scope, target: Target) -> Iterator[Item]:
    items, tenant = Items(tx), scope.tenant
    if target.id is not None:
        item = items.get(scope, target.id, damaged=True)
        yield from () if item is None else _with_merged(tx, item)
    if target.origin is not None:
        for origin in {target.origin, mask_line(target.origin)}:
            yield from (one for one in items.of_origin(tenant, origin) if is_of(scope, one))
    if target.entity is not None:
        entity = Entities(tx).by_name(scope, target.entity)
        yield from () if entity is None else items.of_entity(tenant, entity.id)
    yield from _of_sessions(tx, scope, target)
    yield from _of_user(tx, scope, target)


def _of_sessions(tx: Transaction, scope: Scope, target: Target) -> Iterator[Item]:
    """The items that only the sessions know that a target names."""
    for session in sessions_meant(tx, scope, target):
        only = Items(tx).only_in(scope.tenant, session.id) if owns(scope, session) else ()
        yield from (one for one in only if one.scope.user in (None, scope.user))


def _of_user(tx: Transaction, scope: Scope, target: Target) -> Iterator[Item]:
    """All items of the user that a target names, or the asker's own of a sort."""
    if target.user is not None:
        yield from Items(tx).of_user(scope.tenant, target.user)
    elif target.everything is not None and target.sort != "turns":
        own = Items(tx).of_user(scope.tenant, scope.user or "")
        mine = (one for one in own if is_of(scope, one))
        yield from (one for one in mine if target.sort or is_sort(one, target.everything))


def _with_merged(tx: Transaction, item: Item) -> Iterator[Item]:
    """An item with those that were merged with it, which say the same."""
    found, waiting = {item.id: item}, [item]
    while waiting:
        fresh = [other for other in _merged(tx, waiting.pop()) if other.id not in found]
        found |= {other.id: other for other in fresh}
        waiting += fresh
    yield from found.values()


def _merged(tx: Transaction, item: Item) -> list[Item]:
    """The items that were merged into one, and the one that it was merged into."""
    tenant = item.scope.tenant
    into = Items(tx).find(tenant, item.superseded_by) if item.superseded_by else None
    merged = [one for one in Items(tx).merged_into(tenant, item.id) if _was_merged(tx, one)]
    return [*merged, into] if into is not None and _was_merged(tx, item) else merged


def _was_merged(tx: Transaction, item: Item) -> bool:
    """Whether what closed an item was its merging with another that says the same."""
    standing = Ledger(tx).standing(item.scope.tenant, item.id)
    closing = (past.change.action for past in reversed(standing) if _closes(past))
    return next(closing, None) is Action.MERGE


def _closes(past: Past) -> bool:
    return past.change.action in (Action.MERGE, Action.SUPERSEDE, Action.RETRACT)


def is_sort(item: Item, sort: str) -> bool:
    """Whether an item came to be so, or is of that category: by identity, for a source and a
    category may have the same name.
    """
    return sort is item.source or sort is item.category


def _supports(tx: Transaction, tenant: str, item: Item) -> Iterator[Set[str]]:
    """Any of the turns that told it first, and of what it rests on; of one made of its turns,
    that alone.
    """
    yield from ({base} for base in item.bases)
    if not item.is_made_of_turns:
        yield from ({turn} for turn in item.own_turns)


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
    """Erase items, a change each; what rested on them is unconfirmed, and what was meant to close
    one of them no longer is.
    """
    for item in items.values():
        for other in Items(tx).meaning(scope.tenant, item.id):
            if other.id not in items:
                door.unsay(other, replace(other, meant=None), _sayings(tx, other))
        for turn in item.own_turns if item.category is Category.PREFERENCE else ():
            Turns(tx).stand_no_more(scope.tenant, turn)
        Items(tx).forget(item)
        Pairs(tx).forget(scope.tenant, item.id)
    for item in items.values():
        door.topple(scope.tenant, item.id, note_erased(tx, door, Kind.ITEM, item))


def _sayings(tx: Transaction, item: Item) -> list[ChangeId]:
    return [past.change.id for past in Ledger(tx).sayings(item)]


_LEARNT = (
    "created_at",
    "recorded_at",
    "updated_at",
    "reminded_at",
    "superseded_at",
    "unconfirmed_at",
    "last_used_at",
)


def _fit(item: Item, now: datetime) -> Item:
    _check_fit(item, now)
    text = check_text(item.text)
    masked = mask_stored(text, known=placed(text, item.masks))
    names: dict[str, Any] = {name: check_name(getattr(item, name), name) for name in NAMES}
    return replace(
        item,
        id=ItemId(check_id(item.id, "id")),
        text=masked.text,
        masks=masked.masks,
        quote=mask_stored(check_text(item.quote)).text if item.quote else None,
        tags=check_names(item.tags, "tags"),
        entities=check_names(item.entities, "entities"),
        metadata=check_metadata(item.metadata),
        origin=check_line(item.origin or "", "origin", ORIGIN_LIMIT) or None,
        confidence=check_confidence(item.confidence),
        meant=_masked_meant(item.meant),
        **names,
    )


def _check_fit(item: Item, now: datetime) -> None:
    """That an item's category, times, counts and links are such as happen."""
    check_privilege(item.category, item.source)
    _check_times(item, now)
    check_counts(item, ("uses", "helpful", "harmful"))
    _check_refs(item)


def _check_refs(item: Item) -> None:
    """That what an item points at may be the ids of items and turns."""
    refs = [("supersedes", item.supersedes), ("supersedes", item.superseded_by)]
    refs += [("similar_to", item.similar_to), *(("bases", base) for base in item.bases)]
    refs.append(("meant", ItemId(item.meant.ref) if item.meant else None))
    for field, ref in refs:
        if ref is not None:
            check_id(ref, field)
    for turn in (*item.source_turns, *item.said_again):
        split_turn_id(turn)


def _masked_meant(meant: Meant | None) -> Meant | None:
    """What an item is meant to do, with the secrets in its words masked."""
    if meant is None:
        return None
    return replace(meant, was=mask_line(meant.was), text=mask_line(meant.text))


def _check_times(item: Item, now: datetime) -> None:
    """That an item's times are such as happen: recorded by now, closed after it was known, valid in
    that order.
    """
    for name in ("valid_from", "valid_until", "due_at", "expires_at", "closed_at"):
        if (moment := getattr(item, name)) is not None:
            check_moment(moment, name)
    check_past(item, _LEARNT, now)
    check_window(item.valid_from, item.valid_until, "valid_until")
    if (item.closed_at is None) != (item.superseded_at is None):
        raise InvalidTime(
            "superseded_at",
            "an item is closed in the world when that is learnt, and not before: both times or"
            " none",
        )
    if item.superseded_by is not None and item.superseded_at is None:
        raise InvalidTime("superseded_at", "an item that has a successor is closed")
    _check_end(item)


def _check_end(item: Item) -> None:
    """That an item ended no sooner than it began, in the world and in what was known."""
    for field, end, began in (
        ("closed_at", item.closed_at, item.valid_from),
        ("superseded_at", item.superseded_at, item.recorded_at),
    ):
        if end is not None and end < began:
            what = "became valid" if field == "closed_at" else "was recorded"
            raise InvalidTime(field, f"{end.isoformat()} is before it {what}")


def _load(tx: Transaction, door: Door, item: Item, told: Container[str]) -> Mapping[str, int]:
    """Add an item; sources that were somebody else's, and bases that are not there before it, are
    left out, these unless it is unconfirmed for their sake.
    """
    tenant = item.scope.tenant
    there = Items(tx).find(tenant, item.id)
    if there is not None:
        check_same("item", item.id, equal=there.text == item.text)
        return {}
    _check_links(tx, item)
    known = _with_known(tx, item, told)
    door.add(known, words_of(item))
    # what lost it as a base, when it was forgotten, has it again
    door.topple(tenant, item.id, door.changes[-1])
    sources = len(item.source_turns) - len(known.source_turns)
    bases = len(item.bases) - len(known.bases)
    return {"item": 1, "missing source": sources, "missing base": bases}


def _with_known(tx: Transaction, item: Item, told: Container[str]) -> Item:
    """An item without the sources and bases that are not there."""
    tenant = item.scope.tenant
    turns = known_turns(tx, tenant, item.source_turns, told)
    again = tuple(turn for turn in item.said_again if turn in turns)
    bases = tuple(base for base in item.bases if item.unconfirmed or Items(tx).find(tenant, base))
    return replace(item, source_turns=turns, said_again=again, bases=bases)


def _check_links(tx: Transaction, item: Item) -> None:
    """That an item takes over from, gives way to and rests on none of another user: what is
    forgotten with it would be theirs.
    """
    meant = item.meant.ref if item.meant else None
    for id in filter(None, (item.supersedes, item.superseded_by, meant, *item.bases)):
        other = Items(tx).find(item.scope.tenant, id)
        if other is not None and other.scope.user not in (None, item.scope.user):
            raise Conflict(f"item {item.id!r} names item {id!r}, which is another's here")


def _sees(tx: Transaction, scope: Scope, change: Change) -> bool:
    gone = Items(tx).find(scope.tenant, change.record) is None
    return gone and was_theirs(tx, scope, change)


def _may_undo(tx: Transaction, scope: Scope, past: Past) -> bool:
    return is_of_part(tx, scope, Items(tx).find(past.change.tenant, past.change.record))


# anybody's to give, or upkeep's, and anybody's to take back
_ANYBODYS = (Action.FEEDBACK, Action.ARCHIVE, Action.EXPIRE)


def _revert(tx: Transaction, door: Door, past: Past, undoing: Undoing) -> None:
    item = Items(tx).find(past.change.tenant, past.change.record)
    if item is None:
        raise CannotUndo(
            f"item {past.change.record!r} was forgotten; nothing is left to bring back"
        )
    before = earlier(item, past, door)
    if past.change.action not in _ANYBODYS:
        check_word(tx, item, before, undoing.tier)
    restored = door.restore(item, before, undoes=past.change.id)
    _follow(tx, restored, Ledger(tx).root(past).before)


def _follow(tx: Transaction, closed: Item, closing: Mapping[str, Any]) -> None:
    """Let what took an item's place when it was confirmed name that item, or no longer."""
    note = closing.get("note") if "superseded_by" in closing else None
    new = Items(tx).find(closed.scope.tenant, note) if note else None
    if new is not None and new.supersedes in (None, closed.id):
        Items(tx).follow(new, closed.id if closed.superseded_by == new.id else None)


def earlier(item: Item, past: Past, door: Door) -> Item:
    """What an item was before a change, as undoing that leaves it.

    Raises:
        CannotUndo: it is no longer kept.
    """
    if past.change.action is Action.ADD:
        return replace(item, closed_at=item.valid_from, superseded_at=door.now, superseded_by=None)
    if not past.kept:
        raise CannotUndo(f"what change {past.change.id!r} replaced is no longer kept")
    # the door weighs it by its bases as they are now
    return with_state(item, past.before)


def _stats(tx: Transaction, scope: Scope, now: datetime) -> Mapping[str, Any]:
    sees = asker(scope) | {"now": to_micros(now)}
    sums = tx.rows("items.stats", **sees, soon=to_micros(now + timedelta(days=7)))[0]
    return {
        "items": sums["total"],
        "confidence": float(sums["confidence"]),
        "oldest": moment(sums["oldest"]),
        "newest": moment(sums["newest"]),
        **{name: int(sums[name]) for name in _SUMS},
        **{name.removeprefix("items."): _counts(tx.rows(name, **sees)) for name in _GROUPED},
    }


_GROUPED = ("items.by_category", "items.by_context", "items.by_source")
_SUMS = ("retrievals", "sensitive", "upcoming", "overdue", "unconfirmed")


def _counts(rows: Iterable[Row]) -> dict[str, int]:
    return {row["name"]: row["total"] for row in rows}


ITEM = RecordKind(
    name="item",
    record=Item,
    plural="items",
    tables=(
        Table("items"),
        Table("item_sources", ("tenant", "item_id", "session_id", "position")),
        Table("item_bases", ("tenant", "item_id", "base_id")),
        Table("item_pairs", ("tenant", "one_id", "other_id")),
        Table("item_entities", ("tenant", "item_id", "entity_id")),
    ),
    columns=("alias",),
    texts=("text", "quote", *WORDS),
    masked_by={"meant": _masked_meant},
    names=("entities",),
    sealed=True,
    table=Items,
    mask=_mask,
    edges=(
        Edge(rule=Rule.PART_OF, of=("session",), query="edges.items_of_sessions"),
        Edge(rule=Rule.PART_OF, of=("item",), query="edges.versions_of_items"),
        Edge(rule=Rule.MADE_OF, of=("turn",), query="edges.items_made_of_turns", key=split_turn_id),
        Edge(
            rule=Rule.SUPPORTS, of=("turn",), query="edges.items_told_by_turns", key=split_turn_id
        ),
        Edge(rule=Rule.SUPPORTS, of=("item",), query="edges.items_on_items"),
        Edge(rule=Rule.NAMES, of=("item",), query="edges.items_meaning_items"),
    ),
    meant=_meant,
    stats=_stats,
    sees=_sees,
    may_undo=_may_undo,
    revert=_revert,
    fit=_fit,
    load=_load,
    may_erase=lambda scope, item: item.scope.user in (None, scope.user),
    supports=_supports,
    proof=lambda item: filter(None, (item.text, item.quote)),
    held="items.held",
    let_go=_let_go,
    erase=_erase,
    rows=_rows,
)
