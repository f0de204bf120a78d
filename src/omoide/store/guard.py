"""What stands between a store's file and harm: who may open it, and who may write now."""

from __future__ import annotations

import fcntl
import os
import threading


class WriterLock:
    """Lets one process at a time write, by ``flock`` on a file beside the database.

    SQLite's own waiting polls, so it is unfair under load. A process that dies lets go of this lock.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: int | None = None  # the descriptor that holds it
        self._spare = self._open()

    def acquire(self, timeout_s: float) -> bool:
        """Wait for the lock; False if it did not come in time."""
        try:
            fcntl.flock(self._spare, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return self._wait(timeout_s)
        return True

    def release(self) -> None:
        """Let others write."""
        if self._held is not None:
            os.close(self._held)
            self._held = None
        else:
            fcntl.flock(self._spare, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._spare)

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _wait(self, timeout_s: float) -> bool:
        """Queue in the kernel from a thread of its own, since flock itself knows no timeout."""
        mutex, got, descriptor = threading.Lock(), threading.Event(), self._open()
        given_up = False

        def block() -> None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with mutex:
                got.set()
                if given_up:
                    os.close(descriptor)

        threading.Thread(target=block, name="omoide-writer-lock", daemon=True).start()
        got.wait(timeout_s)
        with mutex:
            if got.is_set():
                self._held = descriptor
                return True
            given_up = True
            return False
