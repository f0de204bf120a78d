"""Does jobs: claims one, does its slow part outside any transaction, and lets its effect last
together with its end.

A worker whose lease ran out changes nothing: the effect and the end of the job are one transaction,
which is undone if the job is another's by then. So each effect happens once, whoever is killed
when.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from logging import INFO, WARNING
from typing import TypeAlias

from omoide.jobs.leases import LEASE, Leases
from omoide.jobs.recurring import again_at
from omoide.jobs.retry import MOST, judge, raw_answer, reason
from omoide.nouns.clock import Clock
from omoide.nouns.errors import Conflict, OutOfBudget
from omoide.nouns.record.frozen import frozen_record
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.jobs import Failure, Job, Jobs
from omoide.telemetry.logs import get_logger
from omoide.telemetry.model_calls import paid_by

Stop: TypeAlias = Callable[[], bool]  # whether to stop
# What lasts, in the transaction that finishes the job: locks partitions first, and may be run anew
# in another.
# gives what is to be done once it lasts, beside the store
Effect: TypeAlias = Callable[[Transaction], Callable[[], None] | None]
# the slow part: may call models, and reads in short transactions of its own
Handler: TypeAlias = Callable[[Job], Effect | None]

_LOST = "job {!r} is not this worker's any more; nothing of what was done for it lasts"
_log = get_logger(__name__)


def never() -> bool:
    """Nothing is to stop."""
    return False


class Stopped(BaseException):  # no error: no ``except Exception`` may take it for one
    """What a handler raises that is told to stop in the middle. The job is not done; whoever comes
    next goes on with it.
    """


@frozen_record
class JobsDone:
    """How many jobs were done, failed and wait for another try, or gave up; the last error; and how
    many of each kind were tried.
    """

    done: int = 0
    failed: int = 0
    dead: int = 0
    error: Exception | None = None
    kinds: Mapping[str, int] = field(default_factory=dict, compare=False)

    @property
    def tried(self) -> int:
        """How many jobs were tried."""
        return self.done + self.failed + self.dead

    def __add__(self, other: JobsDone) -> JobsDone:
        return JobsDone(
            done=self.done + other.done,
            failed=self.failed + other.failed,
            dead=self.dead + other.dead,
            error=other.error or self.error,
            kinds=Counter(self.kinds) + Counter(other.kinds),
        )


class Queue:
    """The jobs of a store, as far as there are handlers for their kinds. Any thread may run it,
    several at once.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        handlers: Mapping[str, Handler],
        *,
        chance: Callable[[], float] = random.random,
        lease: timedelta = LEASE,
    ) -> None:
        self.handlers = handlers
        self._store, self._clock, self._chance = store, clock, chance
        self._leases = Leases(store, clock, lease)

    def run(
        self,
        stop: Stop = never,
        *,
        kinds: Collection[str] | None = None,
        limit: int | None = None,
    ) -> JobsDone:
        """Do jobs until none of these kinds is ready, so many are done, or it is to stop."""
        sums, wanted = JobsDone(), self._known(kinds)
        while wanted and not stop() and (limit is None or sums.tried < limit):
            job = self._claim(wanted)
            if job is None:
                break
            try:
                sums += self._do(job)
            except Stopped:
                break
        return sums

    def next_at(self, kinds: Collection[str] | None = None) -> datetime | None:
        """When there is something to do next, as far as is known now; None: not by itself."""
        with read_only(self._store, None) as tx:
            return Jobs(tx).next_at(self._known(kinds), self._clock.now())

    def give_back(self) -> int:
        """Let others do the jobs that threads are at; what these still bring is dropped. How
        many.
        """
        return self._leases.give_back()

    def _known(self, kinds: Collection[str] | None) -> frozenset[str]:
        return (
            frozenset(self.handlers)
            if kinds is None
            else frozenset(kinds) & frozenset(self.handlers)
        )

    def _claim(self, kinds: Collection[str]) -> Job | None:
        # A claim that a crash undoes is made again, and what came of the first lasts only with a
        # durable commit after it.
        with self._store.transaction(tenant=None, durable=False) as tx:
            now = self._clock.now()
            return Jobs(tx).claim(kinds, now, now + self._leases.length, MOST)

    def _do(self, job: Job) -> JobsDone:
        """Do one job."""
        try:
            with self._leases.held(job), paid_by(job.tenant):
                self._finish(job, self.handlers[job.kind](job))
            return JobsDone(done=1, kinds={job.kind: 1})
        except Exception as error:  # noqa: BLE001 - whatever one job raises, the next ones are still done
            return self._failed(job, error)
        except BaseException:  # Stopped, or the whole program is
            committed(self._store, lambda tx: Jobs(tx).give_back(job), tenant=job.tenant)
            raise

    def _finish(self, job: Job, effect: Effect | None) -> None:
        def end(tx: Transaction) -> Callable[[], None] | None:
            then = effect(tx) if effect is not None else None
            # last, as everywhere jobs are locked after partitions
            now = self._clock.now()
            if not Jobs(tx).finish(job, now, again_at=again_at(job, now)):
                raise Conflict(_LOST.format(job.id))
            return then

        then = committed(self._store, end, tenant=job.tenant)
        if then is not None:
            then()

    def _failed(self, job: Job, error: Exception) -> JobsDone:
        now = self._clock.now()
        verdict = judge(error, job.failures, now, self._chance())
        # what comes again and again tries anew with its next time
        again = verdict.again_at or again_at(job, now)
        failure = Failure(
            failures=verdict.failures, at=now, error=reason(error), answer=raw_answer(error)
        )
        ours = committed(
            self._store, lambda tx: Jobs(tx).fail(job, failure, again_at=again), tenant=job.tenant
        )
        if not ours:
            _log.info("job lost", kind=job.kind, job=job.id)
            return JobsDone()
        # the message of an error that is not ours may name data, its class does not; of a limit the
        # books warn, once
        level = INFO if isinstance(error, OutOfBudget) else WARNING
        _log.log(
            level,
            "job failed",
            kind=job.kind,
            job=job.id,
            failures=verdict.failures,
            error=failure.error,
        )
        tried = {job.kind: 1}
        if again is None:
            return JobsDone(dead=1, error=error, kinds=tried)
        return JobsDone(failed=1, error=error, kinds=tried)
