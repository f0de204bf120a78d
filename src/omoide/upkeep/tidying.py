"""What waits is done: when asked, and after each change in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from omoide.clock import Clock
from omoide.read.recall import Recaller
from omoide.store.base import Store
from omoide.tables.jobs import EMBED_JOB, Jobs
from omoide.upkeep import words
from omoide.upkeep.vectors import run_jobs, take_over
from omoide.upkeep.worker import Worker


class Tidying:
    """Vectors that are missing are made, words of an older tokeniser made again, a completed new embedder takes over."""

    def __init__(self, store: Store, clock: Clock, recaller: Recaller, *, background: bool) -> None:
        self._store, self._clock, self._recaller = store, clock, recaller
        self._one_at_a_time = threading.Lock()
        self._worker = Worker(self._run) if background else None
        self.wake()

    def wake(self) -> None:
        """There may be something to do: the thread, if there is to be one, looks."""
        if self._worker is not None:
            self._worker.wake()

    def close(self) -> None:
        """Stop the thread. Safe to call again."""
        if self._worker is not None:
            self._worker.close()

    def now(self) -> int:
        """Do all that waits, also what gave up or was to be tried later; how many vectors were made."""
        with self._store.transaction() as tx:
            Jobs(tx).revive(EMBED_JOB, self._clock.now())
        return self._run(lambda: False)

    def _run(self, stop: Callable[[], bool]) -> int:
        with self._one_at_a_time:
            if words.is_stale(self._store):
                words.reword(self._store, self._clock)
            made = run_jobs(self._store, self._clock, self._recaller.encoders, stop)
            if not stop():
                self._recaller.encoders = take_over(self._store, self._recaller.encoders)
            return made
