"""T10: online backups during writes, each restored and checked."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from omoide.store.sqlite.backup import restore
from omoide.store.sqlite.engine import SqliteStore
from tests.torture.kit import Child, Report, contents, count, forget_turn, log_turn

BACKUPS = count(5, 100)
THREADS = 3


def write(store: SqliteStore, session: str, stop: threading.Event) -> None:
    """Add turns and forget every fourth one, until told to stop."""
    number = 0
    while not stop.is_set() and number < 20_000:
        with store.transaction(tenant=None) as tx:
            log_turn(tx, number, session=session)
            if number % 4 == 3:
                forget_turn(tx, number - 3, session=session)
        number += 1


@pytest.mark.torture
@pytest.mark.timeout(3_600)
def test_t10_every_backup_made_under_load_restores(tmp_path: Path) -> None:
    """Each holds one moment: pages, rows and index sound, every transaction whole, and no less than
    the backup before.
    """
    path = tmp_path / "memory.db"
    store = SqliteStore.open(path)
    stop = threading.Event()
    child = Child(lambda say: write(SqliteStore.open(path), "other process", threading.Event()))
    threads = [
        threading.Thread(target=write, args=(store, str(number), stop)) for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    wrong: list[str] = []
    before: dict[str, int] = {}
    with Report("T10") as report:
        for number in range(BACKUPS):
            wrong += store.backup(tmp_path / "copy.db")
            restore(tmp_path / "copy.db", tmp_path / "back" / "memory.db")
            restored = SqliteStore.open(tmp_path / "back" / "memory.db", create=False)
            wrong += restored.integrity()
            restored.close()
            turns, docs, damage = contents(tmp_path / "back" / "memory.db")
            steps = {session: max(found) + 1 for session, found in turns.items()}
            whole = {
                s: set(range(n)) - {step - 3 for step in range(n) if step % 4 == 3}
                for s, n in steps.items()
            }
            if (
                damage
                or turns != docs
                or turns != whole
                or any(steps.get(s, 0) < n for s, n in before.items())
            ):
                wrong.append(f"backup {number} is not of one moment")
            before = steps
            report["backups"] += 1
            for file in [tmp_path / "copy.db", *(tmp_path / "back").iterdir()]:
                file.unlink()
        stop.set()
        for thread in threads:
            thread.join()
        child.kill()
        report["turns"] = sum(before.values())
        store.close()

        assert report["backups"] == BACKUPS
        assert set(before) == {*map(str, range(THREADS)), "other process"}
        assert wrong == []
