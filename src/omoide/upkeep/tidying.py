"""What waits is done: when asked, and after each change in threads of their own."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from omoide.jobs.queue import Handler, JobsDone, Queue, Stop, Stopped, never
from omoide.jobs.worker import LONGEST_S, Look, Worker
from omoide.models.base import Reading
from omoide.models.embedders.encoders import NumberedEmbedder
from omoide.nouns.clock import Clock
from omoide.nouns.errors import ModelError
from omoide.read.recall import Recaller
from omoide.store.base import Store, committed, read_only
from omoide.tables.embedders import Embedders
from omoide.tables.jobs import EMBED_JOB, Job, Jobs
from omoide.telemetry.logs import get_logger
from omoide.upkeep import words
from omoide.upkeep.readings import Ahead, drop_others
from omoide.upkeep.standing_marks import mark_again
from omoide.upkeep.vectors import fill, take_over

_log = get_logger(__name__)

T = TypeVar("T")

NO_HANDLERS: Mapping[str, Handler] = {}


class Tidying:
    """The jobs of a store, the making of vectors among them; words of an older tokeniser, marks of
    an older table of instructions, and a completed new embedder.

    ``handlers`` do the other kinds of jobs; those that there is no handler for wait. ``sweep``
    looks before that for what is in no line. ``threads`` are of the background, which begins with
    the first ``wake``.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        recaller: Recaller,
        *,
        background: bool,
        handlers: Mapping[str, Handler] = NO_HANDLERS,
        sweep: Callable[[], object] = never,
    ) -> None:
        self._store, self._clock, self._recaller = store, clock, recaller
        self.queue = Queue(store, clock, {EMBED_JOB: self._embed, **handlers})
        self._sweep = sweep
        self._embedding, self._reading = threading.Lock(), threading.Lock()
        self._ahead = (
            Ahead(store, recaller.reranker) if isinstance(recaller.reranker, Reading) else None
        )
        self._made = 0
        self._refused: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
        self._stop: Stop = never
        self._worker = self.worker() if background else None

    def worker(self, threads: int = 1, *, every_s: float = LONGEST_S) -> Worker:
        """Threads that do jobs in a ``with`` block, or once they are woken, until they are closed.

        ``every_s``: how often to look at least for what other processes left; a process that is for
        this alone looks often.
        """
        return Worker(self._look, self.queue.give_back, threads=threads, every_s=every_s)

    def wake(self) -> None:
        """There may be something to do: the thread, if there is to be one, looks."""
        if self._worker is not None:
            self._worker.wake()

    def after(self, told: T) -> T:
        """What was told, which has its vector already; a reranker that reads ahead may read it
        now.
        """
        if self._ahead is not None:
            self.wake()
        return told

    def is_stopping(self) -> bool:
        """Whether what does the jobs was told to stop."""
        return self._stop()

    def close(self) -> None:
        """Stop the thread. Safe to call again."""
        if self._worker is not None:
            self._worker.close()

    def now(self) -> int:
        """Make all vectors that are missing, also those of jobs that gave up or were to be tried
        later; how many.

        A reranker that reads ahead reads what it has not read; what one made that is not in use any
        more goes.

        Raises:
            ModelError: an embedder failed, and the job waits for its next try; or a reranker did.
        """
        committed(
            self._store, lambda tx: Jobs(tx).replay(self._clock.now(), kind=EMBED_JOB), tenant=None
        )
        with self._embedding:
            self._refused.clear()
            before = self._made
            done = self._make_vectors(never)
            if done.error is not None:
                raise done.error
            made = self._made - before
        with self._reading:
            drop_others(self._store, self._recaller.reranker)
            if self._ahead is not None:
                self._ahead.all()
        return made

    def work(self, stop: Stop = never) -> JobsDone:
        """Do every job that is ready: vectors, unless another thread is at them, then the
        others.
        """
        done = JobsDone()
        if self._embedding.acquire(blocking=False):
            try:
                done = self._make_vectors(stop)
            finally:
                self._embedding.release()
        self._stop = stop
        self._sweep()
        return done + self.queue.run(stop, kinds=self.queue.handlers.keys() - {EMBED_JOB})

    def run(self, limit: int, kinds: Collection[str] | None = None) -> JobsDone:
        """Do so many ready jobs at most, of some kinds or of all that can be done as things are."""
        self._stop = never
        self._sweep()
        wanted = self._kinds() if kinds is None else self._kinds() & frozenset(kinds)
        alone = self._embedding.acquire(blocking=False)
        try:
            return self.queue.run(kinds=wanted - (set() if alone else {EMBED_JOB}), limit=limit)
        finally:
            if alone:
                self._embedding.release()

    def _look(self, stop: Stop) -> Look:
        done, at = self.work(stop), self.queue.next_at(self._kinds())
        if not stop() and self._reads_on():
            return Look(done, 0.0)
        return Look(done, None if at is None else (at - self._clock.now()).total_seconds())

    def _reads_on(self) -> bool:
        """Let a reranker read one batch ahead, between two looks for jobs; whether there may be
        more.
        """
        if self._ahead is None or not self._reading.acquire(blocking=False):
            return False
        try:
            return self._ahead.some() is not None
        except ModelError as error:  # recall says so where it needs it
            _log.warning("not read ahead", error=type(error).__name__)
            return False
        finally:
            self._reading.release()

    def _kinds(self) -> frozenset[str]:
        """What can be done as things are: without an embedder whose vectors are wanted, these jobs
        are left to those who have one.
        """
        return frozenset(self.queue.handlers) - (frozenset() if self._usable() else {EMBED_JOB})

    def _usable(self) -> list[NumberedEmbedder]:
        with read_only(self._store, None) as tx:
            wanted = Embedders(tx).wanted()
        return [
            loaded for loaded in self._recaller.encoders.loaded if loaded.model.number in wanted
        ]

    def _make_vectors(self, stop: Stop) -> JobsDone:
        self._stop = stop
        if words.is_stale(self._store):
            words.reword(self._store, self._clock)
        mark_again(self._store, stop)
        done = self.queue.run(stop, kinds={EMBED_JOB}) if self._usable() else JobsDone()
        if not stop():
            self._recaller.encoders = take_over(self._store, self._recaller.encoders, self._refused)
        return done

    def _embed(self, job: Job) -> None:
        for loaded in self._usable():
            refused = self._refused[job.tenant, loaded.model.number]
            for made in fill(self._store, job.tenant, loaded, refused):
                self._made += made
                if self._stop():
                    raise Stopped
