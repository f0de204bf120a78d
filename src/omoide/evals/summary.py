"""What a run's outcomes add up to: means with intervals, latency, context, and how well
``answerable`` tells.

Intervals are percentile bootstrap: questions are drawn again from each category, as many as it has,
and the middle 95 % of the means is kept. They say how much hangs on the choice of questions, not of
conversations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from omoide.evals.metrics import METRICS, auroc, false_yes, percentile
from omoide.evals.report import QuestionOutcome, Report, Run, by_category
from omoide.nouns.record.frozen import frozen_record

DRAWS = 2_000
TAIL = 2.5  # percent on each side of an interval

Floats = NDArray[np.float64]


@frozen_record
class Estimate:
    """A mean from 0 to 1, and the interval of 95 % around it."""

    value: float
    low: float
    high: float


@frozen_record
class MetricScores:
    """Every metric over some questions."""

    n: int
    metrics: Mapping[str, Estimate]


@frozen_record
class Calibration:
    """How ``answerable`` parts questions with an answer from those without."""

    held: int
    absent: int
    auroc: float
    bound: float  # the highest value that 95 % of the held reach
    false_yes: float  # the share of the absent that reach it too


@frozen_record
class Summary:
    """One system in figures. Times are milliseconds."""

    system: str
    overall: MetricScores  # the mean over all questions that are not set apart
    macro: MetricScores  # the mean over their categories, each counting the same
    # the mean over all questions with right documents, those set apart too
    everything: MetricScores
    categories: Mapping[str, MetricScores]
    calibrations: Mapping[str, Calibration]  # by the category of the questions without an answer
    p50_ms: float
    p95_ms: float
    p50_cpu_ms: float  # processor time
    tokens: float  # of the first ten hits, on average
    steps_ms: Mapping[str, float]  # of one question, on average
    degraded: tuple[str, ...]


def summarise(report: Report, *, seed: int = 0) -> tuple[Summary, ...]:
    """Every system of a report. The same seed gives the same intervals."""
    return tuple(summary_of(run, seed=seed) for run in report.runs)


def summary_of(run: Run, *, seed: int = 0) -> Summary:
    """One system's figures."""
    outcomes, scores = run.outcomes, partial(_scores, seed=seed)
    groups = by_category(outcome for outcome in outcomes if outcome.gold)
    values = {category: values_of(asked) for category, asked in groups.items()}
    plain = [values[c] for c, asked in groups.items() if not any(one.apart for one in asked)]
    times, count = [outcome.ms for outcome in outcomes], max(1, len(outcomes))
    return Summary(
        system=run.system,
        overall=scores(plain),
        macro=scores(plain, macro=True),
        everything=scores(list(values.values())),
        categories={category: scores([group]) for category, group in values.items()},
        calibrations=_calibrations(outcomes),
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        p50_cpu_ms=percentile([outcome.cpu_ms for outcome in outcomes], 0.5),
        tokens=sum(outcome.tokens for outcome in outcomes) / count,
        steps_ms={step: ms / count for step, ms in run.steps.items()},
        degraded=run.degraded,
    )


def values_of(outcomes: Sequence[QuestionOutcome]) -> Floats:
    """Every metric of every outcome: float64, shape ``(n, metrics)``."""
    rows = [
        [metric(outcome.places, outcome.gold) for metric in METRICS.values()]
        for outcome in outcomes
    ]
    return np.asarray(rows, np.float64).reshape(len(rows), len(METRICS))


def _scores(groups: Sequence[Floats], *, seed: int, macro: bool = False) -> MetricScores:
    n = sum(len(group) for group in groups)
    if not n:
        return MetricScores(n=0, metrics={})
    weights = [1 / len(groups) if macro else len(group) / n for group in groups]
    value, means = np.zeros(len(METRICS)), np.zeros((DRAWS, len(METRICS)))
    draws = np.random.default_rng(seed)
    for weight, group in zip(weights, groups, strict=True):
        size = len(group)
        value += weight * group.mean(axis=0)
        means += weight * (draws.multinomial(size, np.full(size, 1 / size), DRAWS) @ group) / size
    low, high = np.percentile(means, (TAIL, 100 - TAIL), axis=0)
    told = zip(METRICS, value, low, high, strict=True)
    return MetricScores(n=n, metrics={name: _estimate(*figures) for name, *figures in told})


def _estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=float(value), low=float(low), high=float(high))


def _calibrations(outcomes: Sequence[QuestionOutcome]) -> Mapping[str, Calibration]:
    """None where a system gives no such number, or no question has an answer."""
    yes = [o.answerable for o in outcomes if o.held and o.answerable is not None]
    absent = by_category(o for o in outcomes if not o.held and o.answerable is not None)
    told = {name: [o.answerable or 0.0 for o in found] for name, found in absent.items()}
    return {name: _calibration(yes, no) for name, no in told.items() if yes}


def _calibration(yes: Sequence[float], no: Sequence[float]) -> Calibration:
    bound, wrong = false_yes(yes, no)
    return Calibration(
        held=len(yes), absent=len(no), auroc=auroc(yes, no), bound=bound, false_yes=wrong
    )
