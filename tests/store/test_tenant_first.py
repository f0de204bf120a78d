"""The tenant leads every key and index, so that no search walks through another tenant's rows; what
does not is named, with why.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import psycopg
import pytest

from omoide.store.sqlite.engine import SqliteStore

EXCEPTIONS = {
    "meta key": "holds what is of the store itself, such as its schema and key, of no tenant",
    "schema_versions version": "likewise, the migrations that were run",
    "docs doc": (
        "numbers documents for the full-text index, which knows no tenant; every query joins it to"
        " the tenant's rows"
    ),
    "embedders model": "an embedder is one for the whole store",
    "embedders id": "likewise, by its name",
    "jobs kind": (
        "a worker works for all tenants and takes what is due first, whoever's it is (jobs_next)"
    ),
    "model_calls at": "calls are erased by their age alone, of all tenants (model_calls_at)",
}

SQLITE = """
    SELECT m.name || ' ' || coalesce(x.name, '') FROM sqlite_schema m JOIN pragma_index_list(m.name) l JOIN pragma_index_xinfo(l.name) x
     WHERE m.type = 'table' AND x.seqno = 0
    UNION
    SELECT m.name || ' ' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.pk = 1
"""
POSTGRES = """
    SELECT c.relname || ' ' || coalesce(a.attname, '') FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
     WHERE c.relnamespace = 'omoide'::regnamespace
"""


def check(leads: set[str]) -> None:
    """That these tables with the first columns of their keys and indexes break the rule only where
    it is said why.
    """
    assert len({lead.split()[0] for lead in leads}) > 20
    assert {lead for lead in leads if not lead.endswith(" tenant")} == set(EXCEPTIONS)


def test_the_tenant_leads_on_sqlite(tmp_path: Path) -> None:
    """As a new store has them."""
    SqliteStore.open(str(tmp_path / "memory.db")).close()
    connection = sqlite3.connect(tmp_path / "memory.db")
    leads = {row[0] for row in connection.execute(SQLITE)}
    connection.close()

    check(leads)


@pytest.mark.postgres
def test_the_tenant_leads_on_postgres(postgres_url: str) -> None:
    """As a new store has them."""
    with psycopg.connect(postgres_url) as connection:
        leads = {row[0] for row in connection.execute(POSTGRES)}

    check(leads)
