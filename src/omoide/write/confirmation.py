"""The one way an unconfirmed item becomes confirmed: by a person, a judge, or words of the same
person. What it was meant to do is carried out then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from omoide.nouns.change import Action
from omoide.nouns.ids import ChangeId, ItemId, TurnId
from omoide.nouns.item import Item, Tier
from omoide.text.sameness import same_text
from omoide.text.secrets import mask_stored
from omoide.write.apply import Door
from omoide.write.index import words_of
from omoide.write.unconfirmed import confirmed, still_meant


def confirm(door: Door, item: Item, *, by: Tier, edited: Item | None = None) -> Item:
    """Confirm an unconfirmed item by the word of a tier, and carry out what it was meant to do; it
    rests no more on what fell.

    edited: the item with what else changes of it. A confirmed item stays as it is.
    """
    if item.unconfirmed is None:
        return item
    fallen = door.items.fallen(item.scope.tenant, item.id)
    after = edited or item
    sure = confirmed(replace(after, bases=tuple(b for b in after.bases if b not in fallen)))
    kept = door.edit(item, sure, Action.CONFIRM)
    return fulfil(door, item, kept, by=by, cause=door.last_of(kept), told=None)


def fulfil(
    door: Door,
    was: Item,
    now: Item,
    *,
    by: Tier,
    cause: ChangeId,
    told: Sequence[TurnId] | None,
) -> Item:
    """Carry out what an item was meant to do while it was unconfirmed, now that it, or its
    successor, is confirmed; dropped if the other item changed since.

    told: the turns that confirmed it, if any did.
    """
    ref, meant = _meant_ref(door, was, now, by), was.meant
    if ref is None or meant is None:
        return now
    if meant.op == "delete":
        door.retract(ref, at=now.valid_from, told=told, note=now, cause=cause)
        return now
    if meant.text and not same_text(meant.text, now.text):
        return _merge(door, ref, now, meant.text, cause)
    door.give_way(ref, now, told=told, cause=cause)
    if now.supersedes is not None:
        return now
    door.items.follow(now, ref.id)
    return replace(now, supersedes=ref.id)


def _meant_ref(door: Door, was: Item, now: Item, by: Tier) -> Item | None:
    """The other item, if one is still meant to be closed."""
    if was.meant is None or now.unconfirmed is not None:
        return None
    ref = door.items.find(now.scope.tenant, was.meant.ref)
    return ref if still_meant(now, ref, was.unconfirmed_at, by) else None


def _merge(door: Door, ref: Item, now: Item, text: str, cause: ChangeId) -> Item:
    """Put a text that merges two items in the place of both, so that nothing of either is lost."""
    masked = mask_stored(text)
    merged = replace(
        now,
        id=ItemId(door.clock.new_id()),
        text=masked.text,
        masks=masked.masks,
        quote_span=None,
        similar_to=None,
        created_at=door.now,
        updated_at=door.now,
        recorded_at=door.now,
    )
    with door.following(cause):
        added = door.supersede(ref, merged, words_of(merged), at=now.valid_from)
        door.give_way(now, added)
    return added
