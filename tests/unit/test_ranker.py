"""The linear ranker: features by hand, scores between 0 and 1, and a reranker's mixed in."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.match import SignColumns, Signs
from omoide.nouns.turn import Role
from omoide.read.ranker import (
    FEATURES,
    PARTS,
    Candidates,
    Weights,
    features,
    load_weights,
    rank,
    rerank,
    weigh,
)
from omoide.write.index import marks_of

ASKED = Signs(session="s", words=99, asks=True, own=4.0, share=0.5, spoken=True)
REPLY = Signs(
    session="s", words=3, after_question=True, assistant=True, assisted=True, own=2.0, share=1.0
)
ALONE = Signs(words=3, own=1.0)
NOTHING = Weights(
    weight=np.zeros(len(FEATURES), np.float32), mean=np.zeros(len(FEATURES), np.float32)
)


def weighing(**weights: float) -> Weights:
    """Weights that are 0 but for some."""
    return Weights(
        weight=np.array([weights.get(name, 0.0) for name in FEATURES], np.float32),
        mean=NOTHING.mean,
    )


def three(third: Signs | None = ALONE) -> Candidates:
    """A question, the reply to it, and an item, which may be unknown to the index."""
    signs = [ASKED, REPLY, third or Signs()]
    sessions, *numbers = zip(*signs, strict=True)
    return Candidates(
        fused=np.array([0.9, 0.3, 0.6]),
        cosine=np.array([0.2, 0.0, 0.1]),
        entity=np.array([0.0, 0.0, 0.5]),
        time=np.array([0.0, 1.0, 0.0]),
        signs=SignColumns(np.array(sessions, object), np.array(numbers, np.float32)),
        known=np.array([True, True, third is not None]),
    )


def in_turn(some: Candidates) -> Candidates:
    """The same; the second stands next to the first in their session."""
    some.signs.numbers[Signs._fields.index("position") - 1] = [0, 1, 0]
    some.signs.numbers[Signs._fields.index("run") - 1] = [2, 2, 1]
    return some


def unsigned(fused: list[float]) -> Candidates:
    """Candidates of which nothing but this is known."""
    scores, nothing = np.array(fused, np.float64), np.zeros(len(fused))
    known = np.zeros(len(fused), bool)
    return Candidates(
        fused=scores,
        cosine=nothing,
        entity=nothing,
        time=nothing,
        signs=SignColumns.unset(len(fused)),
        known=known,
    )


def column(name: str, *, mean: float | None = None) -> list[float]:
    """One feature of the three candidates; the third is unknown to the index where a mean is
    given.
    """
    some, means = (
        (three(), None) if mean is None else (three(None), np.full(len(FEATURES), mean, np.float32))
    )
    return [round(float(value), 4) for value in features(some, mean=means)[:, FEATURES.index(name)]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("own", [1.0, 0.5, 0.25]),
        ("cosine", [0.5, 0.0, 0.25]),  # the best is below 0.4, so it counts as shares of that
        ("session", [0.4, 0.4, 0.6]),  # (0.9 + 0.3) / 3; who is in no session speaks for himself
        ("spoken", [1.0, 0.0, 0.0]),
        ("share", [0.5, 1.0, 0.0]),
        ("length", [round(math.log1p(25), 4), round(math.log1p(3), 4), round(math.log1p(3), 4)]),
        ("asks", [1.0, 0.0, 0.0]),
        ("after_question", [0.0, 1.0, 0.0]),
        ("person", [1.0, 0.0, 1.0]),
        ("assisted own", [0.0, 0.5, 0.0]),
        ("assisted length", [0.0, round(math.log1p(3), 4), 0.0]),
        ("entity", [0.0, 0.0, 1.0]),
        ("time", [0.0, 1.0, 0.0]),
    ],
)
def test_features_are_what_their_names_say(name: str, expected: list[float]) -> None:
    """By hand, for a question, an assistant's reply to it, and an item."""
    assert column(name) == expected


def test_what_the_index_does_not_tell_counts_as_usual() -> None:
    """A candidate without signs has the means, but for what the arms tell."""
    assert column("length", mean=7.0)[2] == 7.0
    assert column("entity", mean=7.0)[2] == 1.0
    assert column("cosine", mean=7.0)[2] == 0.25


