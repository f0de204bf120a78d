"""Metrics of a ranking, against values worked out by hand and laws that hold for every ranking."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.evals.metrics import (
    METRICS,
    all_at,
    auroc,
    false_yes,
    hit_at,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank,
)

chances = st.lists(st.integers(0, 10).map(lambda n: n / 10), min_size=1, max_size=30)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[tuple[int, ...], int]:
    """Places of right documents, and how many there are to find."""
    places = tuple(sorted(draw(st.sets(st.integers(1, 20), max_size=8))))
    return places, draw(st.integers(max(1, len(places)), 12))


@pytest.mark.parametrize(
    ("places", "gold", "name", "value"),
    [
        # one right document, third
        ((3,), 1, "R@1", 0.0),
        ((3,), 1, "R@5", 1.0),
        ((3,), 1, "hit@1", 0.0),
        ((3,), 1, "hit@5", 1.0),
        ((3,), 1, "NDCG@10", 0.5),  # (1 / log2(4)) / (1 / log2(2))
        ((3,), 1, "MRR", 1 / 3),
        # four right ones, found at 1, 2 and 12
        ((1, 2, 12), 4, "R@1", 0.25),
        ((1, 2, 12), 4, "R@10", 0.5),
        ((1, 2, 12), 4, "R@20", 0.75),
        ((1, 2, 12), 4, "hit@1", 1.0),
        ((1, 2, 12), 4, "all@20", 0.0),
        ((1, 2, 12), 3, "all@10", 0.0),
        ((1, 2, 12), 3, "all@20", 1.0),
        # (1 + 0.63093) / (1 + 0.63093 + 0.5 + 0.43068)
        ((1, 2, 12), 4, "NDCG@10", 1.63093 / 2.56161),
        ((1, 2, 12), 4, "MRR", 1.0),
        # nothing found
        ((), 2, "R@20", 0.0),
        ((), 2, "NDCG@10", 0.0),
        ((), 2, "MRR", 0.0),
    ],
)
def test_values_worked_out_by_hand(
    places: tuple[int, ...], gold: int, name: str, value: float
) -> None:
    """Each metric gives what its definition gives on paper."""
    assert METRICS[name](places, gold) == pytest.approx(value, abs=1e-5)


@given(rankings())
def test_every_metric_is_a_share(ranking: tuple[tuple[int, ...], int]) -> None:
    """From 0 to 1, whatever was found."""
    assert all(0 <= metric(*ranking) <= 1 + 1e-12 for metric in METRICS.values())


@given(st.integers(1, 5))
def test_a_perfect_ranking_has_all_of_it(gold: int) -> None:
    """Right documents first and nothing missing: 1 in every metric that looks far enough."""
    places = tuple(range(1, gold + 1))

    assert (
        recall_at(places, gold, k=5)
        == all_at(places, gold, k=5)
        == hit_at(places, gold, k=1)
        == reciprocal_rank(places, gold)
        == 1
    )
    assert ndcg_at(places, gold, k=10) == pytest.approx(1)


@given(rankings(), st.integers(1, 19))
def test_looking_further_finds_no_less(ranking: tuple[tuple[int, ...], int], k: int) -> None:
    """Recall, hit and all grow with k; all needs every one, hit needs one, recall lies between."""
    for metric in (recall_at, hit_at, all_at):
        assert metric(*ranking, k=k) <= metric(*ranking, k=k + 1)
    assert all_at(*ranking, k=k) <= recall_at(*ranking, k=k) <= hit_at(*ranking, k=k)


@given(rankings(), st.data())
def test_a_better_place_is_worth_no_less(
    ranking: tuple[tuple[int, ...], int], data: st.DataObject
) -> None:
    """Moving a right document forward, over a wrong one, lowers no metric."""
    places, gold = ranking
    movable = [place for place in places if place > 1 and place - 1 not in places]
    if movable:
        moved = data.draw(st.sampled_from(movable))
        better = tuple(place - 1 if place == moved else place for place in places)

        assert all(
            metric(better, gold) >= metric(places, gold) - 1e-12 for metric in METRICS.values()
        )


def test_auroc_worked_out_by_hand() -> None:
    """Of the six pairs four are won, one is even and one is lost."""
    assert auroc([0.9, 0.5, 0.4], [0.5, 0.1]) == pytest.approx(4.5 / 6)
    assert auroc([0.7], [0.7]) == 0.5


@given(chances, chances)
def test_auroc_counts_pairs(yes: list[float], no: list[float]) -> None:
    """It is the share of pairs won, ties half; turned round, the rest; and the same on any rising
    scale.
    """
    won = sum((y > n) + (y == n) / 2 for y in yes for n in no) / (len(yes) * len(no))

    assert auroc(yes, no) == pytest.approx(won)
    assert auroc(yes, no) + auroc(no, yes) == pytest.approx(1)
    assert auroc([math.exp(y) for y in yes], [math.exp(n) for n in no]) == pytest.approx(won)


def test_false_yes_worked_out_by_hand() -> None:
    """Of twenty held, nineteen reach the second lowest; two of the four absent do too."""
    held = [n / 20 for n in range(1, 21)]

    assert false_yes(held, [0.05, 0.08, 0.1, 0.9]) == (0.1, 0.5)
    assert false_yes(held[:4], [0.0, 0.2], true_yes=1.0) == (0.05, 0.5)


@given(chances, chances, st.integers(1, 100))
def test_the_bound_lets_through_what_it_must_and_is_the_highest_that_does(
    yes: list[float], no: list[float], percent: int
) -> None:
    """At the bound enough of the held are let through; at the next higher value too few are."""
    bound, wrong = false_yes(yes, no, true_yes=percent / 100)

    assert sum(y >= bound for y in yes) >= round(percent / 100 * len(yes), 9)
    assert all(
        sum(y >= higher for y in yes) < percent / 100 * len(yes) for higher in yes if higher > bound
    )
    assert wrong == sum(n >= bound for n in no) / len(no)


@pytest.mark.parametrize(
    "call",
    [
        lambda: auroc([], [0.1]),
        lambda: false_yes([0.1], []),
        lambda: false_yes([1.0], [0.0], true_yes=0),
    ],
)
def test_what_cannot_be_computed_is_refused(call: object) -> None:
    """Values of one kind alone part nothing."""
    with pytest.raises(ValueError, match=r"both kinds|true_yes"):
        call()  # type: ignore[operator]


def test_percentiles_worked_out_by_hand() -> None:
    """The nearest rank: always one of the values."""
    assert [percentile([4, 1, 3, 2], share) for share in (0.0, 0.25, 0.5, 0.95)] == [1, 1, 2, 4]
    assert percentile([], 0.5) == 0
