"""Migrations: each runs once, whole, with its record, after a proven copy of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from omoide.nouns.errors import NewerStore, StoreRefused
from omoide.store.migrate import Migration, load_migrations, migrate
from omoide.store.sqlite.connections import APPLICATION_ID, Connection
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.transaction import SqliteTransaction

ALL = load_migrations("sqlite")


Rows = dict[str, list[dict[str, Any]]]  # by table, in the order they were added


def older_store(path: Path, version: int, *, text: str = "kept") -> Path:
    """A store as a release that knew only the first migrations would have left it, with rows in
    each of its tables.
    """
    connection = Connection(str(path))
    connection.pragma("application_id", APPLICATION_ID)
    migrate(transactions_of(connection), ALL[:version], at=1, place="test")
    connection.execute("INSERT INTO meta VALUES ('a', ?)", (text,))
    for table in tables_of(connection):
        for number in range(3) if table not in ("meta", "schema_versions") else ():
            add_row(connection, table, number)
    connection.pragma("journal_mode", "wal")
    connection.close()
    return path


def tables_of(connection: apsw.Connection) -> list[str]:
    """Its tables by name, without those that a search index keeps for itself."""
    names = connection.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name"
    )
    return [name for (name,) in names if not name.startswith("sqlite_")]


def add_row(connection: apsw.Connection, table: str, number: int) -> None:
    """A row with something in every column, different for each number and column."""
    values: dict[str, Any] = {}
    for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})"):
        sample = {"INTEGER": number, "BLOB": bytes([number + 1]) * 32, "REAL": 0.25 * (number + 1)}
        values[name] = sample.get(kind, f"{table}.{name} no. {number}, 会話")
    named = ", ".join(values)
    connection.execute(
        f"INSERT INTO {table} ({named}) VALUES ({', '.join(':' + name for name in values)})", values
    )


def rows(path: Path) -> Rows:
    """Everything in its tables, but for the record of migrations and what a store notes of
    itself.
    """
    connection = apsw.Connection(str(path))
    found: Rows = {}
    for table in tables_of(connection):
        if table not in ("schema_versions", "meta"):
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            held = [
                dict(zip(names, row, strict=True))
                for row in connection.execute(f"SELECT * FROM {table}")
            ]
            found[table] = sorted(held, key=repr)
    connection.close()
    return found


def kept(before: Rows, after: Rows) -> bool:
    """Whether all rows are there, each with all that it had; later tables and columns may be there
    too.
    """

    def cut(table: str) -> list[dict[str, Any]]:
        names = before[table][0]
        return sorted(
            ({name: as_before(table, name, row) for name in names} for row in after[table]),
            key=repr,
        )

    before = {
        table: [{n: v for n, v in row.items() if (table, n) not in GONE} for row in held]
        for table, held in before.items()
    }
    before = {table: sorted(held, key=repr) for table, held in before.items()}

    return all(not old or old == cut(table) for table, old in before.items())


RENAMED = {("items", "doubted_at"): "unconfirmed_at"}
GONE = {("items", "confirmed")}


def as_before(table: str, name: str, row: dict[str, Any]) -> Any:
    """A value of a row as an older store had it."""
    if (table, name) == ("items", "confidence") and row.get("confirmed_confidence") is not None:
        return row["confirmed_confidence"]
    return row[RENAMED.get((table, name), name)]


def transactions_of(
    connection: Connection,
) -> Callable[[], AbstractContextManager[SqliteTransaction]]:
    """Plain transactions on a connection."""

    @contextmanager
    def transaction() -> Iterator[SqliteTransaction]:
        with connection:
            yield SqliteTransaction(connection, "test", None)

    return transaction


def columns(path: Path) -> dict[str, list[str]]:
    """Column names by table."""
    connection = apsw.Connection(str(path))
    tables = [
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        )
    ]
    found = {
        table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        for table in tables
    }
    connection.close()
    return found


@pytest.mark.covers("GM-12", "GM-179", "LS-2")
@pytest.mark.parametrize("version", range(1, len(ALL)))
def test_every_older_store_becomes_the_newest(tmp_path: Path, version: int) -> None:
    """Its rows stay, its schema equals that of a new store, and a sound copy of what it was lies
    beside it.
    """
    path = older_store(tmp_path / "memory.db", version)
    before = rows(path)
    assert {"sessions", "turns", *("items", "changes")[: version - 1]} <= before.keys()
    assert all(len(held) == 3 for held in before.values())
    SqliteStore.open(tmp_path / "new.db").close()
    for _ in range(2):  # opening again changes nothing more
        store = SqliteStore.open(path)
        with store.transaction(tenant=None, write=False) as tx:
            assert tx.rows("meta.get", key="a") == [{"value": "kept"}]
            assert [row["version"] for row in tx.rows("schema.applied")] == [
                migration.version for migration in ALL
            ]
        store.close()

    assert columns(path) == columns(tmp_path / "new.db")
    copy = Path(f"{path}.backup-v{ALL[version - 1].version}")
    assert copy in store.files()
    assert kept(before, rows(path))
    assert rows(copy) == before
    assert apsw.Connection(str(copy)).pragma("user_version") == ALL[version - 1].version


@pytest.mark.covers("GM-12")
def test_a_new_store_is_at_the_newest_version(tmp_path: Path) -> None:
    """Nothing is left to migrate, and no copy is made."""
    store = SqliteStore.open(tmp_path / "memory.db")
    with store.transaction(tenant=None, write=False) as tx:
        assert [row["checksum"] for row in tx.rows("schema.applied")] == [
            migration.checksum for migration in ALL
        ]

    assert not list(tmp_path.glob("*.backup*"))
    store.close()


@pytest.mark.covers("LS-2")
def test_a_store_in_memory_has_the_same_schema() -> None:
    """All migrations run there too."""
    store = SqliteStore.open(":memory:")
    with store.transaction(tenant=None, write=False) as tx:
        assert len(tx.rows("schema.applied")) == len(ALL)
    store.close()


def test_a_changed_migration_is_refused(tmp_path: Path) -> None:
    """A file that was migrated by another text of the same number is not ours to go on with."""
    path = older_store(tmp_path / "memory.db", len(ALL))
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE schema_versions SET checksum = 'x' WHERE version = 2")
    connection.close()
    with pytest.raises(StoreRefused, match="migration 2"):
        SqliteStore.open(path)


def test_a_failing_migration_changes_nothing() -> None:
    """The one that fails is undone, those before it stay, and it runs when it can."""
    connection = Connection(":memory:")
    first, bad = (
        Migration(1, "first", "CREATE TABLE a (b);"),
        Migration(2, "bad", "CREATE TABLE c (d); CREATE TABLE a (b);"),
    )
    with pytest.raises(Exception, match="already exists"):
        migrate(transactions_of(connection), [first, bad], at=1, place="test")

    assert [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    ] == ["schema_versions", "a"]
    good = Migration(2, "good", "CREATE TABLE c (d);")
    assert migrate(transactions_of(connection), [first, good], at=1, place="test") == [good]
    assert migrate(transactions_of(connection), [first, good], at=1, place="test") == []


def test_older_code_refuses_a_newer_schema() -> None:
    """And names the version it found."""
    connection = Connection(":memory:")
    steps = [Migration(number, "step", f"CREATE TABLE t{number} (a);") for number in (1, 2)]
    migrate(transactions_of(connection), steps, at=1, place="test")
    with pytest.raises(NewerStore, match="version 2"):
        migrate(transactions_of(connection), steps[:1], at=1, place="test")
