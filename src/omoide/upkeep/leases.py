"""Holds the leases on the jobs that threads of this process are at, for as long as they are: a model may take minutes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

from omoide.clock import Clock
from omoide.errors import StoreClosed, StoreError
from omoide.store.base import Store, Transaction, committed
from omoide.tables.jobs import Job, Jobs

LEASE = timedelta(minutes=2)  # until the job of a worker that was killed is another's
LONGEST_S = 6 * 3600.0  # that one is held; what takes longer hangs


class Leases:
    """The jobs at work in this process, by thread. A thread of their own holds the leases while there are any."""

    def __init__(self, store: Store, clock: Clock, length: timedelta = LEASE) -> None:
        self.length = length
        self._store, self._clock = store, clock
        self._lock = threading.Lock()
        self._at_work: dict[int, tuple[Job, float]] = {}  # with the time at which it was begun
        self._holder: threading.Thread | None = None

    @contextmanager
    def held(self, job: Job) -> Iterator[None]:
        """Hold the lease while this block runs, by whoever it was claimed."""
        me = threading.get_ident()
        with self._lock:
            self._at_work[me] = job, time.monotonic()
            if self._holder is None or not self._holder.is_alive():  # after a fork it is not
                self._holder = threading.Thread(target=self._hold, name="omoide-leases", daemon=True)
                self._holder.start()
        try:
            yield
        finally:
            with self._lock:
                self._at_work.pop(me, None)

    def give_back(self) -> int:
        """Let others do the jobs that threads are at; what these still bring is dropped. How many."""
        with self._lock:
            jobs = [job for job, _ in self._at_work.values()]
            self._at_work.clear()
        return sum(committed(self._store, partial(_give_back, job)) for job in jobs)

    def _hold(self) -> None:
        while True:
            time.sleep(self.length.total_seconds() / 3)
            with self._lock:
                jobs = [job for job, since in self._at_work.values() if time.monotonic() - since < LONGEST_S]
                if not jobs:
                    self._holder = None
                    return
            try:
                for job in jobs:
                    with self._store.transaction(durable=False) as tx:
                        Jobs(tx).hold(job, self._clock.now(), self._clock.now() + self.length)
            except StoreClosed:
                return
            except StoreError:
                continue  # it may work the next time, before the lease runs out


def _give_back(job: Job, tx: Transaction) -> int:
    return Jobs(tx).give_back(job)
