"""Two items that were never seen together, put side by side: which pairs are worth that, and what
they are to each other. Pure.

The same text needs no model, and the rules close nothing. A model is heard about the rest, and
never so that a lower tier closes or weakens what a higher one says, that two of many (#260, PR-480)
become one, or that a merge loses a name, a figure, a date, an address or a negation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from omoide.grounding.claims import Flag
from omoide.grounding.invented import SourceText
from omoide.learning.extraction import cut
from omoide.models.base import Vectors
from omoide.models.chat.answers import one_line
from omoide.nouns.clock import local
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Item
from omoide.write.decide import (
    Add,
    Candidate,
    Ignore,
    Neighbour,
    are_two_of_many,
    decide,
)

# The least cosine of a pair, and how many pairs an item is in at most. Wordings of one fact have
# 0.64 and more with the embedded encoder, different facts of one person 0.38 and less.
CLOSE, NEIGHBOURS = 0.6, 5
SHOWN = 500  # characters of each side that a model sees
# what an item's confidence moves by: said twice, spoken against, or what replaced another
SURER, LESS_SURE, RIGHT = 0.05, -0.1, 0.1
BLOCK = 1_024
LINKED = 1.0  # what a pair counts as near that is linked as similar: it is looked at first
LOSING = frozenset({Flag.NUMBER, Flag.NAME, Flag.DATE, Flag.ADDRESS, Flag.NEGATION})


class Merge(NamedTuple):
    """Of two items that say the same, the one that stays and the one that gives way to it."""

    stays: Item
    goes: Item


class PairVerdict(StrEnum):
    """What two items are to each other."""

    SAME = "same"  # they say the same in other words: one of them suffices
    REINFORCE = "reinforce"  # they support each other
    CONTRADICT = "contradict"  # both cannot be so: the newer one is
    WEAKEN = "weaken"  # the newer one makes the older one less likely
    NEUTRAL = "neutral"


class Pair(NamedTuple):
    """Two items by their ids, the lower one first, and how near their vectors are."""

    one: ItemId
    other: ItemId
    cosine: float


def pair_of(one: ItemId, other: ItemId) -> tuple[ItemId, ItemId]:
    """Two ids in the order in which a pair holds them."""
    return (one, other) if one < other else (other, one)


def near_pairs(
    ids: Sequence[ItemId], vectors: Vectors, judged: Mapping[ItemId, Collection[ItemId]]
) -> list[Pair]:
    """The pairs with a cosine of at least 0.6 that were not judged yet, nearest first; of each item
    the five nearest.

    ``vectors``: float32, shape ``(n, d)``, rows of length 1, in the order of the ids.
    """
    found: dict[tuple[ItemId, ItemId], float] = {}
    for start in range(0, len(ids), BLOCK):
        cosines = vectors[start : start + BLOCK] @ vectors.T
        for row, near in enumerate(cosines):
            id = ids[start + row]
            known = judged.get(id, ())
            near[start + row] = -1.0
            most = min(len(ids), NEIGHBOURS + len(known))
            nearest = np.argpartition(-near, most - 1)[:most]
            fresh = [
                n
                for n in sorted(nearest, key=lambda n: -near[n])
                if near[n] >= CLOSE and ids[n] not in known
            ]
            found |= {pair_of(id, ids[n]): float(near[n]) for n in fresh[:NEIGHBOURS]}
    return sorted(
        (Pair(*ids_of, cosine) for ids_of, cosine in found.items()),
        key=lambda pair: (-pair.cosine, pair.one, pair.other),
    )


def linked_pairs(
    links: Sequence[tuple[ItemId, ItemId]], judged: Mapping[ItemId, Collection[ItemId]]
) -> list[Pair]:
    """The pairs of items linked as similar that were not judged yet, however near they are."""
    found = dict.fromkeys(
        pair_of(one, other) for one, other in links if other not in judged.get(one, ())
    )
    return [Pair(*ids, LINKED) for ids in found]


def by_age(one: Item, other: Item) -> tuple[Item, Item]:
    """The older and the newer of two: by since when they are true, then by when they were
    learnt.
    """
    first, second = sorted(
        (one, other), key=lambda item: (item.valid_from, item.recorded_at, item.id)
    )
    return first, second


def ruled(older: Item, newer: Item) -> PairVerdict | None:
    """What two items are to each other by the rules alone; None where only a model can tell."""
    if are_two_of_many(older.text, newer.text):
        return PairVerdict.NEUTRAL
    match decide(Candidate.of(newer), [Neighbour.of(older)]):
        case Add():
            return None
        case Ignore():
            return PairVerdict.NEUTRAL
        case _:
            return PairVerdict.REINFORCE


def allowed(verdict: PairVerdict, older: Item, newer: Item) -> PairVerdict:
    """What a model said, or neutral where it would have a lower tier close or weaken what a higher
    one says, or where it did not read both to their ends.
    """
    against = verdict in (PairVerdict.CONTRADICT, PairVerdict.WEAKEN)
    may = newer.tier >= older.tier and is_shown_whole(older, newer)
    return PairVerdict.NEUTRAL if against and not may else verdict


def is_shown_whole(*items: Item) -> bool:
    """Whether a model reads items to their ends when it judges them."""
    return all(len(one_line(item.text)) <= SHOWN for item in items)


def merge_of(older: Item, newer: Item, at: datetime) -> Merge | None:
    """Which of two items that say the same stays: one of no lower tier that has all names, figures,
    dates and addresses of the other; of two such the longer, then the older. None where each has
    something of its own, and where one is longer than a model is shown: nobody read all of it.
    """
    if not is_shown_whole(older, newer):
        return None
    good = [
        merge
        for merge in (Merge(older, newer), Merge(newer, older))
        if merge.stays.tier >= merge.goes.tier
        and set(merge.goes.entities) <= set(merge.stays.entities)
        and LOSING.isdisjoint(SourceText([merge.stays.text], at).lacks(merge.goes.text))
        and LOSING.isdisjoint(
            {Flag.NEGATION} & SourceText([merge.goes.text], at).lacks(merge.stays.text)
        )
    ]
    return max(good, key=lambda merge: len(merge.stays.text), default=None)


def pair_text(older: Item, newer: Item) -> str:
    """Two items as a model is shown them, a line each."""
    return f"A {_line(older)}\nB {_line(newer)}"


def read_verdict(answer: dict[str, Any]) -> PairVerdict:
    """The verdict in an answer.

    Raises:
        ValueError: it has none.
    """
    said = answer.get("verdict")
    if not isinstance(said, str) or said.strip().casefold() not in tuple(PairVerdict):
        raise ValueError(f"the answer's verdict is none of {', '.join(PairVerdict)}")
    return PairVerdict(said.strip().casefold())


def _line(item: Item) -> str:
    return f"({local(item.valid_from):%Y-%m-%d}): {cut(one_line(item.text), SHOWN)}"
