"""What two statements about the same thing make together. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.nouns.item import Item, Unconfirmed
from omoide.tables.item_fields import NAMES
from omoide.write.unconfirmed import closed_state, confirmed, confirms


def again(known: Item, said: Item) -> Item:
    """A known item after it was said again: its text stays, and the turns that said it again
    support it; what else is told now adds to it or takes over.

    The surer, the more careful and the better source of both count; it is kept as long as either
    was to be. What it rested on no longer counts once it is said by itself, nor, where that does
    not hold, once it is derived from what does. The user's words in another session confirm an item
    that nobody confirmed; an unconfirmed saying makes nothing surer.
    """
    afresh = not said.bases or (known.unconfirmed is Unconfirmed.BASIS_CLOSED and said.holds)
    since = min(known.valid_from, said.valid_from) if is_backdated(said) else known.valid_from
    if said.unconfirmed is None:
        known = _as_sure(confirmed(known) if confirms(known, said) else known, said)
    return replace(
        known.supported_by((*known.said_again, *said.source_turns)),
        sensitive=known.sensitive or said.sensitive,
        tags=_tags(known, said),
        metadata={**known.metadata, **said.metadata},
        due_at=said.due_at or known.due_at,
        expires_at=_later(known.expires_at, said.expires_at),
        valid_from=since,
        valid_until=said.valid_until or known.valid_until,
        bases=said.bases if afresh else known.bases,
        **_names(said, known),
    )


def _as_sure(known: Item, said: Item) -> Item:
    """A known item, as sure as what said it again, and of the better source of both."""
    confidence = max(known.confidence, said.confidence)
    return replace(known, confidence=confidence, tier=max(known.tier, said.tier))


def instead(old: Item, new: Item) -> Item:
    """The successor of an item: what it does not tell anew, it takes over, except how long it
    holds.
    """
    return replace(
        new,
        confidence=max(closed_state(old).confidence, new.confidence),
        sensitive=old.sensitive or new.sensitive,
        tags=_tags(old, new),
        metadata={**old.metadata, **new.metadata},
        due_at=new.due_at or old.due_at,
        reminded_at=None if new.due_at else old.reminded_at,
        pinned=old.pinned,
        **_names(new, old),
    )


def before(later: Item, earlier: Item) -> Item:
    """An item that was true until another one began to be."""
    until = earlier.valid_until
    return replace(
        earlier, valid_until=later.valid_from if until is None else min(until, later.valid_from)
    )


def is_backdated(item: Item) -> bool:
    """Whether it is told of the past, not of now."""
    return item.valid_from < item.recorded_at


def _names(new: Item, old: Item) -> dict[str, Any]:
    """The names about two items, such as the domain: those of the new one where it has any."""
    return {name: getattr(new, name) or getattr(old, name) for name in NAMES}


def _tags(one: Item, other: Item) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one.tags, *other.tags)))


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return None if one is None or other is None else max(one, other)
