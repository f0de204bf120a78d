"""Threads that do waiting jobs. They sleep until they are told of one or one becomes due, and stop
within two seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from omoide.jobs.queue import JobsDone, Stop
from omoide.nouns.errors import StoreClosed
from omoide.telemetry.logs import get_logger

# until work that could not even be looked for is looked for again; twice that the next time
FIRST_S = 2.0
LONGEST_S = 300.0  # until it is looked for in any case: another process may have left some
OFTEN_S = 2.0  # the same, where that is all that a process is for
GRACE_S = 1.2  # for what is at hand when they are to stop; after that it is given back

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Look:
    """What came of looking for work: what was done, and the seconds until it is worth looking again
    (None: not by itself).
    """

    done: JobsDone
    again_s: float | None


class Worker:
    """Runs work whenever it is woken or due, in threads started by the first call; closed when its
    ``with`` block ends.

    ``work`` does what there is; ``give_back`` lets others do what a thread is in the middle of.
    ``done`` adds up what was done. ``every_s``: how often one of the threads looks at least, for
    what nobody told it of.
    """

    def __init__(
        self,
        work: Callable[[Stop], Look],
        give_back: Callable[[], object],
        *,
        threads: int = 1,
        every_s: float = LONGEST_S,
    ) -> None:
        self._work, self._give_back, self._count = work, give_back, threads
        self._longest_s = min(LONGEST_S, every_s * threads)
        self._changed = threading.Condition()
        self._woken, self._stopping = 0, False
        self._idle = 0  # threads that have looked and found nothing more
        self.done = JobsDone()
        self._threads: list[threading.Thread] = []

    def wake(self) -> None:
        """There is something to do."""
        with self._changed:
            self._woken, self._idle = self._woken + 1, 0
            self._changed.notify_all()
            if not self._threads and not self._stopping:
                self._threads = [
                    threading.Thread(target=self._run, name=f"omoide-worker-{n}", daemon=True)
                    for n in range(self._count)
                ]
                for thread in self._threads:
                    thread.start()

    def close(self) -> None:
        """Stop after the job at hand; if that takes long it is given back, and what it brings is
        dropped. Safe to call again.
        """
        self._end()
        threads = [thread for thread in self._threads if thread is not threading.current_thread()]
        until = time.monotonic() + GRACE_S
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        if any(thread.is_alive() for thread in threads):
            try:
                self._give_back()
            except Exception as error:  # noqa: BLE001 - whatever the store says, closing goes on; the leases run out by themselves
                _log.warning("jobs not given back", error=type(error).__name__)

    def __enter__(self) -> Worker:
        self.wake()
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def wait(self, *, idle: bool = False) -> None:
        """Wait until it is closed; with idle, or until no thread has anything to do."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or (idle and self._idle == self._count))

    def is_stopping(self) -> bool:
        """It was told to stop."""
        return self._stopping

    def _run(self) -> None:
        pause = FIRST_S
        while not self._stopping:
            woken = self._woken
            try:
                look, pause = self._work(self.is_stopping), FIRST_S
            except StoreClosed:  # for good: whoever closed the store wants nothing more done
                self._end()
                return
            except Exception as error:  # noqa: BLE001 - a store that fails now may work again; the next jobs are still done
                if not self._stopping:  # else what it needs may be closed already
                    _log.warning("worker failed", error=type(error).__name__)
                look, pause = Look(JobsDone(error=error), pause), min(LONGEST_S, 2 * pause)
            self._rest(look, woken)

    def _end(self) -> None:
        """Stop all threads, and let nobody wait for them."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def _rest(self, look: Look, woken: int) -> None:
        """Sleep until there is something to do, unless somebody woke it while it looked."""
        wait = (
            self._longest_s
            if look.again_s is None
            else min(self._longest_s, max(0.0, look.again_s))
        )
        with self._changed:
            self.done += look.done
            if self._woken == woken:
                self._idle += 1
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._stopping or self._woken != woken, wait)
                self._idle -= self._woken == woken
