"""When a job that failed is tried again, and when it is not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from omoide.jobs.retry import (
    LONGEST,
    MOST,
    MOST_AWAY,
    REASON_LIMIT,
    RetryDecision,
    judge,
    raw_answer,
    reason,
)
from omoide.nouns.errors import (
    BadAnswer,
    ModelError,
    ModelMissing,
    ModelRefused,
    ModelUnreachable,
    SpendLimit,
    StoreBusy,
)
from tests.fix_memory import NINE


def waits(error: Exception, chance: float = 1.0) -> list[float]:
    """The seconds between all tries of a job that fails with this each time."""
    seconds, verdict = [], judge(error, 0, NINE, chance)
    while verdict.again_at is not None:
        seconds.append((verdict.again_at - NINE).total_seconds())
        verdict = judge(error, verdict.failures, NINE, chance)
    return seconds


def test_waits_double_up_to_an_hour() -> None:
    """An answer that is wrong is asked for a few times; a server that is away is waited for, a day
    or so.
    """
    assert waits(ModelError("no JSON")) == [2, 4, 8, 16]
    away = waits(ModelUnreachable("down"))
    assert away[:11] == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]
    assert set(away[11:]) == {3600}
    assert len(away) == MOST_AWAY - 1
    assert sum(away) > 24 * 3600
    assert waits(StoreBusy("locked")) == waits(ModelMissing("not pulled")) == away


def test_chance_cuts_each_wait() -> None:
    """From nothing up to all of it, so that what failed together does not come back together."""
    assert waits(ModelError("no JSON"), 0.5) == [1, 2, 4, 8]
    assert waits(ModelError("no JSON"), 0.0) == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("told", "waited"),
    [
        (90.0, 90),
        (1.5, 2),
        (7200.0, 7200),
        (1e300, 86_400),
        (float("nan"), 2),
        (-5.0, 2),
        (None, 2),
    ],
)
def test_a_server_that_says_when_is_listened_to(told: float | None, waited: float) -> None:
    """It is not asked sooner, however long that is within a day; what makes no sense is not
    listened to.
    """
    error = ModelUnreachable("busy", told)

    assert judge(error, 0, NINE, 1.0) == RetryDecision(
        failures=1, again_at=NINE + timedelta(seconds=waited)
    )


@pytest.mark.parametrize("hours", [-1, 30])
def test_a_limit_that_ends_is_waited_for(hours: int) -> None:
    """Until then, and without counting; a limit that has ended already does not lead into the
    past.
    """
    error = SpendLimit(5.0, 5.0, NINE + timedelta(hours=hours))

    assert judge(error, MOST - 1, NINE, 1.0) == RetryDecision(
        failures=MOST - 1, again_at=NINE + timedelta(hours=max(0, hours))
    )


def test_what_a_model_does_not_want_to_answer_is_not_asked_again() -> None:
    """It would not want to the next time either."""
    assert judge(ModelRefused("no"), 0, NINE, 1.0) == RetryDecision(failures=1, again_at=None)


def test_no_wait_is_beyond_what_numbers_hold() -> None:
    """However often it failed."""
    assert judge(ModelUnreachable("down"), MOST_AWAY - 2, NINE, 1.0).again_at == NINE + LONGEST
    assert judge(ModelUnreachable("down"), 10_000, NINE, 1.0).again_at is None


def test_reasons_hold_no_memory_text_and_no_secret() -> None:
    """Of errors that are not a model's or a store's only the class is told; of these the message,
    masked and cut.
    """
    key = "sk-proj-" + "a1B2c3D4e5" * 5

    assert reason(ValueError("Ana is ill")) == "ValueError"
    assert reason(ModelError("no JSON")) == "ModelError: no JSON"
    assert key not in reason(ModelError(f"refused {key}"))
    assert len(reason(ModelError("x" * 1_000))) == REASON_LIMIT


def test_what_a_model_said_is_kept_without_secrets() -> None:
    """Of an answer that could not be read; other errors have none."""
    key = "sk-proj-" + "a1B2c3D4e5" * 5
    bad = BadAnswer("toy", "extract", "no JSON", f"well, {key}")

    assert raw_answer(bad).startswith("well, ")
    assert key not in raw_answer(bad)
    assert "well" not in reason(bad)
    assert raw_answer(ModelError("no JSON")) == raw_answer(ValueError("well")) == ""
