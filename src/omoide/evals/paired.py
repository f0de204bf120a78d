"""Whether one system is better than another: the same questions asked of both, and how likely
chance explains it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from omoide.evals.metrics import METRICS
from omoide.evals.report import QuestionOutcome, Report
from omoide.evals.summary import DRAWS, TAIL, Floats, values_of
from omoide.nouns.errors import InvalidInput
from omoide.nouns.record.frozen import frozen_record

FLIPS = 10_000
CHUNK = 500  # flips at a time, so that thousands of questions need no gigabytes


@frozen_record
class Difference:
    """One metric of two systems over the same questions; ``difference`` is the other less the one.

    ``low`` and ``high`` hold it in 95 of 100 draws of the questions. ``p`` is how often chance
    alone would make the difference as large, either way.
    """

    metric: str
    n: int
    one: float
    other: float
    difference: float
    low: float
    high: float
    p: float


def compare(
    one: Report, other: Report, *, system: str = "", against: str = "", seed: int = 0
) -> tuple[Difference, ...]:
    """Two systems on the questions that both were asked, category by category as they come, those
    set apart left out.

    ``system`` is one's (empty: its first), ``against`` the other's (empty: the same name).

    Raises:
        InvalidInput: the reports are of different data, the system took no part, or no question is
            common.
    """
    _check_same_data(one, other)
    system = system or one.runs[0].system
    first = _by_question(one.run(system).outcomes)
    second = _by_question(other.run(against or system).outcomes)
    common = [key for key in first if key in second]
    if not common:
        raise InvalidInput("compare", "no question was asked in both")
    values = (values_of([asked[key] for key in common]) for asked in (first, second))
    return differences(*values, seed=seed)


def _check_same_data(one: Report, other: Report) -> None:
    if (one.data, one.unit) != (other.data, other.unit):
        known = (f"{report.dataset} ({report.data[:12]})" for report in (one, other))
        raise InvalidInput("compare", f"{' and '.join(known)} are not the same data")


def _by_question(outcomes: Sequence[QuestionOutcome]) -> dict[tuple[str, str], QuestionOutcome]:
    return {(o.case, o.probe): o for o in outcomes if o.gold and not o.apart}


def differences(one: Floats, other: Floats, *, seed: int = 0) -> tuple[Difference, ...]:
    """Every metric of two arrays of the same shape, ``(n, metrics)``: row by row the same
    question.
    """
    gain = other - one
    n = len(gain)
    draws = np.random.default_rng(seed)
    means = draws.multinomial(n, np.full(n, 1 / n), DRAWS) @ gain / n
    low, high = np.percentile(means, (TAIL, 100 - TAIL), axis=0)
    figures = (one.mean(axis=0), other.mean(axis=0), gain.mean(axis=0), low, high)
    columns = np.stack((*figures, _chances(gain, draws)), axis=1).tolist()
    names = ("one", "other", "difference", "low", "high", "p")
    return tuple(
        Difference(metric=metric, n=n, **dict(zip(names, values, strict=True)))
        for metric, values in zip(METRICS, columns, strict=True)
    )


def _chances(gain: Floats, draws: np.random.Generator) -> Floats:
    """The paired permutation test, two-sided: were the systems equal, each question's gain could as
    well be a loss.
    """
    seen = np.abs(gain.sum(axis=0)) - 1e-9  # sums of the same numbers in another order are equal
    as_large = np.zeros(gain.shape[1])
    for _ in range(FLIPS // CHUNK):
        signs = draws.integers(0, 2, (CHUNK, len(gain)), dtype=np.int8) * 2.0 - 1
        as_large += (np.abs(signs @ gain) >= seen).sum(axis=0)
    return (as_large + 1) / (FLIPS + 1)
