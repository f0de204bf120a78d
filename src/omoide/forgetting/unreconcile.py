"""What putting items side by side with forgotten ones did to the others is taken back: what gave
way to one, and what it made surer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from omoide.nouns.change import Action
from omoide.nouns.ids import ItemId
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger
from omoide.tables.pairs import Pairs
from omoide.write.apply import Door


@dataclass(slots=True)
class _Judging:
    """What the judging of one pair, and perhaps its undoing, moved in all."""

    user: str | None = None
    pair: frozenset[str] = frozenset()
    shifts: dict[ItemId, float] = field(default_factory=lambda: defaultdict(float))


def compared_with(tx: Transaction, tenant: str, gone: Collection[str]) -> set[ItemId]:
    """The items that stay and were judged together with one that goes."""
    return {id for item in gone for id in Pairs(tx).others(tenant, item)} - set(gone)


def unshift(tx: Transaction, door: Door, tenant: str, gone: Collection[str]) -> None:
    """Take back by how much others became surer, or less sure, for items that go."""
    for round, judging in _judgings(tx, tenant).items():
        if judging.pair.isdisjoint(gone):
            continue
        shifts = {id: shift for id, shift in judging.shifts.items() if shift and id not in gone}
        scope = Scope(tenant=tenant, user=judging.user)
        door.lock(scope)
        Items(tx).shift(tenant, shifts)
        Ledger(tx).forget(tenant, round)
        if shifts:
            door.note_round(Action.UNSAY, scope, {"shifts": shifts})


def _judgings(tx: Transaction, tenant: str) -> dict[str, _Judging]:
    """What comparing pairs moved, by the round."""
    judgings: dict[str, _Judging] = defaultdict(_Judging)
    for past in Ledger(tx).judged(tenant):
        judging = judgings[past.change.record]
        judging.user = past.change.user
        judging.pair |= frozenset(past.before.get("pair", ()))
        for id, shift in past.before.get("shifts", {}).items():
            judging.shifts[ItemId(id)] -= shift
    return judgings
