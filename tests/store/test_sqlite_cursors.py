"""Cursors of SQLite: their statements end with the block that runs them, and memory stays flat."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pytest

from omoide.nouns.errors import Conflict
from omoide.store.base import Transaction
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.transaction import SqliteTransaction
from omoide.tables.meta import Meta

STATEMENTS = 60_000


def resident() -> int:
    """Bytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.parametrize("together", [1, 100])
def test_memory_stays_flat_however_many_statements_run(tmp_path: Path, together: int) -> None:
    """Each statement that is done leaves nothing behind, whether its transaction ends or goes
    on.
    """
    store = SqliteStore.open(tmp_path / "m.db")

    def run(statements: int) -> None:
        for _ in range(statements // together):
            with store.transaction(tenant=None, write=False) as tx:
                for _ in range(together):
                    Meta(tx).get("colour")

    run(STATEMENTS // 10)
    before = resident()
    run(STATEMENTS)
    store.close()

    assert resident() - before < 2 * 2**20


def streamed(tx: SqliteTransaction) -> list[tuple[str, str]]:
    """What the store's settings are, as a stream whose rows are asked for one by one."""
    return [
        (key, value)
        for key, value in tx.tuples("copy.read_meta", {"key": "", "limit": 9})
        if Meta(tx).get(key) == value
    ]


def test_statements_run_between_the_rows_of_a_stream(tmp_path: Path) -> None:
    """A stream that is open keeps its cursor; others take theirs."""
    store = SqliteStore.open(tmp_path / "m.db")
    with store.transaction(tenant=None) as tx:
        for name in ("a", "b", "c"):
            Meta(tx).set(name, name.upper())
        tx.run("meta.set", key="x", value="y")

        found = dict(streamed(tx))

    store.close()
    assert {"a": "A", "b": "B", "c": "C", "x": "y"}.items() <= found.items()


def test_a_stream_that_is_left_in_the_middle_holds_no_transaction_open(tmp_path: Path) -> None:
    """Nor does a statement that failed; the next ones run, and all is committed."""
    store = SqliteStore.open(tmp_path / "m.db")
    with store.transaction(tenant=None) as tx:
        tx.run("meta.set", key="a", value="1")
        list(islice(tx.tuples("copy.read_meta", {"key": "", "limit": 9}), 1))
        with pytest.raises(Conflict):
            twice(tx)
        Meta(tx).set("b", "2")

    with store.transaction(tenant=None, write=False) as tx:
        assert (Meta(tx).get("a"), Meta(tx).get("b")) == ("1", "2")
    store.close()


def twice(tx: Transaction) -> None:
    """Add what is there already."""
    tx.run("copy.add_meta", key="a", value="1")
