"""When a job that failed is tried again, and when it is not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from omoide.errors import ModelError, ModelUnreachable, StoreBusy
from omoide.upkeep.retry import LONGEST, MOST, MOST_AWAY, Verdict, judge, raw_answer, reason
from tests.fix_memory import NINE


def waits(error: Exception, chance: float = 1.0) -> list[float]:
    """The seconds between all tries of a job that fails with this each time."""
    seconds, verdict = [], judge(error, 0, NINE, chance)
    while verdict.again_at is not None:
        seconds.append((verdict.again_at - NINE).total_seconds())
        verdict = judge(error, verdict.failures, NINE, chance)
    return seconds


def test_waits_double_up_to_an_hour() -> None:
    """An answer that is wrong is asked for a few times; a server that is away is waited for, a day or so."""
    assert waits(ModelError("no JSON")) == [2, 4, 8, 16]
    away = waits(ModelUnreachable("down"))
    assert away[:11] == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]
    assert set(away[11:]) == {3600}
    assert len(away) == MOST_AWAY - 1
    assert sum(away) > 24 * 3600
    assert waits(StoreBusy("locked")) == away


def test_chance_cuts_each_wait() -> None:
    """From nothing up to all of it, so that what failed together does not come back together."""
    assert waits(ModelError("no JSON"), 0.5) == [1, 2, 4, 8]
    assert waits(ModelError("no JSON"), 0.0) == [0, 0, 0, 0]


@pytest.mark.parametrize(("told", "waited"), [(90, 90), (1.5, 2), (7200.0, 7200), ("soon", 2), (None, 2)])
def test_a_server_that_says_when_is_listened_to(told: object, waited: float) -> None:
    """It is not asked sooner, however long that is; what is no number is not understood."""
    error = ModelError("busy")
    error.retry_after_s = told  # type: ignore[attr-defined]

    assert judge(error, 0, NINE, 1.0) == Verdict(failures=1, again_at=NINE + timedelta(seconds=waited))


@pytest.mark.parametrize("hours", [-1, 30])
def test_a_limit_that_ends_is_waited_for(hours: int) -> None:
    """Until then, and without counting; a limit that has ended already does not lead into the past."""
    error = ModelError("the day's limit is reached")
    error.until = NINE + timedelta(hours=hours)  # type: ignore[attr-defined]

    assert judge(error, MOST - 1, NINE, 1.0) == Verdict(failures=MOST - 1, again_at=NINE + timedelta(hours=max(0, hours)))


def test_no_wait_is_beyond_what_numbers_hold() -> None:
    """However often it failed."""
    assert judge(ModelUnreachable("down"), MOST_AWAY - 2, NINE, 1.0).again_at == NINE + LONGEST
    assert judge(ModelUnreachable("down"), 10_000, NINE, 1.0).again_at is None


def test_reasons_hold_no_memory_text_and_no_secret() -> None:
    """Of errors that are not a model's or a store's only the class is told; of these the message, masked and cut."""
    key = "sk-proj-" + "a1B2c3D4e5" * 5

    assert reason(ValueError("Ana is ill")) == "ValueError"
    assert reason(ModelError("no JSON")) == "ModelError: no JSON"
    assert key not in reason(ModelError(f"refused {key}"))
    assert len(reason(ModelError("x" * 1_000))) == 200


def test_only_our_errors_bring_an_answer() -> None:
    """And its secrets are masked, as everywhere."""
    key = "sk-proj-" + "a1B2c3D4e5" * 5
    ours, other = ModelError("no JSON"), ValueError("no")
    ours.raw, other.raw = f"well, {key}", "well"  # type: ignore[attr-defined]

    assert raw_answer(ours).startswith("well, ")
    assert key not in raw_answer(ours)
    assert raw_answer(other) == raw_answer(ModelError("no JSON")) == ""
