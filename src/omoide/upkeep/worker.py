"""A thread that does waiting jobs. It sleeps until it is told of one, and stops within a batch."""

from __future__ import annotations

import threading
from collections.abc import Callable

from omoide.errors import OmoideError
from omoide.logs import get_logger

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
        while not self._stop.is_set():
            self._wake.wait()
            self._wake.clear()
            try:
                self._work(self._stop.is_set)
            except OmoideError as error:
                # the job keeps its own error and waits for its next try; the message may name data, the class does not
                _log.warning("job failed", error=type(error).__name__)
