"""A full disk: nothing half-stored, deleting goes on, and adding too once there is room."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from omoide.nouns.errors import StoreFull
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.guard import Ballast
from tests.torture.kit import INJECTED, Disk, log_turn, turns_of


class Full:
    """A disk on which nothing can be written while ``is_full``."""

    is_full = False

    def __call__(self, action: str, file: str, at: int, data: bytes) -> None:
        if self.is_full and action == "write":
            raise apsw.FullError(INJECTED)


def test_a_full_disk_is_told_and_nothing_is_half_stored(tmp_path: Path) -> None:
    """StoreFull for the one that met it; reading goes on, and writing once there is room again."""
    disk = Full()
    with Disk(disk):
        store = SqliteStore.open(tmp_path / "memory.db")
        with store.transaction(tenant=None) as tx:
            log_turn(tx, 1)
        disk.is_full = True
        with pytest.raises(StoreFull) as caught, store.transaction(tenant=None) as tx:
            log_turn(tx, 2)
        assert caught.value.http_status == 507
        assert turns_of(store) == [1]
        disk.is_full = False
        with store.transaction(tenant=None) as tx:
            log_turn(tx, 3)
        assert turns_of(store) == [1, 3]
        store.close()


def test_the_ballast_is_let_go_and_taken_back(tmp_path: Path) -> None:
    """It is gone when the disk was full, and back with the next write that finds room."""
    disk = Full()
    with Disk(disk):
        store = SqliteStore.open(tmp_path / "memory.db")
        ballast = tmp_path / "memory.db.ballast"
        kept_back = ballast.stat()
        assert kept_back.st_size > 0
        assert kept_back.st_blocks * 512 >= kept_back.st_size  # really taken, not a hole
        assert store.size_bytes() < kept_back.st_size

        disk.is_full = True
        with pytest.raises(StoreFull), store.transaction(tenant=None) as tx:
            log_turn(tx, 1)
        assert not ballast.exists()
        disk.is_full = False
        with store.transaction(tenant=None) as tx:
            log_turn(tx, 2)
        assert ballast.exists()
        store.close()


def test_a_small_filesystem_has_a_small_ballast(tmp_path: Path) -> None:
    """8 MiB or an eighth of the disk, whichever is less."""
    disk = os.statvfs(tmp_path)

    assert Ballast(str(tmp_path / "b")).bytes == min(8 * 2**20, disk.f_blocks * disk.f_frsize // 8)
