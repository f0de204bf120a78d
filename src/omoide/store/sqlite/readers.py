"""Connections that read: one for each read transaction, none of which may hold its snapshot for
long unless it says that it does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import apsw

from omoide.nouns.errors import StoreBusy, StoreClosed
from omoide.store.sqlite.connections import Connection, shut

_KEEP = 8  # idle connections kept open


class Snapshot:
    """One read transaction. Statements run under ``lock``; once ``expired`` none may run any more.
    One that lasts never expires.
    """

    __slots__ = ("connection", "expired", "lasts", "lock", "started_at")

    def __init__(self, connection: Connection, *, lasts: bool = False) -> None:
        self.connection = connection
        self.lasts = lasts
        self.lock = threading.RLock()
        self.started_at = time.monotonic()
        self.expired = False

    def expire(self) -> None:
        """Let go of the snapshot, from another thread; again and again until it is gone."""
        self.expired = True
        self.connection.interrupt()
        if self.lock.acquire(blocking=False):
            try:
                _roll_back(self.connection)
            finally:
                self.lock.release()


class Readers:
    """Hands out snapshots and ends those that last longer than limit_s.

    A pinned snapshot keeps the write-ahead log from being reused, so it would grow without bound.
    """

    def __init__(self, connect: Callable[[], Connection], limit_s: float) -> None:
        self._connect, self._limit_s = connect, limit_s
        self._mutex = threading.Lock()
        self._ended = threading.Condition(self._mutex)
        self._idle: list[Connection] = []
        self._open: set[Snapshot] = set()
        self._opening = 0
        self._watched = False
        self._closed = False

    @property
    def open_count(self) -> int:
        """Snapshots in use."""
        return len(self._open)

    def begin(self, *, lasts: bool = False) -> Snapshot:
        """Open a snapshot, or one that may last. It is fixed by its first query.

        Raises:
            apsw.Error: no connection can be opened.
            StoreClosed: the readers were closed.
        """
        with self._mutex:
            if self._closed:
                raise StoreClosed("the readers of this store were closed")
            self._opening += 1
            connection = self._idle.pop() if self._idle else None
        snapshot = None
        try:
            connection = connection or self._connect()
            connection.execute("BEGIN")
            snapshot = Snapshot(connection, lasts=lasts)
        finally:
            self._note(snapshot)
        return snapshot

    def _note(self, snapshot: Snapshot | None) -> None:
        """A snapshot was opened, or could not be."""
        with self._mutex:
            self._opening -= 1
            if snapshot is None:
                self._ended.notify_all()
                return
            self._open.add(snapshot)
            if not self._watched and not snapshot.lasts:
                self._watched = True
                threading.Thread(target=self._watch, name="omoide-readers", daemon=True).start()

    def end(self, snapshot: Snapshot) -> None:
        """Close a snapshot and keep its connection for the next."""
        with snapshot.lock:
            _roll_back(snapshot.connection)
        with self._mutex:
            self._open.discard(snapshot)
            keep = len(self._idle) < _KEEP
            if keep:
                self._idle.append(snapshot.connection)
            self._ended.notify_all()
        if not keep:
            shut(snapshot.connection)

    def close(self, wait_s: float) -> None:
        """Let nobody begin any more, wait for the snapshots in use, and close all connections.

        Raises:
            StoreBusy: some are still in use.
        """
        with self._mutex:
            self._closed = True
            if not self._ended.wait_for(
                lambda: not self._open and not self._opening, timeout=wait_s
            ):
                raise StoreBusy("a read transaction of another thread is still open")
            idle, self._idle = self._idle, []
        for connection in idle:
            shut(connection)

    def reopen(self) -> None:
        """Take back close."""
        with self._mutex:
            self._closed = False

    def _watch(self) -> None:
        """End what lasts too long. Lives only while there is something to watch."""
        while True:
            with self._mutex:  # an ended snapshot's connection may serve another one by now
                watched = [snapshot for snapshot in self._open if not snapshot.lasts]
                if not watched:
                    self._watched = False
                    return
                now = time.monotonic()
                for snapshot in watched:
                    if now - snapshot.started_at > self._limit_s:
                        snapshot.expire()
                oldest = min(snapshot.started_at for snapshot in watched)
            time.sleep(max(oldest + self._limit_s - now, 0.05))


def _roll_back(connection: Connection) -> None:
    if connection.in_transaction:
        with suppress(apsw.Error):
            connection.execute("ROLLBACK")
