"""When a job that failed is tried again: a pure decision.

The waits double, each cut by chance (full jitter), so that what failed together does not come back
together.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from omoide.nouns.errors import (
    BadAnswer,
    ModelError,
    ModelMissing,
    ModelRefused,
    ModelUnreachable,
    OutOfBudget,
    StoreError,
)
from omoide.nouns.record.frozen import frozen_record
from omoide.tables.jobs import ANSWER_LIMIT
from omoide.text.secrets import mask_secrets

MOST = 5  # failures until a job gives up
# where it is no fault of the job's, and comes back by itself or by a person's hand: together about
# a day
MOST_AWAY = 48
LONGEST = timedelta(hours=1)
LONGEST_TOLD = timedelta(days=1)  # that a server is believed
REASON_LIMIT = 400


@frozen_record
class RetryDecision:
    """What becomes of a job that failed."""

    failures: int  # with this one, if it counts
    again_at: datetime | None  # None: it gives up


def judge(error: Exception, failures: int, now: datetime, chance: float) -> RetryDecision:
    """What becomes of a job that failed after so many failures before; chance is from 0 up to 1.

    A limit of the user's is waited for, which does not count; a server that says when to come back
    is listened to; what a model does not want to answer is not asked again.
    """
    if isinstance(error, OutOfBudget):
        return RetryDecision(failures=failures, again_at=max(error.until, now))
    failures += 1
    if isinstance(error, ModelRefused) or failures >= _most(error):
        return RetryDecision(failures=failures, again_at=None)
    wait = min(LONGEST, timedelta(seconds=2 ** min(failures, 20))) * chance
    return RetryDecision(failures=failures, again_at=now + max(wait, _told(error)))


def _most(error: Exception) -> int:
    return MOST_AWAY if isinstance(error, ModelUnreachable | ModelMissing | StoreError) else MOST


def _told(error: Exception) -> timedelta:
    """How long a server asked to be left alone, if it did."""
    seconds = error.retry_after_s if isinstance(error, ModelUnreachable) else None
    return (
        timedelta(seconds=min(seconds, LONGEST_TOLD.total_seconds()))
        if seconds is not None and seconds > 0
        else timedelta(0)
    )


def reason(error: Exception) -> str:
    """The error's class and, where its message is one of ours that holds no memory text, that in
    short.
    """
    if not isinstance(error, ModelError | StoreError):
        return type(error).__name__
    return mask_secrets(f"{type(error).__name__}: {error}").text[:REASON_LIMIT]


def raw_answer(error: Exception) -> str:
    """What a model said, where that was the fault; secrets masked, and no more than is kept by
    far.
    """
    return mask_secrets(error.raw[: 2 * ANSWER_LIMIT]).text if isinstance(error, BadAnswer) else ""
