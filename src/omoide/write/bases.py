"""What an item rests on: items that it was derived from, or depends on, when it is made."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from omoide.nouns.errors import NotFound
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.items import Items
from omoide.write.unconfirmed import weighed


def rest(tx: Transaction, scope: Scope, item: Item, now: datetime) -> Item:
    """A new item as its bases let it be: nobody's word more than theirs, and unconfirmed where one
    of them does not hold.

    A base must be there before what rests on it, so nothing ever rests on itself, over however many
    others.

    Raises:
        NotFound: one is not there, or not the asker's to see.
    """
    if not item.bases:
        return item
    there = Items(tx).many(scope, item.bases)
    for base in item.bases:
        if base not in there:
            raise NotFound("item", base)
    fallen = any(not base.holds for base in there.values())
    item = weighed(item, fallen=fallen, now=now)
    return replace(item, tier=min(item.tier, *(base.tier for base in there.values())))
