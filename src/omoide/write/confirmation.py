"""The one way an unconfirmed item becomes confirmed: by a person, a judge, or words of the same
person. What it was meant to do is carried out then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from omoide.nouns.change import Action
from omoide.nouns.ids import ChangeId, TurnId
from omoide.nouns.item import Item, Tier
from omoide.write.apply import Door
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
    meant = was.meant
    if meant is None or now.unconfirmed is not None:
        return now
    ref = door.items.find(now.scope.tenant, meant.ref)
    if ref is None or not still_meant(now, ref, was.unconfirmed_at, by):
        return now
    if meant.op == "delete":
        door.retract(ref, at=now.valid_from, told=told, note=now, cause=cause)
        return now
    door.give_way(ref, now, told=told, cause=cause)
    if now.supersedes is not None:
        return now
    door.items.follow(now, ref.id)
    return replace(now, supersedes=ref.id)
