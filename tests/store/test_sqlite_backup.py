"""Backups are proven, restores overwrite nothing, and erased text is in no file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from omoide.nouns.errors import Conflict, StoreBusy, StoreError, StoreRefused
from omoide.store.sqlite.backup import restore
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.files import count_in
from tests.torture.kit import Child, contents, forget_turn, log_turn, turns_of


def filled(path: Path, turns: int = 100) -> SqliteStore:
    """An open store with some turns."""
    store = SqliteStore.open(path)
    with store.transaction(tenant=None) as tx:
        for number in range(turns):
            log_turn(tx, number, text=f"canary {number} " * 20)
    return store


def test_a_backup_is_one_sound_file(tmp_path: Path) -> None:
    """Made while others write; it holds one moment, opens as a store, and is private."""
    store = filled(tmp_path / "memory.db")
    stop = threading.Event()

    def write() -> None:
        number = 100
        while not stop.is_set():
            with store.transaction(tenant=None) as tx:
                log_turn(tx, number)
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    assert store.backup(tmp_path / "copy.db") == []
    stop.set()
    writer.join(10)
    store.close()

    assert [file.name for file in tmp_path.glob("copy*")] == ["copy.db"]
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    turns, docs, damage = contents(tmp_path / "copy.db")
    assert turns == docs
    assert turns["s"] >= set(range(100))
    assert damage == []


def test_a_backup_overwrites_nothing(tmp_path: Path) -> None:
    """Something of that name stops it."""
    store = filled(tmp_path / "memory.db")
    (tmp_path / "copy.db").write_text("mine")
    with pytest.raises(Conflict):
        store.backup(tmp_path / "copy.db")

    assert (tmp_path / "copy.db").read_text() == "mine"
    store.close()


def test_a_backup_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A missing folder, or one that is a file."""
    store = filled(tmp_path / "memory.db")
    for target in ("missing/copy.db", "memory.db/copy.db"):
        with pytest.raises(StoreError):
            store.backup(tmp_path / target)
    store.close()


def test_a_damaged_store_gives_no_backup(tmp_path: Path) -> None:
    """Rather none than one that does not hold what it should."""
    filled(tmp_path / "memory.db", 400).close()
    place = (tmp_path / "memory.db").read_bytes().index(b"canary 200 ")
    with open(tmp_path / "memory.db", "r+b") as file:
        file.seek(place // 4096 * 4096)  # the page that it is on
        file.write(b"\xff" * 64)
    store = SqliteStore.open(tmp_path / "memory.db")
    with pytest.raises(StoreRefused):
        store.backup(tmp_path / "copy.db")

    assert list(tmp_path.glob("copy*")) == []
    assert store.integrity() != []
    store.close()


def test_a_differing_index_is_told_and_still_backed_up(tmp_path: Path) -> None:
    """The copy is as sound as the store, and says what is wrong with both."""
    store = filled(tmp_path / "memory.db")
    with store.transaction(tenant=None) as tx:
        tx.run("turns.forget", tenant="t", session_id="s", position=3)

    assert store.integrity() == ["1 document without an item or turn"]
    assert store.backup(tmp_path / "copy.db") == store.integrity()
    store.close()


def test_a_restore_gives_the_store_back(tmp_path: Path) -> None:
    """To a new path, without touching the backup."""
    store = filled(tmp_path / "memory.db")
    store.backup(tmp_path / "copy.db")
    store.close()
    before = (tmp_path / "copy.db").read_bytes()
    restore(tmp_path / "copy.db", tmp_path / "new" / "memory.db")

    store = SqliteStore.open(tmp_path / "new" / "memory.db", create=False)
    assert turns_of(store) == list(range(100))
    assert (tmp_path / "copy.db").read_bytes() == before
    store.close()


def test_a_restore_replaces_only_when_told(tmp_path: Path) -> None:
    """And then the old store stays beside it; one that is open anywhere is not replaced at all."""
    store = filled(tmp_path / "memory.db")
    store.backup(tmp_path / "copy.db")
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 100)
    with pytest.raises(Conflict):
        restore(tmp_path / "copy.db", tmp_path / "memory.db")
    with pytest.raises(StoreBusy):
        restore(tmp_path / "copy.db", tmp_path / "memory.db", replace=True)
    store.close()
    restore(tmp_path / "copy.db", tmp_path / "memory.db", replace=True)

    store, old = (
        SqliteStore.open(tmp_path / "memory.db"),
        SqliteStore.open(tmp_path / "memory.db.old-1"),
    )
    assert turns_of(store) == list(range(100))
    assert turns_of(old) == list(range(101))
    assert Path(old.path) in store.files()
    store.close()
    old.close()


