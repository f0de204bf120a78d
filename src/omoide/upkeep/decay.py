"""Decay: what nobody touches or recalls becomes less sure with time.

Every 30 days in which an item is neither written nor recalled lower its confidence to nine tenths.
The store keeps up to when that was done, so it depends on the time that went by alone, not on how
often a program starts. Pinned items are spared, and none falls below the band of its tier.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock
from omoide.nouns.item import within_band
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.documents import Documents
from omoide.tables.items import Items, Lowered, Unused
from omoide.write.apply import Door, through

PERIOD, FACTOR = timedelta(days=30), 0.9
PAGE = 1_000  # items in one transaction, with one entry in the ledger


def periods(unused: Unused, now: datetime) -> int:
    """How many whole periods an item went unused, beside those that were counted before."""
    return (now - unused.since) // PERIOD


def decay(
    store: Store, clock: Clock, tenant: str, because: Because, stop: Callable[[], bool]
) -> int:
    """Lower the confidence of a tenant's unused items; of how many. What is done lasts if it is
    told to stop.
    """
    with read_only(store, tenant) as tx:
        users = sorted(Documents(tx).partitions(tenant))
    return sum(
        decay_of(store, clock, Scope(tenant=tenant, user=user or None), because, stop)
        for user in users
    )


def decay_of(
    store: Store, clock: Clock, scope: Scope, because: Because, stop: Callable[[], bool]
) -> int:
    """The same, of one user's items, or of those that are nobody's."""
    done = 0
    while not stop() and _are_unused(store, clock, scope):
        done += _decay_page(store, clock, scope, because)
    return done


def _are_unused(store: Store, clock: Clock, scope: Scope) -> bool:
    with read_only(store, scope.tenant) as tx:
        return bool(_unused(tx, scope, clock.now(), 1))


def _unused(tx: Transaction, scope: Scope, now: datetime, limit: int) -> list[Unused]:
    return Items(tx).unused(scope, before=now - PERIOD, limit=limit)


def _factor(unused: Unused, periods: int) -> float:
    """By what the confidence of an item is multiplied that went unused for so many periods."""
    wanted = unused.confidence * FACTOR**periods
    return within_band(unused.confidence, wanted, unused.tier) / unused.confidence


def _decay_page(store: Store, clock: Clock, scope: Scope, because: Because) -> int:
    def write(tx: Transaction, door: Door) -> int:
        door.lock(scope)
        page = _unused(tx, scope, door.now, PAGE)
        lowered = [
            Lowered(id=one.id, factor=_factor(one, n), at=one.since + n * PERIOD)
            for one in page
            if (n := periods(one, door.now))
        ]
        Items(tx).decay(scope.tenant, lowered)
        if lowered:
            door.note_round(
                Action.DECAY, scope, {"factors": {one.id: one.factor for one in lowered}}
            )
        return len(lowered)

    return through(store, clock, because, write, tenant=scope.tenant)
