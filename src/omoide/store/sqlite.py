"""The SQLite engine: one file, durable group commits, snapshots for readers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import apsw

from omoide.clock import SystemClock, to_micros
from omoide.errors import OmoideError, StoreBusy, StoreClosed, StoreError, UnknownName
from omoide.records import Match, Vector, Where
from omoide.store.base import Row, Values
from omoide.store.connections import APPLICATION_ID, MEMORY, Durability, Settings, connect, typed
from omoide.store.guard import WriterLock
from omoide.store.migrate import Migration, load_migrations, migrate
from omoide.store.partition import Partitions
from omoide.store.queries import load_queries
from omoide.store.readers import Readers, Snapshot
from omoide.store.writer import Log, NoLock, ProcessLock, Writer
from omoide.text.words import QueryTerm

READ_S = 10.0  # how long a snapshot may be held
_MEMORY_BUDGET = 512 * 2**20  # bytes for search in memory

_columns: dict[str, tuple[str, ...]] = {}  # column names by statement


class SqliteTransaction:
    """One transaction on one connection. Once its block has ended, or the database undid it, every call raises StoreError."""

    def __init__(self, connection: apsw.Connection, path: str, snapshot: Snapshot | None, partitions: Partitions | None) -> None:
        self._connection, self._path = connection, path
        self._snapshot, self._partitions = snapshot, partitions
        self._lock = snapshot.lock if snapshot else threading.RLock()
        self._over = ""  # why nothing runs any more
        self._queries = load_queries("sqlite")

    def run(self, query: str, /, many: Sequence[Values] | None = None, **values: object) -> int:
        """Run a named query; the number of rows changed. ``many`` runs it once for each set of values."""
        sql = self._sql(query)
        with self._lock:
            connection = self._usable()
            before = connection.total_changes()
            try:
                cursor = connection.execute(sql, cast(Any, values)) if many is None else connection.executemany(sql, cast(Any, many))
                for _ in cursor:
                    pass
            except apsw.Error as error:
                raise self._named(error) from error
            return connection.total_changes() - before

    def rows(self, query: str, /, **values: object) -> list[Row]:
        """The rows of a named query, or of its RETURNING clause."""
        sql = self._sql(query)
        with self._lock:
            try:
                cursor = self._usable().execute(sql, cast(Any, values))
                names = _columns.get(sql) or _learn_columns(sql, cursor)
                return [dict(zip(names, row, strict=True)) for row in cursor]
            except apsw.Error as error:
                raise self._named(error) from error

    def tuples(self, query: str, values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
        """The rows of a named query, one by one, without their names."""
        sql = self._sql(query)
        with self._lock:
            try:
                yield from self._usable().execute(sql, cast(Any, values))
            except apsw.Error as error:
                raise self._named(error) from error

    def match_text(self, terms: Sequence[QueryTerm], where: Where, limit: int) -> list[Match]:
        """The best documents by BM25, best first; as Transaction says."""
        return self._searchable().match_text(self.tuples, terms, where, limit)

    def match_vector(self, vector: Vector, model: int, where: Where, limit: int) -> list[Match]:
        """The nearest documents by cosine, best first; as Transaction says."""
        return self._searchable().match_vector(self.tuples, vector, model, where, limit)

    def apply(self, migration: Migration) -> None:
        """Run the statements of a migration and stamp the file with its version."""
        connection = self._usable()
        try:
            connection.execute(migration.sql)
            connection.pragma("user_version", migration.version)
        except apsw.Error as error:
            raise self._named(error) from error

    def end(self) -> None:
        """Let nothing run any more."""
        self._over = "its block has ended"

    def _sql(self, query: str) -> str:
        sql = self._queries.get(query)
        if sql is None:
            raise UnknownName("query", query)
        return sql

    def _usable(self) -> apsw.Connection:
        if self._snapshot is not None and self._snapshot.expired:
            raise StoreBusy(f"{self._path}: this read took longer than one transaction may")
        if self._over:
            raise StoreError(f"{self._path}: this transaction is over: {self._over}")
        return self._connection

    def _searchable(self) -> Partitions:
        if self._partitions is None:
            raise StoreError("searching needs a read transaction: transaction(write=False)")
        return self._partitions

    def _named(self, error: apsw.Error) -> OmoideError:
        # After some errors SQLite undoes the whole transaction; what ran next would commit by itself.
        if not self._connection.in_transaction:
            self._over = f"the database undid it ({error})"
        return typed(error, self._path, self._connection.system_errno)


def _learn_columns(sql: str, cursor: apsw.Cursor) -> tuple[str, ...]:
    try:
        names = tuple(column[0] for column in cursor.get_description())
    except apsw.ExecutionCompleteError:  # no rows, so SQLite tells no names either
        return ()
    _columns[sql] = names
    return names


@dataclass(frozen=True, slots=True)
class _Opened:
    """What a process holds open of a store."""

    lock: ProcessLock
    writer: Writer
    readers: Readers | None  # None: the writer's connection is the only one


class SqliteStore:
    """A store in one SQLite file, usable from any thread and process. Made by ``open``."""

    engine = "sqlite"

    def __init__(self, settings: Settings, read_s: float = READ_S) -> None:
        self._settings, self._read_s = settings, read_s
        self._partitions = Partitions("<f4", _MEMORY_BUDGET)
        self._inside: set[int] = set()  # threads in a transaction
        self._opening = threading.Lock()
        self._opened: _Opened | None = None
        self._closed = False

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
    ) -> SqliteStore:
        """Open a store, or make it. ``:memory:`` is a private one that is gone when it is closed.

        ``durability``: with full, a commit survives power loss; with relaxed, the last ones may not,
        but the file stays sound. ``busy_s``: how long a transaction waits for other writers.

        Raises:
            StoreRefused, NewerStore, WrongPassphrase: the file is not ours to open; it was left untouched.
            StoreError: it cannot be opened.
        """
        target = MEMORY if str(path) == MEMORY else os.path.realpath(path)
        store = cls(Settings(path=target, passphrase=passphrase, durability=durability, busy_s=busy_s))
        if target != MEMORY and not os.path.exists(target):
            os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
            os.close(os.open(target, os.O_CREAT | os.O_RDWR, 0o600))
        store._migrate()
        return store

    @property
    def path(self) -> str:
        """The file, with links followed; or ``:memory:``."""
        return self._settings.path

    def transaction(self, *, write: bool = True) -> AbstractContextManager[SqliteTransaction]:
        """A transaction: all of the block or, when it raises, nothing. A thread is in one at a time."""
        return self._write() if write else self._read()

    def close(self) -> None:
        """Let go of all connections. Safe to call again."""
        with self._opening:
            self._closed = True
            opened, self._opened = self._opened, None
        if opened is not None:
            _close(opened)

    @contextmanager
    def _write(self) -> Iterator[SqliteTransaction]:
        writer = self._connections().writer
        with self._entered():
            writer.begin()
            tx = SqliteTransaction(writer.connection, self.path, None, None)
            try:
                yield tx
            except BaseException:
                tx.end()
                writer.rollback()
                raise
            tx.end()
            writer.commit()

    @contextmanager
    def _read(self) -> Iterator[SqliteTransaction]:
        opened = self._connections()
        if opened.readers is None:
            with self._entered(), opened.writer.alone() as connection:
                yield from self._read_in(Snapshot(connection))
            return
        with self._entered():
            try:
                snapshot = opened.readers.begin()
            except apsw.Error as error:
                raise typed(error, self.path) from error
            try:
                yield from self._read_in(snapshot)
            finally:
                opened.readers.end(snapshot)

    def _read_in(self, snapshot: Snapshot) -> Iterator[SqliteTransaction]:
        tx = SqliteTransaction(snapshot.connection, self.path, snapshot, self._partitions)
        try:
            yield tx
        finally:
            tx.end()

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """Note that this thread is in a transaction: a second one would wait for the first for ever."""
        me = threading.get_ident()
        if me in self._inside:
            raise StoreError("this thread is already in a transaction of this store")
        self._inside.add(me)
        try:
            yield
        finally:
            self._inside.discard(me)

    def _connections(self) -> _Opened:
        opened = self._opened
        if opened is None:
            with self._opening:
                if self._closed:
                    raise StoreClosed(f"{self.path}: this store was closed")
                opened = self._opened = self._opened or _open(self._settings, self._read_s)
        return opened

    def _migrate(self) -> None:
        migrate(self._write, load_migrations("sqlite"), at=to_micros(SystemClock().now()), place=self.path)


def _open(settings: Settings, read_s: float) -> _Opened:
    connection = connect(settings, writes=True)
    lock: ProcessLock = NoLock() if settings.path == MEMORY else WriterLock(settings.path + ".lock")
    writer = Writer(connection, lock, settings.path, settings.busy_s)
    if settings.path == MEMORY:
        return _Opened(lock, writer, None)
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("journal_mode", "wal")
    writer.after_commit = Log(connection).tend
    return _Opened(lock, writer, Readers(lambda: connect(settings, writes=False), read_s))


def _close(opened: _Opened) -> None:
    if opened.readers is not None:
        opened.readers.close()
    with opened.writer.alone() as connection:
        connection.close()
    opened.lock.close()
