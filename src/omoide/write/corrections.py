"""Changes to items that are there: correct, edit, reopen, feedback. Text changes by succession, the
rest in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from omoide.models.embedders.encoders import Encoders
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock, check_window
from omoide.nouns.errors import Conflict, Forbidden, InvalidTime, NotFound, UnknownName
from omoide.nouns.ids import clean_id
from omoide.nouns.item import NO_DETAILS, Details, Item, Tier, Unconfirmed, within_band
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import GLOBAL, Scope
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.documents import Words
from omoide.tables.entities import Entities
from omoide.tables.item_fields import EDITABLE, FLAGS, INHERITED, NAMES
from omoide.tables.items import Items
from omoide.text.given_time import read_time
from omoide.text.sameness import same_text
from omoide.write.apply import Door, Writer
from omoide.write.bases import rest
from omoide.write.checks import (
    check_category,
    check_confidence,
    check_flag,
    check_id,
    check_metadata,
    check_name,
    check_names,
)
from omoide.write.confirmation import confirm, fulfil
from omoide.write.index import words_of
from omoide.write.merge import again
from omoide.write.neighbours import look_alikes, may_stand, stands_already
from omoide.write.remember import (
    Outcome,
    Remembered,
    Statement,
    check_session,
    check_sources,
    draft,
)
from omoide.write.trust import WORD, check_word
from omoide.write.unconfirmed import closed_state, confirmed

HELPFUL, HARMFUL = 0.05, -0.1  # what feedback adds to confidence
# what an item claims: a person who sets one of these confirms it
CLAIMS = frozenset({"category", "confidence", "due_at", "valid_from", "valid_until"})


@frozen_record
class Correction:
    """What an item is to say instead, since when, and whose word that is."""

    id: str
    text: str
    at: datetime | date | str | None = None  # since when it is true; None: now
    details: Details = NO_DETAILS


def correct(writer: Writer, encoders: Encoders, correction: Correction) -> Remembered:
    """Supersede an item by a new wording that is true from a time on.

    Raises:
        NotFound: no such item in this scope, or no such source turn.
        Conflict: it is closed already.
        Forbidden: it is the word of somebody more trusted than who corrects.
        InvalidTime: the correction is to be true from before the item began.
    """
    scope = writer.scope
    with writer.read() as tx:
        seen = visible(tx, scope, correction.id)
    drafted = _drafted(writer, correction, seen)
    vectors = encoders.embed([drafted.text])[0]

    def write(tx: Transaction, door: Door) -> Remembered:
        door.lock(seen.scope)
        old = visible(tx, scope, correction.id)  # what was edited meanwhile counts
        new = _checked(door, scope, old, _succeed(old, drafted, correction.details))
        new = _put_in_place(door, old, new, words_of(new, vectors))
        if new.tier is Tier.USER:
            fulfil(door, old, new, by=new.tier, cause=door.last_of(new), told=None)
        return Remembered(item=new, outcome=Outcome.SUPERSEDED, superseded=old.id)

    return writer.write(write)


def _checked(door: Door, scope: Scope, old: Item, new: Item) -> Item:
    """A successor as its bases let it be, if it may take an item's place."""
    check_window(new.valid_from, new.valid_until, "at")
    check_sources(door.tx, new)
    new = rest(door.tx, scope, new, door.now)
    _check_tier(old, new)
    return new


def _drafted(writer: Writer, correction: Correction, seen: Item) -> Item:
    """The new wording as an item of its own."""
    details = correction.details
    since = _since(seen, correction.at, details, writer.clock)
    said = Statement(
        text=correction.text,
        category=seen.category,
        details=replace(details, valid_from=None, valid_until=None, session_only=False),
    )
    drafted = replace(draft(said, writer.scope, writer.clock), valid_from=since)
    _check_tier(seen, drafted)
    return drafted


def _put_in_place(door: Door, old: Item, new: Item, words: Words) -> Item:
    """Close an item in favour of a new one, or of an item that says the same already."""
    known = _known(door.tx, old, new, look_alikes(door.tx, new, words, door.now))
    if known is not None:
        return _give_way(door, old, new, known)
    called = Entities(door.tx).called(old.scope.tenant, old.id)
    return door.supersede(old, new, words, at=new.valid_from, names=called)


def _since(
    seen: Item, at: datetime | date | str | None, details: Details, clock: Clock
) -> datetime:
    """Since when a correction is true: the time given, or now, or once the item begins where that
    is later.

    Raises:
        InvalidTime: the time given is before the item began.
    """
    for field, given in (("at", at), ("valid_from", details.valid_from)):
        since = read_time(given, field, clock.now())
        if since is not None and since < seen.valid_from:
            began = seen.valid_from.isoformat()
            raise InvalidTime(
                field,
                f"{since.isoformat()} is before item {seen.id!r} began; give {began} or later, or"
                " first edit the item's valid_from",
            )
        if since is not None:
            return since.astimezone(UTC)
    return max(clock.now().astimezone(UTC), seen.valid_from)


