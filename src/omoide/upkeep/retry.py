"""When a job that failed is tried again: a pure decision.

The waits double, each cut by chance (full jitter), so that what failed together does not come back together.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from omoide.errors import ModelError, ModelUnreachable, OmoideError, StoreError
from omoide.text.secrets import mask_secrets

MOST = 5  # failures until a job gives up
MOST_AWAY = 48  # of a model's server or the store, which come back by themselves: together about a day
LONGEST = timedelta(hours=1)
REASON_LIMIT = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What becomes of a job that failed."""

    failures: int  # with this one, if it counts
    again_at: datetime | None  # None: it gives up


def judge(error: Exception, failures: int, now: datetime, chance: float) -> Verdict:
    """What becomes of a job that failed after so many failures before; chance is from 0 up to 1.

    An error with a time ``until`` is nobody's fault: the job waits for it, and that does not count. One that says
    ``retry_after_s`` is listened to.
    """
    until = getattr(error, "until", None)
    if isinstance(until, datetime):
        return Verdict(failures=failures, again_at=max(until, now))
    failures += 1
    if failures >= (MOST_AWAY if isinstance(error, ModelUnreachable | StoreError) else MOST):
        return Verdict(failures=failures, again_at=None)
    wait = min(LONGEST, timedelta(seconds=2 ** min(failures, 20))) * chance
    told = getattr(error, "retry_after_s", None)
    return Verdict(failures=failures, again_at=now + max(wait, timedelta(seconds=told if isinstance(told, int | float) else 0)))


def reason(error: Exception) -> str:
    """The error's class and, where its message is one of ours that holds no memory text, that in short."""
    if not isinstance(error, ModelError | StoreError):
        return type(error).__name__
    return mask_secrets(f"{type(error).__name__}: {error}").text[:REASON_LIMIT]


def raw_answer(error: Exception) -> str:
    """What a model said, where that was the fault."""
    raw = getattr(error, "raw", "") if isinstance(error, OmoideError) else ""
    return mask_secrets(raw).text if isinstance(raw, str) else ""
