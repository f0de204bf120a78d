"""A database of Postgres that test after test gets empty again.

Copying the template makes and removes some 500 files for each test, which took most of the time of
the whole suite. Tests of behaviour get a database that the test before them has left, with its
tables cleared, and the connections that its store has closed: the server takes as long for a new
one as for all that a short test asks. Tests of Postgres itself get a new database each
(``postgres_url``), and new connections.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from select import select

import psycopg
import pytest
from psycopg import sql
from psycopg.pq import TransactionStatus

from omoide.store.postgres import connections
from omoide.store.postgres.connections import PostgresConnection
from tests.fix_postgres import SERVERS, TEMPLATE, create, database_of, drop

Connect = Callable[[str, float], PostgresConnection]

PREPARED = 10_000  # statements that a connection may keep prepared
GONE_S = 2.0  # how long the sessions of a closed store may take to end
TABLES = "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'omoide'"
OTHERS = """
    SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND backend_type = 'client backend'"""
# Every change of the schema writes rows of these catalogs; clearing tables writes none.
CATALOGS = ("pg_attribute", "pg_constraint", "pg_policy", "pg_proc", "pg_rewrite", "pg_trigger")
REWIND = """
    SELECT setval(format('%I.%I', schemaname, sequencename), start_value, false)
      FROM pg_sequences WHERE schemaname = 'omoide' AND last_value IS NOT NULL"""


def _rows(table: str) -> str:
    """A query for a digest of a table's rows."""
    return f"SELECT md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) FROM {table} t"


def _writes(catalog: str) -> str:
    """A query for how many rows a catalog has, and which transaction wrote the newest."""
    return f"SELECT count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) FROM {catalog}"


class KeptConnections:
    """Makes connections to one database, and keeps those that are closed for who asks next."""

    def __init__(self, connect: Connect) -> None:
        self._connect, self._process = connect, os.getpid()
        self._idle: list[PostgresConnection] = []

    def connect(self, address: str, wait_s: float) -> PostgresConnection:
        """A connection, new or kept; a process forked off gets its own."""
        if os.getpid() != self._process:
            return self._connect(address, wait_s)
        while self._idle:
            connection = self._idle.pop()
            if not select([connection], [], [], 0)[0]:  # else the server has said goodbye
                connection.planned_at = 0
                return connection
            PostgresConnection.close(connection)
        connection = self._connect(address, wait_s)
        connection.prepared_max = PREPARED  # tests of all sorts ask by it
        connection.close = partial(self._keep, connection)  # type: ignore[method-assign]
        return connection

    def sessions(self) -> list[str]:
        """Those of the server that belong to kept connections, in order."""
        return sorted(str(one.info.backend_pid) for one in self._idle)

    def remove(self) -> None:
        """Close all."""
        while self._idle:
            PostgresConnection.close(self._idle.pop())

    def _keep(self, connection: PostgresConnection) -> None:
        """Keep a connection on which nothing is open; close any other."""
        is_clean = connection.info.transaction_status == TransactionStatus.IDLE
        if connection.closed or not is_clean:
            PostgresConnection.close(connection)
        elif connection not in self._idle:
            self._idle.append(connection)


class ClearedDatabase:
    """A database that can be cleared of what a test stored in it."""

    def __init__(self, address: str, connect: Connect) -> None:
        self._address, self._name = address, f"omoide_{uuid.uuid4().hex}"
        create(address, self._name, TEMPLATE)
        self.url = database_of(address, self._name)
        self.kept = KeptConnections(connect)
        self._connection = psycopg.connect(self.url, autocommit=True)
        tables = [name for (name,) in self._connection.execute(TABLES.encode())]
        filled = self._filled(tables)  # with the migrations, which stay
        self._tables = [name for name in tables if name not in filled]
        self._state = " UNION ALL ".join(
            f"({query})" for query in [*map(_rows, filled), *map(_writes, CATALOGS)]
        )
        self._new = self._read(self._state)

    def clear(self) -> bool:
        """Empty all tables, and start sequences anew; False if it is not fit for another test.

        It is not where a test changed the schema or leaves a session open.
        """
        try:
            if not self._is_alone() or self._read(self._state) != self._new:
                return False
            if filled := self._filled(self._tables):
                self._connection.execute(f"TRUNCATE {', '.join(filled)} CASCADE".encode())
            self._connection.execute(REWIND.encode())
        except psycopg.Error:  # such as a session that was ended, or a table that is gone
            return False
        return True

    def remove(self) -> None:
        """Let the database go."""
        self.kept.remove()
        self._connection.close()
        drop(self._address, self._name)

    def _filled(self, tables: list[str]) -> list[str]:
        asked = (
            sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})").format(
                sql.Literal(name),
                sql.SQL(name),
            )
            for name in tables
        )
        return [name for (name,) in self._connection.execute(sql.SQL(" UNION ALL ").join(asked))]

    def _read(self, query: str) -> list[str]:
        return [str(value) for (value,) in self._connection.execute(query.encode())]

    def _is_alone(self) -> bool:
        """Nobody is connected but by what is kept: a session ends a moment after its client has."""
        end = time.monotonic() + GONE_S
        while sorted(self._read(OTHERS)) != self.kept.sessions():
            if time.monotonic() > end:
                return False
            time.sleep(0.001)
        return True


class ClearedDatabases:
    """Lends databases of one server, and clears those that come back."""

    def __init__(self, address: str) -> None:
        self._address, self._connect = address, connections.connect
        self._idle: list[ClearedDatabase] = []
        self._lent: dict[str, ClearedDatabase] = {}

    def connect(self, address: str, wait_s: float) -> PostgresConnection:
        """A connection to any database; to one that is lent, perhaps a kept one."""
        lent = self._lent.get(address)
        return (lent.kept.connect if lent else self._connect)(address, wait_s)

    @contextmanager
    def lent(self) -> Iterator[str]:
        """The address of a database with an empty store."""
        database = self._idle.pop() if self._idle else ClearedDatabase(self._address, self._connect)
        self._lent[database.url] = database
        try:
            yield database.url
        finally:
            del self._lent[database.url]
            if database.clear():
                self._idle.append(database)
            else:
                database.remove()

    def remove(self) -> None:
        """Let all databases go."""
        while self._idle:
            self._idle.pop().remove()


@pytest.fixture(scope="session")
def cleared_databases(postgres_servers: Callable[[str], str]) -> Iterator[ClearedDatabases]:
    """Databases of the first server, for one test after another."""
    databases = ClearedDatabases(postgres_servers(SERVERS[0]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "connect", databases.connect)
        yield databases
    databases.remove()


@pytest.fixture
def cleared_postgres_url(cleared_databases: ClearedDatabases) -> Iterator[str]:
    """A database with an empty store, which earlier tests had and no other test has now."""
    with cleared_databases.lent() as url:
        yield url
