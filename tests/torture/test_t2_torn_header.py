"""T2: the first sector of the file was torn while the log was copied; the log heals it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.nouns.errors import StoreRefused, WrongPassphrase
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.salvage import salvage
from tests.torture.kit import log_turn, turns_of

SECTOR = 512
TURNS = list(range(40))


def zeros(sector: bytes) -> bytes:
    """Nothing of it was written."""
    return bytes(len(sector))


def noise(sector: bytes) -> bytes:
    """The disk gives anything."""
    return random.Random(7).randbytes(len(sector))


def half(sector: bytes) -> bytes:
    """The name of the format is there, and the rest is not."""
    return sector[:24] + bytes(len(sector) - 24)


def newer(sector: bytes) -> bytes:
    """The version is one that nobody knows."""
    return sector[:60] + b"\x7f" * 4 + sector[64:]


def crashed(folder: Path, passphrase: str | None) -> Path:
    """A store as it is on disk after a crash: its log holds the newest first page."""
    store = SqliteStore.open(folder / "live.db", passphrase=passphrase)
    for number in TURNS:
        with store.transaction(tenant=None) as tx:
            log_turn(tx, number, text=f"turn {number} " * 400)
    for end in ("", "-wal"):
        shutil.copy(folder / f"live.db{end}", folder / f"crashed.db{end}")
    store.close()
    return folder / "crashed.db"


@pytest.mark.torture
@pytest.mark.parametrize(
    ("tear", "passphrase"),
    [
        *((tear, None) for tear in (zeros, noise, half, newer)),
        *((tear, "open sesame") for tear in (half, newer)),
    ],
)
def test_a_torn_first_sector_is_healed_by_the_log(
    tmp_path: Path, tear: Callable[[bytes], bytes], passphrase: str | None
) -> None:
    """Every turn is there, and the file is sound. The salt of an encrypted file, its first 16
    bytes, is never written anew.
    """
    path = crashed(tmp_path, passphrase)
    data = path.read_bytes()
    path.write_bytes(tear(data[:SECTOR]) + data[SECTOR:])

    store = SqliteStore.open(path, passphrase=passphrase)
    assert turns_of(store) == TURNS
    assert store.integrity() == []
    store.close()

    again = SqliteStore.open(path, passphrase=passphrase)
    assert turns_of(again) == TURNS
    again.close()


@pytest.mark.torture
@pytest.mark.parametrize("tear", [zeros, noise, half, newer])
def test_without_a_log_that_heals_it_a_torn_file_is_refused_untouched(
    tmp_path: Path, tear: Callable[[bytes], bytes]
) -> None:
    """Also beside a log in which nothing whole is."""
    path = crashed(tmp_path, None)
    log = path.with_name(path.name + "-wal")
    data = path.read_bytes()
    path.write_bytes(tear(data[:SECTOR]) + data[SECTOR:])
    for held in (log.read_bytes()[:32] + bytes(9_000), b""):
        log.write_bytes(held)
        before = path.read_bytes()

        with pytest.raises(StoreRefused):
            SqliteStore.open(path)

        assert (path.read_bytes(), log.read_bytes()) == (before, held)


@pytest.mark.torture
def test_a_wrong_passphrase_leaves_the_log_alone(tmp_path: Path) -> None:
    """Nothing is copied with it: with the right one every turn is there afterwards."""
    path = crashed(tmp_path, "open sesame")
    files = [path, path.with_name(path.name + "-wal")]
    before = [file.read_bytes() for file in files]
    with pytest.raises(WrongPassphrase):
        SqliteStore.open(path, passphrase="open barley")
    assert [file.read_bytes() for file in files] == before

    store = SqliteStore.open(path, passphrase="open sesame")
    assert turns_of(store) == TURNS
    store.close()


@pytest.mark.torture
def test_salvage_reads_a_torn_file_with_its_log(tmp_path: Path) -> None:
    """It saves what opening shows."""
    path = crashed(tmp_path, None)
    data = path.read_bytes()
    path.write_bytes(zeros(data[:SECTOR]) + data[SECTOR:])

    assert salvage(path, tmp_path / "saved.db")["turns"] == len(TURNS)
