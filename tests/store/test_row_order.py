"""Rows come in the order that a query says, on every engine."""

from __future__ import annotations

import re

import pytest

from omoide.memory import Memory
from omoide.store.queries import load_queries
from omoide.tables.documents import Documents

# Of these nobody looks at the order: they become sets, or mappings that are only looked up in.
SETS = frozenset(
    {
        "changes.last_forgotten",
        "docs.allowed",
        "docs.erased",
        "docs.stamped",
        "foreign_changes.known",
        "items.with_domain",
        "items.with_entity",
        "items.with_metadata",
        "items.with_tag",
        "objects.listed",
        "pairs.of_partition",
        "procedures.vectors",
        "readings.of_refs",
        "turns.held_beside",
        "turns.with_metadata",
    }
)
# One row at most: sums, and what a whole key finds.
_SUM = re.compile(
    r"SELECT (DISTINCT )?(count|sum|max|min|coalesce|setval|pg_\w+|CASE|1 AS|EXISTS|\(SELECT)\b",
    re.I,
)
_KEY = re.compile(
    r"\b(id|seq|key|doc|position) = :|FROM ledgers WHERE|FROM users WHERE|FROM partitions WHERE tenant = :tenant AND user_id = :user$"
    r"|AND sender = :sender|LIMIT 1$"
)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_query_for_several_rows_says_their_order(engine: str) -> None:
    """But where nobody looks at it; SQLite mostly gives them by number, Postgres as it finds
    them.
    """
    silent = {
        name
        for name, text in load_queries(engine).items()
        if text.startswith("SELECT")
        and "ORDER BY" not in text
        and not _SUM.match(text)
        and not _KEY.search(text)
        and not name.startswith("edges.")  # sorted where they are read
    }
    assert silent <= SETS, sorted(silent - SETS)


def test_the_words_of_documents_come_as_these_were_added(memory: Memory) -> None:
    """A model is shown what is near to a note in this order."""
    ids = [memory.remember(f"Ana has {n} cats").id for n in range(30)]
    with memory.store.transaction(tenant=None, write=False) as tx:
        docs = [row["doc"] for row in tx.rows("copy.read_docs", doc=-1, limit=100)]
        found = Documents(tx).words("default", docs[::-1])

    assert [ref for ref, _ in found] == ids