def test_every_feature_has_its_packaged_weights() -> None:
    """Both sets, and the mean, are complete; only what is reranked afterwards has a weight for
    that.
    """
    default, reranked = load_weights("default"), load_weights("reranked")

    assert len(default.weight) == len(reranked.weight) == len(default.mean) == len(FEATURES)
    assert (default.rerank, reranked.rerank > 0) == (0.0, True)


def test_the_weighted_sum_orders_and_the_best_keeps_the_greatest_fused_score() -> None:
    """What falls behind by one in the sum has its score divided by exp(1 / 3)."""
    scores = rank(weigh(three(), weighing(after_question=3.0)), 0.9)

    assert scores.tolist() == pytest.approx([0.9 / math.e, 0.9, 0.9 / math.e])


@pytest.mark.parametrize(("told", "expected"), [(False, [0.4, 0.8, 0.0]), (True, [0.4, 2.4, 0.0])])
def test_a_turn_gets_a_share_of_the_other_of_its_exchange(
    told: bool, expected: list[float]
) -> None:
    """Of what that has above eight behind the best; an answer more where what was told is asked."""
    answer = load_weights("default", told_by_assistant=told).answer

    weighed = weigh(in_turn(three()), replace(weighing(spoken=4.0), answer=answer))

    assert weighed[:, PARTS.index("exchange")].tolist() == pytest.approx(expected)


def test_a_turn_far_behind_the_best_shares_nothing() -> None:
    """So that only what is found well raises the other of its exchange."""
    weighed = weigh(in_turn(three()), weighing(spoken=9.0))

    assert weighed[:, PARTS.index("exchange")].tolist() == pytest.approx([0.0, 0.8, 0.0])


def test_what_stands_alone_is_no_short_reply() -> None:
    """As far as it has the question's words it counts as of usual length, and as told by the
    speaker that it names.
    """
    note = Signs(session="t", words=3, run=1, own=1.0, share=0.5, named=True)
    usual = np.full(len(FEATURES), 3.0, np.float32)

    table = features(three(note), mean=usual)[2]

    short = math.log1p(3)
    assert table[FEATURES.index("length")] == pytest.approx(short + 0.5 * (3 - short))
    assert table[FEATURES.index("spoken")] == 0.5


def test_a_short_reply_stays_short() -> None:
    """Whatever words it shares, and whom it names."""
    reply = Signs(session="t", words=3, run=2, own=1.0, share=0.5, named=True)

    table = features(three(reply), mean=np.full(len(FEATURES), 3.0, np.float32))[2]

    assert table[FEATURES.index("length")] == pytest.approx(math.log1p(3))
    assert table[FEATURES.index("spoken")] == 0.0


def test_nothing_found_is_nothing_ranked() -> None:
    """And no error."""
    assert rank(weigh(unsigned([]), NOTHING), 0.0).tolist() == []


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=20))
def test_ranked_scores_stay_between_0_and_the_greatest(fused: list[float]) -> None:
    """Whatever was fused, with the packaged weights."""
    scores = rank(weigh(unsigned(fused), load_weights("default")), max(fused))

    assert len(scores) == len(fused)
    assert scores.max() == pytest.approx(max(fused))
    assert scores.min() >= 0


def test_a_reranker_moves_what_it_prefers() -> None:
    """Its scores may be on any scale; without weight it changes nothing, and equal scores of it
    neither.
    """
    assert rerank([0.8, 0.4], [-30.0, 50.0], 0.0) == pytest.approx([0.8, 0.4])
    assert rerank([0.8, 0.4], [7.0, 7.0], 2.0) == pytest.approx([0.8, 0.4])
    assert rerank([0.8, 0.4], [-30.0, 50.0], 9.0) == pytest.approx([0.8 * 2 / math.e**3, 0.8])


@pytest.mark.parametrize("text", ["Where?", "どこですか？", "أين؟", "Why? Because."])
def test_a_question_is_marked_in_any_script(text: str) -> None:
    """Before the words around it, together with who speaks."""
    assert marks_of(Role.USER, text) == "? "
    assert marks_of(Role.ASSISTANT, text) == "?! "


def test_a_statement_is_not_marked() -> None:
    """Unless an assistant makes it."""
    assert marks_of(Role.USER, "There.") == ""
    assert marks_of(Role.ASSISTANT, "There.") == "! "
