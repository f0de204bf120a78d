"""One connection writes for all threads of a process: their transactions share commits."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

import apsw

from omoide.nouns.errors import OmoideError, StoreBusy, StoreClosed, StoreError
from omoide.store.sqlite.connections import Connection, shut, typed
from omoide.store.sqlite.guard import Ballast

BATCH_BODIES = 64  # transactions that share one commit, at most
BATCH_S = 0.005  # after which nobody joins any more
_CLOSING_S = 1.0  # how long closing waits for other processes, to copy the log
_NORMAL = 1  # SQLite syncs the log only before it copies it
COPY_PAGES = 500  # of the log, before they are copied into the file
# of the log, beyond which readers are waited for (they have a time limit) so that it can be cut
CUT_PAGES = 4_096


class Turnstile:
    """A fair lock: threads pass in the order they came. It knows whose turn it is, as an interrupt
    may end anything at any point.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._owner: int | None = None  # the thread whose turn it is
        self._gates: deque[tuple[threading.Lock, int]] = deque()

    def acquire(self, timeout_s: float) -> bool:
        """Wait for one's turn; False if it did not come in time."""
        me = threading.get_ident()
        with self._mutex:
            if self._owner is None:
                self._owner = me
                return True
            gate = threading.Lock()
            gate.acquire()
            self._gates.append((gate, me))
        mine = False
        try:
            mine = gate.acquire(timeout=timeout_s)
        finally:
            if not mine:
                mine = self._give_up(gate)
        return mine

    def is_mine(self) -> bool:
        """Whether it is the caller's turn."""
        return self._owner == threading.get_ident()

    def hand_on(self) -> bool:
        """Let the next in line pass; False if nobody waits and the turn stays with the caller."""
        with self._mutex:
            return self._next()

    def release(self) -> None:
        """End one's turn; nothing if it is not, or no longer, one's own."""
        with self._mutex:
            if self.is_mine() and not self._next():
                self._owner = None

    def _next(self) -> bool:
        if not self._gates:
            return False
        gate, self._owner = self._gates.popleft()
        gate.release()
        return True

    def _give_up(self, gate: threading.Lock) -> bool:
        """Leave the line; True if the turn came at the last moment."""
        with self._mutex:
            waits = [place for place in self._gates if place[0] is gate]
            for place in waits:
                self._gates.remove(place)
            return not waits


class ProcessLock(Protocol):
    """Keeps the writers of other processes out."""

    def acquire(self, timeout_s: float) -> bool:
        """Wait for the lock; False if it did not come in time."""
        ...

    def release(self) -> None:
        """Let others in."""
        ...

    def close(self) -> None:
        """Let go of it for good, held or not."""
        ...

    def disown(self) -> None:
        """In a forked child: forget it, without letting go of what the parent holds."""
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

    def disown(self) -> None:
        """Nothing to do."""


class _Batch:
    """Transactions that wait for the same commit; one that is not durable is not synced."""

    def __init__(self, *, durable: bool) -> None:
        self.durable = durable
        self.bodies = 0
        self.opened_at = time.monotonic()
        self.settled = threading.Event()
        self.error: OmoideError | None = None

    def is_full(self) -> bool:
        """Nobody may join any more."""
        return self.bodies >= BATCH_BODIES or time.monotonic() - self.opened_at >= BATCH_S


