"""Holds the leases on the jobs that threads of this process are at, for as long as they are: a
model may take minutes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial

from omoide.jobs.retry import MOST
from omoide.nouns.clock import Clock
from omoide.nouns.errors import Conflict, StoreClosed, StoreError
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.jobs import Job, Jobs, Taken

LEASE = timedelta(minutes=2)  # until the job of a worker that was killed is another's
LONGEST_S = 6 * 3600.0  # that one is held; what takes longer hangs
PATIENCE = timedelta(minutes=5)  # that one is waited for which another is at
LOOK_S = 0.05, 1.0  # between two looks whether it still is: at first, and at most


class Leases:
    """The jobs at work in this process. A thread of their own holds the leases meanwhile."""

    def __init__(self, store: Store, clock: Clock, length: timedelta = LEASE) -> None:
        self.length = length
        self._store, self._clock = store, clock
        self._lock = threading.Lock()
        self._at_work: dict[object, tuple[Job, float]] = {}  # with the time at which it was begun
        self._holder: threading.Thread | None = None

    @contextmanager
    def held(self, job: Job) -> Iterator[None]:
        """Hold the lease while this block runs, by whoever it was claimed."""
        me = object()
        with self._lock:
            self._at_work[me] = job, time.monotonic()
            if self._holder is None or not self._holder.is_alive():  # after a fork it is not
                self._holder = threading.Thread(
                    target=self._hold, name="omoide-leases", daemon=True
                )
                self._holder.start()
        try:
            yield
        finally:
            with self._lock:
                self._at_work.pop(me, None)

    @contextmanager
    def taken(self, about: Job, patience: timedelta = PATIENCE) -> Iterator[Job]:
        """Claim one job by its id, made if there is none, and hold it while this block runs, which
        ends it.

        A block that fails leaves it as it was. While another is at it it is waited for, and it is
        taken over once that lease runs out.

        Raises:
            Conflict: another is still at it.
        """
        taken = self._take(about, patience)
        try:
            with self.held(taken.job):
                yield taken.job
        except BaseException:
            with suppress(StoreError):  # else the lease runs out by itself
                committed(self._store, lambda tx: Jobs(tx).leave(taken), tenant=about.tenant)
            raise

    def wait(self, about: Job, patience: timedelta = PATIENCE) -> None:
        """Wait while another is at a job.

        Raises:
            Conflict: it still is.
        """
        next(filter(None, (self._is_free(about) for _ in _looks(about, patience))))

    def _take(self, about: Job, patience: timedelta) -> Taken:
        def take(tx: Transaction) -> Taken | None:
            now = self._clock.now()
            return Jobs(tx).take(about, now, now + self.length, MOST)

        looks = (
            committed(self._store, take, tenant=about.tenant) if self._is_free(about) else None
            for _ in _looks(about, patience)
        )
        return next(filter(None, looks))

    def _is_free(self, about: Job) -> bool:
        with read_only(self._store, about.tenant) as tx:
            return not Jobs(tx).is_at_work(about.tenant, about.id, self._clock.now())

    def give_back(self) -> int:
        """Let others do the jobs that threads are at; what these still bring is dropped. How
        many.
        """
        with self._lock:
            jobs = [job for job, _ in self._at_work.values()]
            self._at_work.clear()
        return sum(
            committed(self._store, partial(_give_back, job), tenant=job.tenant) for job in jobs
        )

    def _hold(self) -> None:
        while True:
            time.sleep(self.length.total_seconds() / 3)
            with self._lock:
                jobs = [
                    job
                    for job, since in self._at_work.values()
                    if time.monotonic() - since < LONGEST_S
                ]
                if not jobs:
                    self._holder = None
                    return
            try:
                for job in jobs:
                    with self._store.transaction(tenant=job.tenant, durable=False) as tx:
                        Jobs(tx).hold(job, self._clock.now(), self._clock.now() + self.length)
            except StoreClosed:
                return
            except StoreError:
                continue  # it may work the next time, before the lease runs out


def _looks(about: Job, patience: timedelta) -> Iterator[None]:
    """Times to look whether a job is free, until patience is over.

    Raises:
        Conflict: it is.
    """
    until, pause = time.monotonic() + patience.total_seconds(), LOOK_S[0]
    yield
    while time.monotonic() < until:
        time.sleep(pause)
        pause = min(2 * pause, LOOK_S[1])
        yield
    raise Conflict(
        f"another is still at the job {about.id!r}; ask again later, omoide jobs list shows it"
    )


def _give_back(job: Job, tx: Transaction) -> int:
    return Jobs(tx).give_back(job)
