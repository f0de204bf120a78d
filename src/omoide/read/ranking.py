"""How candidates are ordered: fusion of the arms, and diversity. Pure functions over
frozen values.

Two ways to fuse. ``fuse_scores`` looks at how good each arm finds a document; it is what recall
uses, since ranks alone let a weak encoder outvote a strong keyword match. ``fuse_ranks`` looks only
at places; it is kept for those who promise its constants. Ranks count from 1 everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heapreplace
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.hit import ArmRank, Feature
from omoide.nouns.match import DocPlaces, Docs, Scores, SignColumns, Tell
from omoide.nouns.query import Arm
from omoide.nouns.record.frozen import frozen_record
from omoide.read.ranker import PARTS

T = TypeVar("T", bound=Hashable)


def _told_by(first: Tell, count: int, others: Tell) -> Tell:
    """The signs of so many documents by one, and of those behind them by another."""

    def tell(places: DocPlaces) -> SignColumns:
        cut = int(places.searchsorted(count))
        return first(places[:cut]).followed_by(others(places[cut:] - count))

    return tell


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Found:
    """What one arm found: documents with its own scores, all above 0, best first, and what tells
    the signs of those at some of its places, if it knows them.

    unseen are documents of other arms that it cannot judge, such as one whose vector waits.
    """

    arm: Arm
    docs: Docs
    scores: Scores
    tell: Tell | None = None
    unseen: frozenset[int] = frozenset()

    @classmethod
    def of(cls, arm: Arm, pairs: Sequence[tuple[int, float]]) -> Found:
        """Documents with their scores, best first, as an arm's find."""
        docs = np.array([doc for doc, _ in pairs], np.int64)
        return cls(arm=arm, docs=docs, scores=np.array([score for _, score in pairs], np.float64))

    def __len__(self) -> int:
        return len(self.docs)

    def kept(self, which: NDArray[np.bool_]) -> Found:
        """Some of it."""
        if which.all():
            return self
        tell, at = self.tell, np.flatnonzero(which)
        return replace(
            self,
            docs=self.docs[at],
            scores=self.scores[at],
            tell=None if tell is None else lambda places: tell(at[places]),
        )

    def followed_by(self, other: Found) -> Found:
        """With what the arm found besides, all of it worse."""
        docs = np.concatenate([self.docs, other.docs])
        scores = np.concatenate([self.scores, other.scores])
        both = self.tell and other.tell and _told_by(self.tell, len(self), other.tell)
        return replace(self, docs=docs, scores=scores, tell=both)

    def normal(self) -> Scores:
        """Scores as shares of the best: above 0, at most 1; the last of many is not pressed down to
        nothing.
        """
        return self.scores / self.scores[0] if len(self) else self.scores


@frozen_record
class Fused:
    """A document with its fused score, from 0 to 1, what each arm said of it, and the features that
    decided its place.
    """

    doc: int
    score: float
    arms: tuple[ArmRank, ...]
    features: tuple[Feature, ...] = ()


