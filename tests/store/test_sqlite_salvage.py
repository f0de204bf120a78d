"""Saving what can be saved of a damaged store."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.errors import Conflict, StoreRefused
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.pages import LEAF, Pages, varint
from omoide.store.sqlite.salvage import salvage
from tests.torture.kit import contents, log_turn

TURNS = 300


def filled(path: Path, passphrase: str | None = None) -> Path:
    """A closed store with short and long turns, some spread over several pages."""
    store = SqliteStore.open(path, passphrase=passphrase)
    with store.transaction(tenant=None) as tx:
        for number in range(TURNS):
            log_turn(tx, number, text=f"turn {number} 茶 " * (1 + number % 7 * 200))
        tx.run("meta.set", key="a", value="1")
        tx.run("erased.add", tenant="t", user="ana", seq=1, doc=77)
        tx.run("embedders.add", id="e", spec="s", dimension=4, state="active")
    store.close()
    return path


def texts(path: Path, passphrase: str | None = None) -> dict[int, str]:
    """The text of each turn."""
    store = SqliteStore.open(path, passphrase=passphrase, create=False)
    with store.transaction(tenant=None, write=False) as tx:
        found = {
            row["position"]: row["text"]
            for row in tx.rows("turns.all_of_session", tenant="t", session_id="s")
        }
    store.close()
    return found


@pytest.mark.parametrize("passphrase", [None, "pass"])
def test_an_undamaged_store_is_saved_whole(tmp_path: Path, passphrase: str | None) -> None:
    """All tables, also those ordered by a key, those with long rows, and encrypted ones."""
    path = filled(tmp_path / "memory.db", passphrase)
    saved = salvage(path, tmp_path / "saved.db", passphrase=passphrase)

    assert saved == {
        "docs": TURNS,
        "embedders": 1,
        "erased": 1,
        "meta": 1,
        "partitions": 1,
        "turns": TURNS,
    }
    assert texts(tmp_path / "saved.db", passphrase) == texts(path, passphrase)
    assert contents(tmp_path / "saved.db", passphrase) == contents(path, passphrase)


def test_rows_are_saved_without_the_schema(tmp_path: Path) -> None:
    """With the first page gone nobody says which page is whose; the rows' own form does. Their
    counter is made anew.
    """
    data = bytearray(filled(tmp_path / "memory.db").read_bytes())
    data[:8192] = bytes(8192)
    (tmp_path / "broken.db").write_bytes(data)
    salvage(tmp_path / "broken.db", tmp_path / "saved.db")

    assert texts(tmp_path / "saved.db") == texts(tmp_path / "memory.db")
    store = SqliteStore.open(tmp_path / "saved.db")
    assert store.integrity() == []
    with store.transaction(tenant=None, write=False) as tx:
        assert tx.rows("partitions.seq", tenant="t", user="ana") == [{"seq": TURNS}]
    store.close()


def test_one_damaged_page_costs_only_its_rows(tmp_path: Path) -> None:
    """Whichever page it is; what is saved is as it was."""
    path = filled(tmp_path / "memory.db")
    intact, whole = path.read_bytes(), texts(path)
    rng = random.Random(5)
    for page in rng.sample(range(len(intact) // 8192), 8):
        data = bytearray(intact)
        data[page * 8192 : (page + 1) * 8192] = rng.randbytes(8192)
        (tmp_path / "broken.db").write_bytes(data)
        salvage(tmp_path / "broken.db", tmp_path / f"saved-{page}.db")
        saved = texts(tmp_path / f"saved-{page}.db")

        assert saved.items() <= whole.items()
        assert len(saved) >= TURNS - 40


def test_a_log_is_saved_too(tmp_path: Path) -> None:
    """What a killed process had committed but not yet copied into the file."""
    store = SqliteStore.open(tmp_path / "memory.db")
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 1)
    for end in ("", "-wal"):
        (tmp_path / f"copy.db{end}").write_bytes((tmp_path / f"memory.db{end}").read_bytes())
    salvage(tmp_path / "copy.db", tmp_path / "saved.db")
    store.close()

    assert list(texts(tmp_path / "saved.db")) == [1]


def test_salvage_overwrites_nothing(tmp_path: Path) -> None:
    """Nor does it make a store of nothing, or of what it has no passphrase for."""
    path = filled(tmp_path / "memory.db", "pass")
    with pytest.raises(Conflict):
        salvage(path, path)
    with pytest.raises(StoreRefused):
        salvage(path, tmp_path / "saved.db", passphrase="other")
    with pytest.raises(StoreRefused):
        salvage(tmp_path / "missing.db", tmp_path / "saved.db")
    (tmp_path / "empty.db").touch()
    with pytest.raises(StoreRefused):
        salvage(tmp_path / "empty.db", tmp_path / "saved.db")

    assert not (tmp_path / "saved.db").exists()


@given(
    st.lists(
        st.tuples(
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False),
            st.text(max_size=9_000),
            st.binary(max_size=9_000),
        )
    )
)
def test_records_are_read_as_sqlite_reads_them(rows: list[tuple[int, float, str, bytes]]) -> None:
    """Numbers of every size, texts and bytes of every length, rows that overflow: what SQLite wrote
    comes back.
    """
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (a, b, c, d)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    pages = Pages(connection.serialize("main"))
    leaves = [page for page in range(2, pages.count + 1) if pages.kind(page) == LEAF]
    found = [tuple(record) for page in leaves for _, record in pages.rows(page)]

    assert sorted(found) == sorted(connection.execute("SELECT * FROM t"))


@given(st.binary(max_size=20_000))
def test_noise_is_no_row_and_no_crash(data: bytes) -> None:
    """Any bytes at all can be looked through."""
    pages = Pages(data)
    rows = [row for page in range(1, pages.count + 1) for row in pages.rows(page)]

    assert len(rows) <= len(data)
    assert all(pages.children(page) is not None for page in range(1, pages.count + 1))


def test_numbers_of_nine_bytes_are_read() -> None:
    """The ninth byte counts whole, and the number may be negative."""
    assert varint(b"\xff" * 9, 0) == (-1, 9)
    assert varint(b"\x81\x00", 0) == (128, 2)
