"""The database that tests share: no test finds what another left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import psycopg
import pytest

from omoide.memory import Memory
from omoide.store import open_store
from omoide.store.postgres import connections
from omoide.store.postgres.engine import PostgresStore
from tests.fix_memory import ANA
from tests.fix_postgres import SERVERS
from tests.fix_postgres_cleared import ClearedDatabases


@pytest.fixture
def databases(postgres_servers: Callable[[str], str]) -> Iterator[ClearedDatabases]:
    """Databases of this test alone."""
    made = ClearedDatabases(postgres_servers(SERVERS[0]))
    yield made
    made.remove()


@pytest.fixture
def kept(databases: ClearedDatabases, monkeypatch: pytest.MonkeyPatch) -> ClearedDatabases:
    """The same, where stores connect to them as other tests' stores do."""
    monkeypatch.setattr(connections, "connect", databases.connect)
    return databases


def administer(url: str, statement: str) -> None:
    """Runs a statement past the store."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def last_document(url: str) -> int:
    """The number of the newest document."""
    with psycopg.connect(url) as connection:
        (row,) = connection.execute("SELECT max(doc) FROM omoide.docs")
        return int(row[0])


def test_the_next_test_finds_an_empty_store_in_the_same_database(
    databases: ClearedDatabases,
) -> None:
    """Nothing is recalled, and numbers begin anew."""
    found = []
    for text in ("Ana likes tea", "Ana likes coffee"):
        with databases.lent() as url:
            with Memory.open(url, background=False) as memory:
                assert memory.recall("tea coffee", ANA).hits == ()
                memory.remember(text, ANA)
            found.append((url, last_document(url)))

    assert found[0] == found[1]


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE omoide.turns ADD COLUMN added BIGINT",
        "DROP TABLE omoide.vectors CASCADE",
        "CREATE VIEW omoide.seen AS SELECT 1 AS one",
        "ALTER TABLE omoide.changes DISABLE TRIGGER ALL",
        "INSERT INTO omoide.schema_versions VALUES (9999, 'future', 'x', 0)",
    ],
)
def test_a_database_whose_schema_was_changed_is_given_to_nobody(
    databases: ClearedDatabases, change: str
) -> None:
    """The next test gets another."""
    with databases.lent() as changed:
        administer(changed, change)
    with databases.lent() as other:
        open_store(other).close()

    assert changed != other


def test_a_database_that_somebody_still_uses_is_given_to_nobody(
    databases: ClearedDatabases,
) -> None:
    """The next test gets another, and theirs is gone."""
    with databases.lent() as used:
        left_open = PostgresStore.open(used)
    with databases.lent() as other:
        pass
    left_open.close()

    assert used != other


def session_of(store: PostgresStore) -> int:
    """The server's number of the connection that a store uses."""
    with store.transaction(tenant=None, write=False) as tx:
        connection = tx._connection
    return connection.info.backend_pid


def test_the_next_test_gets_the_connections_of_a_closed_store(kept: ClearedDatabases) -> None:
    """And the database with them."""
    found = []
    for _ in range(2):
        with kept.lent() as url, closing(PostgresStore.open(url)) as store:
            found.append((url, session_of(store)))

    assert found[0] == found[1]


def test_a_connection_left_in_a_transaction_is_given_to_nobody(kept: ClearedDatabases) -> None:
    """It is closed."""
    with kept.lent() as url:
        with closing(PostgresStore.open(url)) as store:
            connection, _ = store._connections.take()
            used = connection.info.backend_pid
            connection.execute(b"BEGIN")
            connection.close()
        with closing(PostgresStore.open(url)) as store:
            assert session_of(store) != used


def test_a_connection_that_the_server_ended_is_given_to_nobody(kept: ClearedDatabases) -> None:
    """Even where its store had closed it before."""
    with kept.lent() as url:
        with closing(PostgresStore.open(url)) as store:
            used = session_of(store)
        administer(url, f"SELECT pg_terminate_backend({used}, 10_000)")
        with closing(PostgresStore.open(url)) as store:
            assert session_of(store) != used


def test_two_stores_of_one_database_never_share_a_connection(kept: ClearedDatabases) -> None:
    """Of those that a third left."""
    with kept.lent() as url:
        store = PostgresStore.open(url)
        used = session_of(store)
        store.close()
        store.close()
        with closing(PostgresStore.open(url)) as one, closing(PostgresStore.open(url)) as other:
            sessions = {session_of(one), session_of(other)}

    assert len(sessions) == 2
    assert used in sessions
