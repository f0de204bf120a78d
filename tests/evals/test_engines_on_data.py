"""Retrieval on real conversations is the same on both engines: LoCoMo, ingested and asked through
the public verbs.

The data is not part of the repository: ``OMOIDE_EVAL_DATA`` names the folder that holds it. One
conversation in every run, all of them with ``OMOIDE_TORTURE=full``.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from omoide.evals import Dataset, Report, Setup, load_dataset, run, summarise
from omoide.nouns.errors import InvalidInput

FULL = os.environ.get("OMOIDE_TORTURE") == "full"
TOP = 10


@pytest.fixture
def conversations() -> Dataset:
    """Those of this run."""
    try:
        dataset = load_dataset("locomo-turns")
    except InvalidInput as absent:
        pytest.skip(f"no LoCoMo here: {absent}")
    return dataset if FULL else replace(dataset, cases=dataset.cases[:1])


def found_by(report: Report) -> list[frozenset[str]]:
    """The ten best turns for each question."""
    return [frozenset(outcome.found[:TOP]) for outcome in report.run("default").outcomes]


@pytest.mark.timeout(1_200)
def test_both_engines_find_the_same_in_real_conversations(
    conversations: Dataset, postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """R@10 within one point; of the ten best turns nine or more in common, on average and for 99 of
    100 questions.
    """
    reports = [run(conversations, Setup(), store=store) for store in (":memory:", postgres_url)]

    one, other = map(found_by, reports)
    common = [len(a & b) for a, b in zip(one, other, strict=True)]
    alike = sum(
        c >= max(len(a), len(b)) - 1 for c, a, b in zip(common, one, other, strict=True)
    ) / len(common)
    recall, twin = (100 * summarise(report)[0].overall.metrics["R@10"].value for report in reports)
    with capsys.disabled():
        print(
            f"\nLoCoMo turns, {len(conversations.cases)} conversations, n={len(common)}, data"
            f" {conversations.hash[:12]}: R@10 {recall:.1f} / {twin:.1f}, in common"
            f" {sum(common) / len(common):.2f}, alike {alike:.1%}"
        )
    assert abs(recall - twin) <= 1
    assert sum(common) / len(common) >= 9
    assert alike >= 0.99