ALIKE = 0.5  # the least likeness of what repeats another
AGREED = 3  # the last place of what words and vectors both place first
USUAL, DECISIVE, FAINT = 10, 3, 0.05  # documents beside which one is seen; features told; a trifle
WEIGHTS: Mapping[Arm, float] = {Arm.TEXT: 0.6, Arm.VECTOR: 0.4, Arm.ENTITY: 0.2, Arm.TIME: 0.3}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Pool:
    """What several arms found together: each document once, with a score from 0 to 1, and who comes
    before whom.
    """

    founds: Sequence[Found]
    docs: Docs
    places: Sequence[NDArray[np.intp]]  # by arm: where its documents stand among these
    shares: Sequence[Scores]  # by arm: what it gave to the fused scores of its documents
    scores: Scores
    order: NDArray[np.intp]  # places, the best first
    # what each feature adds to the sum of each document; None: it was not ranked by features
    weighed: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.docs)

    def column(self, arm: Arm) -> Scores:
        """An arm's own score of each document; 0 where it did not find it."""
        column = np.zeros(len(self))
        for found, places in zip(self.founds, self.places, strict=True):
            if found.arm is arm:
                column[places] = found.scores
        return column

    def unseen(self, arm: Arm) -> NDArray[np.bool_]:
        """Which documents an arm could not judge."""
        docs = [doc for found in self.founds if found.arm is arm for doc in found.unseen]
        return np.isin(self.docs, docs)

    def scored(self, scores: Scores, weighed: NDArray[np.float32] | None = None) -> Pool:
        """With other scores, and what makes them up, in their order; of equal ones the newer
        document, which has the higher number, comes first.
        """
        order = np.lexsort((-self.docs, -scores))
        return replace(self, scores=scores, order=order, weighed=weighed)

    def reordered(self, scores: Scores) -> Pool:
        """With other scores, in their order; equal ones keep the order that they have."""
        order = self.order[np.argsort(-scores[self.order], kind="stable")]
        return replace(self, scores=scores, order=order)

    def best(self, limit: int | None = None) -> list[Fused]:
        """So many of the best, with what each arm said of them."""
        best = self.order[:limit]
        docs, scores = self.docs[best].tolist(), self.scores[best].tolist()
        told = zip(docs, scores, self._said(best), self._decisive(best), strict=True)
        return [
            Fused(doc=doc, score=score, arms=arms, features=features)
            for doc, score, arms, features in told
        ]

    def _said(self, best: NDArray[np.intp]) -> list[tuple[ArmRank, ...]]:
        """What each arm said of some documents."""
        said: list[tuple[ArmRank, ...]] = [()] * len(best)
        for found, places, shares in zip(self.founds, self.places, self.shares, strict=True):
            ranks = np.full(len(self), -1, np.intp)
            ranks[places] = np.arange(len(found))
            ranks = ranks[best]
            held = np.flatnonzero(ranks >= 0)
            ranks = ranks[held]
            scores, given = found.scores[ranks].tolist(), shares[ranks].tolist()
            for n, rank, score, share in zip(
                held.tolist(), ranks.tolist(), scores, given, strict=True
            ):
                said[n] += (ArmRank(arm=found.arm, rank=rank + 1, score=score, share=share),)
        return said

    def _decisive(self, best: NDArray[np.intp]) -> list[tuple[Feature, ...]]:
        """For some documents the features that add most, or least, beside the first ten."""
        if self.weighed is None or not len(best):
            return [()] * len(best)
        apart = self.weighed[best] - self.weighed[self.order[:USUAL]].mean(axis=0)
        most = np.argsort(-np.abs(apart), axis=1)[:, :DECISIVE]
        points = apart[np.arange(len(best))[:, None], most].tolist()
        return [
            tuple(
                Feature(PARTS[n], round(added, 2))
                for n, added in zip(places, row, strict=True)
                if abs(added) > FAINT
            )
            for places, row in zip(most.tolist(), points, strict=True)
        ]


def fuse_scores(founds: Sequence[Found], weights: Mapping[Arm, float] = WEIGHTS) -> Pool:
    """Put together what the arms found, scored by the weighted mean of their normalised scores.

    Only arms that found something weigh in, so that a score does not sink because an arm had
    nothing to look for; nor does one weigh in for what it could not judge. Equal scores: the newer
    document (the higher number) first.
    """
    total = sum(weights[found.arm] for found in founds if len(found))
    docs, places = _together([found.docs for found in founds])
    scores, totals = np.zeros(len(docs)), np.full(len(docs), total or 1.0)
    for found in founds:
        if len(found) and found.unseen:
            totals[np.isin(docs, list(found.unseen))] -= weights[found.arm]
    shares = [
        weights[found.arm] * found.normal() / totals[at]
        for found, at in zip(founds, places, strict=True)
    ]
    for given, at in zip(shares, places, strict=True):
        scores[at] = np.minimum(1.0, scores[at] + given)  # by rounding it may be a bit more
    return Pool(
        founds=founds,
        docs=docs,
        places=places,
        shares=shares,
        scores=scores,
        order=np.empty(0, np.intp),
    ).scored(scores)


def _together(docs: Sequence[Docs]) -> tuple[Docs, list[NDArray[np.intp]]]:
    """All documents, each once, in the order in which they come; and where those of each arm stand
    among them.
    """
    named = [some.tolist() for some in docs]
    numbers = {doc: n for n, doc in enumerate(dict.fromkeys(chain.from_iterable(named)))}
    places = [np.fromiter(map(numbers.__getitem__, some), np.intp, len(some)) for some in named]
    return np.fromiter(numbers, np.int64, len(numbers)), places


