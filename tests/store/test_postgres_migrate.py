"""Older stores on Postgres become the newest, with all that they hold."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import sql

from omoide.store.migrate import load_migrations
from omoide.store.postgres.engine import PostgresStore
from omoide.store.queries import load_queries
from tests.store.test_sqlite_migrate import Rows, kept

pytestmark = pytest.mark.postgres
ALL = load_migrations("postgres")
SCHEMA = "omoide"
OWN = ("meta", "schema_versions")  # what a store notes of itself
COLUMNS = (
    "SELECT column_name, data_type, is_identity FROM information_schema.columns WHERE table_schema"
    " = %s AND table_name = %s"
)


def older_store(url: str, version: int) -> None:
    """A store as a release that knew only the first migrations would have left it, with rows in
    each of its tables.
    """
    with psycopg.connect(url) as connection:
        for statement in (
            f"CREATE SCHEMA {SCHEMA}",
            "CREATE EXTENSION IF NOT EXISTS vector",
            f"SET search_path = {SCHEMA}, public",
        ):
            connection.execute(statement.encode())
        connection.execute(load_queries("postgres")["schema.create"].encode())
        for one in ALL[:version]:
            connection.execute(one.sql.encode())
            connection.execute(
                "INSERT INTO schema_versions VALUES (%s, %s, %s, 0)",
                (one.version, one.name, one.checksum),
            )
        for table in tables_of(connection):
            for number in range(3):
                add_row(connection, table, number)


def tables_of(connection: psycopg.Connection[Any]) -> list[str]:
    """The tables that hold what was told and made, by name."""
    found = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY tablename", (SCHEMA,)
    )
    return [name for (name,) in found if name not in OWN]


def add_row(connection: psycopg.Connection[Any], table: str, number: int) -> None:
    """A row with something in every column, different for each number and column."""
    values: dict[str, Any] = {}
    for name, kind, _ in connection.execute(COLUMNS, (SCHEMA, table)).fetchall():
        sample = {
            "bigint": number,
            "bytea": bytes([number + 1]) * 32,
            "double precision": 0.25 * (number + 1),
            "USER-DEFINED": f"[{number},1]",
        }
        values[name] = sample.get(kind, f"{table}.{name} no. {number}, 会話")
    names, marks = (
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join(map(sql.Placeholder, values)),
    )
    add = "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES ({})"
    connection.execute(sql.SQL(add).format(sql.Identifier(table), names, marks), values)


def rows(url: str) -> Rows:
    """Everything in its tables."""
    found: Rows = {}
    with psycopg.connect(url) as connection:
        connection.execute(f"SET search_path = {SCHEMA}, public".encode())
        for table in tables_of(connection):
            held = connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table)))
            names = [column.name for column in held.description or ()]
            found[table] = sorted((dict(zip(names, row, strict=True)) for row in held), key=repr)
    return found


@pytest.mark.covers("GM-12", "LS-2")
@pytest.mark.parametrize("version", range(1, len(ALL)))
def test_every_older_store_becomes_the_newest(empty_database: str, version: int) -> None:
    """Its turns, items, ledger and all other rows are as they were, and each migration is on record
    once.
    """
    older_store(empty_database, version)
    before = rows(empty_database)
    assert {"sessions", "turns", *("items", "changes")[: version - 1]} <= before.keys()
    assert all(len(held) == 3 for held in before.values())

    for _ in range(2):  # opening again changes nothing more
        store = PostgresStore.open(empty_database)
        with store.transaction(tenant=None, write=False) as tx:
            assert [row["version"] for row in tx.rows("schema.applied")] == [
                migration.version for migration in ALL
            ]
        store.close()
    assert kept(before, rows(empty_database))