def _known(tx: Transaction, old: Item, new: Item, ids: Iterable[str]) -> Item | None:
    """Another open item that says what the new one says, in its place and category."""
    others = (one for one in Items(tx).many(new.scope, list(ids)).values() if one.id != old.id)
    beside = (one for one in others if one.is_open and one.scope == new.scope)
    same = (one for one in beside if one.category == new.category)
    return next((one for one in same if same_text(one.text, new.text)), None)


def _give_way(door: Door, old: Item, new: Item, known: Item) -> Item:
    """Close an item in favour of one that says the correction already, as said once more."""
    if new.tier >= known.tier:
        known = door.reinforce(known, again(known, new), new)
    door.give_way(old, known, at=new.valid_from)
    return known


def _check_tier(old: Item, new: Item) -> None:
    if new.tier < old.tier:
        remedy = (
            "where the user corrects it, say so with details=Details(source=Source.USER)"
            if old.tier is Tier.USER
            else "remember it beside"
        )
        raise Forbidden(
            f"item {old.id!r} is {WORD[old.tier]}, and the correction {WORD[new.tier]}; {remedy}"
        )


# what a successor has from the item that it corrects; some of it unless its details tell
_UNLESS_TOLD = (*NAMES, "expires_at", "origin", "sensitive")
_APART = ("metadata", "confidence", "valid_until")  # by rules of their own
_INHERITED = (
    *("scope", "category", "entities", "similar_to"),
    *(name for name in INHERITED if name not in (*_UNLESS_TOLD, *_APART)),
)
_UNSURE = ("unconfirmed", "unconfirmed_at", "meant")  # an agent's wording confirms nothing


def _succeed(old: Item, new: Item, details: Details) -> Item:
    """The new item, with what the old one was besides its text, as far as the details do not
    tell.
    """
    names = _INHERITED if new.tier is Tier.USER else (*_INHERITED, *_UNSURE)
    sure = confirmed(old) if new.tier is Tier.USER else closed_state(old)
    values = {name: getattr(old, name) for name in names}
    values |= {name: getattr(new, name) or getattr(old, name) for name in _UNLESS_TOLD}
    return replace(
        new,
        **values,
        metadata={**old.metadata, **new.metadata},
        confidence=sure.confidence if details.confidence is None else new.confidence,
        valid_until=new.valid_until or old.valid_until,
    )


def visible(tx: Transaction, scope: Scope, id: str) -> Item:
    """The item, if this asker may see it.

    Raises:
        NotFound: not there, or not theirs to see; the two look the same.
        SharedSession: the scope names a user in a session of several users.
    """
    check_session(tx, scope)
    item = Items(tx).get(scope, clean_id(id, "id"))
    if item is None:
        raise NotFound("item", id)
    return item


def _locked(door: Door, scope: Scope, id: str) -> Item:
    """The item as it is once its partition is locked, if this asker may see it.

    Raises:
        NotFound, SharedSession: as `visible` does.
    """
    door.lock(visible(door.tx, scope, id).scope)
    return visible(door.tx, scope, id)


def edit(writer: Writer, id: str, changes: Mapping[str, Any]) -> Item:
    """Set attributes of an item; what is not named stays.

    Raises:
        UnknownName: an attribute that cannot be set; a text is corrected, never edited.
        NotFound: no such item in this scope.
        Forbidden: it is the word of somebody more trusted than who acts, and this would change what
            it counts for.
    """
    if "text" in changes:
        raise UnknownName("attribute", "text", ("correct(id, text)",))
    for name in changes:
        if name not in EDITABLE:
            raise UnknownName("attribute", name, EDITABLE)

    def write(tx: Transaction, door: Door) -> Item:
        item = _locked(door, writer.scope, id)
        edited = _edited(item, changes, writer.clock.now().astimezone(UTC))
        check_word(tx, item, edited, writer.because.tier)
        if _is_confirmed_by(item, writer.because, changes):
            return confirm(door, item, by=writer.because.tier, edited=edited)
        return item if edited == item else door.edit(item, edited)

    return writer.write(write)


def _is_confirmed_by(item: Item, because: Because, changes: Mapping[str, Any]) -> bool:
    return (
        item.is_open
        and item.unconfirmed is not None
        and because.tier is Tier.USER
        and not CLAIMS.isdisjoint(changes)
    )


def _edited(item: Item, changes: Mapping[str, Any], now: datetime) -> Item:
    checked: dict[str, Any] = {name: _check(name, value, now) for name, value in changes.items()}
    if "context" in checked:
        checked["scope"] = replace(item.scope, context=checked.pop("context"))
    edited = replace(item, **checked)
    check_window(edited.valid_from, edited.valid_until, "valid_until")
    return edited


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "category": lambda value, name: check_category(value),
    "tags": check_names,
    "metadata": check_metadata,
    "confidence": lambda value, name: check_confidence(value),
    "context": lambda value, name: check_id(value or GLOBAL, name),
    **dict.fromkeys(FLAGS, check_flag),
    **dict.fromkeys(NAMES, check_name),
}


