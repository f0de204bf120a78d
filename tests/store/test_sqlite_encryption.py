"""Encryption at rest: nothing readable on disk, one right passphrase, and a safe change of it."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest

from omoide.nouns.errors import InvalidInput, StoreBusy, StoreRefused, WrongPassphrase
from omoide.store.sqlite.backup import restore
from omoide.store.sqlite.engine import SqliteStore
from tests.torture.kit import log_turn, turns_of

CANARY = "canary-7c1f"


def filled(path: Path, passphrase: str | None) -> Path:
    """A closed store with turns that hold the canary."""
    store = SqliteStore.open(path, passphrase=passphrase)
    with store.transaction(tenant=None) as tx:
        for number in range(50):
            log_turn(tx, number, text=f"{CANARY} {number}")
    store.close()
    return path


@pytest.mark.covers("GM-194")
@pytest.mark.parametrize("passphrase", ["pass", "it's; --", 'q"uo`te', "密碼 🙂"])
def test_an_encrypted_store_shows_nothing(tmp_path: Path, passphrase: str) -> None:
    """Neither file nor log holds the text, while open and when closed; the passphrase opens it."""
    path = filled(tmp_path / "memory.db", passphrase)
    store = SqliteStore.open(path, passphrase=passphrase)
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 99, text=CANARY)

    assert len(store.files()) == 6
    assert [file for file in store.files() if CANARY.encode() in file.read_bytes()] == []
    assert sum(store.scan([CANARY.encode()]).values()) == 0
    assert turns_of(store) == [*range(50), 99]
    store.close()


@pytest.mark.covers("GM-194")
@pytest.mark.parametrize(
    ("made_with", "opened_with"), [("pass", "Pass"), ("pass", None), (None, "pass")]
)
def test_only_its_own_passphrase_opens_a_store(
    tmp_path: Path, made_with: str | None, opened_with: str | None
) -> None:
    """Another one, none, or one for a store that has none: refused, and no byte changed."""
    path = filled(tmp_path / "memory.db", made_with)
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}
    with pytest.raises(WrongPassphrase):
        SqliteStore.open(path, passphrase=opened_with)

    assert {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == before


@pytest.mark.covers("GM-194")
@pytest.mark.parametrize(("old", "new"), [("old", "new"), (None, "new"), ("old", None)])
def test_the_passphrase_can_be_changed(tmp_path: Path, old: str | None, new: str | None) -> None:
    """While the store is open; afterwards only the new one opens it, and everything is there."""
    store = SqliteStore.open(filled(tmp_path / "memory.db", old), passphrase=old)
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 50)
    store.rekey(new)
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 51)
    assert (sum(store.scan([CANARY.encode()]).values()) == 0) == (new is not None)
    store.close()

    with pytest.raises(StoreRefused):
        SqliteStore.open(tmp_path / "memory.db", passphrase=old)
    store = SqliteStore.open(tmp_path / "memory.db", passphrase=new)
    assert turns_of(store) == list(range(52))
    assert store.integrity() == []
    store.close()


def test_the_passphrase_stays_while_others_use_the_store(tmp_path: Path) -> None:
    """Another one on the same file makes the change fail, and both go on."""
    path = filled(tmp_path / "memory.db", "old")
    one, other = (SqliteStore.open(path, passphrase="old") for _ in range(2))
    with pytest.raises(StoreBusy, match="open elsewhere"):
        one.rekey("new")

    assert turns_of(one) == turns_of(other) == list(range(50))
    one.close()
    other.close()


def test_a_thread_that_writes_during_a_change_waits(tmp_path: Path) -> None:
    """It neither fails nor is it lost."""
    store = SqliteStore.open(filled(tmp_path / "memory.db", None))

    def write() -> None:
        for number in range(100, 200):
            with store.transaction(tenant=None) as tx:
                log_turn(tx, number)

    writer = threading.Thread(target=write)
    writer.start()
    for passphrase in ("a", "b", None):
        store.rekey(passphrase)
    writer.join(30)

    assert turns_of(store) == [*range(50), *range(100, 200)]
    store.close()


def test_a_backup_of_an_encrypted_store_is_encrypted(tmp_path: Path) -> None:
    """With the same passphrase, which a restore needs."""
    store = SqliteStore.open(filled(tmp_path / "memory.db", "pass"), passphrase="pass")
    store.backup(tmp_path / "copy.db")
    store.close()

    assert CANARY.encode() not in (tmp_path / "copy.db").read_bytes()
    with pytest.raises(WrongPassphrase):
        restore(tmp_path / "copy.db", tmp_path / "back.db", passphrase="other")
    restore(tmp_path / "copy.db", tmp_path / "back.db", passphrase="pass")
    store = SqliteStore.open(tmp_path / "back.db", passphrase="pass")
    assert turns_of(store) == list(range(50))
    store.close()


def test_an_unencrypted_store_holds_the_canary(tmp_path: Path) -> None:
    """Control: the search of the other tests does find text where there is some, here and in
    memory.
    """
    path = filled(tmp_path / "memory.db", None)
    in_memory = SqliteStore.open(":memory:")
    with in_memory.transaction(tenant=None) as tx:
        log_turn(tx, 1, text=CANARY)
    store = SqliteStore.open(path)

    assert sum(store.scan([CANARY.encode()]).values()) >= 50
    assert sum(in_memory.scan([CANARY.encode()]).values()) >= 1
    assert path.read_bytes().count(CANARY.encode()) == sum(store.scan([CANARY.encode()]).values())
    assert apsw.Connection(str(path)).pragma("application_id") != 0
    store.close()
    in_memory.close()


@pytest.mark.parametrize("passphrase", ["", "a\0b"])
def test_a_passphrase_that_would_not_encrypt_is_refused(tmp_path: Path, passphrase: str) -> None:
    """Neither a new store nor a change takes it."""
    with pytest.raises(InvalidInput, match="passphrase"):
        SqliteStore.open(tmp_path / "new.db", passphrase=passphrase)
    store = SqliteStore.open(filled(tmp_path / "memory.db", None))
    with pytest.raises(InvalidInput, match="passphrase"):
        store.rekey(passphrase)

    assert not (tmp_path / "new.db").exists()
    store.close()
