"""The database that tests share: no test finds what another left."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest

from omoide.memory import Memory
from omoide.store import open_store
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
