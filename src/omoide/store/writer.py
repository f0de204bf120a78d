"""One connection writes for all threads of a process: their transactions share commits."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

import apsw

from omoide.errors import OmoideError, StoreBusy, StoreError
from omoide.store.connections import typed

BATCH_BODIES = 64  # transactions that share one commit, at most
BATCH_S = 0.005  # after which nobody joins any more
COPY_PAGES = 1_000  # of the log, before they are copied into the file
CUT_PAGES = 8_192  # of the log, beyond which readers are waited for (they have a time limit) so that it can be cut


class Turnstile:
    """A fair lock: threads pass in the order they came."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._held = False
        self._gates: deque[threading.Lock] = deque()

    def acquire(self, timeout_s: float) -> bool:
        """Wait for one's turn; False if it did not come in time."""
        with self._mutex:
            if not self._held:
                self._held = True
                return True
            gate = threading.Lock()
            gate.acquire()
            self._gates.append(gate)
        mine = False
        try:
            mine = gate.acquire(timeout=timeout_s)
        finally:
            if not mine:
                mine = self._give_up(gate)
        return mine

    def hand_on(self) -> bool:
        """Let the next in line pass; False if nobody waits and the turn stays with the caller."""
        with self._mutex:
            if self._gates:
                self._gates.popleft().release()
                return True
            return False

    def release(self) -> None:
        """End one's turn."""
        with self._mutex:
            if self._gates:
                self._gates.popleft().release()
            else:
                self._held = False

    def _give_up(self, gate: threading.Lock) -> bool:
        """Leave the line; True if the turn came at the last moment."""
        with self._mutex:
            if gate in self._gates:
                self._gates.remove(gate)
                return False
            return True


class ProcessLock(Protocol):
    """Keeps the writers of other processes out."""

    def acquire(self, timeout_s: float) -> bool:
        """Wait for the lock; False if it did not come in time."""
        ...

    def release(self) -> None:
        """Let others in."""
        ...

    def close(self) -> None:
        """Let go of it for good."""
        ...


class NoLock:
    """For a database that no other process can see."""

    def acquire(self, timeout_s: float) -> bool:
        """Always at once."""
        return True

    def release(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""


class _Batch:
    """Transactions that wait for the same commit."""

    def __init__(self) -> None:
        self.bodies = 0
        self.opened_at = time.monotonic()
        self.settled = threading.Event()
        self.error: OmoideError | None = None

    def is_full(self) -> bool:
        """Nobody may join any more."""
        return self.bodies >= BATCH_BODIES or time.monotonic() - self.opened_at >= BATCH_S


class Writer:
    """Group commit over one connection.

    The body of each transaction runs alone, inside a savepoint of a shared outer transaction. A body
    that ends while others wait hands them the turn and waits; the last one commits for all. So one
    thread alone commits at once, and many threads pay for one sync together.
    """

    def __init__(self, connection: apsw.Connection, lock: ProcessLock, path: str, busy_s: float) -> None:
        self.connection = connection
        self._lock, self._path, self._busy_s = lock, path, busy_s
        self._turnstile = Turnstile()
        self._batch: _Batch | None = None
        self.after_commit: Callable[[], None] = lambda: None  # runs while other processes are still kept out

    def begin(self) -> None:
        """Wait for one's turn and start a body.

        Raises:
            StoreBusy: the turn, or the lock against other processes, did not come in time.
        """
        self._take_turn()
        try:
            if self._batch is None:
                self._open_batch()
            self.connection.execute("SAVEPOINT body")
        except apsw.Error as error:
            self._end_turn()
            raise self.named(error) from error
        except BaseException:
            self._end_turn()
            raise

    def commit(self) -> None:
        """End a body and wait until it is durable.

        Raises:
            StoreError: the commit failed, or the database had undone the transaction; nothing was changed.
        """
        batch = self._batch
        assert batch is not None
        try:
            if not self.connection.in_transaction:
                raise StoreError(f"{self._path}: the transaction had failed and was undone")
            self.connection.execute("RELEASE body")
            batch.bodies += 1
        except apsw.Error as error:
            self.rollback()
            raise self.named(error) from error
        except StoreError:
            self._end_turn()
            raise
        self._end_turn()
        batch.settled.wait()
        if batch.error is not None:
            raise type(batch.error)(*batch.error.args) from batch.error

    def rollback(self) -> None:
        """Undo a body; the others of its batch stay."""
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO body")
                self.connection.execute("RELEASE body")
        except apsw.Error as error:
            self._fail(error)
        finally:
            self._end_turn()

    @contextmanager
    def alone(self) -> Iterator[apsw.Connection]:
        """The connection with no transaction open in it, while all other threads wait.

        Raises:
            StoreBusy: the turn did not come in time.
        """
        self._take_turn()
        try:
            if self._batch is not None:
                self._settle(self._batch)
            yield self.connection
        finally:
            self._turnstile.release()

    def named(self, error: apsw.Error) -> OmoideError:
        """Our error for one of this connection's."""
        return typed(error, self._path, self.connection.system_errno)

    def _take_turn(self) -> None:
        if not self._turnstile.acquire(self._busy_s):
            raise StoreBusy(f"{self._path}: other threads wrote for longer than {self._busy_s:g} s")

    def _open_batch(self) -> None:
        if not self._lock.acquire(self._busy_s):
            raise StoreBusy(f"{self._path}: another process wrote for longer than {self._busy_s:g} s")
        try:
            self.connection.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._lock.release()
            raise
        self._batch = _Batch()

    def _end_turn(self) -> None:
        """Let the next thread join the batch, or commit it if nobody waits or it has grown enough."""
        batch = self._batch
        if batch is not None:
            if self.connection.in_transaction and not batch.is_full() and self._turnstile.hand_on():
                return
            self._settle(batch)
        self._turnstile.release()

    def _settle(self, batch: _Batch) -> None:
        try:
            if not self.connection.in_transaction:
                batch.error = batch.error or StoreError(f"{self._path}: the database undid the transaction after an error")
            else:
                self.connection.execute("COMMIT" if batch.bodies else "ROLLBACK")
        except apsw.Error as error:
            self._fail(error)
        finally:
            self._batch = None
            batch.settled.set()
        try:
            self.after_commit()
        finally:
            self._lock.release()

    def _fail(self, error: apsw.Error) -> None:
        """The whole batch is lost."""
        if self._batch is not None:
            self._batch.error = self.named(error)
        if self.connection.in_transaction:
            with suppress(apsw.Error):
                self.connection.execute("ROLLBACK")


class Log:
    """Keeps the write-ahead log short: copies it into the file from time to time, and cuts it when it has grown large."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._pages = 0
        self._copy_at = COPY_PAGES
        connection.set_wal_hook(self._note)

    def tend(self) -> None:
        """Copy or cut the log if it is time. Call it with the lock against other processes held."""
        if self._pages < self._copy_at:
            return
        with suppress(apsw.Error):  # the commit stands; the next one tries again
            pages, copied = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            if copied < pages and pages >= CUT_PAGES:
                pages, copied = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._copy_at = COPY_PAGES if copied == pages else pages + COPY_PAGES
        self._pages = 0

    def _note(self, connection: apsw.Connection, database: str, pages: int) -> int:
        self._pages = pages
        return apsw.SQLITE_OK
