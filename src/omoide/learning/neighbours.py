"""Stage 5, neighbours: candidates with their words and vectors, the items that may say the same,
and the earlier candidates of the same talk that may. No model is asked but the embedder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import numpy as np

from omoide.learning.decision import Intent
from omoide.learning.grounding import Grounding
from omoide.learning.judgement import Support
from omoide.learning.outcome import is_learnt
from omoide.models.base import checked
from omoide.models.embedders.encoders import Encoders, VectorsByModel
from omoide.nouns.clock import Clock
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Item
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Role, Turn
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.documents import Documents, Words
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.text.sameness import same_text
from omoide.text.words import index_terms
from omoide.write.decide import is_near
from omoide.write.index import words_of
from omoide.write.neighbours import NEAR, NEIGHBOURS, about_the_same, look_alikes, near, then_alike

KNOWN = 10  # items that a model is shown with a talk
# the least cosine of two candidates of one talk for which a model is asked; docs/decisions/0024
CLOSE = 0.6


@frozen_record
class Compared:
    """A candidate with all that its outcome needs; without an item it is refused or closes one."""

    candidate: Grounding
    support: Support = Support.CONFIRMED
    doubts: tuple[str, ...] = ()  # why it is not confirmed
    judged: bool = False  # a judge looked at it
    item: Item | None = None
    words: Words = field(default_factory=lambda: Words(own=""))
    alike: tuple[str, ...] = ()  # ids of items, open and closed, that may say the same
    seq: int = 0  # where the counter of its partition stood when they were looked for
    twins: tuple[int, ...] = ()  # places of earlier candidates that may say the same
    close: bool = False  # one of them so probably that a model is asked for that alone
    told: Intent | None = None
    besides: tuple[Intent, ...] = ()  # what else it replaces

    @property
    def targets(self) -> tuple[ItemId, ...]:
        """The items that the model means."""
        told = (self.told, *self.besides)
        return tuple(one.target.id for one in told if one is not None and one.target is not None)


@dataclass(frozen=True, slots=True)
class Library:
    """What is known, searched as it stands now."""

    store: Store
    tenant: str
    clock: Clock
    encoders: Encoders

    def names(self, scope: Scope, labels: Iterable[str]) -> frozenset[str]:
        """Of some names as ``type:label`` the labels that items of a scope are linked to."""
        with read_only(self.store, self.tenant) as tx:
            return frozenset(
                name.partition(":")[2]
                for name in dict.fromkeys(labels)
                if ":" in name and Entities(tx).by_name(scope, name) is not None
            )

    def nearest(self, scope: Scope, turns: Sequence[Turn]) -> list[Item]:
        """The open items nearest to what people say in some turns, at most ten, those of each turn
        in turn.
        """
        said = [turn.text for turn in turns if turn.role is Role.USER]
        if self.encoders.serving is None or not said:
            return []
        number, vectors = (
            self.encoders.serving.model.number,
            checked(self.encoders.serving.embedder, said),
        )
        with read_only(self.store, scope.tenant) as tx:
            found = [
                near(tx, scope, (number, vector), self.clock.now(), limit=KNOWN, least=0.0)
                for vector in vectors
            ]
            ids = list(dict.fromkeys(id for nth in zip_longest(*found) for id in nth if id))[:KNOWN]
            items = Items(tx).many(scope, ids)
        return [items[id] for id in ids if id in items and not items[id].is_private]

    def look_up(self, candidates: Sequence[Compared]) -> list[Compared]:
        """Each candidate with what may say the same, also of the same talk.

        Raises:
            ModelError: the embedder failed.
        """
        items = [one.candidate.item for one in candidates]
        made = self.encoders.embed([item.text for item in items if item])
        vectors = iter(made)
        with read_only(self.store, self.tenant) as tx:
            found = [
                self._look_up(tx, one, next(vectors) if one.candidate.item else ())
                for one in candidates
            ]
        return _with_twins(found, self._serving)

    def _look_up(self, tx: Transaction, one: Compared, vectors: VectorsByModel) -> Compared:
        item, now = one.candidate.item, self.clock.now()
        if item is None:
            return one
        words = words_of(item, vectors)
        by_vector = [
            id
            for vector in vectors
            if vector[0] == self._serving
            for id in near(tx, item.scope, vector, now)
        ]
        found = (
            id for nth in zip_longest(by_vector, about_the_same(tx, item, now)) for id in nth if id
        )
        ids = (
            *look_alikes(tx, item, words, now),
            *found,
            *then_alike(tx, item, words, now),
        )
        seq = Documents(tx).counter(item.scope.tenant, item.scope.user)
        return replace(one, item=item, words=words, alike=tuple(dict.fromkeys(ids)), seq=seq)

    @property
    def _serving(self) -> int | None:
        return self.encoders.serving.model.number if self.encoders.serving else None

    def shown(self, compared: Sequence[Compared]) -> list[list[Item]]:
        """Of each candidate the open items that a model is shown with it; none where nothing is to
        be asked: it was learnt, or said in the same words.
        """
        with read_only(self.store, self.tenant) as tx:
            return [_open(tx, one) for one in compared]


def _open(tx: Transaction, one: Compared) -> list[Item]:
    if one.item is None:
        return []
    known = Items(tx).many(one.item.scope, one.alike)
    if any(
        same_text(item.text, one.item.text) or is_learnt(one.item, item) for item in known.values()
    ):
        return []
    return [
        known[id]
        for id in one.alike
        if id in known and known[id].is_open and not known[id].is_private
    ][:NEIGHBOURS]


def _with_twins(compared: Sequence[Compared], serving: int | None) -> list[Compared]:
    """Each with the places of the earlier ones that share enough words with it, or whose vectors
    are near.
    """
    done: list[Compared] = []
    for place, one in enumerate(compared):
        likeness = [_likeness(other, one, serving) for other in compared[:place]]
        twins = tuple(n for n, like in enumerate(likeness) if like >= NEAR)
        done.append(replace(one, twins=twins, close=max(likeness, default=0.0) >= CLOSE))
    return done


def _likeness(one: Compared, other: Compared, serving: int | None) -> float:
    """The cosine of two candidates; 1 where they share enough words, 0 where they cannot be one,
    and without vectors what is near enough for a model's word where they share any.
    """
    if one.item is None or other.item is None or one.item.scope != other.item.scope:
        return 0.0
    mine, theirs = _words_beside_people(one), _words_beside_people(other)
    if is_near(mine, theirs):
        return 1.0
    first, second = (dict(words.vectors).get(serving or 0) for words in (one.words, other.words))
    if first is None or second is None:
        return NEAR if mine & theirs else 0.0
    return float(np.dot(first, second))


def _words_beside_people(one: Compared) -> frozenset[str]:
    """The words of a candidate but for the people's names: all of a talk may be about one."""
    words = frozenset(index_terms(one.item.text, exact=True)) if one.item else frozenset()
    names = one.item.entities if one.item else ()
    people = (name.partition(":")[2] for name in names if name.startswith("person:"))
    return (
        words - frozenset(term for name in people for term in index_terms(name, exact=True))
        or words
    )
