"""Reflections, digests and items are looked up by their indexes, on both engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from omoide.store.postgres.engine import PostgresStore
from omoide.store.postgres.transaction import with_placeholders
from omoide.store.queries import load_queries
from omoide.store.sqlite.connections import ConnectionSettings, connect
from omoide.store.sqlite.engine import SqliteStore

pytestmark = pytest.mark.covers("ED-44")

WHOSE = {"tenant": "t", "user": "ana", "agent": "a", "session": "", "context": "global"}
PAGE: dict[str, Any] = {
    **{name: WHOSE[name] for name in ("tenant", "user", "agent", "session", "context")},
    **dict.fromkeys(("category", "domain", "entity"), ""),
    **dict.fromkeys(("with_global", "closed", "unconfirmed", "confirmed_only"), 0),
    **dict.fromkeys(("since", "until")),
    "sensitive": -1,
    "now": 0,
    "limit": 50,
}
PAGES: list[tuple[str, dict[str, Any], str]] = [
    ("items.latest_updated", PAGE, "items_updated"),
    ("items.first_updated", PAGE, "items_updated"),
    ("items.latest_created", PAGE, "items_created"),
    ("items.first_created", PAGE, "items_created"),
]
NEWEST = {"since": 0, "until": 2**63 - 1, "before": 2**63 - 1, "most": 16_384}
LOOK_UPS: list[tuple[str, dict[str, Any], str]] = [
    *PAGES,
    ("reflections.waiting", {**WHOSE, "limit": 5}, "reflections_waiting"),
    ("reflections.count_waiting", WHOSE, "reflections_waiting"),
    ("digests.versions", {**WHOSE, "kind": "user"}, "digests_version"),
    ("items.of_user", {"tenant": "t", "user": "ana"}, "items_created"),
    ("items.count", {**PAGE, "user": "ana"}, "items_created"),
    ("items.walk", {**WHOSE, "created_at": 0, "after": "", "limit": 5}, "items_created"),
    ("docs.changed", {"tenant": "t", "user": "ana", **NEWEST}, "docs_seq"),
    ("vectors.changed", {"tenant": "t", "user": "ana", "model": 1, **NEWEST}, "vectors_seq"),
    ("items.to_purge", {"tenant": "t", "now": 0, "limit": 5}, "items_purge"),
]
named = pytest.mark.parametrize(
    ("query", "values", "index"), LOOK_UPS, ids=[query for query, *_ in LOOK_UPS]
)


@named
def test_a_look_up_walks_its_index_on_sqlite(
    query: str, values: dict[str, Any], index: str, tmp_path: Path
) -> None:
    """By whose it is and what waits, not by walking a table."""
    SqliteStore.open(tmp_path / "m.db").close()
    connection = connect(ConnectionSettings(path=str(tmp_path / "m.db")), writes=False)
    plan = [
        row[3]
        for row in connection.execute("EXPLAIN QUERY PLAN " + load_queries("sqlite")[query], values)
    ]
    connection.close()

    assert any(f"INDEX {index} " in line for line in plan), plan
    assert not any(line.startswith("SCAN") for line in plan), plan


def test_a_statement_is_not_prepared_anew_for_other_values(tmp_path: Path) -> None:
    """Its plan stays as it is, whatever is bound."""
    SqliteStore.open(tmp_path / "m.db").close()
    connection = connect(ConnectionSettings(path=str(tmp_path / "m.db")), writes=False)
    runs: list[dict[str, int]] = []
    connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, lambda told: runs.append(told["stmt_status"]))
    for since in range(3):
        values = {"tenant": "t", "user": "ana", **NEWEST, "since": since}
        connection.execute(load_queries("sqlite")["docs.changed"], values)
    connection.close()

    assert [run["SQLITE_STMTSTATUS_REPREPARE"] for run in runs] == [0, 0, 0]


@pytest.mark.parametrize(("query", "values"), [(query, values) for query, values, _ in PAGES])
def test_a_page_of_items_is_read_and_not_sorted(
    query: str, values: dict[str, Any], tmp_path: Path
) -> None:
    """In the order of an index, of which it takes no more than it shows; only items of one moment
    are ordered among themselves.
    """
    SqliteStore.open(tmp_path / "m.db").close()
    connection = connect(ConnectionSettings(path=str(tmp_path / "m.db")), writes=False)
    explained = connection.execute("EXPLAIN QUERY PLAN " + load_queries("sqlite")[query], values)
    plan = [row[3] for row in explained]
    connection.close()

    assert plan
    assert "USE TEMP B-TREE FOR ORDER BY" not in plan


@pytest.mark.parametrize(
    ("query", "values"), [(query, values) for query, values, _ in LOOK_UPS if "most" in values]
)
def test_a_page_of_the_search_index_is_read_and_not_sorted(
    query: str, values: dict[str, Any], tmp_path: Path
) -> None:
    """In the order of its index, so that a page costs no more than its rows."""
    SqliteStore.open(tmp_path / "m.db").close()
    connection = connect(ConnectionSettings(path=str(tmp_path / "m.db")), writes=False)
    explained = connection.execute("EXPLAIN QUERY PLAN " + load_queries("sqlite")[query], values)
    plan = [row[3] for row in explained]
    connection.close()

    assert plan
    assert not any("TEMP B-TREE" in line for line in plan), plan


@named
@pytest.mark.postgres
def test_a_look_up_can_walk_an_index_on_postgres(
    query: str, values: dict[str, Any], index: str, postgres_url: str
) -> None:
    """Its own is there; which one is cheapest a server says by what the table holds, and of one
    that is empty any will do.
    """
    PostgresStore.open(postgres_url).close()
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET search_path = omoide, public")
        connection.execute("SET enable_seqscan = off")
        found = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [index]).fetchone()
        plan = [
            row[0]
            for row in connection.execute(
                ("EXPLAIN " + with_placeholders(load_queries("postgres")[query])).encode(), values
            )
        ]

    assert found == (True,)
    assert any("Index" in line for line in plan), plan
    assert not any("Seq Scan" in line for line in plan), plan


UNIQUE = {
    "digests": (
        "tenant",
        "user_id",
        "agent",
        "only_session",
        "context",
        "kind",
        "version",
    ),  # one text for a scope and version
    "entities": ("tenant", "user_id", "agent", "name"),
    "turns": ("tenant", "session_id", "key"),  # of a message that comes twice
}
SQLITE_UNIQUE = """
    SELECT m.name, l.name, x.name FROM sqlite_schema m JOIN pragma_index_list(m.name) l JOIN pragma_index_info(l.name) x
     WHERE m.type = 'table' AND l."unique" = 1 ORDER BY m.name, l.name, x.seqno
