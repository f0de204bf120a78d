"""How much of what answers stands in contexts of a size."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from omoide.evals.dataset import Dataset
from omoide.evals.measure import Tell, run
from omoide.evals.report import QuestionOutcome, Setup, by_category
from omoide.evals.systems import CONTEXTS
from omoide.nouns.errors import UnknownName
from omoide.nouns.record.frozen import frozen_record

ALL = "all"  # the name of all categories together


@frozen_record
class RightHeld:
    """What contexts hold of the right documents, over the questions of one category, from 0 to 1:
    the mean share of them, and the shares of questions with one at least, and with all of them.
    """

    category: str
    questions: int
    share: float
    any: float
    all: float
    tokens: float  # of a context, on average
    ms: float  # for one, on average


def held_in_contexts(
    dataset: Dataset,
    budget: int,
    setup: Setup,
    tell: Tell = lambda more, total: None,
) -> list[RightHeld]:
    """What contexts within a budget hold, by category, and first of all together; questions that
    memory cannot answer are left out.

    Raises:
        UnknownName: contexts of this size are not measured.
        InvalidInput: the data cannot be measured like this.
    """
    name = f"context-{budget}"
    if name not in CONTEXTS:
        raise UnknownName("budget", str(budget), tuple(map(str, CONTEXTS.values())))
    report = run(dataset, Setup(systems=(name,), limit=setup.limit), tell=tell)
    asked = [one for one in report.runs[0].outcomes if one.gold and not one.apart]
    groups = ((ALL, asked), *by_category(asked).items())
    return [_held(category, outcomes) for category, outcomes in groups if outcomes]


def _held(category: str, outcomes: Sequence[QuestionOutcome]) -> RightHeld:
    shares = [len(one.places) / one.gold for one in outcomes]
    return RightHeld(
        category=category,
        questions=len(outcomes),
        share=fmean(shares),
        any=fmean(share > 0 for share in shares),
        all=fmean(share == 1 for share in shares),
        tokens=fmean(one.tokens for one in outcomes),
        ms=fmean(one.ms for one in outcomes),
    )
