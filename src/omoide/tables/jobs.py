"""The jobs table: work to be done later, enqueued in the transaction that makes it necessary."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from omoide.clock import to_micros
from omoide.records import Json, Scope
from omoide.store.base import Transaction
from omoide.tables.columns import pack_json

EMBED_JOB = "embed"  # make the vectors that a tenant's documents lack


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A piece of work that was claimed. attempts tells this claim from later ones of the same job."""

    tenant: str
    id: str
    kind: str
    user: str
    args: dict[str, Any]
    attempts: int
    wanted: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JobCount:
    """How many jobs of a kind are in a state: ready, leased or dead."""

    kind: str
    state: str
    total: int


class Jobs:
    """Jobs as rows, inside the caller's transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def add(self, tenant: str, id: str, kind: str, *, user: str, args: dict[str, Json], run_at: datetime) -> None:
        """Enqueue a job, or ask once more for the one of this id."""
        self._tx.run("jobs.add", tenant=tenant, id=id, kind=kind, user=user, args=pack_json(args), run_at=to_micros(run_at))

    def claim(self, kind: str, now: datetime, lease_until: datetime) -> Job | None:
        """Lease the next job of a kind that is ready, or whose lease ran out."""
        rows = self._tx.rows("jobs.claim", kind=kind, now=to_micros(now), lease_until=to_micros(lease_until))
        if not rows:
            return None
        row = rows[0]
        return Job(
            tenant=row["tenant"],
            id=row["id"],
            kind=row["kind"],
            user=row["user_id"],
            args=json.loads(row["args"]),
            attempts=row["attempts"],
            wanted=row["wanted"],
        )

    def finish(self, job: Job) -> bool:
        """Take it away; False if another claimed it meanwhile, whose work then counts, or it was asked for again."""
        return bool(self._tx.run("jobs.finish", tenant=job.tenant, id=job.id, attempts=job.attempts, wanted=job.wanted))

    def fail(self, job: Job, *, error: str, again_at: datetime | None) -> bool:
        """Put it back for later, or with None aside for good."""
        state = "dead" if again_at is None else "ready"
        run_at = to_micros(again_at) if again_at else 0
        return bool(
            self._tx.run("jobs.fail", tenant=job.tenant, id=job.id, attempts=job.attempts, state=state, run_at=run_at, error=error)
        )

    def revive(self, kind: str, now: datetime) -> int:
        """Let jobs of a kind that gave up, or wait for their next try, be tried at once; how many."""
        return self._tx.run("jobs.revive", kind=kind, now=to_micros(now))

    def waiting(self, tenant: str) -> list[JobCount]:
        """Jobs by kind and state."""
        return [JobCount(kind=r["kind"], state=r["state"], total=r["total"]) for r in self._tx.rows("jobs.waiting", tenant=tenant)]

    def seen(self, scope: Scope) -> list[JobCount]:
        """The asker's jobs, and those of nobody in particular, by kind and state."""
        rows = self._tx.rows("jobs.seen", tenant=scope.tenant, user=scope.user or "")
        return [JobCount(kind=r["kind"], state=r["state"], total=r["total"]) for r in rows]

    def forget(self, tenant: str, user: str) -> int:
        """Erase a user's jobs."""
        return self._tx.run("jobs.forget", tenant=tenant, user=user)
