"""Reconciling: items of one place that say nearly the same, or are linked as similar, are put side
by side, most alike first.

Of two that say the same in other words, one gives way to the other, if nothing is lost. What is
supported becomes surer; of two that cannot both be so, the older gives way to the newer; a link
between two that are about different matters goes. Each pair is judged once, in a transaction of its
own: what closed on the way is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from omoide.learning.teaching import Teaching
from omoide.models.chat.base import Purpose
from omoide.models.embedders.encoders import Encoders
from omoide.models.prompts import prompt
from omoide.nouns.change import Action
from omoide.nouns.chore import Chore, Done, Round, for_model
from omoide.nouns.clock import Clock
from omoide.nouns.errors import BadAnswer
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.documents import Documents
from omoide.tables.items import Items
from omoide.tables.pairs import Pairs
from omoide.upkeep.pairs import (
    LESS_SURE,
    RIGHT,
    SURER,
    Merge,
    Pair,
    PairVerdict,
    allowed,
    by_age,
    is_shown_whole,
    linked_pairs,
    merge_of,
    near_pairs,
    pair_text,
    read_verdict,
    ruled,
)
from omoide.write.apply import Door, through
from omoide.write.corrections import adjusted
from omoide.write.proposals import Mode, let_wait, must_wait

QUESTIONS = 20  # that a model is asked in one round of a tenant
COMPARED = 20_000  # items of a partition that are compared, the newest first
NAMES = {
    PairVerdict.SAME: "merged",
    PairVerdict.REINFORCE: "reinforced",
    PairVerdict.CONTRADICT: "contradicted",
    PairVerdict.WEAKEN: "weakened",
    PairVerdict.NEUTRAL: "neutral",
}


@dataclass(slots=True)
class _PairTally:
    counts: dict[str, int]
    asked: int = 0
    waiting: int = 0  # pairs that only a model can judge

    def add(self, verdict: PairVerdict) -> None:
        self.counts["checked"] += 1
        self.counts[NAMES[verdict]] += 1


class Reconciler:
    """Judges pairs of items: by the rules alone where these are enough, else by a model, if there
    is one.
    """

    def __init__(
        self, store: Store, clock: Clock, teaching: Teaching, encoders: Callable[[], Encoders]
    ) -> None:
        self._store, self._clock, self._teaching, self._encoders = store, clock, teaching, encoders

    def __call__(self, at: Round) -> Done:
        """Judge the pairs of a tenant that were not judged yet, up to 20 of them by a model.

        Raises:
            ModelError: the model failed; what was judged before that stays.
        """
        tally = _PairTally(dict.fromkeys(("checked", *NAMES.values()), 0))
        for scope, pair in self._pairs(at):
            if at.stop():
                break
            self._take(at, scope, pair, tally)
        waits = for_model(tally.waiting, "pair")
        return Done(chore=Chore.RECONCILE, counts=tally.counts, waits=waits)

    def _pairs(self, at: Round) -> Iterator[tuple[Scope, Pair]]:
        serving = self._encoders().serving
        if serving is None:
            return
        with read_only(self._store, at.tenant) as tx:
            users = sorted(Documents(tx).partitions(at.tenant))
        for user in users:
            scope = Scope(tenant=at.tenant, user=user or None)
            with read_only(self._store, at.tenant) as tx:
                rows = Items(tx).comparable(
                    scope, serving.model.number, self._clock.now(), COMPARED
                )
                judged = Pairs(tx).judged(at.tenant, scope.user)
                links = Items(tx).similar_links(scope)
            near = [
                pair
                for ids, vectors in rows.values()
                for pair in near_pairs(ids, np.stack(vectors), judged)
            ]
            linked = linked_pairs(links, judged)
            ids = {(pair.one, pair.other) for pair in linked}
            found = [*linked, *(pair for pair in near if (pair.one, pair.other) not in ids)]
            yield from ((scope, pair) for pair in sorted(found, key=lambda pair: -pair.cosine))

    def _take(self, at: Round, scope: Scope, pair: Pair, tally: _PairTally) -> None:
        both = self._both(scope, pair)
        if both is None:
            return
        verdict, by = ruled(*both), "rules"
        if verdict is None:
            if any(item.is_private for item in both):
                return
            if not self._teaching.asker.is_on or tally.asked == QUESTIONS:
                tally.waiting += not self._teaching.asker.is_on
                return
            tally.asked += 1
            verdict, by = self._ask(*both), self._teaching.asker.model_id(Purpose.RECONCILE)
            if verdict is None:
                return
        told = allowed(verdict, *both)
        # which waits
        if (
            by != "rules"
            and self._teaching.review is Mode.ALL
            and told is not PairVerdict.CONTRADICT
        ):
            told = PairVerdict.NEUTRAL
        verdict = self._settle(at, scope, pair, told, by)
        if verdict is not None:
            tally.add(verdict)

    def _both(self, scope: Scope, pair: Pair) -> tuple[Item, Item] | None:
        with read_only(self._store, scope.tenant) as tx:
            return _held(tx, scope, pair)

    def _ask(self, older: Item, newer: Item) -> PairVerdict | None:
        """What a model says; None where that cannot be read, so that the pair is looked at again
        another time.
        """
        try:
            return self._teaching.asker.ask(
                Purpose.RECONCILE, prompt("reconcile"), pair_text(older, newer), read_verdict
            )
        except BadAnswer:
            return None

    def _settle(
        self, at: Round, scope: Scope, pair: Pair, verdict: PairVerdict, by: str
    ) -> PairVerdict | None:
        """Let a verdict happen, if both still hold and nobody judged them meanwhile; what came of
        it.
        """
        because = replace(at.because, reason=f"{at.because.reason}: {by}")

        def write(tx: Transaction, door: Door) -> PairVerdict | None:
            door.lock(scope)
            both = _held(tx, scope, pair)
            if both is None or not Pairs(tx).add(
                scope.tenant, (pair.one, pair.other), verdict.value, door.now
            ):
                return None
            if verdict is PairVerdict.CONTRADICT and not self._close(tx, door, *both):
                return PairVerdict.NEUTRAL
            done, surer = verdict, both
            if verdict is PairVerdict.SAME:
                merge = self._merge(tx, door, *both)
                done, surer = (verdict, merge) if merge else (PairVerdict.REINFORCE, both)
            _shift(tx, door, scope, pair, _moves(done, *surer), unlinked(done, *both))
            return done

        return through(self._store, self._clock, because, write, tenant=scope.tenant)

    def _merge(self, tx: Transaction, door: Door, older: Item, newer: Item) -> Merge | None:
        """Let one of two that say the same give way to the other, which what rested on it rests on
        then; None if something would be lost, or one rests on the other.
        """
        merge, tenant = merge_of(older, newer, door.now), older.scope.tenant
        if merge is None:
            return None
        for one, other in (merge, merge[::-1]):
            if any(item.id == other.id for item in Items(tx).above(tenant, one.id)):
                return None
        for item in Items(tx).of_base(tenant, merge.goes.id):
            bases = (merge.stays.id if id == merge.goes.id else id for id in item.bases)
            door.edit(item, replace(item, bases=tuple(dict.fromkeys(bases))))
        door.give_way(merge.goes, merge.stays, action=Action.MERGE)
        return merge

    def _close(self, tx: Transaction, door: Door, older: Item, newer: Item) -> bool:
        """Let the older item give way, as a model decided, unless the newer rests on it, or a
        person is to have a word first.
        """
        if any(item.id == newer.id for item in Items(tx).above(older.scope.tenant, older.id)):
            return False
        if must_wait(self._teaching.review, newer, (), closes=True):
            let_wait(door, older.scope, None, target=older.id, told=(newer.id,))
            return False
        door.give_way(older, newer)
        return True


def _held(tx: Transaction, scope: Scope, pair: Pair) -> tuple[Item, Item] | None:
    """The older and the newer of a pair, while both hold."""
    items = [
        item
        for id in (pair.one, pair.other)
        if (item := Items(tx).find(scope.tenant, id)) is not None and item.holds
    ]
    return by_age(items[0], items[1]) if len(items) == 2 else None


def _moves(verdict: PairVerdict, older: Item, newer: Item) -> Sequence[tuple[Item, float]]:
    """By how much items are surer or less sure; of two that were merged, the first stays."""
    match verdict:
        case PairVerdict.SAME:
            return ((older, SURER),)
        case PairVerdict.REINFORCE:
            return ((older, SURER), (newer, SURER))
        case PairVerdict.CONTRADICT:
            return ((newer, RIGHT),)
        case PairVerdict.WEAKEN:
            return ((older, LESS_SURE),)
        case PairVerdict.NEUTRAL:
            return ()


def unlinked(verdict: PairVerdict, older: Item, newer: Item) -> Sequence[tuple[Item, Item]]:
    """The items that are linked no more, each with the one that it was similar to: a model said
    that they are about different matters, and read both to their ends.
    """
    if verdict is not PairVerdict.NEUTRAL or not is_shown_whole(older, newer):
        return ()
    both = ((older, newer), (newer, older))
    return tuple((one, other) for one, other in both if one.similar_to == other.id)


def _shift(
    tx: Transaction,
    door: Door,
    scope: Scope,
    pair: Pair,
    moves: Sequence[tuple[Item, float]],
    apart: Sequence[tuple[Item, Item]],
) -> None:
    """Move items' confidence within the bands of their tiers, and take links away, as a pair was
    judged. When they were updated stays, so that they decay as they would have.
    """
    shifts: dict[ItemId, float] = {
        item.id: adjusted(item, delta).confidence - item.confidence for item, delta in moves
    }
    Items(tx).shift(scope.tenant, shifts)
    for one, _ in apart:
        Items(tx).link(one, None)
    if shifts or apart:
        links = {one.id: [other.id, ""] for one, other in apart}
        before = {"shifts": shifts, "links": links, "pair": [pair.one, pair.other]}
        door.note_round(Action.RECONCILE, scope, before)
