"""The jobs table: work to be done later, enqueued in the transaction that makes it necessary.

A job waits (``ready``) until its time, is leased by one worker at a time, and goes when it is done;
one that failed too often is set aside (``dead``) with the reason. Its id says what it is about, so
that asking twice enqueues once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.metadata import Json
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.store.base import Row
from omoide.tables.columns import asker, micros, moment, pack_json, picked, scope_of, unpack_json
from omoide.tables.rows import Rows

# make the vectors that a tenant's documents lack; the one kind of which a user's are done side by
# side
EMBED_JOB = "embed"
EXTRACT_JOB = "extract"  # learn from a session
RECONCILE_JOB = "reconcile"  # judge pairs of items that wait for a model
DISTIL_JOB = "distil"  # sum up old sessions that wait for a model
UPKEEP_JOB = "upkeep"  # do a round of upkeep
REFLECT_JOB = "reflect"  # form reflections from a session that was learnt from
CONDENSE_JOB = "condense"  # make a digest of reflections
LESSON_JOB = "lesson"  # learn from a task that failed; its args tell of that
# look at how tools were used; of nobody in particular: let that be done for everybody
ANALYSE_JOB = "analyse"
# need a language model
ASKING = frozenset(
    {EXTRACT_JOB, RECONCILE_JOB, DISTIL_JOB, REFLECT_JOB, CONDENSE_JOB, LESSON_JOB, ANALYSE_JOB}
)
ANSWER_LIMIT = 20_000  # characters of what a model said
LOST = "WorkerLost: nobody came back from it"


@frozen_record
class Job:
    """A piece of work. attempts tells a claim from later ones of the same job; it is 0 where it is
    not claimed.
    """

    tenant: str
    id: str
    kind: str
    user: str
    args: dict[str, Any]
    attempts: int = 0
    wanted: int = 1
    failures: int = 0

    @property
    def session(self) -> str:
        """The session it is about; empty if about none."""
        return str(self.args.get("session", ""))


@frozen_record
class Taken:
    """One job that was claimed by its id."""

    job: Job
    was: str  # ready or dead; empty where it was made to be taken


@frozen_record
class Failure:
    """Why a job failed. Only ``answer`` may hold memory text: what a model said, raw."""

    failures: int  # so far, as far as they count
    at: datetime
    error: str
    answer: str = field(default="", repr=False)


@frozen_record
class Queued(Record):
    """A job as it stands in the queue. The reason of a failed one holds no memory text."""

    id: str
    kind: str
    state: str  # ready, leased or dead
    user: str
    session: str
    run_at: datetime
    failures: int
    failed_at: datetime | None
    error: str
    answered: int  # characters of the raw answer that is kept


@frozen_record
class JobTexts:
    """The texts of a job: what it was enqueued with, and the model's answer that failed it."""

    id: str
    scope: Scope
    args: dict[str, Any]
    answer: str = field(repr=False)


@frozen_record
class JobCount(Record):
    """How many jobs of a kind are in a state: ready, leased or dead; and since when the first of
    them could have been done.
    """

    kind: str
    state: str
    total: int
    since: datetime | None = None


