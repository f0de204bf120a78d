"""The state *unconfirmed*: when an item has it, what that does to its confidence, and whose words
end it. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from omoide.nouns.item import UNCONFIRMED_MOST, Item, Meant, Tier, Unconfirmed
from omoide.tables.turns import split_turn_id


def weighed(item: Item, *, fallen: bool, now: datetime) -> Item:
    """An item as its bases let it stand; fallen: one of them does not hold.

    An item that nobody confirmed stays so, whatever it rests on, and so does one whose source was
    edited.
    """
    if item.unconfirmed in (Unconfirmed.NEVER, Unconfirmed.EDITED):
        return unconfirmed(item, item.unconfirmed, now)
    if fallen:
        return unconfirmed(item, Unconfirmed.BASIS_CLOSED, now)
    return confirmed(item)


def closed_state(item: Item) -> Item:
    """An item that is closed: whether its bases hold is not looked at any more."""
    return confirmed(item) if item.unconfirmed is Unconfirmed.BASIS_CLOSED else item


def unconfirmed(item: Item, why: Unconfirmed, now: datetime) -> Item:
    """An item that is unconfirmed since a time, or was so before; its confidence is capped, and
    kept for when it is confirmed.
    """
    marked = replace(item, unconfirmed=why, unconfirmed_at=item.unconfirmed_at or now)
    if item.confidence <= UNCONFIRMED_MOST:
        return marked
    return replace(marked, confidence=UNCONFIRMED_MOST, confirmed_confidence=item.confidence)


def confirmed(item: Item) -> Item:
    """An item without the state, as sure as it would have been; itself if it had not."""
    if item.unconfirmed is None:
        return item
    return replace(
        item,
        unconfirmed=None,
        unconfirmed_at=None,
        meant=None,
        confidence=max(item.confidence, item.confirmed_confidence or 0.0),
        confirmed_confidence=None,
    )


def confirms(known: Item, said: Item) -> bool:
    """Whether words confirm an item that nobody confirmed: the user's own, without a finding, and
    said in another session than the item was learnt from; or one whose source was edited: any words
    without a finding that say it again.
    """
    if known.unconfirmed is Unconfirmed.EDITED:
        return said.unconfirmed is None and said.tier >= known.tier
    sessions = {split_turn_id(turn)[0] for turn in known.source_turns}
    return (
        known.unconfirmed is Unconfirmed.NEVER
        and said.unconfirmed is None
        and said.tier is Tier.USER
        and sessions.isdisjoint(split_turn_id(turn)[0] for turn in said.source_turns)
    )


def beside(item: Item, old: Item) -> Item:
    """An unconfirmed item that would close another: it stands beside, and keeps what it is meant to
    do.
    """
    meant = item.meant or Meant(op="update", ref=old.id)
    return replace(item, similar_to=old.id, meant=meant)


def still_meant(item: Item, ref: Item | None, since: datetime | None, by: Tier) -> bool:
    """Whether confirming an item, by the word of a tier, still closes what it was meant to: that is
    open, of the same user, agent and session, of no higher tier, and unchanged since.
    """
    return (
        ref is not None
        and ref.is_open
        and ref.id != item.id
        and replace(ref.scope, context=item.scope.context) == item.scope
        and ref.tier <= max(item.tier, by)
        and (since is None or ref.updated_at <= since)
    )
