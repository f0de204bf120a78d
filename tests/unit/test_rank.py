"""Fusion and diversity."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.query import Arm
from omoide.read.ranking import (
    WEIGHTS,
    Found,
    diversify,
    fuse_ranks,
    fuse_scores,
)

RANKINGS = st.lists(st.lists(st.sampled_from("abcdef"), unique=True), max_size=4)


@given(RANKINGS)
def test_fusing_ranks_loses_no_item_and_invents_none(rankings: list[list[str]]) -> None:
    """The merged ranking holds exactly the ids of its inputs, each once, best first."""
    merged = fuse_ranks(rankings)

    assert sorted(thing for thing, _ in merged) == sorted(
        {thing for ranking in rankings for thing in ranking}
    )
    assert [score for _, score in merged] == sorted((score for _, score in merged), reverse=True)


@pytest.mark.covers("CX-16", "SO-68")
def test_ranks_count_from_one() -> None:
    """The first place of one ranking is worth 1 / (60 + 1)."""
    assert fuse_ranks([["a", "b"]]) == [("a", 1 / 61), ("b", 1 / 62)]


@pytest.mark.covers("GM-50")
def test_weighted_ranks_with_missing_ones_at_the_lists_length() -> None:
    """0.6 / (60 + vector rank) + 0.4 / (60 + keyword rank); a row that a list lacks takes that
    list's length as its rank.
    """
    merged = dict(fuse_ranks([["a", "b", "c"], ["b", "d"]], weights=[0.6, 0.4], missing=True))

    assert merged["b"] == pytest.approx(0.6 / 62 + 0.4 / 61)
    assert merged["a"] == pytest.approx(0.6 / 61 + 0.4 / 62)
    assert merged["d"] == pytest.approx(0.6 / 63 + 0.4 / 62)


@pytest.mark.covers("ED-29", "LS-77")
def test_a_threshold_on_the_documented_scale_lets_six_of_one_source_through() -> None:
    """Fused at least 0.015 with k 60: places 1 to 6 of a single ranking pass."""
    alone = fuse_ranks([[str(n) for n in range(1, 21)]])

    assert [thing for thing, score in alone if score >= 0.015] == ["1", "2", "3", "4", "5", "6"]
    assert dict(fuse_ranks([["x"], ["x"]]))["x"] >= 0.015


@pytest.mark.covers("SO-68", "LS-62")
def test_normalised_scores_run_from_one_to_zero() -> None:
    """The best is 1, the last 0; one alone, and equal ones, are 1: a threshold on this scale drops
    the last.
    """
    assert fuse_ranks([["a", "b"]], normalise=True) == [("a", 1.0), ("b", 0.0)]
    assert fuse_ranks([["a"]], normalise=True) == [("a", 1.0)]
    assert fuse_ranks([["a"], ["b"]], normalise=True) == [("a", 1.0), ("b", 1.0)]
    assert fuse_ranks([], normalise=True) == []


@pytest.mark.covers("SO-68")
def test_the_cut_comes_after_normalising() -> None:
    """What is cut off still sets the scale."""
    merged = fuse_ranks([["a", "b", "c"]], normalise=True, limit=2)

    assert [thing for thing, _ in merged] == ["a", "b"]
    assert 0 < merged[1][1] < 1


@pytest.mark.parametrize("k", [0, -1])
def test_a_constant_below_one_is_refused(k: int) -> None:
    """It would divide by nothing."""
    with pytest.raises(ValueError, match="at least 1"):
        fuse_ranks([["a"]], k=k)


def test_weights_must_match_the_rankings() -> None:
    """One weight for each."""
    with pytest.raises(ValueError, match="2 weights for 1"):
        fuse_ranks([["a"]], weights=[1, 2])


SCORES = st.lists(st.floats(1e-6, 40), max_size=6)


@given(SCORES, SCORES)
def test_fused_scores_are_shares_of_one(text: list[float], vector: list[float]) -> None:
    """Every document of every arm once, best first, each score from 0 to 1 and the sum of what its
    arms gave.
    """
    founds = [found(Arm.TEXT, text), found(Arm.VECTOR, vector)]

    fused = fuse_scores(founds).best()

    assert sorted(f.doc for f in fused) == sorted({doc for f in founds for doc in f.docs.tolist()})
    assert all(
        0 <= f.score <= 1 + 1e-9 and f.score == pytest.approx(math.fsum(a.share for a in f.arms))
        for f in fused
    )
    assert [f.score for f in fused] == sorted((f.score for f in fused), reverse=True)


def found(arm: Arm, scores: list[float]) -> Found:
    """Documents 0, 1, 2… with these scores, best first."""
    ordered = sorted(enumerate(scores), key=lambda pair: -pair[1])
    return Found.of(arm, ordered)


FINDS = st.dictionaries(st.integers(1, 30), st.floats(1e-6, 40), max_size=12)


@given(st.tuples(FINDS, FINDS, FINDS))
def test_what_is_fused_in_columns_is_what_adding_up_gives(
    finds: tuple[dict[int, float], ...],
) -> None:
    """To the last bit, document by document: its shares in the order of the arms; ties go to the
    newer; each arm's rank and score.
    """
    arms = dict(
        zip((Arm.TEXT, Arm.VECTOR, Arm.ENTITY), ([*found.items()] for found in finds), strict=True)
    )
    for found in arms.values():
        found.sort(key=lambda pair: (-pair[1], -pair[0]))
    total = sum(WEIGHTS[arm] for arm, found in arms.items() if found)
    scores: dict[int, float] = {}
    said: dict[int, list[tuple[Arm, int, float]]] = {}
    for arm, found in arms.items():
        for rank, (doc, score) in enumerate(found, start=1):
            scores[doc] = min(
                1.0, scores.get(doc, 0.0) + WEIGHTS[arm] * (score / found[0][1]) / total
            )
            said.setdefault(doc, []).append((arm, rank, score))

    pool = fuse_scores([Found.of(arm, found) for arm, found in arms.items()])

    expected = sorted(scores.items(), key=lambda pair: (-pair[1], -pair[0]))
    assert [(f.doc, f.score) for f in pool.best()] == expected
    assert [f.doc for f in pool.best(3)] == [doc for doc, _ in expected[:3]]
    assert {f.doc: [(a.arm, a.rank, a.score) for a in f.arms] for f in pool.best()} == said


def test_an_arm_that_found_nothing_does_not_weigh_in() -> None:
    """The best keyword match alone scores 1, whether or not the other arms looked."""
    text = Found.of(Arm.TEXT, [(1, 4.0), (2, 1.0)])

    best, _ = fuse_scores([text, Found.of(Arm.ENTITY, ()), Found.of(Arm.TIME, ())]).best()

    assert best.doc == 1
    assert best.score == 1.0


def test_fused_ranks_count_from_one_and_ties_go_to_the_newer() -> None:
    """What each arm said stands on the document; of equal scores the newer document is first."""
    first, second = fuse_scores([Found.of(Arm.TEXT, [(1, 2.0), (2, 2.0)])]).best()

    assert (first.doc, second.doc) == (2, 1)
    assert (first.arms[0].rank, second.arms[0].rank) == (2, 1)


def diverse(found: list[tuple[str, float]], balance: float) -> list[str]:
    """Texts a, b and c with their scores, put in the order in which the best do not repeat each
    other.
    """
    named = dict(zip("abc", found, strict=True))
    scores = {name: score for name, (_, score) in named.items()}
    return diversify(list("abc"), scores, lambda name: named[name][0].split(), 3, balance=balance)


@pytest.mark.covers("SO-80")
def test_a_repetition_gives_way() -> None:
    """What says the same as a better hit comes after something new, though it scored higher."""
    found = [
        ("the cat sat on the mat", 1.0),
        ("the cat sat on the mat", 0.9),
        ("dogs bark at night", 0.7),
    ]

    assert diverse(found, balance=0.7) == ["a", "c", "b"]


def test_turns_of_phrase_are_no_repetition() -> None:
    """What shares a few words with a better hit keeps its place: it says something else."""
    found = [
        ("i went to the market with my sister on monday", 1.0),
        ("i went to the dentist with my son", 0.9),
        ("dogs bark at night", 0.89),
    ]

    assert diverse(found, balance=0.9) == ["a", "b", "c"]


def test_the_same_words_come_last() -> None:
    """However well they were found: nobody needs them twice while something else was found."""
    found = [
        ("the ferry leaves at seven", 1.0),
        ("the ferry leaves at seven", 1.0),
        ("on sundays at nine", 0.01),
    ]

    assert diverse(found, balance=0.9) == ["a", "c", "b"]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 99), st.floats(0, 1), st.lists(st.sampled_from("xyz"), max_size=4)
        ),
        unique_by=lambda t: t[0],
    )
)
def test_diversity_loses_and_invents_nothing(things: list[tuple[int, float, list[str]]]) -> None:
    """All of them in some order, the best first, however many alike there are."""
    scores, words = {n: s for n, s, _ in things}, {n: w for n, _, w in things}
    order = sorted(scores, key=lambda n: -scores[n])

    chosen = diversify(order, scores, words.__getitem__, len(order) + 1)

    assert sorted(chosen) == sorted(order)
    assert chosen[:1] == order[:1]
    assert len(diversify(order, scores, words.__getitem__, 2)) == min(2, len(order))


@pytest.mark.parametrize("arms", [arms for size in range(1, 5) for arms in permutations(Arm, size)])
def test_what_every_arm_finds_best_scores_1(arms: tuple[Arm, ...]) -> None:
    """And not a bit more, however the weights of the arms are rounded."""
    founds = [Found.of(arm, [(1, 0.7), (2, 0.3)]) for arm in arms]

    assert 1 - 1e-9 < fuse_scores(founds).best(1)[0].score <= 1
