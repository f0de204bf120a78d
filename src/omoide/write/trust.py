"""Whose word may change whose: a lower tier leaves what a higher one said as it stands, and may
file it.
"""

from __future__ import annotations

from operator import attrgetter

from omoide.nouns.errors import Forbidden
from omoide.nouns.item import Item, Tier
from omoide.store.base import Transaction
from omoide.tables.item_fields import GUARDED
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger

WORD = {
    Tier.USER: "the user's word",
    Tier.AGENT: "an agent's word",
    Tier.DOCUMENT: "a document's word",
}
# What an item says, when, to whom, and on what it rests.
HELD = (*GUARDED, "bases")


def check_word(tx: Transaction, old: Item, new: Item, tier: Tier) -> None:
    """That somebody's word may change an item in place: it weighs no less than the item, nor than
    what closed it.

    Raises:
        Forbidden: it weighs less, and the change is more than filing; the message says who may,
            and how.
    """
    changed = (name for name in HELD if attrgetter(name)(old) != attrgetter(name)(new))
    touched = [name.removeprefix("scope.") for name in changed]
    if old.is_open != new.is_open:
        touched.append("end")
    whose = max(old.tier, closed_by(tx, old)) if new.is_open and not old.is_open else old.tier
    if touched and tier < whose:
        remedy = f"who speaks for them says so with acting(Because(tier=Tier.{whose.name}))"
        raise Forbidden(
            f"item {old.id!r} is {WORD[whose]}, and {WORD[tier]} cannot change its"
            f" {', '.join(touched)}; {remedy}"
        )


def closed_by(tx: Transaction, item: Item) -> Tier:
    """Whose word closed an item: that of its successor, or of who took it back."""
    successor = Items(tx).find(item.scope.tenant, item.superseded_by or "")
    history = Ledger(tx).of_record(item.scope.tenant, item.id)
    closings = (
        past.before for past in reversed(history) if past.before.get("superseded_at", 0) is None
    )
    by = Tier(next(closings, {}).get("by", Tier.DOCUMENT))
    return max(by, successor.tier) if successor else by
