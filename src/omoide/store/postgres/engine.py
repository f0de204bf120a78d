"""The Postgres engine: one schema of a database with pgvector, for any number of processes and
machines.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import lru_cache

from omoide.nouns.errors import MissingExtra, StoreError, StoreRefused

try:
    import psycopg
    from psycopg import sql
except ImportError as error:
    raise MissingExtra("Postgres", "postgres") from error

from omoide.nouns.clock import SystemClock, to_micros
from omoide.store.base import Row, Store
from omoide.store.engine_transaction import reading
from omoide.store.migrate import check_applied, load_migrations, migrate
from omoide.store.postgres.compaction import compact
from omoide.store.postgres.connections import (
    Connections,
    Growth,
    PostgresConnection,
    teach_vectors,
    typed,
)
from omoide.store.postgres.schema import unlike
from omoide.store.postgres.transaction import PostgresTransaction, load_statements
from omoide.store.search.partition import Partitions

OLDEST_SERVER = 16
OLDEST_VECTOR = (0, 8)
_MIGRATION_WAIT_S = 600  # for another process that migrates the same store
_IDLE_IN_TRANSACTION_S = 60


def check_server(version: int, vector: str | None, place: str) -> None:
    """Refuse a server on which the store cannot work: its version as 160002, that of pgvector as
    0.8.1.

    Raises:
        StoreRefused: either is too old, or there is no pgvector.
    """
    wanted = ".".join(map(str, OLDEST_VECTOR))
    if version < OLDEST_SERVER * 10_000:
        raise StoreRefused(
            place, f"Postgres {version // 10_000}", f"use Postgres {OLDEST_SERVER} or newer"
        )
    if vector is None:
        raise StoreRefused(
            place,
            "the extension pgvector is not installed on the server",
            f"install pgvector {wanted} or newer",
        )
    if tuple(map(int, vector.split(".")[:2])) < OLDEST_VECTOR:
        raise StoreRefused(
            place,
            f"pgvector {vector}",
            f"install pgvector {wanted} or newer, then run ALTER EXTENSION vector UPDATE",
        )


@dataclass(frozen=True, slots=True)
class _Limits:
    """How long a transaction waits for locks, and how long one statement may take; 0: for ever."""

    lock_s: float
    statement_s: float


@lru_cache
def _begin(kind: str, path: tuple[str, ...], limits: _Limits, durable: bool) -> bytes:
    """One round trip: begin, and set what holds for this transaction alone, so that a shared
    connection stays clean.
    """
    begin = sql.SQL(
        "BEGIN ISOLATION LEVEL {}; SET LOCAL search_path TO {}; SET LOCAL synchronous_commit TO {};"
        " SET LOCAL lock_timeout TO {}; SET LOCAL statement_timeout TO {}; SET LOCAL"
        " idle_in_transaction_session_timeout TO {}"
    )
    return begin.format(
        sql.SQL(kind),
        sql.SQL(", ").join(map(sql.Identifier, path)),
        sql.SQL("DEFAULT" if durable else "off"),
        *(
            sql.Literal(int(seconds * 1000))
            for seconds in (limits.lock_s, limits.statement_s, _IDLE_IN_TRANSACTION_S)
        ),
    ).as_bytes(None)


class PostgresStore(Store):
    """A store in one schema of a Postgres database, usable from any thread and process. Made by
    ``open``.

    Writers of one partition wait for each other, those of different ones do not. A read transaction
    sees one snapshot. A thread is in one transaction at a time.
    """

    engine = "Postgres"

    def __init__(self, connections: Connections, schema: str, busy_s: float) -> None:
        self._connections, self._schema = connections, schema
        self._limits = _Limits(busy_s, 2 * busy_s)
        self._vector_schema, self._growth = "public", Growth()
        self._start()

    def _start(self) -> None:
        self._process, self._inside = os.getpid(), set[int]()
        self._partitions = Partitions(reading=reading(self))

    @classmethod
    def open(
        cls, dsn: str, *, pool_size: int = 10, schema: str = "omoide", busy_s: float = 30
    ) -> PostgresStore:
        """Open the store in a schema of a database, or make it there.

        ``pool_size``: connections at most, so transactions at once. ``busy_s``: how long a
        transaction waits for a connection and for other writers; one statement may take twice as
        long.

        Raises:
            InvalidInput: dsn is no address of a Postgres database.
            StoreRefused, NewerStore: the server or pgvector is too old, or what is there is not
                ours.
            StoreError: the server cannot be reached.
        """
        store = cls(Connections(dsn, pool_size, busy_s), schema, busy_s)
        try:
            store._prepare()
        except BaseException:
            store.close()
            raise
        return store

    @property
    def path(self) -> str:
        """Host, port, database and schema."""
        return f"{self._connections.place} {self._schema}"

    def transaction(
        self, *, tenant: str | None, write: bool = True, durable: bool = True
    ) -> AbstractContextManager[PostgresTransaction]:
        """A transaction, as Store says. A second one in the same thread raises StoreError."""
        kind = "READ COMMITTED" if write else "REPEATABLE READ, READ ONLY"
        return self._transaction(
            self._begin_statement(kind, self._limits, durable=durable or not write),
            tenant=tenant,
            write=write,
        )

    def close(self) -> None:
        """Let go of all connections; those in use when their transaction ends. Safe to call
        again.
        """
        self._connections.close()
        self._partitions.close()

    def compact(self) -> list[str]:
        """Rewrite all tables and indexes, so that their files hold nothing that was erased; what
        may be left elsewhere, in words. Each is locked meanwhile.

        Raises:
            StoreBusy: a table is in use for longer than busy_s.
            StoreError: the role does not own the tables, or there is no room for them twice.
        """
        with self._entered():
            connection, _ = self._connections.take()
            try:
                return compact(connection, self._schema, self.path, self._limits.lock_s)
            finally:
                self._connections.put(connection)

    def unread(self) -> list[str]:
        """Why parts of the search index could not be read into memory, which is tried again."""
        return self._partitions.faults()

    def integrity(self) -> list[str]:
        """Triggers, rules, views and functions in the store's schema that are not ours, or that it
        lacks. The server sees to its own files.
        """
        with self.transaction(tenant=None, write=False) as tx:
            return unlike(tx.rows("objects.listed"), load_migrations("postgres"))

    def size_bytes(self) -> int:
        """What the tables and indexes take on the server's disk."""
        with self.transaction(tenant=None, write=False) as tx:
            return int(tx.server("size", schema=self._schema)[0]["bytes"])

    @contextmanager
    def _transaction(
        self, begin: bytes, *, tenant: str | None, write: bool
    ) -> Iterator[PostgresTransaction]:
        if os.getpid() != self._process:
            self._start()
        with self._entered():
            connection = self._begun(begin)
            tx = PostgresTransaction(
                connection, self.path, tenant, self._growth, None if write else self._partitions
            )
            try:
                yield tx
                tx.commit()
            except BaseException:
                tx.rollback()
                raise
            finally:
                if tx.is_ours:
                    self._connections.put(connection)

    def _begun(self, begin: bytes) -> PostgresConnection:
        """A connection in a new transaction. One that broke while it was idle is passed over."""
        while True:
            connection, is_new = self._connections.take()
            try:
                if is_new:
                    self._teach(connection)
                connection.execute(begin)
                self._growth.replan(connection)
                return connection
            except psycopg.Error as error:
                self._connections.put(connection)
                if is_new or not connection.closed:
                    raise typed(error, self.path) from None

    def _teach(self, connection: PostgresConnection) -> None:
        for row in connection.execute(load_statements()["server.vector_type"]):
            teach_vectors(connection, row["oid"])

    def _begin_statement(self, kind: str, limits: _Limits, *, durable: bool = True) -> bytes:
        return _begin(kind, (self._schema, self._vector_schema), limits, durable)

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """Note that this thread is in a transaction: waiting for a second connection while holding
        one can lock up all.
        """
        me, inside = threading.get_ident(), self._inside
        if me in inside:
            raise StoreError(f"{self.path}: this thread is already in a transaction of this store")
        inside.add(me)
        try:
            yield
        finally:
            inside.discard(me)

    def _prepare(self) -> None:
        """See to it that server and schema are fit for use."""
        with self.transaction(tenant=None, write=False) as tx:
            (facts,) = tx.server("facts", schema=self._schema)
            applied = (
                {row["version"]: row["checksum"] for row in tx.rows("schema.applied")}
                if facts["is_made"]
                else {}
            )
        check_server(
            facts["version"], facts["vector_version"] or facts["vector_available"], self.path
        )
        self._vector_schema = facts["vector_schema"] or self._vector_schema
        migrations = load_migrations("postgres")
        check_applied(applied, migrations, self.path)
        if len(applied) < len(migrations):
            self._make(facts)
            migrate(self._migrating, migrations, at=to_micros(SystemClock().now()), place=self.path)
            self._connections.renew()  # those made before there was a vector type

    def _make(self, facts: Row) -> None:
        """The schema and the vector type. Where they are there already, no right to make them is
        needed.
        """
        with self._migrating() as tx:
            if not facts["has_schema"]:
                tx.make_schema(self._schema)
            if not facts["vector_version"]:
                tx.server("make_vector")

    @contextmanager
    def _migrating(self) -> Iterator[PostgresTransaction]:
        with self._transaction(
            self._begin_statement("READ COMMITTED", _Limits(_MIGRATION_WAIT_S, 0)),
            tenant=None,
            write=True,
        ) as tx:
            tx.server("lock", schema=self._schema)
            yield tx
