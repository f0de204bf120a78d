"""A transaction on one SQLite connection, running named queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from types import TracebackType
from typing import Any, cast

import apsw

from omoide.nouns.errors import OmoideError, StoreBusy, StoreRefused
from omoide.store.base import Row, Values
from omoide.store.engine_transaction import EngineTransaction
from omoide.store.migrate import Migration
from omoide.store.queries import load_queries
from omoide.store.search.partition import Partitions
from omoide.store.sqlite.connections import REPAIR, Connection, typed
from omoide.store.sqlite.readers import Snapshot

_columns: dict[str, tuple[str, ...]] = {}  # column names by statement


class SqliteTransaction(EngineTransaction[str]):
    """One transaction. Once its block has ended, or the database undid it, every call raises
    StoreError.

    ``snapshot`` and ``partitions`` belong to read transactions.
    """

    def __init__(
        self,
        connection: Connection,
        path: str,
        tenant: str | None,
        snapshot: Snapshot | None = None,
        partitions: Partitions | None = None,
    ) -> None:
        super().__init__("sqlite", load_queries("sqlite"), path, tenant, partitions)
        self._connection, self._snapshot = connection, snapshot
        self._lock = snapshot.lock if snapshot else threading.RLock()
        self._ran: set[str] = set()  # statements that changed rows, or may have

    @property
    def only_adds(self) -> bool:
        """It inserted rows and deleted none."""
        return any(sql.startswith("INSERT") for sql in self._ran) and not any(
            sql.startswith("DELETE") for sql in self._ran
        )

    def run(self, query: str, /, many: Sequence[Values] | None = None, **values: object) -> int:
        """Run a named query; the number of rows changed. ``many`` runs it once for each set of
        values.
        """
        sql = self._statement(query, (values,) if many is None else many)
        with self._lock:
            connection = self._usable()
            before = connection.total_changes()
            with self._cursor(connection) as cursor:
                for _ in (
                    cursor.execute(sql, cast(Any, values))
                    if many is None
                    else cursor.executemany(sql, cast(Any, many))
                ):
                    pass
            if changed := connection.total_changes() - before:
                self._ran.add(sql)
            return changed

    def rows(self, query: str, /, **values: object) -> list[Row]:
        """The rows of a named query, or of its RETURNING clause."""
        sql = self._statement(query, (values,))
        with self._lock, self._cursor(self._usable()) as cursor:
            cursor.execute(sql, cast(Any, values))
            names = _columns.get(sql) or _learn_columns(sql, cursor)
            found: list[Row] = [dict(zip(names, row, strict=True)) for row in cursor]
        if found:
            self._ran.add(sql)
        return found

    def tuples(self, query: str, values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
        """The rows of a named query, one by one, without their names; as long as the transaction
        lasts.
        """
        stream = self._stream(self._statement(query, (values,)), values)
        self._streams.append(stream)
        return stream

    def _stream(self, sql: str, values: dict[str, object]) -> Generator[tuple[Any, ...]]:
        with self._lock, self._cursor(self._usable()) as cursor:
            yield from cursor.execute(sql, cast(Any, values))

    def _cursor(self, connection: Connection) -> _Lent:
        return _Lent(connection, self._named)

    def apply(self, migration: Migration) -> None:
        """Run the statements of a migration and stamp the file with its version."""
        connection = self._usable()
        try:
            connection.execute(migration.sql)
            connection.pragma("user_version", migration.version)
        except apsw.Error as error:
            raise self._named(error) from error

    def end(self) -> None:
        """Let nothing run any more, and what was left in the middle hold on to nothing."""
        self.disown("its block has ended")
        self._end_streams()

    def disown(self, why: str) -> None:
        """Let nothing run any more; what is open is another process's."""
        self._over = why

    def _usable(self) -> Connection:
        if self._snapshot is not None and self._snapshot.expired:
            raise StoreBusy(f"{self._place}: this read took longer than one transaction may")
        self._check_open()
        return self._connection

    def _named(self, error: apsw.Error | UnicodeDecodeError) -> OmoideError:
        if isinstance(error, UnicodeDecodeError):
            return StoreRefused(self._place, f"damaged ({error})", REPAIR)
        # After some errors SQLite undoes the whole transaction; what ran next would commit by
        # itself.
        if not self._connection.in_transaction:
            self._over = f"the database undid it ({error})"
        return typed(error, self._place, self._connection.system_errno)


class _Lent:
    """A cursor for one statement, with SQLite's errors turned into ours. What ends the block early,
    an interrupt too, ends the statement.
    """

    __slots__ = ("_connection", "_cursor", "_named")

    def __init__(
        self,
        connection: Connection,
        named: Callable[[apsw.Error | UnicodeDecodeError], OmoideError],
    ) -> None:
        self._connection, self._named = connection, named

    def __enter__(self) -> apsw.Cursor:
        self._cursor = self._connection.lend()
        return self._cursor

    def __exit__(
        self, kind: object, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.give_back(self._cursor, ran_out=error is None)
        if isinstance(error, apsw.Error | UnicodeDecodeError):
            raise self._named(error) from error


def _learn_columns(sql: str, cursor: apsw.Cursor) -> tuple[str, ...]:
    try:
        names = tuple(column[0] for column in cursor.get_description())
    except apsw.ExecutionCompleteError:  # no rows, so SQLite tells no names either
        return ()
    _columns[sql] = names
    return names
