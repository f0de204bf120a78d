"""What learning from a session and reflecting on one share: its job, and its next turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from omoide.learning.extraction import CONTEXT_TURNS, told_local
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.store.base import Transaction
from omoide.tables.jobs import Job, Jobs
from omoide.tables.turns import Turns

AT_ONCE = 200  # turns in one transaction; what a session has more of follows


def job_of(session: Session, kind: str) -> Job:
    """The job of a kind that a session has."""
    return Job(
        tenant=session.scope.tenant,
        id=f"{kind}:{session.id}",
        kind=kind,
        user=session.owner or "",
        args={"session": session.id},
    )


def schedule(tx: Transaction, job: Job, at: datetime) -> None:
    """Let a job come at a time, if it does not come before."""
    Jobs(tx).schedule(job.tenant, job.id, job.kind, user=job.user, args=job.args, run_at=at)


def next_turns(
    tx: Transaction, session: Session, start: int, *, end: int | None = None
) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """A session's next turns from a position on, as a model is to read them, and a little of what
    was before.
    """
    first, most = max(0, start - CONTEXT_TURNS), AT_ONCE + CONTEXT_TURNS
    turns = told_local(Turns(tx).shown_from(session.scope.tenant, session.id, first, most))
    fresh = (t for t in turns if t.position >= start and (end is None or t.position < end))
    return tuple(t for t in turns if t.position < start), tuple(fresh)[:AT_ONCE]


def names_in(session: Session, turns: Sequence[Turn]) -> frozenset[str]:
    """The names of who takes part, and of who speaks."""
    return frozenset({p.name for p in session.participants} | {turn.speaker for turn in turns})