class GroupWriter:
    """Group commit over one connection.

    The body of each transaction runs alone, inside a savepoint of a shared outer transaction. A
    body that ends while others wait hands them the turn and waits; the last one commits for all. So
    one thread alone commits at once, and many threads pay for one sync together.
    """

    def __init__(self, connection: Connection, lock: ProcessLock, path: str, busy_s: float) -> None:
        self.connection = connection
        self._lock, self._path, self._busy_s = lock, path, busy_s
        self._turnstile = Turnstile()
        self._batch: _Batch | None = None
        self._closed = False
        self._full = self._level = int(connection.pragma("synchronous"))
        # runs while other processes are still kept out
        self.after_commit: Callable[[], None] = lambda: None

    def begin(self, *, durable: bool = True) -> None:
        """Wait for one's turn and start a body. One that is to be durable joins no batch that is
        not.

        Raises:
            StoreBusy: the turn, or the lock against other processes, did not come in time.
            StoreClosed: the connection was closed.
        """
        try:
            self._take_turn(self._busy_s)
            batch = self._batch
            if batch is not None and (
                not self.connection.in_transaction or (durable and not batch.durable)
            ):
                self._settle(batch)  # an interrupt left it over, or it is not to be joined
            if self._batch is None:
                self._open_batch(durable)
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
            StoreError: the commit failed, or the database had undone the transaction; nothing was
                changed.
        """
        batch = self._batch
        if batch is None:
            raise StoreError(f"{self._path}: this process was forked off inside the transaction")
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

    def let_go(self) -> None:
        """Undo what this thread is in the middle of, if it is."""
        if self._turnstile.is_mine():
            self.rollback()

    def rollback(self) -> None:
        """Undo a body; the others of its batch stay."""
        # this process was forked off inside it, or it was interrupted before it began
        if self._batch is None:
            self._end_turn()
            return
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO body")
                self.connection.execute("RELEASE body")
        except apsw.Error as error:
            self._fail(error)
        finally:
            self._end_turn()

    @contextmanager
    def alone(self, wait_s: float | None = None) -> Iterator[Connection]:
        """The connection with no transaction open in it, while all other threads wait. Other
        processes may go on.

        Raises:
            StoreBusy, StoreClosed: as begin; wait_s is in place of the usual wait.
        """
        try:
            self._take_turn(self._busy_s if wait_s is None else wait_s)
            if self._batch is not None:
                self._settle(self._batch)
            self._sync(commits=True)
            yield self.connection
        finally:
            self._turnstile.release()

    @contextmanager
    def locked(self, wait_s: float | None = None) -> Iterator[Connection]:
        """As alone, with other processes kept out too."""
        with self.alone(wait_s) as connection:
            self._lock_out_others(self._busy_s if wait_s is None else wait_s)
            try:
                yield connection
            finally:
                self._lock.release()

    def close(self, wait_s: float) -> None:
        """Copy the log into the file, if other processes let us, and close; the last one out
        removes the log.

        Raises:
            StoreBusy, StoreClosed: as alone.
        """
        with self.alone(wait_s) as connection:
            may_copy = self._lock.acquire(_CLOSING_S)
            try:
                if may_copy:
                    connection.set_busy_timeout(0)
                    with suppress(apsw.Error):  # what is in the log is safe there
                        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
                else:
                    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                self._closed = True
                shut(connection)
            finally:
                self._lock.close()

    def disown(self) -> None:
        """In a forked child: the connection and what is open in it belong to the parent."""
        self._closed, self._batch = True, None
        self._turnstile = Turnstile()
        self._lock.disown()

    def named(self, error: apsw.Error) -> OmoideError:
        """Our error for one of this connection's."""
        return typed(error, self._path, self.connection.system_errno)

    def _take_turn(self, wait_s: float) -> None:
        if not self._turnstile.acquire(wait_s):
            raise StoreBusy(f"{self._path}: other threads wrote for longer than {wait_s:g} s")
        if self._closed:
            self._turnstile.release()
            raise StoreClosed(f"{self._path}: this connection was closed")

    def _lock_out_others(self, wait_s: float) -> None:
        if not self._lock.acquire(wait_s):
            raise StoreBusy(f"{self._path}: another process wrote for longer than {wait_s:g} s")

    def _open_batch(self, durable: bool) -> None:
        self._lock_out_others(self._busy_s)
        try:
            self._sync(commits=durable)
            self.connection.execute("BEGIN IMMEDIATE")
            self._batch = _Batch(durable=durable)
        except BaseException:
            self._batch = None
            self._undo()
            self._lock.release()
            raise

    def _sync(self, *, commits: bool) -> None:
        """Let commits wait for the disk as the store is opened to, or not; with either, the file
        stays sound.
        """
        level = self._full if commits else min(self._full, _NORMAL)
        if level != self._level:
            self.connection.pragma("synchronous", level)
            self._level = level

    def _end_turn(self) -> None:
        """Let the next thread join the batch, or commit it if nobody waits or it has grown
        enough.
        """
        if not self._turnstile.is_mine():
            return
        batch = self._batch
        try:
            if batch is not None:
                if (
                    self.connection.in_transaction
                    and not batch.is_full()
                    and self._turnstile.hand_on()
                ):
                    return
                self._settle(batch)
        finally:
            self._turnstile.release()

    def _settle(self, batch: _Batch) -> None:
        try:
            self._finish(batch)
            self.after_commit()
        finally:
            self._lock.release()

    def _finish(self, batch: _Batch) -> None:
        try:
            if not self.connection.in_transaction:
                batch.error = batch.error or StoreError(
                    f"{self._path}: the database undid the transaction after an error"
                )
            else:
                self.connection.execute("COMMIT" if batch.bodies else "ROLLBACK")
        except apsw.Error as error:
            self._fail(error)
        except BaseException:  # an interrupt: before it was done, or right after
            if self.connection.in_transaction:
                batch.error = StoreError(
                    f"{self._path}: the commit was interrupted; nothing was changed"
                )
            raise
        finally:
            self._undo()
            self._batch = None
            batch.settled.set()

    def _fail(self, error: apsw.Error) -> None:
        """The whole batch is lost."""
        if self._batch is not None:
            self._batch.error = self.named(error)
        self._undo()

    def _undo(self) -> None:
        """Leave no transaction open."""
        if self.connection.in_transaction:
            with suppress(apsw.Error):
                self.connection.execute("ROLLBACK")