def _check(name: str, value: Any, now: datetime) -> Any:
    if name in _CHECKS:
        return _CHECKS[name](value, name)
    if name == "valid_from" and value is None:
        raise InvalidTime(name, "an item is always valid from some time on; give one")
    is_end = name in ("valid_until", "expires_at")
    if value == "now":
        return now
    return read_time(value, name, now, end_of_day=is_end, ahead=name == "due_at")


def confirm_by_person(writer: Writer, id: str) -> Item:
    """Confirm an item by a person's word; one that is confirmed stays as it is.

    Raises:
        NotFound: no such item in this scope.
        Conflict: it is closed.
        Forbidden: no person acts.
    """
    if writer.because.tier is not Tier.USER:
        raise Forbidden(
            f"item {id!r} is for a person to confirm; who speaks for them says so with"
            " acting(Because(tier=Tier.USER))"
        )

    def write(tx: Transaction, door: Door) -> Item:
        item = _locked(door, writer.scope, id)
        if not item.is_open:
            raise Conflict(f"item {id!r} is closed; reopen it first")
        return confirm(door, item, by=writer.because.tier)

    return writer.write(write)


def is_unconfirmed(store: Store, scope: Scope, id: str) -> bool:
    """Whether an id is that of an open, unconfirmed item that this asker may see."""
    with read_only(store, scope.tenant) as tx:
        check_session(tx, scope)
        item = Items(tx).get(scope, clean_id(id, "id"))
    return item is not None and item.is_unconfirmed


def reject_by_person(writer: Writer, id: str) -> Item:
    """Close an unconfirmed item by a person's word, as never having been true.

    Raises:
        NotFound: no such item in this scope.
        Conflict: it is closed already.
    """
    because = replace(writer.because, reason=writer.because.reason or "rejected")
    return replace(writer, because=because).write(
        lambda tx, door: door.retract(_locked(door, writer.scope, id))
    )


def reopen(writer: Writer, id: str) -> Item:
    """Reopen a closed item, or keep one whose basis was closed: it no longer rests on that basis.

    Raises:
        NotFound: no such item in this scope.
        Conflict: it is open and its bases hold, or its successor is open, or another open item says
            the same.
        Forbidden: it, or what closed it, is the word of somebody more trusted than who acts.
    """

    def write(tx: Transaction, door: Door) -> Item:
        item = _locked(door, writer.scope, id)
        if item.is_open and item.unconfirmed is Unconfirmed.BASIS_CLOSED:
            return _without_fallen(door, item, writer.because.tier)
        _check_may_open(tx, item, door.now)
        check_word(tx, item, replace(item, superseded_at=None), writer.because.tier)
        return door.reopen(item)

    return writer.write(write)


def _without_fallen(door: Door, item: Item, tier: Tier) -> Item:
    """Let an open item rest no more on what fell."""
    fallen = door.items.fallen(item.scope.tenant, item.id)
    sure = replace(item, bases=tuple(base for base in item.bases if base not in fallen))
    check_word(door.tx, item, sure, tier)
    return door.edit(item, sure, Action.REOPEN)


def _check_may_open(tx: Transaction, item: Item, now: datetime) -> None:
    """That an item is closed, and nothing has taken its place.

    Raises:
        Conflict: it is open, or its successor is, or another open item says the same.
    """
    if item.is_open:
        raise Conflict(f"item {item.id!r} is open already")
    successor = Items(tx).find(item.scope.tenant, item.superseded_by or "")
    if successor is not None and successor.is_open:
        remedy = f"undo that change, or forget {successor.id!r} first"
        raise Conflict(
            f"item {item.id!r} was superseded by {successor.id!r}, which is open; {remedy}"
        )
    opened = replace(item, closed_at=None, superseded_at=None)
    other = stands_already(tx, opened, may_stand(tx, [opened], now)[item.id])
    if other is not None:
        raise Conflict(
            f"what item {item.id!r} says was said again since, as {other.id!r}, which is open;"
            " there is nothing to open"
        )


def feedback(writer: Writer, id: str, *, helpful: bool) -> Item:
    """Note that a memory helped, or did harm; it becomes surer, or less sure.

    Raises:
        NotFound: no such item in this scope.
    """
    helpful = check_flag(helpful, "helpful")

    def write(tx: Transaction, door: Door) -> Item:
        item = _locked(door, writer.scope, id)
        moved = adjusted(item, HELPFUL if helpful else HARMFUL)
        good, harm = item.helpful + helpful, item.harmful + (not helpful)
        return door.edit(item, replace(moved, helpful=good, harmful=harm), Action.FEEDBACK)

    return writer.write(write)


def adjusted(item: Item, delta: float) -> Item:
    """The item with its confidence moved by delta, as far as the band of its tier allows."""
    moved = within_band(
        item.confidence,
        item.confidence + delta,
        item.tier,
        unconfirmed=item.unconfirmed is not None,
    )
    return replace(item, confidence=moved)
