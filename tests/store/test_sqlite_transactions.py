"""Transactions of the SQLite engine: whole or not at all, one snapshot each, typed errors."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from omoide.nouns.errors import Conflict, StoreBusy, StoreClosed, StoreError, UnknownName
from omoide.store.sqlite.connections import ConnectionSettings, connect
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.readers import Readers
from tests.torture.kit import TENANT, USER, forget_turn, log_turn, turns_of


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore.open(
        tmp_path / "memory.db" if request.param == "file" else ":memory:", busy_s=5
    )
    yield store
    store.close()


def test_what_was_committed_is_there(store: SqliteStore) -> None:
    """A later transaction reads what an earlier one wrote."""
    with store.transaction(tenant=None) as tx:
        tx.run("meta.set", key="a", value="茶")

    with store.transaction(tenant=None, write=False) as tx:
        assert tx.rows("meta.get", key="a") == [{"value": "茶"}]


@pytest.mark.covers("LS-40")
def test_a_failed_block_leaves_nothing(store: SqliteStore) -> None:
    """What raises is undone, and nothing of it commits with a later block."""

    def fail() -> None:
        with store.transaction(tenant=None) as tx:
            tx.run("meta.set", key="a", value="1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.transaction(tenant=None) as tx:
        tx.run("meta.set", key="b", value="1")

    with store.transaction(tenant=None, write=False) as tx:
        assert tx.rows("meta.get", key="a") == []
        assert tx.rows("meta.get", key="b") != []


def test_changed_rows_are_counted(store: SqliteStore) -> None:
    """run gives the rows changed: of one statement, of many, and none."""
    with store.transaction(tenant=None) as tx:
        assert tx.run("meta.set", key="a", value="1") == 1
        assert tx.run("meta.set", many=[{"key": str(n), "value": ""} for n in range(5)]) == 5
        assert tx.run("meta.set", many=[]) == 0
        assert tx.run("turns.forget", tenant=TENANT, session_id="s", position=1) == 0
        log_turn(tx, 1)
        assert forget_turn(tx, 1) == 1


@pytest.mark.parametrize("value", ["", "a\0b", "'); --", 2**62, -1, 1.5, None, b"\x00\xff"])
def test_values_come_back_as_they_were(store: SqliteStore, value: object) -> None:
    """Text, numbers, bytes and None survive; nothing in them is read as SQL."""
    with store.transaction(tenant=None) as tx:
        row: dict[str, Any] = {
            "tenant": TENANT,
            "user": USER,
            "model": 1,
            "seq": 1,
            "doc": 1,
            "vector": value if value is not None else b"",
        }
        tx.run("vectors.add", **row)
        (found,) = tx.rows(
            "vectors.changed", tenant=TENANT, user=USER, model=1, since=0, until=1, before=2, most=9
        )

    assert found == {"doc": 1, "vector": row["vector"], "seq": 1}


def test_a_vector_is_stored_as_its_bytes(store: SqliteStore) -> None:
    """A float32 array is bound without a copy made by the caller."""
    vector = np.arange(4, dtype=np.float32)
    with store.transaction(tenant=None) as tx:
        tx.run("vectors.add", tenant=TENANT, user=USER, model=1, seq=1, doc=1, vector=vector)
        (found,) = tx.rows(
            "vectors.changed", tenant=TENANT, user=USER, model=1, since=0, until=1, before=2, most=9
        )

    assert np.array_equal(np.frombuffer(found["vector"], np.float32), vector)


def test_a_second_transaction_in_one_thread_is_refused(store: SqliteStore) -> None:
    """Instead of waiting for itself for ever."""
    with store.transaction(tenant=None) as tx:
        with pytest.raises(StoreError, match="already"), store.transaction(tenant=None):
            pass
        with (
            pytest.raises(StoreError, match="already"),
            store.transaction(tenant=None, write=False),
        ):
            pass
        with pytest.raises(StoreError, match="already"):
            store.close()
        tx.run("meta.set", key="a", value="1")

    with store.transaction(tenant=None, write=False) as tx:
        assert tx.rows("meta.get", key="a")


def test_nothing_runs_after_its_block(store: SqliteStore) -> None:
    """A transaction kept beyond its block is of no use."""
    with store.transaction(tenant=None) as write:
        pass
    with store.transaction(tenant=None, write=False) as read:
        pass

    for tx in (write, read):
        with pytest.raises(StoreError, match="over"):
            tx.rows("meta.get", key="a")


def test_a_read_transaction_writes_nothing(store: SqliteStore) -> None:
    """The database itself refuses."""
    with pytest.raises(StoreError), store.transaction(tenant=None, write=False) as tx:
        tx.run("meta.set", key="a", value="1")
    with store.transaction(tenant=None) as tx:
        assert tx.rows("meta.get", key="a") == []
        assert tx.run("meta.set", key="a", value="1") == 1


def test_a_taken_key_is_a_conflict(store: SqliteStore) -> None:
    """A second row with the same key raises Conflict; the block may go on."""
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 1)
        with pytest.raises(Conflict):
            log_turn(tx, 1)
        log_turn(tx, 2)

    assert turns_of(store) == [1, 2]


def test_an_unknown_query_is_named(store: SqliteStore) -> None:
    """No such query: the error says which."""
    with store.transaction(tenant=None) as tx, pytest.raises(UnknownName, match=r"no\.such"):
        tx.run("no.such")


@pytest.mark.covers("GM-43")
def test_closing_again_does_nothing(store: SqliteStore) -> None:
    """close may be called twice; a closed store says so."""
    store.close()
    store.close()

    for write in (True, False):
        with pytest.raises(StoreClosed), store.transaction(tenant=None, write=write):
            pass


@pytest.mark.covers("GM-43")
def test_an_open_transaction_of_another_thread_delays_closing(tmp_path: Path) -> None:
    """Closing waits for it; if it lasts too long the store stays open and usable."""
    store = SqliteStore.open(tmp_path / "memory.db", busy_s=0.2)
    begun, go_on = threading.Event(), threading.Event()

    def read() -> None:
        with store.transaction(tenant=None, write=False) as tx:
            tx.rows("meta.get", key="a")
            begun.set()
            go_on.wait(10)

    reader = threading.Thread(target=read)
    reader.start()
    begun.wait(10)
    with pytest.raises(StoreBusy):
        store.close()
    with store.transaction(tenant=None) as tx:
        tx.run("meta.set", key="a", value="1")
    go_on.set()
    reader.join(10)
    store.close()

    assert not list(tmp_path.glob("*-wal"))


def test_a_read_sees_one_moment(tmp_path: Path) -> None:
    """What others commit meanwhile is not in a snapshot that was already read from."""
    store = SqliteStore.open(tmp_path / "memory.db")
    with store.transaction(tenant=None, write=False) as tx:
        tx.rows("meta.get", key="a")
        writer = threading.Thread(target=_set, args=(store, "a"))
        writer.start()
        writer.join(10)
        assert tx.rows("meta.get", key="a") == []
        assert store.open_readers == 1

    with store.transaction(tenant=None, write=False) as tx:
        assert tx.rows("meta.get", key="a") == [{"value": "1"}]
    store.close()


@pytest.mark.covers("LS-24")
def test_reading_and_writing_go_side_by_side(tmp_path: Path) -> None:
    """Two stores on one file: a reader and a writer at once, and neither is told to wait."""
    one, other = (SqliteStore.open(tmp_path / "memory.db", busy_s=5) for _ in range(2))
    with one.transaction(tenant=None, write=False) as tx:
        tx.rows("meta.get", key="a")
        _set(other, "a")

    with one.transaction(tenant=None, write=False) as tx:
        assert tx.rows("meta.get", key="a") == [{"value": "1"}]
    one.close()
    other.close()


def test_a_snapshot_held_too_long_is_taken_away(tmp_path: Path) -> None:
    """An idle one as well as a busy one; its thread gets a clear error, and the next one starts
    afresh.
    """
    store = SqliteStore.open(tmp_path / "memory.db", read_s=0.1)
    with store.transaction(tenant=None, write=False) as tx:
        tx.rows("meta.get", key="a")
        time.sleep(0.4)
        with pytest.raises(StoreBusy, match="longer than"):
            tx.rows("meta.get", key="a")

    with store.transaction(tenant=None, write=False) as tx:
        assert tx.rows("meta.get", key="a") == []
    store.close()


def test_a_read_that_may_last_does(tmp_path: Path) -> None:
    """Of one moment, beyond the limit and beside reads that it ends; a store of another engine has
    no such limit.
    """
    store = SqliteStore.open(tmp_path / "memory.db", read_s=0.05)
    with store.lasting(tenant=None) as tx:
        assert tx.rows("meta.get", key="a") == []
        with ThreadPoolExecutor() as pool:
            short = pool.submit(held, store, 0.3)
            pool.submit(put, store).result()
            with pytest.raises(StoreBusy, match="longer than"):
                short.result()
        assert tx.rows("meta.get", key="a") == []

    assert store.open_readers == 0
    store.close()


def put(store: SqliteStore) -> None:
    """Write what a read that began before does not see."""
    with store.transaction(tenant=None) as tx:
        tx.run("meta.set", key="a", value="1")


def held(store: SqliteStore, seconds: float) -> None:
    """Read, wait, and read again in the same transaction."""
    with store.transaction(tenant=None, write=False) as tx:
        tx.rows("meta.get", key="a")
        time.sleep(seconds)
        tx.rows("meta.get", key="a")


def test_a_query_that_runs_too_long_is_interrupted(tmp_path: Path) -> None:
    """Even one that would never end."""
    SqliteStore.open(tmp_path / "memory.db").close()
    readers = Readers(
        lambda: connect(ConnectionSettings(path=str(tmp_path / "memory.db")), writes=False), 0.1
    )
    snapshot = readers.begin()
    with snapshot.lock, pytest.raises(apsw.InterruptError):
        snapshot.connection.execute(
            "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*)"
            " FROM n"
        )
    assert snapshot.expired
    readers.end(snapshot)

    assert readers.open_count == 0
    readers.close(0)


def test_ending_snapshots_in_time_spares_their_successors(tmp_path: Path) -> None:
    """Many short reads right at the limit: only what lasts too long is ended, never what follows on
    the same connection.
    """
    store = SqliteStore.open(tmp_path / "memory.db", read_s=0.03)
    stop = time.monotonic() + 1.5
    ended: list[float] = []

    def read(number: int) -> None:
        while time.monotonic() < stop:
            began = time.monotonic()
            try:
                with store.transaction(tenant=None, write=False) as tx:
                    tx.rows("meta.get", key="a")
                    time.sleep(0.028 if number % 2 else 0)
                    tx.rows("meta.get", key="a")
            except StoreBusy:
                ended.append(time.monotonic() - began)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert [took for took in ended if took < 0.03] == []
    store.close()


def _set(store: SqliteStore, key: str) -> None:
    with store.transaction(tenant=None) as tx:
        tx.run("meta.set", key=key, value="1")