class WriteAheadLog:
    """Keeps the write-ahead log short: copies it into the file from time to time, and cuts it when
    it has grown large.

    What waits to be copied may need room in the file, so it stays below half of the ballast; while
    that is spent, every commit is copied at once, so that deleting needs next to no room. With
    must_cut each commit tries to cut it, as it may hold what was deleted.
    """

    def __init__(
        self, connection: Connection, ballast: Ballast, busy_ms: int, *, must_cut: bool
    ) -> None:
        self._connection, self._ballast, self._busy_ms = connection, ballast, busy_ms
        self._must_cut = must_cut
        self._copy_pages = max(
            1, min(COPY_PAGES, ballast.bytes // 2 // connection.pragma("page_size"))
        )
        self._copy_at = self._copy_pages
        self._pages = 0
        connection.set_wal_hook(self._note)

    def tend(self) -> None:
        """Copy or cut the log if it is time. Call it with other processes kept out."""
        if self._must_cut:
            with suppress(apsw.Error):  # as below
                self.cut(wait_ms=0)
        if self._pages < (1 if self._ballast.is_spent else self._copy_at):
            return
        with suppress(apsw.Error):  # the commit stands; a later one tries again
            self._copy_at = self._pages + self._copy_pages
            pages, copied = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            if copied < pages and pages >= CUT_PAGES:
                # if a reader is not one of ours and stays, the next wait is far off
                self._copy_at = self._pages + CUT_PAGES
                pages, copied = self._connection.wal_checkpoint(
                    mode=apsw.SQLITE_CHECKPOINT_TRUNCATE
                )
            if copied == pages:
                self._copy_at = self._copy_pages
        self._pages = 0

    def cut(self, *, wait_ms: int) -> bool:
        """Copy the whole log into the file and empty it; False while a reader needs it. Until it
        is done, each commit tries again. Call it with other processes kept out.

        Raises:
            apsw.Error: the file cannot be written.
        """
        self._must_cut = True
        self._connection.set_busy_timeout(wait_ms)
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.BusyError:
            return False
        finally:
            self._connection.set_busy_timeout(self._busy_ms)
        self._must_cut, self._copy_at, self._pages = False, self._copy_pages, 0
        return True

    def _note(self, connection: apsw.Connection, database: str, pages: int) -> int:
        self._pages = pages
        return apsw.SQLITE_OK
