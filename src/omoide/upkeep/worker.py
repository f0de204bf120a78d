"""A thread that does waiting jobs. It sleeps until it is told of one, and stops within a batch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from omoide.logs import get_logger

FIRST_S = 2.2  # until work that failed is looked at again; twice that the next time
LONGEST_S = 300.0  # until it is looked at again in any case: another process may have left some

_log = get_logger(__name__)


class Worker:
    """Runs work whenever it is woken, in one thread started by the first call."""

    def __init__(self, work: Callable[[Callable[[], bool]], object]) -> None:
        self._work = work
        self._wake, self._stop = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """There is something to do."""
        self._wake.set()
        with self._lock:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, name="omoide-worker", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop after the batch at hand. What is left waits as a job. Safe to call again."""
        self._stop.set()
        self._wake.set()
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        pause, due = FIRST_S, time.monotonic() + LONGEST_S
        while not self._stop.is_set():
            self._wake.wait(max(0.0, due - time.monotonic()))
            self._wake.clear()
            again = time.monotonic() >= due
            try:
                self._work(self._stop.is_set)
            except Exception as error:  # noqa: BLE001 - whatever one job raises, the next ones are still done
                # the job keeps its own error and waits for its next try; the message may name data, the class does not
                _log.warning("job failed", error=type(error).__name__)
                pause, due = min(LONGEST_S, 2 * pause), time.monotonic() + pause
            else:
                if again:
                    pause, due = FIRST_S, time.monotonic() + LONGEST_S
