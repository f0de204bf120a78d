"""The SQLite engine: one file, durable group commits, snapshots for readers."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import apsw

from omoide.nouns.errors import (
    Conflict,
    OmoideError,
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreFull,
    StoreRefused,
)
from omoide.nouns.ids import check_path
from omoide.store.base import Store
from omoide.store.engine_transaction import reading
from omoide.store.migrate import load_migrations
from omoide.store.search.partition import Partitions
from omoide.store.sqlite.backup import back_up, change_passphrase, problems_in
from omoide.store.sqlite.connections import (
    MEMORY,
    ConnectionSettings,
    Durability,
    connected,
    named_disk_errors,
    typed,
)
from omoide.store.sqlite.files import (
    copies_of,
    copies_with,
    count_in,
    count_in_files,
    files_of,
    size_of,
)
from omoide.store.sqlite.guard import (
    check_file,
    check_passphrase,
    check_place,
    check_sqlite,
    exists,
)
from omoide.store.sqlite.opening import Opened, make, open_file, open_memory
from omoide.store.sqlite.readers import Snapshot
from omoide.store.sqlite.transaction import SqliteTransaction

READ_S = 10.0  # how long a snapshot may be held
_FORK_S = 5.0  # how long a fork waits for transactions of other threads
_ROOM_PAGES = (
    128  # free pages within the file, 1 MiB of them, that allow adding while the disk is full
)


class SqliteStore(Store):
    """A store in one SQLite file, usable from any thread and process. Made by ``open``.

    A thread is in one transaction at a time. Connections are this process's own: a fork closes them
    before and both sides open theirs again when they need them.
    """

    engine = "SQLite"

    def __init__(self, settings: ConnectionSettings, *, read_s: float = READ_S) -> None:
        self._settings, self._read_s = settings, read_s
        self._migrations = load_migrations("sqlite")
        self._partitions = Partitions(reading=reading(self))
        # threads in a transaction, or in another call that excludes one
        self._inside: dict[int, SqliteTransaction | None] = {}
        self._opening = threading.Lock()
        self._opened: Opened | None = None
        self._closed = ""  # why it cannot be used any more
        self._forking = ExitStack()  # what is held while the process forks
        self._is_at_rest = False  # so held that a copy of it is whole

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        passphrase: str | None = None,
        durability: Durability = "full",
        create: bool = True,
        allow_network: bool = False,
        busy_s: float = 30,
        read_s: float = READ_S,
    ) -> SqliteStore:
        """Open a store, or make it. ``:memory:`` is a private one that is gone when it is closed.

        ``durability``: with full, a commit survives power loss; with relaxed, the last ones may
        not, but the file stays sound. ``busy_s``: how long a transaction waits for other writers.
        ``read_s``: how long a read transaction may last before its snapshot is taken away.

        Raises:
            InvalidInput: the passphrase is empty, or the path cannot be one.
            StoreRefused, NewerStore, WrongPassphrase: the file is not ours to open; it was left
                untouched.
            StoreError: it cannot be opened.
        """
        check_sqlite(apsw.sqlite_lib_version())
        check_passphrase(passphrase)
        target = MEMORY if str(path) == MEMORY else os.path.realpath(check_path(path))
        store = cls(
            ConnectionSettings(
                path=target, passphrase=passphrase, durability=durability, busy_s=busy_s
            ),
            read_s=read_s,
        )
        if target != MEMORY:
            if not allow_network:
                check_place(target)
            store._prepare(create)
        with store._opening:
            store._open()
        _stores.add(store)
        return store

    @property
    def path(self) -> str:
        """The file, with links followed; or ``:memory:``."""
        return self._settings.path

    @property
    def open_readers(self) -> int:
        """Snapshots that threads of this process hold now; erased text stays in the log while they
        do.
        """
        readers = self._opened.readers if self._opened else None
        return readers.open_count if readers else 0

    def transaction(
        self, *, tenant: str | None, write: bool = True, durable: bool = True
    ) -> AbstractContextManager[SqliteTransaction]:
        """A transaction, as Store says. A second one in the same thread raises StoreError."""
        return self._write(tenant, durable) if write else self._read(tenant)

    def lasting(self, *, tenant: str | None) -> AbstractContextManager[SqliteTransaction]:
        """A read that no limit ends. While it lasts the log grows with whatever is written."""
        return self._read(tenant, lasts=True)

    def close(self) -> None:
        """Let go of all connections, once the transactions of other threads have ended. Safe to
        call again.

        Raises:
            StoreBusy: one did not end in time; the store stays open.
        """
        with self._entered(), self._opening:
            self._let_go(self._settings.busy_s)
            self._closed = self._closed or "was closed"
        self._partitions.close()
        _stores.discard(self)

    def checkpoint(self) -> bool:
        """Copy the whole log into the file and empty it; False if a reader, here or elsewhere,
        still needs it. Where the disk is full, the ballast gives the room that copying takes.

        After True, what was deleted is neither in the file nor in the log; copies made by a
        migration or a restore are left alone. Otherwise each later commit tries to cut the log.

        Raises:
            StoreFull: there is no room even so; the log still holds what was deleted.
            StoreBusy: another process wrote for too long.
        """
        with self._entered():
            opened = self._using()
            try:
                return self._empty_log(opened)
            except StoreFull:
                if opened.ballast is None or opened.ballast.is_spent:
                    raise
                opened.ballast.spend()
                return self._empty_log(opened)

    def backup(self, target: Path | str) -> list[str]:
        """Copy the store to a new file while it is used, and prove the copy.

        Gives what is wrong with the rows of both, as ``integrity`` would.

        Raises:
            InvalidInput: target cannot be a path.
            Conflict: there is something at target.
            StoreRefused: the store is damaged; there is no copy.
        """
        if self.path == MEMORY:
            raise StoreError("a store in memory has no backup; export it")
        place = os.path.realpath(check_path(target, "target"))
        if exists(place):
            raise Conflict(f"{place} exists; a backup never overwrites a file")
        return back_up(self._settings, place)

    def unread(self) -> list[str]:
        """Why parts of the search index could not be read into memory, which is tried again."""
        return self._partitions.faults()

    def integrity(self) -> list[str]:
        """What is wrong with the store; empty if it is sound. Reads every page."""
        if self.path == MEMORY:
            with self._using().writer.alone() as connection:
                return problems_in(connection)
        with connected(self._settings) as connection:
            return problems_in(connection)

    def rekey(self, passphrase: str | None) -> bool:
        """Encrypt the store with another passphrase, or with None not at all; False if it was not
        encrypted and stays so. Nobody else may have it open.

        Raises:
            StoreBusy: somebody has; nothing was changed.
        """
        check_passphrase(passphrase)
        if self.path == MEMORY:
            raise StoreError("a store in memory is not encrypted")
        if passphrase is None and self._settings.passphrase is None:
            return False
        with self._entered(), self._opening:
            self._let_go(self._settings.busy_s)
            change_passphrase(self._settings, passphrase)
            self._settings = replace(self._settings, passphrase=passphrase)
        return True

    def files(self) -> list[Path]:
        """Every file that belongs to the store: its own first, then log, locks, ballast, copies
        from migrations and restores.
        """
        return [] if self.path == MEMORY else files_of(self.path)

    def size_bytes(self) -> int:
        """What the store takes on disk, or in memory; the ballast is not counted."""
        if self.path != MEMORY:
            return size_of(self.path)
        with self._using().writer.alone() as connection:
            return int(connection.pragma("page_count")) * int(connection.pragma("page_size"))

    def scan(self, needles: Sequence[bytes]) -> dict[bytes, int]:
        """How often each of these byte strings stands in the store's files, as they are on disk;
        those that do not are left out.

        The log is part of them until ``checkpoint``. In an encrypted store nothing can be found.
        """
        if self.path != MEMORY:
            with named_disk_errors(self.path):
                return count_in_files(self.path, needles)
        with self._using().writer.alone() as connection:
            return dict(count_in(iter([connection.serialize("main")]), needles))

    def set_aside(self, needles: Sequence[bytes] | None) -> list[Path]:
        """Copies beside the store in which one of these byte strings stands, or that cannot be
        read; None: every copy.
        """
        if self.path == MEMORY:
            return []
        return copies_of(self.path) if needles is None else copies_with(self.path, needles)

    def __del__(self) -> None:
        if getattr(self, "_opened", None) is not None:
            with suppress(OmoideError):
                self._let_go(0)

    @contextmanager
    def _write(self, tenant: str | None, durable: bool) -> Iterator[SqliteTransaction]:
        with self._entered(), self._making_room(), self._undone_if_not_whole():
            opened = self._begin(durable)
            writer, ballast = opened.writer, opened.ballast
            tx = self._inside[threading.get_ident()] = SqliteTransaction(
                writer.connection, self.path, tenant
            )
            try:
                yield tx
                if (
                    ballast is not None
                    and ballast.is_spent
                    and tx.only_adds
                    and not _has_room(writer.connection)
                ):
                    raise StoreFull(
                        f"{self.path}: no space left; only what deletes something is let through"
                    )
            finally:
                tx.end()
            writer.commit()

    @contextmanager
    def _undone_if_not_whole(self) -> Iterator[None]:
        """After an error, or an interrupt between any two steps: what that leaves behind is undone,
        and others have their turn.
        """
        try:
            yield
        except BaseException:
            if self._opened is not None:
                self._opened.writer.let_go()
            raise

    @contextmanager
    def _making_room(self) -> Iterator[None]:
        """Where the disk is full, what is kept for that is given to those who delete something."""
        try:
            yield
        except StoreFull:
            opened = self._opened
            if opened is not None and opened.ballast is not None:
                opened.ballast.spend()
                with suppress(OmoideError):
                    self._empty_log(opened)  # what it takes up is room too
            raise

    def _empty_log(self, opened: Opened) -> bool:
        if opened.log is None:
            return True
        with opened.writer.locked():
            try:
                return opened.log.cut(wait_ms=1_000)
            except apsw.Error as error:
                named = opened.writer.named(error)
                if isinstance(named, StoreFull):
                    named = StoreFull(f"{self.path}: no space left to copy the log into the file")
                raise named from error

    def _begin(self, durable: bool) -> Opened:
        while True:
            opened = self._using()
            if opened.ballast is not None:
                opened.ballast.refill()
            try:
                opened.writer.begin(durable=durable)
                return opened
            except StoreClosed:
                self._wait_for_reopening()

    def _wait_for_reopening(self) -> None:
        """Another thread closes the connections just now, to close the store, to fork or to rekey
        it.
        """
        with self._opening:
            pass

    @contextmanager
    def _read(self, tenant: str | None, *, lasts: bool = False) -> Iterator[SqliteTransaction]:
        with self._entered(), self._snapshot(lasts) as snapshot:
            tx = SqliteTransaction(
                snapshot.connection, self.path, tenant, snapshot, self._partitions
            )
            self._inside[threading.get_ident()] = tx
            try:
                yield tx
            finally:
                tx.end()

    @contextmanager
    def _snapshot(self, lasts: bool) -> Iterator[Snapshot]:
        while True:
            opened = self._using()
            readers = opened.readers
            if readers is None:
                with opened.writer.alone() as connection:
                    connection.execute("PRAGMA query_only = ON")
                    try:
                        yield Snapshot(connection)
                    finally:
                        connection.execute("PRAGMA query_only = OFF")
                return
            try:
                snapshot = readers.begin(lasts=lasts)
            except StoreClosed:
                self._wait_for_reopening()
                continue
            except apsw.Error as error:
                raise typed(error, self.path) from error
            try:
                yield snapshot
            finally:
                readers.end(snapshot)
            return

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """Note that this thread is in a transaction: a second one might wait for the first for
        ever.
        """
        me = threading.get_ident()
        if me in self._inside:
            raise StoreError(f"{self.path}: this thread is already in a transaction of this store")
        try:
            self._inside[me] = None
            yield
        finally:
            self._inside.pop(me, None)

    def _using(self) -> Opened:
        opened = self._opened
        if opened is None:
            with self._opening:
                opened = self._open()
        return opened

    def _open(self) -> Opened:
        """Open the connections if they are not. Call it with the opening lock held."""
        if self._closed:
            raise StoreClosed(f"{self.path}: this store {self._closed}")
        if self._opened is None and self.path == MEMORY:
            self._opened = open_memory(self._settings, self._migrations)
        elif self._opened is None:
            self._opened = open_file(self._settings, self._migrations, self._read_s)
        return self._opened

    def _let_go(self, wait_s: float) -> None:
        """Close the connections if they are open. Call it with the opening lock held."""
        if self._opened is not None:
            self._opened.shut(wait_s)
            self._opened = None

    def _prepare(self, create: bool) -> None:
        """See to it that there is a file that may be opened."""
        if exists(self.path):
            check_file(self.path, self._settings.passphrase, self._migrations[-1].version)
        elif create:
            make(self._settings, self._migrations)
        else:
            raise StoreRefused(
                self.path, "does not exist", "check the path; opening with create makes a new store"
            )

    def _before_fork(self) -> None:
        """Close the connections, since SQLite's do not survive a fork; one in memory only comes to
        rest.
        """
        self._forking = ExitStack()
        if self._opening.acquire(timeout=_FORK_S):
            self._forking.callback(self._opening.release)
        if self._opened is None or threading.get_ident() in self._inside:
            return
        with suppress(StoreBusy):
            if self.path == MEMORY:
                self._forking.enter_context(self._opened.writer.alone(_FORK_S))
                self._is_at_rest = True
            else:
                self._let_go(_FORK_S)

    def _after_fork(self, *, child: bool) -> None:
        """Go on as before. In a child that was forked off in the middle of a transaction, refuse
        to.
        """
        self._forking.close()
        if child:
            for tx in filter(None, self._inside.values()):
                tx.disown("this process was forked off inside it")
            self._opening, self._inside = threading.Lock(), {}
            if self._opened is not None and not self._is_at_rest:
                self._opened.disown()
                self._opened = None
                self._closed = "was in use when this process was forked off; open it anew"
        self._is_at_rest = False


def _has_room(connection: apsw.Connection) -> bool:
    """The file itself has free pages left."""
    return bool(connection.pragma("freelist_count") >= _ROOM_PAGES)


_stores: weakref.WeakSet[SqliteStore] = weakref.WeakSet()


def _let_go_of_all() -> None:
    """Leave clean files behind stores that nobody closed."""
    for store in list(_stores):
        with suppress(OmoideError):
            store.close()


def _before_fork() -> None:
    for store in list(_stores):
        store._before_fork()


def _after_fork(*, child: bool) -> None:
    for store in list(_stores):
        store._after_fork(child=child)


atexit.register(_let_go_of_all)
os.register_at_fork(
    before=_before_fork,
    after_in_parent=partial(_after_fork, child=False),
    after_in_child=partial(_after_fork, child=True),
)
