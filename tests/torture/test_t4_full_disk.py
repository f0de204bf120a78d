"""T4: a disk that really is full: a filesystem of 8 MiB in memory, filled again and again."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.nouns.errors import StoreError, StoreFull
from omoide.store.sqlite.engine import SqliteStore
from tests.torture.kit import Child, Report, contents, count, forget_turn, log_turn, turns_of

FILLS = count(4, 50)
SIZE = 8 * 2**20
RECOVER_S = 5.0
_NEWNS, _NEWUSER = 0x20000, 0x10000000
_PRIVATE = 0x44000  # MS_PRIVATE | MS_REC


def mount_small_disk(folder: Path) -> None:
    """Give this process, alone, a small filesystem at folder. Works for root, and where user
    namespaces are allowed.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    user = os.getuid()
    if libc.unshare(_NEWNS if user == 0 else _NEWNS | _NEWUSER):
        raise OSError(ctypes.get_errno(), "unshare")
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    libc.mount(b"none", b"/", None, _PRIVATE, None)
    if libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, f"size={SIZE}".encode()):
        raise OSError(ctypes.get_errno(), "mount")


class Filling:
    """One store on the small disk, filled, emptied and looked after."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = SqliteStore.open(folder / "memory.db")
        self.next = 0
        self.kept: set[int] = set()
        self.wrong: list[str] = []
        self.slowest_s = 0.0

    def add(self) -> bool:
        """Add one turn; False if there is no room."""
        self.next += 1
        try:
            with self.store.transaction(tenant=None) as tx:
                log_turn(tx, self.next, text=f"{self.next} " * 3_000)
        except StoreFull:
            return False
        self.kept.add(self.next)
        return True

    def fill(self) -> None:
        """Add until there is no room, and then keep trying, as a busy program would."""
        while self.add():
            pass
        for _ in range(50):
            if self.add():
                self.wrong.append("something was added to a full disk")
                break

    def check(self, when: str) -> None:
        """Reading and going through everything work."""
        if set(turns_of(self.store)) != self.kept:
            self.wrong.append(f"{when}: other turns than were acknowledged")

    def delete_some(self) -> None:
        """Each deletion works, although there is no room."""
        for number in sorted(self.kept)[::2]:
            with self.store.transaction(tenant=None) as tx:
                forget_turn(tx, number)
            self.kept.discard(number)

    def recover(self, give_room: Callable[[], object]) -> None:
        """Once there is room again, adding works within five seconds."""
        give_room()
        began = time.monotonic()
        while not self.add():
            time.sleep(0.01)
            if time.monotonic() - began > 2 * RECOVER_S:
                self.wrong.append("it did not recover")
                return
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)


def fill_again_and_again(folder: Path, say: Callable[[str], None]) -> None:
    """In a process of its own: the whole test. Says each fault, and at last the figures."""
    try:
        mount_small_disk(folder)
    except OSError as error:
        say(f"cannot mount: {error}")
        return
    adds, slowest = 0, 0.0
    for number in range(FILLS):
        (folder / "filler").write_bytes(bytes(3 * 2**20))
        filling = Filling(folder)
        filling.fill()
        filling.check("when full")
        filling.delete_some()
        filling.check("after deleting")
        if number % 2:
            filling.recover(lambda: None)  # the deletions made room
        else:
            filling.fill()
            filling.recover((folder / "filler").unlink)  # somebody else made room
            filling.fill()
        filling.check("at the end")
        filling.store.close()
        turns, docs, damage = contents(folder / "memory.db")
        if turns != docs or damage or turns["s"] != filling.kept:
            filling.wrong.append(f"left behind: {damage}")
        for fault in filling.wrong:
            say(f"! fill {number}: {fault}")
        for file in folder.iterdir():
            file.unlink()
        adds, slowest = adds + filling.next, max(slowest, filling.slowest_s)
    say(f"figures {FILLS} {adds} {slowest:.3f}")


@pytest.mark.torture
@pytest.mark.timeout(3_600)
def test_t4_a_full_disk_keeps_reading_and_deleting(tmp_path: Path) -> None:
    """507 for what adds; reading and deleting go on; adding too, at most 5 s after there is room.
    Nothing acknowledged is lost.
    """
    disk = tmp_path / "disk"
    disk.mkdir()
    with Report("T4") as report:
        *faults, last = Child(lambda say: fill_again_and_again(disk, say)).wait()
        if last.startswith("cannot mount"):
            pytest.skip(last)
        assert last.startswith("figures"), last
        _, fills, tries, slowest = last.split()
        report["fills"], report["adds"], report["slowest_recovery_s"] = (
            int(fills),
            int(tries),
            float(slowest),
        )

        assert faults == []
        assert int(fills) == FILLS
        assert float(slowest) <= RECOVER_S
        assert StoreFull.http_status == 507
        assert issubclass(StoreFull, StoreError)