"""
POSTGRES_UNIQUE = """
    SELECT c.relname, i.indexrelid::text, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k(number, seqno)
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
     WHERE c.relnamespace = 'omoide'::regnamespace AND i.indisunique ORDER BY 1, 2, k.seqno
"""


def check_unique(rows: list[tuple[str, str, str]]) -> None:
    """That no two rows can be the same thing of the same scope, and rows of two users never are:
    whose it is stands in each key.
    """
    keys: dict[tuple[str, str], tuple[str, ...]] = {}
    for table, index, column in rows:
        keys[table, index] = (*keys.get((table, index), ()), column)
    held = {(table, columns) for (table, _), columns in keys.items()}
    assert set(UNIQUE.items()) <= held
    assert all(
        columns in (("tenant", "id"), ("tenant", "id", "user_id"))
        for table, columns in held
        if table in ("items", "reflections")
    )


def test_what_may_be_there_once_on_sqlite(tmp_path: Path) -> None:
    """Of items and reflections only the id: the same fact of two users is two."""
    SqliteStore.open(tmp_path / "m.db").close()
    connection = apsw.Connection(str(tmp_path / "m.db"))
    rows = list(connection.execute(SQLITE_UNIQUE))
    connection.close()

    check_unique(rows)


@pytest.mark.postgres
def test_what_may_be_there_once_on_postgres(postgres_url: str) -> None:
    """The same."""
    PostgresStore.open(postgres_url).close()
    with psycopg.connect(postgres_url) as connection:
        check_unique(list(connection.execute(POSTGRES_UNIQUE)))
