"""A transaction on one Postgres connection, running named queries."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import MappingProxyType
from typing import Any

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from omoide.nouns.errors import StoreError
from omoide.store.base import Row, Values
from omoide.store.engine_transaction import EngineTransaction
from omoide.store.migrate import Migration
from omoide.store.postgres.connections import Growth, PostgresConnection, is_outdated, typed
from omoide.store.queries import load_queries, own_queries
from omoide.store.search.partition import Partitions

_FETCHED = 1024  # rows that are in memory at once while a partition is read
_TOKENS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|::|:([a-z_][a-z0-9_]*)")


@cache
def load_statements() -> Mapping[str, bytes]:
    """Every query by name as psycopg takes it: those of ``sql/``, and those about the server
    itself.
    """
    queries = {**load_queries("postgres"), **own_queries("postgres")}
    return MappingProxyType(
        {name: with_placeholders(text).encode() for name, text in queries.items()}
    )


def with_placeholders(statement: str) -> str:
    """The statement with ``:name`` as psycopg's placeholders; literals, comments and ``::`` stay as
    they are.
    """
    return _TOKENS.sub(
        lambda token: f"%({token[1]})s" if token[1] else token[0], statement.replace("%", "%%")
    )


class PostgresTransaction(EngineTransaction[bytes]):
    """One transaction. Once its block has ended, or a statement of it failed, every call raises
    StoreError.
    """

    def __init__(
        self,
        connection: PostgresConnection,
        place: str,
        tenant: str | None,
        growth: Growth,
        partitions: Partitions | None = None,
    ) -> None:
        super().__init__("postgres", load_statements(), place, tenant, partitions)
        self._connection, self._process, self._growth = connection, os.getpid(), growth

    @property
    def is_ours(self) -> bool:
        """This process began it; a child forked off since must leave its connection alone."""
        return os.getpid() == self._process

    def run(self, query: str, /, many: Sequence[Values] | None = None, **values: object) -> int:
        """Run a named query; the number of rows changed. ``many`` runs it once for each set of
        values.
        """
        statement = self._statement(query, (values,) if many is None else many)
        with self._running() as connection, connection.cursor(binary=True) as cursor:
            if many is None or len(many) == 1:
                cursor.execute(statement, values if many is None else many[0])
            elif many:
                cursor.executemany(statement, many)
            changed = max(cursor.rowcount, 0)
            self._growth.rows += changed
            self._growth.replan(connection)
            return changed

    def rows(self, query: str, /, **values: object) -> list[Row]:
        """The rows of a named query, or of its RETURNING clause."""
        statement = self._statement(query, (values,))
        with self._running() as connection, connection.cursor(binary=True) as cursor:
            result = cursor.execute(statement, values).pgresult
            return list(cursor.fetchall()) if result and result.nfields else []

    def server(self, statement: str, /, **values: object) -> list[Row]:
        """The rows of one of the engine's own statements, those about the server."""
        return self.rows(f"server.{statement}", **values)

    def tuples(self, query: str, values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
        """The rows of a named query, without their names, a thousand or so at a time; whatever runs
        next ends it.

        The few rows of what is not asked for since a counter come at once: no stream uses a
        prepared statement.
        """
        if "since" not in values:
            return iter([tuple(row.values()) for row in self.rows(query, **values)])
        self._streams.append(self._stream(self._statement(query, (values,)), values))
        return self._streams[-1]

    def _stream(self, statement: bytes, values: dict[str, object]) -> Generator[tuple[Any, ...]]:
        size = _FETCHED if psycopg.capabilities.has_stream_chunked() else 1
        with (
            self._running() as connection,
            connection.cursor(binary=True, row_factory=tuple_row) as cursor,
        ):
            yield from cursor.stream(statement, values, size=size)

    def make_schema(self, name: str) -> None:
        """Make a schema of that name."""
        with self._running() as connection:
            connection.execute(
                sql.SQL(self._statement("server.make_schema").decode()).format(
                    schema=sql.Identifier(name)
                )
            )

    def apply(self, migration: Migration) -> None:
        """Run the statements of a migration."""
        with self._running() as connection:
            connection.execute(migration.sql.encode())

    def end(self) -> None:
        """Let nothing run any more."""
        if self.is_ours:
            self._end_streams()
        self._over = "its block has ended"

    def commit(self) -> None:
        """Make all of it last, and let nothing run any more.

        Raises:
            StoreError: a statement had failed, so that the server undid all of it; or the
                connection was lost just now, and only a look at the store tells whether it was
                stored.
        """
        self._usable()
        self.end()
        try:
            self._connection.execute(b"COMMIT")
        except psycopg.Error as error:
            if self._connection.closed:
                raise StoreError(
                    f"{self._place}: the connection was lost while committing: it may have been"
                    " stored or not"
                ) from None
            raise typed(error, self._place) from None

    def rollback(self) -> None:
        """Undo all of it, and let nothing run any more."""
        self.end()
        if not self.is_ours:
            return
        try:
            self._connection.execute(b"ROLLBACK")
        except psycopg.Error:
            self._connection.close()  # which undoes it too

    @contextmanager
    def _running(self) -> Iterator[PostgresConnection]:
        connection = self._usable()
        try:
            yield connection
        except psycopg.Error as error:
            if is_outdated(error):
                connection.close()
            raise typed(error, self._place) from None

    def _usable(self) -> PostgresConnection:
        if not self.is_ours:
            self._over = "it was begun before this process was forked off"
        elif (
            not self._over
            and self._connection.pgconn.transaction_status == TransactionStatus.INERROR
        ):
            self._over = "a statement of it failed, and the server undid all of it"
        self._check_open()
        return self._connection

    def _statement(self, query: str, bound: Sequence[Values] = ()) -> bytes:
        self._end_streams()
        return super()._statement(query, bound)
