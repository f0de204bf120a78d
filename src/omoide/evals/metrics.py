"""How well a ranking finds what it should: pure functions over the places at which it did.

``places`` are the ranks, from 1, of the right documents that were found; ``gold`` is how many there
are to find, 1 or more. Every value is from 0 to 1.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial

DEPTH = 20  # documents of a ranking that are looked at


def recall_at(places: Sequence[int], gold: int, *, k: int) -> float:
    """The share of the right documents that stand among the first k."""
    return sum(place <= k for place in places) / gold


def hit_at(places: Sequence[int], gold: int, *, k: int) -> float:
    """1 if any right document stands among the first k, else 0."""
    return float(any(place <= k for place in places))


def all_at(places: Sequence[int], gold: int, *, k: int) -> float:
    """1 if all right documents stand among the first k, else 0. Where there are more than k of them
    it is 0.
    """
    return float(sum(place <= k for place in places) == gold)


def ndcg_at(places: Sequence[int], gold: int, *, k: int) -> float:
    """Discounted gain over the first k, as a share of the best there could be.

    A right document at rank r gains ``1 / log2(r + 1)``; all right documents count the same.

    Source: Järvelin, Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002.
    """
    gained = sum(1 / math.log2(place + 1) for place in places if place <= k)
    return gained / sum(1 / math.log2(rank + 1) for rank in range(1, min(gold, k) + 1))


def reciprocal_rank(places: Sequence[int], gold: int) -> float:
    """1 / the rank of the first right document; 0 if none was found."""
    return 1 / min(places) if places else 0.0


Metric = Callable[[Sequence[int], int], float]

METRICS: Mapping[str, Metric] = {
    **{f"R@{k}": partial(recall_at, k=k) for k in (1, 5, 10, 20)},
    **{f"hit@{k}": partial(hit_at, k=k) for k in (1, 5, 10, 20)},
    **{f"all@{k}": partial(all_at, k=k) for k in (5, 10, 20)},
    "NDCG@10": partial(ndcg_at, k=10),
    "MRR": reciprocal_rank,
}


def auroc(yes: Sequence[float], no: Sequence[float]) -> float:
    """How often one of yes is above one of no, taken at random; a tie counts half. 0.5 says
    nothing, 1 parts them wholly.

    Raises:
        ValueError: one of the two is empty.
    """
    if not yes or not no:
        raise ValueError("needs values of both kinds")
    below = sorted(no)
    won = sum(bisect_left(below, value) + bisect_right(below, value) for value in yes) / 2
    return won / (len(yes) * len(no))


def false_yes(
    yes: Sequence[float], no: Sequence[float], *, true_yes: float = 0.95
) -> tuple[float, float]:
    """The highest bound that at least true_yes of yes reach, and the share of no that reach it too.

    Raises:
        ValueError: one of the two is empty, or true_yes is not above 0 and at most 1.
    """
    if not yes or not no:
        raise ValueError("needs values of both kinds")
    if not 0 < true_yes <= 1:
        raise ValueError(f"true_yes must be above 0 and at most 1, not {true_yes}")
    # rounding first, as 0.95 * 20 must be 19 and not a little more
    needed = math.ceil(round(true_yes * len(yes), 9))
    bound = sorted(yes, reverse=True)[needed - 1]
    return bound, sum(value >= bound for value in no) / len(no)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed (nearest rank); 0 of none."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0