class Jobs(Rows):
    """Jobs as rows, inside the caller's transaction."""

    def add(
        self, tenant: str, id: str, kind: str, *, user: str, args: dict[str, Json], run_at: datetime
    ) -> None:
        """Enqueue a job, or ask once more for the one of this id."""
        self._tx.run("jobs.add", **_columns(tenant, id, kind, user, args, run_at))

    def schedule(
        self, tenant: str, id: str, kind: str, *, user: str, args: dict[str, Json], run_at: datetime
    ) -> None:
        """Enqueue a job, or ask once more for the one of this id, at another time: sooner or later.

        One that failed is not tried sooner than it would be, and one that gave up gets one more
        try. ``args["session"]`` is the session it is about: it goes when that is forgotten.
        ``args["agent"]`` is the agent it is for, where it is for one alone.
        """
        self._tx.run("jobs.schedule", **_columns(tenant, id, kind, user, args, run_at))

    def repeat(
        self, tenant: str, id: str, kind: str, *, user: str, args: dict[str, Json], run_at: datetime
    ) -> None:
        """Enqueue a job that comes again and again, unless it is enqueued with the same args."""
        self._tx.run("jobs.repeat", **_columns(tenant, id, kind, user, args, run_at))

    def args(self, tenant: str, id: str) -> dict[str, Any] | None:
        """What a job was enqueued with; None if there is no such job."""
        rows = self._tx.rows("jobs.args", tenant=tenant, id=id)
        nothing: dict[str, Any] = {}
        return unpack_json(rows[0]["args"], nothing) if rows else None

    def cancel(self, tenant: str, id: str) -> dict[str, Any] | None:
        """Take a job away, unless a worker is at it; what ``enqueue_again`` takes, None if no job
        went.
        """
        rows = self._tx.rows("jobs.cancel", tenant=tenant, id=id)
        return {"id": id, **rows[0]} if rows else None

    def enqueue_again(self, tenant: str, cancelled: Mapping[str, Any]) -> None:
        """Enqueue a job that was cancelled, for the time that it had then."""
        nothing: dict[str, Any] = {}
        self.schedule(
            tenant,
            cancelled["id"],
            cancelled["kind"],
            user=cancelled["user_id"],
            args=unpack_json(cancelled["args"], nothing),
            run_at=from_micros(cancelled["run_at"]),
        )

    def claim(
        self, kinds: Collection[str], now: datetime, lease_until: datetime, most: int = 5
    ) -> Job | None:
        """Lease the next job of these kinds that is ready: the one with the earliest time, of
        equals the first by id.

        No two jobs of a user are leased at a time, but for EMBED_JOB. Leases that ran out are taken
        back first; a job whose worker was lost ``most`` times gives up.
        """
        self._take_turn(None, now, most)
        return self._one(
            _job,
            "jobs.claim",
            kinds=pack_json(sorted(kinds)),
            now=to_micros(now),
            lease_until=to_micros(lease_until),
        )

    def take(self, about: Job, now: datetime, lease_until: datetime, most: int = 5) -> Taken | None:
        """Lease one job by its id, whatever its time and whether it gave up; it is made if there is
        none. None if another is at it.

        Other jobs of its user are not waited for; while it is at work none of these is begun.
        """
        self._take_turn(about.tenant, now, most)
        rows = self._tx.rows("jobs.state", tenant=about.tenant, id=about.id, now=to_micros(now))
        columns = _columns(about.tenant, about.id, about.kind, about.user, about.args, now)
        taken = self._tx.rows("jobs.take", **columns, lease_until=to_micros(lease_until))
        return Taken(job=_job(taken[0]), was=rows[0]["state"] if rows else "") if taken else None

    def is_at_work(self, tenant: str, id: str, now: datetime) -> bool:
        """Whether somebody is at a job."""
        rows = self._tx.rows("jobs.state", tenant=tenant, id=id, now=to_micros(now))
        return bool(rows and rows[0]["at_work"])

    def leave(self, taken: Taken) -> None:
        """Let a job be as it was before it was taken: waiting, given up, or not there; ready, if it
        was asked for meanwhile.
        """
        claim = _claim(taken.job) | {"wanted": taken.job.wanted}
        if taken.was or not self._tx.run("jobs.unmake", **claim):
            self._tx.run("jobs.leave", **claim, state=taken.was or "ready")

    def end(self, job: Job, now: datetime) -> bool:
        """Take it away though it may have been asked for meanwhile: nothing is left to do. False if
        the lease ran out, or it is gone.
        """
        return bool(self._tx.run("jobs.end", **_claim(job), now=to_micros(now)))

    def _take_turn(self, tenant: str | None, now: datetime, most: int) -> None:
        """Wait for other claims, and take back the leases that ran out, of a tenant or of all."""
        if self._tx.rows("jobs.turn", tenant=tenant, now=to_micros(now))[0]["expired"]:
            self._tx.run("jobs.expire", tenant=tenant, now=to_micros(now), most=most, error=LOST)

    def hold(self, job: Job, now: datetime, lease_until: datetime) -> bool:
        """Keep the lease until another time; False if it ran out, or the job is gone."""
        return bool(
            self._tx.run(
                "jobs.hold", **_claim(job), now=to_micros(now), lease_until=to_micros(lease_until)
            )
        )

    def finish(self, job: Job, now: datetime, *, again_at: datetime | None = None) -> bool:
        """Take it away, or let it wait for its next time; asked for again meanwhile, it waits for
        that.

        False if the lease ran out, or the job is gone: then nothing of the work may last.
        """
        now_at = to_micros(now)
        if again_at is None and self._tx.run(
            "jobs.finish", **_claim(job), now=now_at, wanted=job.wanted
        ):
            return True
        return bool(self._tx.run("jobs.again", **_claim(job), now=now_at, run_at=micros(again_at)))

    def fail(self, job: Job, failure: Failure, *, again_at: datetime | None) -> bool:
        """Put it back for later, or with None aside for good, unless it was asked for again
        meanwhile.
        """
        return bool(
            self._tx.run(
                "jobs.fail",
                **_claim(job),
                wanted=job.wanted,
                run_at=micros(again_at),
                failures=failure.failures,
                failed_at=to_micros(failure.at),
                error=_storable(failure.error),
                answer=_storable(failure.answer)[:ANSWER_LIMIT],
            )
        )

    def give_back(self, job: Job) -> bool:
        """Let others do it at once, as if it had not been claimed."""
        return bool(self._tx.run("jobs.give_back", **_claim(job)))

    def next_at(self, kinds: Collection[str], now: datetime) -> datetime | None:
        """When the next job of these kinds becomes ready, or a lease on one runs out; None: not by
        itself.
        """
        rows = [
            row
            for kind in sorted(kinds)
            for row in self._tx.rows("jobs.next_at", kind=kind, now=to_micros(now))
        ]
        return moment(
            min((row["run_at"] for row in rows if row["run_at"] is not None), default=None)
        )

    def page(
        self, scope: Scope, state: str, limit: int, now: datetime, *, whole: bool = False
    ) -> list[Queued]:
        """The asker's jobs in a state (empty: in any), and those of nobody in particular, in the
        order of their times; with whole, those of the store itself, too. Those that come by the
        clock, whatever anybody does, are everybody's to see.

        One whose lease ran out is ready: whoever was at it is lost.
        """
        of = asker(scope) | {"whole": int(whole), "now": to_micros(now)}
        return self._all(_queued, "jobs.page", **of, state=state, limit=limit)

    def answer(self, scope: Scope, id: str, *, whole: bool = False) -> str | None:
        """What a model said that made a job of the asker's fail; None if there is no such job."""
        rows = self._tx.rows("jobs.answer", **asker(scope), whole=int(whole), id=id)
        return str(rows[0]["answer"]) if rows else None

    def after(self, tenant: str, id: str, limit: int) -> list[JobTexts]:
        """The texts that jobs hold, everybody's, in the order of their ids, after one of these."""
        return self._all(_texts, "jobs.after", tenant=tenant, after=id, limit=limit)

    def find(self, tenant: str, id: str) -> JobTexts | None:
        """The texts that a job holds; None if there is no such job."""
        return self._one(_texts, "jobs.raw", tenant=tenant, id=id)

    def of_user(self, tenant: str, user: str, kind: str) -> list[JobTexts]:
        """The texts that a user's jobs of a kind (empty: of any) hold."""
        return self._all(_texts, "jobs.of_user", tenant=tenant, user=user, kind=kind)

    def mask(self, texts: JobTexts) -> None:
        """Write the texts that a job holds, if it is still there."""
        self._tx.run(
            "jobs.mask",
            tenant=texts.scope.tenant,
            id=texts.id,
            args=pack_json(texts.args),
            answer=texts.answer,
        )

    def replay(
        self,
        now: datetime,
        scope: Scope | None = None,
        *,
        id: str | None = None,
        kind: str | None = None,
        whole: bool = False,
    ) -> int:
        """Let jobs be tried at once that wait for another try or gave up, these as if they had
        never failed; how many.

        Those that the asker may see, with no scope everybody's; with an id or a kind those alone.
        """
        of = asker(scope or Scope()) | {"everything": int(scope is None), "whole": int(whole)}
        found = self._tx.rows("jobs.to_replay", **of, id=id, kind=kind)
        # one by one in the order of their key, so that writers never wait in a circle
        for row in found:
            self._tx.run("jobs.replay", tenant=row["tenant"], id=row["id"], now=to_micros(now))
        return len(found)

    def waiting(self, tenant: str) -> list[JobCount]:
        """Jobs by kind and state."""
        return self._all(_count, "jobs.waiting", tenant=tenant)

    def seen(self, scope: Scope, now: datetime, *, whole: bool = False) -> list[JobCount]:
        """The asker's jobs, and those of nobody in particular, by kind and state; one whose lease
        ran out is ready. With whole, those of the store itself, too.
        """
        of = asker(scope) | {"whole": int(whole), "now": to_micros(now)}
        return self._all(_count, "jobs.seen", **of)

    def forget(self, tenant: str, id: str) -> int:
        """Erase a job."""
        return self._tx.run("jobs.forget", tenant=tenant, id=id)

    def forget_answers(self, tenant: str, user: str) -> int:
        """Erase what a model said in a user's jobs; these stay."""
        return self._tx.run("jobs.forget_answers", tenant=tenant, user=user)

    def forget_answers_about(self, tenant: str, session: str) -> int:
        """Erase what a model said about a session; the jobs stay."""
        return self._tx.run("jobs.forget_answers_about", tenant=tenant, session_id=session)