@pytest.mark.parametrize("content", [b"", b"no backup", None])
def test_what_is_no_backup_is_not_restored(tmp_path: Path, content: bytes | None) -> None:
    """Empty, foreign or damaged: the target is not made."""
    source = tmp_path / "copy.db"
    if content is None:
        store = filled(tmp_path / "memory.db", 400)
        store.backup(source)
        store.close()
        data = bytearray(source.read_bytes())
        data[len(data) // 2 : len(data) // 2 + 8192] = b"\xff" * 8192
        content = bytes(data)
    source.write_bytes(content)
    with pytest.raises(StoreRefused):
        restore(source, tmp_path / "new.db")

    assert not (tmp_path / "new.db").exists()
    assert source.read_bytes() == content


def test_erased_text_is_in_no_file(tmp_path: Path) -> None:
    """After a checkpoint; before it, the log may still hold it, and a reader can hold that up."""
    store = filled(tmp_path / "memory.db")
    needles = [f"canary {number} ".encode() for number in range(50)]
    assert sum(store.scan(needles).values()) > 0
    with store.transaction(tenant=None) as tx:
        assert sum(forget_turn(tx, number) for number in range(50)) == 50
    begun, go_on = threading.Event(), threading.Event()

    def read() -> None:
        with store.transaction(tenant=None, write=False) as tx:
            tx.rows("meta.get", key="a")
            begun.set()
            go_on.wait(10)

    reader = threading.Thread(target=read)
    reader.start()
    begun.wait(10)
    with store.transaction(tenant=None) as tx:
        tx.run("meta.set", key="a", value="1")
    assert not store.checkpoint()
    assert store.open_readers == 1
    go_on.set()
    reader.join(10)

    assert store.checkpoint()
    assert sum(store.scan(needles).values()) == 0
    assert turns_of(store) == list(range(50, 100))
    store.close()
    assert (
        sum(
            file.read_bytes().count(needle)
            for file in tmp_path.iterdir()
            if file.is_file()
            for needle in needles
        )
        == 0
    )


def test_looking_at_the_file_leaves_sqlites_locks(tmp_path: Path) -> None:
    """Closing another descriptor of a file drops a process's locks on it, so the store reads it in
    a way that does not.
    """
    store = filled(tmp_path / "memory.db")
    with store.transaction(tenant=None, write=False) as tx:
        tx.rows("meta.get", key="a")
        assert sum(store.scan([b"canary"]).values()) > 0
        second = SqliteStore.open(tmp_path / "memory.db")
        second.close()
        outcome = _exclusive_from_outside(tmp_path / "memory.db")

    assert outcome == "BusyError"
    store.close()
    assert _exclusive_from_outside(tmp_path / "memory.db") == "fine"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_finding_bytes_does_not_depend_on_chunks(size: int) -> None:
    """Needles are found across chunk borders, each occurrence once."""
    data = b"abcabcabxabcaab" * 5
    chunks = iter([data[at : at + size] for at in range(0, len(data), size)])

    assert count_in(chunks, [b"abc", b"ab", b"x", b""]).total() == data.count(b"abc") + data.count(
        b"ab"
    ) + data.count(b"x")


def _exclusive_from_outside(path: Path) -> str:
    """What another process gets that wants the whole file for itself."""

    def work(say: Callable[[str], None]) -> None:
        connection = apsw.Connection(str(path))
        try:
            connection.pragma("journal_mode", "delete")  # needs every lock there is
            connection.pragma("journal_mode", "wal")
            say("fine")
        except apsw.Error as error:
            say(type(error).__name__)

    (line,) = Child(work).wait()
    return line