def heed_agreement(pool: Pool) -> Pool:
    """The pool with what both words and vectors place first among the first three, whatever the
    order's features say. A document whose vector waits is placed first by its words alone.
    """
    first = {found.arm: int(found.docs[0]) for found in pool.founds if len(found)}
    unseen = {doc for found in pool.founds for doc in found.unseen}
    agreed = first.get(Arm.TEXT)
    if agreed is None or not (agreed in unseen or first.get(Arm.VECTOR) == agreed):
        return pool
    place = int(np.flatnonzero(pool.docs[pool.order] == agreed)[0])
    if place < AGREED:
        return pool
    order, scores = pool.order.tolist(), pool.scores.copy()
    scores[order[place]] = scores[order[AGREED - 1]]
    order.insert(AGREED - 1, order.pop(place))
    return replace(pool, scores=scores, order=np.array(order, np.intp))


def fuse_ranks(
    rankings: Sequence[Sequence[T]],
    *,
    k: int = 60,
    weights: Sequence[float] | None = None,
    missing: bool = False,
    normalise: bool = False,
    limit: int | None = None,
) -> list[tuple[T, float]]:
    """Merge several rankings of the same things into one, best first, by reciprocal rank.

    Each ranking lists things best first, without repeats; rankings may differ in length or be
    empty. A score is the sum of ``weight / (k + rank)``, rank counted from 1: without unit, at most
    ``sum(weights) / (k + 1)``. With ``missing``, a ranking that lacks a thing counts as if it stood
    at the ranking's length. With ``normalise``, scores are stretched to 0..1 over what is returned
    before the cut; a single result, or several equal ones, score 1. Equal scores keep the order of
    first appearance.

    Raises:
        ValueError: k is below 1, or weights and rankings differ in number.

    Source: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion", SIGIR 2009, which uses k = 60.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    shares = [1.0] * len(rankings) if weights is None else list(weights)
    if len(shares) != len(rankings):
        raise ValueError(f"{len(shares)} weights for {len(rankings)} rankings")
    scores: dict[T, float] = dict.fromkeys(
        (thing for ranking in rankings for thing in ranking), 0.0
    )
    for weight, ranking in zip(shares, rankings, strict=True):
        ranks = {thing: rank for rank, thing in enumerate(ranking, start=1)}
        for thing in scores if missing and ranking else ranks:
            scores[thing] += weight / (k + ranks.get(thing, len(ranking)))
    ordered = sorted(scores.items(), key=lambda pair: -pair[1])
    if normalise and ordered:
        ordered = _stretch(ordered)
    return ordered[:limit]


def _stretch(ordered: list[tuple[T, float]]) -> list[tuple[T, float]]:
    best, worst = ordered[0][1], ordered[-1][1]
    if best == worst:
        return [(thing, 1.0) for thing, _ in ordered]
    return [(thing, (score - worst) / (best - worst)) for thing, score in ordered]


def diversify(
    things: Sequence[T],
    scores: Mapping[T, float],
    words: Callable[[T], Sequence[str]],
    limit: int,
    *,
    balance: float = 0.7,
) -> list[T]:
    """The best things that do not repeat each other, by maximal marginal relevance.

    A thing's worth is ``balance * score - (1 - balance) * likeness`` to the most similar one chosen
    before; likeness is the Jaccard overlap of word bigrams, 0 to 1. Below a half it is 0: texts
    that share "I went to the" repeat nothing. What is word for word one of them comes after all
    that is not. Equal worth keeps the order given.

    Source: Carbonell, Goldstein, "The Use of MMR", SIGIR 1998.
    """
    grams: dict[T, frozenset[tuple[str, ...]]] = {}
    likeness = dict.fromkeys(things, 0.0)
    chosen: list[T] = []
    # a thing's worth only sinks as more are chosen, so only the one that seems best need be
    # compared with them
    heap = [(-balance * scores[thing], place, 0) for place, thing in enumerate(things)]
    heapify(heap)
    while heap and len(chosen) < limit:
        _, place, compared = heap[0]
        thing = things[place]
        if thing not in grams:
            grams[thing] = _bigrams(words(thing))
        if compared == len(chosen):
            heappop(heap)
            chosen.append(thing)
            continue
        likeness[thing] = max(
            likeness[thing], *(_likeness(grams[other], grams[thing]) for other in chosen[compared:])
        )
        worth = balance * scores[thing] - (1 - balance) * likeness[thing] - (likeness[thing] == 1)
        heapreplace(heap, (-worth, place, len(chosen)))
    return chosen


def _bigrams(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(pairwise(words)) if len(words) > 1 else frozenset((w,) for w in words)


def _likeness(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    shared = len(one & other)
    union = len(one) + len(other) - shared
    return shared / union if union and shared >= ALIKE * union else 0.0