def is_nameless(scope: Scope) -> bool:
    """Whether a scope names no user, agent or session, as an administrator's may."""
    return not (scope.user or scope.agent or scope.session)


def _columns(
    tenant: str, id: str, kind: str, user: str, args: dict[str, Json], run_at: datetime
) -> dict[str, Any]:
    session = str(args.get("session", ""))
    return {
        "tenant": tenant,
        "id": id,
        "kind": kind,
        "user": user,
        "agent": str(args.get("agent") or ""),
        "session_id": session,
        "args": pack_json(args),
        "run_at": to_micros(run_at),
    }


def _claim(job: Job) -> dict[str, Any]:
    return {"tenant": job.tenant, "id": job.id, "attempts": job.attempts}


def _storable(text: str) -> str:
    """The text without what no database's text holds."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _job(row: Row) -> Job:
    return Job(
        **picked(row, "tenant", "id", "kind", "attempts", "wanted", "failures"),
        user=row["user_id"],
        args=unpack_json(row["args"], dict[str, Any]()),
    )


def _texts(row: Row) -> JobTexts:
    return JobTexts(
        **picked(row, "id", "answer"),
        scope=scope_of(row["tenant"], row["agent"], row["user_id"], row["session_id"]),
        args=unpack_json(row["args"], dict[str, Any]()),
    )


def _queued(row: Row) -> Queued:
    return Queued(
        **picked(row, "id", "kind", "state", "failures", "error", "answered"),
        user=row["user_id"],
        session=row["session_id"],
        run_at=from_micros(row["run_at"]),
        failed_at=moment(row["failed_at"]),
    )


def _count(row: Row) -> JobCount:
    return JobCount(**picked(row, "kind", "state", "total"), since=moment(row["since"]))
