"""T3: the disk fails at the n-th write, sync, open, truncate or delete, once or from then on."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest

from omoide.nouns.errors import OmoideError, StoreError
from omoide.store.sqlite.engine import SqliteStore
from tests.torture.kit import (
    FULL,
    INJECTED,
    Disk,
    Report,
    contents,
    forget_turn,
    log_turn,
    turns_of,
)

ACTIONS = ("write", "sync", "open", "truncate", "delete")


@dataclass
class Failing:
    """A disk that fails at the n-th operation of a kind, and after it too if ``lasting``, until it
    is repaired.
    """

    action: str
    nth: int
    lasting: bool = False
    is_full: bool = False  # there is no space, rather than an I/O error
    seen: Counter[str] = field(default_factory=Counter)
    fired: int = 0
    repaired: bool = False

    def visit(self, action: str, file: str, at: int, data: bytes) -> None:
        """Count one operation, and fail it if it is its turn."""
        if self.repaired:
            return
        self.seen[action] += 1
        due = self.seen[action] > self.nth if self.lasting else self.seen[action] == self.nth + 1
        if action == self.action and due:
            self.fired += 1
            raise apsw.FullError(INJECTED) if self.is_full else apsw.IOError(INJECTED)


class Life:
    """A short life of a store on a failing disk; keeps count of what it must hold."""

    def __init__(self, path: Path, disk: Failing, *, rekeys: bool) -> None:
        self.path, self.disk, self.rekeys = path, disk, rekeys
        self.turns: set[int] = set()
        self.passphrase: str | None = None
        self.failed: list[str] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        """Open, write, checkpoint, forget, back up, perhaps change the passphrase twice, close. Any
        step may fail, in a typed way.
        """
        if not self.attempt("open", self.open):
            self.disk.repaired = True
            self.open()
        for number in range(8):
            self.attempt(f"add {number}", lambda number=number: self.add(number))  # type: ignore[misc]
        self.attempt("checkpoint", self.store.checkpoint)
        for number in (2, 3):
            self.attempt(f"forget {number}", lambda number=number: self.forget(number))  # type: ignore[misc]
        self.attempt("backup", lambda: self.store.backup(self.path.with_name("copy.db")))
        for passphrase in ("other", None) if self.rekeys else ():
            self.attempt("rekey", lambda passphrase=passphrase: self.rekey(passphrase))  # type: ignore[misc]
        self.disk.repaired = True
        self.add(99)
        self.compare("at the end")
        self.store.close()

    def attempt(self, name: str, step: Callable[[], object]) -> bool:
        """Do one step; when it fails, it must have left the store as it was, and the next one must
        not suffer.
        """
        try:
            step()
        except OmoideError as error:
            self.failed.append(name)
            if not isinstance(error, StoreError):
                self.wrong.append(f"{name}: {error!r}")
            if self.disk.lasting or name == "open":
                return False
            if len(self.failed) > 1:
                self.wrong.append(f"one failure made both {self.failed} fail")
            self.compare(f"after {name} had failed")
            return False
        return True

    def compare(self, when: str) -> None:
        """Look whether the store holds exactly what it should."""
        if (found := set(turns_of(self.store))) != self.turns:
            self.wrong.append(f"{when}: {found} instead of {self.turns}")

    def open(self) -> None:
        """Make the store."""
        self.store = SqliteStore.open(self.path, passphrase=self.passphrase, busy_s=2)

    def add(self, number: int) -> None:
        """Write a turn."""
        with self.store.transaction(tenant=None) as tx:
            log_turn(tx, number, text="x" * 5_000)
        self.turns.add(number)

    def forget(self, number: int) -> None:
        """Erase a turn."""
        with self.store.transaction(tenant=None) as tx:
            forget_turn(tx, number)
        self.turns.discard(number)

    def rekey(self, passphrase: str | None) -> None:
        """Change the passphrase."""
        self.store.rekey(passphrase)
        self.passphrase = passphrase


def survive(folder: Path, disk: Failing, *, rekeys: bool = False) -> Life:
    """Live on that disk, and look at what is left."""
    folder.mkdir()
    with Disk(disk.visit):
        life = Life(folder / "memory.db", disk, rekeys=rekeys)
        life.run()
    turns, docs, damage = contents(life.path, life.passphrase)
    if turns != docs or damage or turns["s"] != life.turns:
        life.wrong.append(f"left behind: {turns}, {docs}, {damage}")
    return life


@pytest.mark.torture
@pytest.mark.covers("LS-40", "LS-44", "GM-7")
@pytest.mark.timeout(3_600)
def test_t3_every_disk_error_is_typed_undone_and_survived(tmp_path: Path) -> None:
    """At each point, as an I/O error and as a full disk, once and lasting: a StoreError, nothing
    half done, and the next call works.
    """
    with Report("T3") as report:
        everyday, whole = Failing("none", 0), Failing("none", 0)
        lives = [
            survive(tmp_path / "everyday", everyday),
            survive(tmp_path / "whole", whole, rekeys=True),
        ]
        assert [life.failed + life.wrong for life in lives] == [[], []]
        kinds = list(itertools.product((False, True), (False, True)))
        points = [
            (action, nth, *kind)
            for kind in kinds
            for action in ACTIONS
            for nth in range(everyday.seen[action])
        ]
        later = {action: range(everyday.seen[action], whole.seen[action]) for action in ACTIONS}
        rekeying = [
            (action, nth, *kind) for kind in kinds for action in ACTIONS for nth in later[action]
        ]
        points = (points if FULL else report.random.sample(points, 50)) + report.random.sample(
            rekeying, 200 if FULL else 10
        )
        wrong: list[str] = []
        for number, (action, nth, lasting, is_full) in enumerate(points):
            disk = Failing(action, nth, lasting, is_full)
            life = survive(tmp_path / str(number), disk, rekeys=nth >= everyday.seen[action])
            wrong += [
                f"{action} {nth} lasting={lasting} is_full={is_full}: {what}" for what in life.wrong
            ]
            report["fired"] += disk.fired > 0
            report["steps_failed"] += len(life.failed)
            for file in life.path.parent.iterdir():
                file.unlink()
        report["points"] = len(points)

        assert len(points) >= (1_500 if FULL else 60)
        assert report["fired"] >= 0.98 * len(points)
        assert report["steps_failed"] > len(points) / 4
        assert wrong == []
