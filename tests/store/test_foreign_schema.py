"""A store is exactly what its migrations make: anything else in its schema is refused or told."""

from __future__ import annotations

from pathlib import Path

import apsw
import psycopg
import pytest
from psycopg import sql

from omoide.memory import Memory
from omoide.nouns.errors import StoreRefused
from omoide.store.migrate import load_migrations
from omoide.store.postgres.engine import PostgresStore
from omoide.store.sqlite.backup import restore
from omoide.store.sqlite.connections import ConnectionSettings, connected
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.salvage import salvage
from omoide.store.sqlite.schema import digest, expected, known, unlike
from omoide.testing import memory_for_tests

THIEF = (
    "CREATE TRIGGER thief AFTER INSERT ON items WHEN NEW.user_id = 'ana' BEGIN"
    " UPDATE items SET user_id = 'ben' WHERE id = NEW.id; END"
)
CHANGES = {
    "trigger": THIEF,
    "view": "CREATE VIEW seen AS SELECT * FROM items",
    "table": "CREATE TABLE stolen (text TEXT)",
    "index": "CREATE INDEX mine ON items (text)",
    "own table changed": "ALTER TABLE meta ADD COLUMN more TEXT",
    "own trigger gone": "DROP TRIGGER changes_keep",
    "own trigger changed": "DROP TRIGGER changes_keep; CREATE TRIGGER changes_keep BEFORE UPDATE ON"
    " changes BEGIN SELECT 1; END",
}


def spoilt(path: Path, change: str) -> Path:
    """A store with an item, and something that is not Omoide's."""
    with memory_for_tests(SqliteStore.open(path)) as memory:
        memory.remember("Ana keeps the spare key under the pot")
    connection = apsw.Connection(str(path))
    connection.execute(change)
    connection.close()
    return path


def refused(path: Path) -> bool:
    """Whether a store cannot be opened, and is left as it is."""
    before = path.read_bytes()
    with pytest.raises(StoreRefused, match=r"did not make|lacks"):
        SqliteStore.open(path)
    return path.read_bytes() == before


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_store_that_holds_anything_else_is_refused(tmp_path: Path, change: str) -> None:
    """Neither opened nor restored; no store is made of it."""
    path = spoilt(tmp_path / "memory.db", change)

    assert refused(path)
    with pytest.raises(StoreRefused, match=r"did not make|lacks"):
        restore(path, tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()


def test_a_trigger_hidden_under_a_name_of_sqlite_s_own_is_found(tmp_path: Path) -> None:
    """What SQLite makes for itself is told by more than its name."""
    path = spoilt(tmp_path / "memory.db", "SELECT 1")
    connection = apsw.Connection(str(path))
    connection.pragma("writable_schema", 1)
    connection.execute(
        "INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_stat1', 'items', 0, ?)",
        (THIEF.replace("thief", "sqlite_stat1"),),
    )
    connection.close()

    assert refused(path)


def test_an_object_without_sql_is_found(tmp_path: Path) -> None:
    """SQLite takes an entry without SQL for an index of its own, whatever the entry is called."""
    path = spoilt(tmp_path / "memory.db", "SELECT 1")
    connection = apsw.Connection(str(path))
    connection.pragma("writable_schema", 1)
    connection.execute(
        "INSERT INTO sqlite_schema SELECT 'trigger', name, tbl_name, rootpage, NULL"
        " FROM sqlite_schema WHERE name = 'sqlite_autoindex_items_1'"
    )
    connection.close()

    assert refused(path)


def test_a_store_whose_objects_are_listed_in_another_order_is_ours(tmp_path: Path) -> None:
    """VACUUM lists tables before indexes. What is foreign is found there, too."""
    path = spoilt(tmp_path / "memory.db", "VACUUM")

    SqliteStore.open(path).close()
    SqliteStore.open(path).close()
    connection = apsw.Connection(str(path))
    connection.execute(THIEF)
    connection.close()

    assert refused(path)


def test_salvage_takes_rows_and_nothing_else(tmp_path: Path) -> None:
    """The new store has every row, and no foreign trigger."""
    path = spoilt(tmp_path / "memory.db", THIEF)

    assert salvage(path, tmp_path / "saved.db")["items"] == 1
    with connected(ConnectionSettings(path=str(tmp_path / "saved.db"))) as connection:
        assert unlike(connection, load_migrations("sqlite")) == []


def test_doctor_names_what_came_in_while_a_store_was_open(tmp_path: Path) -> None:
    """And a backup of it is refused."""
    path = tmp_path / "memory.db"
    store = SqliteStore.open(path)
    with memory_for_tests(store) as memory:
        memory.remember("Ana keeps the spare key under the pot")
        connection = apsw.Connection(str(path))
        connection.execute(THIEF)
        connection.close()

        problems = [finding.problem for finding in memory.admin.doctor()]
        assert problems == ["holds a trigger that Omoide did not make ('thief' on 'items')"]
        with pytest.raises(StoreRefused, match="thief"):
            store.backup(tmp_path / "copy.db")


def test_the_known_digest_is_that_of_the_newest_schema() -> None:
    """Opening compares a digest; where this fails, put what it shows into newest.sqlite.digest."""
    migrations = load_migrations("sqlite")

    assert (migrations[-1].version, digest(expected(migrations))) == known()


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            "CREATE FUNCTION omoide.steal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.user_id"
            " := 'ben'; RETURN NEW; END $$; CREATE TRIGGER thief BEFORE INSERT ON omoide.items FOR"
            " EACH ROW EXECUTE FUNCTION omoide.steal()",
            "trigger that Omoide did not make ('thief' on 'items')",
        ),
        (
            "CREATE RULE lost AS ON DELETE TO omoide.items DO INSTEAD NOTHING",
            "rule that Omoide did not make ('lost' on 'items')",
        ),
        (
            "CREATE VIEW omoide.seen AS SELECT text FROM omoide.items",
            "view that Omoide did not make ('seen' on 'seen')",
        ),
        ("DROP TRIGGER changes_keep ON omoide.changes", "lacks the trigger 'changes_keep'"),
        (
            "ALTER TABLE omoide.changes DISABLE TRIGGER changes_keep",
            "lacks the trigger 'changes_keep'",
        ),
    ],
    ids=["trigger", "rule", "view", "dropped", "disabled"],
)
def test_doctor_names_what_is_foreign_on_a_server(
    postgres_url: str, change: str, told: str
) -> None:
    """Triggers, rules, views and functions in the store's schema; a sound one has none."""
    with memory_for_tests(PostgresStore.open(postgres_url)) as memory:
        assert memory.admin.doctor() == []
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(sql.SQL(change))

        assert any(told in finding.problem for finding in memory.admin.doctor())


def test_a_memory_over_a_store_of_ours_is_sound(memory: Memory) -> None:
    """Nothing is found in an unspoilt store, on either engine."""
    memory.remember("Ana likes tea")

    assert memory.admin.doctor() == []
