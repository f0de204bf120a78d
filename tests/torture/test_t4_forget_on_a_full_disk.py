"""T4: forgetting while the disk is full ends with a receipt that says what is left, or undone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import apsw
import pytest

from omoide.memory import Memory
from omoide.nouns.errors import NotFound, StoreFull
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.files import count_in, read_chunks
from omoide.testing import memory_for_tests
from tests.fix_memory import ANA
from tests.torture.kit import INJECTED, Disk

SECRET = "the wombat of Lisbon sleeps under the old piano"


class Full:
    """A disk on which some writes find no room."""

    def __init__(self) -> None:
        self.refuses: Callable[[str], bool] = lambda file: False

    def __call__(self, action: str, file: str, at: int, data: bytes) -> None:
        if action == "write" and self.refuses(file):
            raise apsw.FullError(INJECTED)


def kept(folder: Path) -> list[str]:
    """The files in which the secret still stands."""
    files = sorted(folder.glob("memory.db*"))
    return [file.name for file in files if count_in(read_chunks(file), [SECRET.encode()])]


def memory_on(folder: Path) -> AbstractContextManager[Memory]:
    """A memory in a file."""
    return memory_for_tests(SqliteStore.open(folder / "memory.db"))


@pytest.mark.torture
@pytest.mark.parametrize("fails_at", ["memory.db", "memory.db-wal"])
def test_the_ballast_gives_the_room_that_forgetting_takes(tmp_path: Path, fails_at: str) -> None:
    """Whether the change itself or the copying of the log finds no room: it is done and proven."""
    disk, ballast = Full(), tmp_path / "memory.db.ballast"
    with Disk(disk), memory_on(tmp_path) as memory:
        item = memory.remember(SECRET).item
        gone: list[bool] = []  # the real disk has room, so that the ballast soon comes back

        def refuses(file: str) -> bool:
            gone.extend([] if ballast.exists() else [True])
            return file == fails_at and not gone

        disk.refuses = refuses

        receipt = memory.forget(item.id)

        assert receipt.erased["items"] == 1
        assert (receipt.pending, receipt.residue) == ((), 0)
        assert kept(tmp_path) == []


@pytest.mark.torture
def test_a_receipt_says_what_the_log_still_holds(tmp_path: Path) -> None:
    """Where not even the ballast is enough: the record is gone, the receipt tells of the log, and
    the first change with room empties it.
    """
    disk = Full()
    with Disk(disk), memory_on(tmp_path) as memory:
        item = memory.remember(SECRET).item
        disk.refuses = lambda file: file == "memory.db"

        receipt = memory.forget(item.id)

        assert receipt.erased["items"] == 1
        assert receipt.residue > 0
        assert "the disk is full" in receipt.pending[0]
        with pytest.raises(NotFound):
            memory.get(item.id)
        assert kept(tmp_path) == ["memory.db-wal"]
        disk.refuses = lambda file: False
        memory.remember("the koala sleeps in Oslo")
        assert kept(tmp_path) == []


@pytest.mark.torture
def test_a_log_left_over_is_emptied_after_reopening(tmp_path: Path) -> None:
    """Closed on a full disk and opened again: the first change with room empties the log."""
    disk = Full()
    with Disk(disk):
        memory = Memory(SqliteStore.open(tmp_path / "memory.db"), scope=ANA, background=False)
        item = memory.remember(SECRET).item
        disk.refuses = lambda file: file == "memory.db"
        memory.forget(item.id)
        memory.close()
        assert kept(tmp_path) == ["memory.db-wal"]
        disk.refuses = lambda file: False

        with memory_on(tmp_path) as again:
            again.remember("the koala sleeps in Oslo")
            assert kept(tmp_path) == []


@pytest.mark.torture
def test_what_finds_no_room_at_all_is_undone(tmp_path: Path) -> None:
    """Where nothing can be written, StoreFull means that everything is as before."""
    disk = Full()
    with Disk(disk), memory_on(tmp_path) as memory:
        item = memory.remember(SECRET).item
        disk.refuses = lambda file: True

        with pytest.raises(StoreFull):
            memory.forget(item.id)

        assert memory.get(item.id) == item
        disk.refuses = lambda file: False
        assert memory.forget(item.id).residue == 0
        assert kept(tmp_path) == []
