"""Threads that do waiting jobs. They sleep until they are told of one or one becomes due, and stop within two seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from omoide.logs import get_logger

FIRST_S = 2.0  # until work that could not even be looked for is looked for again; twice that the next time
LONGEST_S = 300.0  # until it is looked for in any case: another process may have left some
GRACE_S = 1.5  # for what is at hand when they are to stop; after that it is given back

_log = get_logger(__name__)

Stop = Callable[[], bool]


class Worker:
    """Runs work whenever it is woken or due, in threads started by the first call.

    ``work`` does what there is and gives the seconds until it is worth looking again (None: not by itself);
    ``give_back`` lets others do what a thread is in the middle of.
    """

    def __init__(self, work: Callable[[Stop], float | None], give_back: Callable[[], object], *, threads: int = 1) -> None:
        self._work, self._give_back, self._count = work, give_back, threads
        self._changed = threading.Condition()
        self._woken, self._stopping = 0, False
        self._threads: list[threading.Thread] = []

    def wake(self) -> None:
        """There is something to do."""
        with self._changed:
            self._woken += 1
            self._changed.notify_all()
            if not self._threads and not self._stopping:
                self._threads = [threading.Thread(target=self._run, name=f"omoide-worker-{n}", daemon=True) for n in range(self._count)]
                for thread in self._threads:
                    thread.start()

    def close(self) -> None:
        """Stop after the job at hand; if that takes long it is given back, and what it brings is dropped. Safe to call again."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            threads = [thread for thread in self._threads if thread is not threading.current_thread()]
        until = time.monotonic() + GRACE_S
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        if any(thread.is_alive() for thread in threads):
            try:
                self._give_back()
            except Exception as error:  # noqa: BLE001 - whatever the store says, closing goes on; the leases run out by themselves
                _log.warning("jobs not given back", error=type(error).__name__)

    def is_stopping(self) -> bool:
        """It was told to stop."""
        return self._stopping

    def _run(self) -> None:
        pause = FIRST_S
        while not self._stopping:
            woken = self._woken
            try:
                wait, pause = self._work(self.is_stopping), FIRST_S
            except Exception as error:  # noqa: BLE001 - a store that fails now may work again; the next jobs are still done
                _log.warning("worker failed", error=type(error).__name__)
                wait, pause = pause, min(LONGEST_S, 2 * pause)
            with self._changed:
                self._changed.wait_for(lambda woken=woken: self._stopping or self._woken != woken, _seconds(wait))  # type: ignore[misc]


def _seconds(wait: float | None) -> float:
    return LONGEST_S if wait is None else min(LONGEST_S, max(0.0, wait))
