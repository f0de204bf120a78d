"""Recall on the repository's own conversations: the packaged embedder and reranker earn their
place.
"""

from __future__ import annotations

import pytest

from omoide.evals import Difference, Report, Setup, compare, load_dataset, run
from tests.source_tree import ROOT

TALKS = ROOT / "scripts" / "data" / "talks"
CHANCE = 0.05


@pytest.fixture(scope="module")
def report() -> Report:
    """Presets and full-text search on all talks."""
    if not TALKS.is_dir():
        pytest.skip("the talks are not part of this copy")
    return run(
        load_dataset("probes", TALKS), Setup(systems=("fts5-stop", "default", "best"), limit=330)
    )


def gain(report: Report, one: str, other: str) -> Difference:
    """How much better the other is, by the order of the first ten."""
    return next(
        d for d in compare(report, report, system=one, against=other) if d.metric == "NDCG@10"
    )


@pytest.mark.covers("GM-176")
def test_the_reranker_helps_where_many_turns_answer_to_the_words(report: Report) -> None:
    """With it the right turns stand higher than without, by more than chance: talks go on about one
    thing for weeks.
    """
    found = gain(report, "default", "best")

    assert found.n > 200
    assert found.difference > 0
    assert found.p < CHANCE


def test_all_arms_together_find_more_than_words(report: Report) -> None:
    """The default preset is above full-text search by more than chance."""
    found = gain(report, "fts5-stop", "default")

    assert found.difference > 0
    assert found.p < CHANCE


def test_recall_is_the_same_every_time(report: Report) -> None:
    """The same conversations and questions, the same hits in the same order."""
    again = run(load_dataset("probes", TALKS), Setup(systems=("default",), limit=60))
    asked = {
        (outcome.case, outcome.probe): outcome.found for outcome in report.run("default").outcomes
    }

    assert [asked[o.case, o.probe] for o in again.run("default").outcomes] == [
        o.found for o in again.run("default").outcomes
    ]
