"""What outcomes add up to, and whether a difference is more than chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.evals import (
    METRICS,
    DocumentUnit,
    QuestionOutcome,
    Report,
    Run,
    Setup,
    compare,
    summarise,
    summary_of,
)
from omoide.evals.paired import differences
from omoide.evals.report import Filling
from omoide.nouns.errors import InvalidInput


def outcome(probe: int, *places: int, **told: Any) -> QuestionOutcome:
    """A question with one right document, found at these places."""
    usual: dict[str, Any] = {
        "case": "c",
        "category": "a",
        "gold": 1,
        "found": (),
        "held": True,
        "apart": False,
    }
    return QuestionOutcome(
        **{
            "probe": str(probe),
            "places": places,
            "ms": 1.0,
            "cpu_ms": 0.5,
            "tokens": 10,
            "answerable": 0.5,
            **usual,
            **told,
        }
    )


def run_of(*outcomes: QuestionOutcome, system: str = "default") -> Run:
    return Run(system=system, outcomes=outcomes, steps={"text": 6.0})


def report_of(*runs: Run, **told: Any) -> Report:
    usual: dict[str, Any] = {
        "dataset": "d",
        "unit": DocumentUnit.TURN,
        "data": "ab",
        "cases": 1,
        "questions": 4,
        "version": "0",
        "machine": "",
    }
    return Report(**{**usual, "setup": Setup(), "filling": Filling(), "runs": runs, **told})


MIXED = run_of(
    outcome(1, 1),
    outcome(2, 1),
    outcome(3),
    outcome(4, 2, category="b", ms=9.0),
    outcome(5, category="c", apart=True, held=False, answerable=0.9),
    outcome(6, 1, category="c", apart=True, held=False, answerable=0.1),
    outcome(7, category="d", gold=0, apart=True, held=False, answerable=0.1),
)


def test_averages_worked_out_by_hand() -> None:
    """Over questions, over categories, and with what is set apart; questions without right
    documents are in none.
    """
    summary = summary_of(MIXED)

    assert summary.overall.n == summary.macro.n == 4
    assert summary.overall.metrics["R@1"].value == pytest.approx(2 / 4)
    assert summary.macro.metrics["R@1"].value == pytest.approx((2 / 3 + 0) / 2)
    assert summary.everything.n == 6
    assert summary.everything.metrics["R@1"].value == pytest.approx(3 / 6)
    assert {name: scores.n for name, scores in summary.categories.items()} == {
        "a": 3,
        "b": 1,
        "c": 2,
    }
    assert summary.categories["c"].metrics["MRR"].value == 0.5


def test_costs_worked_out_by_hand() -> None:
    """Percentiles and means are over all questions asked."""
    summary = summary_of(MIXED)

    assert (summary.p50_ms, summary.p95_ms, summary.p50_cpu_ms, summary.tokens) == (
        1.0,
        9.0,
        0.5,
        10.0,
    )
    assert summary.steps_ms["text"] == pytest.approx(6 / 7)


def test_calibration_worked_out_by_hand() -> None:
    """Four held at 0.5 against each sort of absent ones: at 0.9 and 0.1 half is won and half let
    through; at 0.1 all and none.
    """
    calibrations = summary_of(MIXED).calibrations

    assert {name: (c.held, c.absent, c.bound) for name, c in calibrations.items()} == {
        "c": (4, 2, 0.5),
        "d": (4, 1, 0.5),
    }
    assert {name: (c.auroc, c.false_yes) for name, c in calibrations.items()} == {
        "c": (0.5, 0.5),
        "d": (1.0, 0.0),
    }
    assert summary_of(run_of(outcome(1, 1))).calibrations == {}


def test_nothing_right_to_find_gives_no_figures() -> None:
    """A run without a gold document has n = 0 and no metric, and does not fail."""
    summary = summary_of(run_of(outcome(1, gold=0)))

    assert (summary.overall.n, dict(summary.overall.metrics), dict(summary.categories)) == (
        0,
        {},
        {},
    )


@given(
    st.lists(st.tuples(st.integers(1, 20), st.sampled_from("ab")), min_size=1, max_size=12),
    st.integers(0, 3),
)
def test_intervals_hold_the_mean_and_repeat(found: list[tuple[int, str]], seed: int) -> None:
    """Low, value, high in that order and within 0 to 1; the same seed gives the same ones."""
    run = run_of(
        *(outcome(n, place, category=category) for n, (place, category) in enumerate(found))
    )
    summary = summary_of(run, seed=seed)

    assert summary == summarise(report_of(run), seed=seed)[0]
    for scores in (summary.overall, summary.macro, *summary.categories.values()):
        for estimate in scores.metrics.values():
            assert -1e-9 <= estimate.low <= estimate.value + 1e-9
            assert estimate.value - 1e-9 <= estimate.high <= 1 + 1e-9


def test_intervals_are_about_as_wide_as_theory_says() -> None:
    """A hundred questions, half of them found: 1.96 standard errors, that is about ten points, on
    each side.
    """
    run = run_of(*(outcome(n, *([1] if n % 2 else [])) for n in range(100)))
    estimate = summary_of(run).overall.metrics["R@1"]

    assert estimate.low == pytest.approx(0.402, abs=0.02)
    assert estimate.high == pytest.approx(0.598, abs=0.02)


def test_a_difference_worked_out_by_hand() -> None:
    """Five questions better, none worse: of the 32 ways the signs could fall, two are as
    extreme.
    """
    one, other = np.zeros((5, len(METRICS))), np.ones((5, len(METRICS)))
    first = differences(one, other)[0]

    assert (first.one, first.other, first.difference, first.low, first.high) == (
        0.0,
        1.0,
        1.0,
        1.0,
        1.0,
    )
    assert first.p == pytest.approx(2 / 32, abs=0.01)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_the_other_way_round_is_the_same_difference(pairs: list[tuple[float, float]]) -> None:
    """Its sign turned; the chance of it the same; and no chance is 0 or over 1."""
    one, other = (
        np.repeat(np.array(values)[:, None], len(METRICS), axis=1)
        for values in zip(*pairs, strict=True)
    )
    there, back = differences(one, other), differences(other, one)

    assert [d.difference for d in there] == pytest.approx([-d.difference for d in back])
    assert [d.p for d in there] == [d.p for d in back]
    assert all(0 < d.p <= 1 for d in there)


def test_systems_are_compared_on_common_questions() -> None:
    """Of the first: its first system unless named; of the other: the same unless named; questions
    set apart are left out.
    """
    better = run_of(*(outcome(n, 1) for n in (2, 3, 4)), outcome(5, 1, apart=True), system="better")
    worse = run_of(*(outcome(n) for n in (1, 2, 3)), outcome(5, apart=True), system="worse")

    found = compare(report_of(worse, better), report_of(better), against="better")
    assert (found[0].n, found[0].one, found[0].other) == (2, 0.0, 1.0)
    assert compare(report_of(worse, better), report_of(better), system="better")[0].difference == 0


@pytest.mark.parametrize(
    ("other", "against", "said"),
    [
        (report_of(MIXED, data="cd"), "", "not the same data"),
        (report_of(MIXED, unit=DocumentUnit.SESSION), "", "not the same data"),
        (report_of(MIXED), "rrf", "took no part"),
        (report_of(run_of(outcome(99))), "", "no question"),
    ],
)
def test_what_cannot_be_compared_is_refused(other: Report, against: str, said: str) -> None:
    """Other data, another unit, an unknown system, no common question."""
    with pytest.raises(InvalidInput, match=said):
        compare(report_of(MIXED), other, against=against)
