"""T9: a migration killed at each of its writes."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from omoide.store.migrate import load_migrations
from omoide.store.sqlite.engine import SqliteStore
from tests.store.test_sqlite_migrate import Rows, columns, kept, older_store, rows
from tests.torture.kit import FULL, Child, Disk, Report

ALL = load_migrations("sqlite")
KEPT = "kept " * 2_000
STEP = 7  # writes between kills, where not each is met


def migrate_until(path: Path, operations: int, say: Callable[[str], None]) -> None:
    """Open a store, so that it migrates, and die at that many operations on its files."""
    done = 0

    def visit(action: str, file: str, at: int, data: bytes) -> None:
        nonlocal done
        done += 1
        if done > operations:
            os.kill(os.getpid(), signal.SIGKILL)

    with Disk(visit):
        SqliteStore.open(path).close()


def state(path: Path, before: Rows) -> tuple[int, list[int], bool]:
    """The file's version, the migrations on its record, and whether all its rows are still there,
    with turns, items and the ledger.
    """
    connection = apsw.Connection(str(path))
    recorded = [
        number
        for (number,) in connection.execute("SELECT version FROM schema_versions ORDER BY version")
    ]
    noted = connection.execute("SELECT value FROM meta WHERE key = 'a'").get == KEPT
    version = connection.pragma("user_version")
    connection.close()
    return version, recorded, noted and kept(before, rows(path))


@pytest.mark.torture
@pytest.mark.covers("GM-12", "LS-2", "LS-40")
@pytest.mark.timeout(3_600)
def test_t9_a_killed_migration_leaves_one_version_or_the_next(tmp_path: Path) -> None:
    """At every point: a whole version with its record and its rows, a proven copy before anything
    changed; opening goes on.
    """
    SqliteStore.open(tmp_path / "new.db").close()
    newest = columns(tmp_path / "new.db")
    schemas = {}
    wrong: list[str] = []
    with Report("T9") as report:
        for version in range(1, len(ALL) + 1):
            schemas[version] = columns(older_store(tmp_path / f"is-{version}.db", version))
        for version in range(1, len(ALL)) if FULL else (3,):
            # from the first all migrations run, so every write of each comes
            step = 1 if FULL and version == 1 else STEP
            operations = report.random.randrange(step)
            while True:
                folder = tmp_path / f"{version}-{operations}"
                folder.mkdir()
                path = older_store(folder / "memory.db", version, text=KEPT)
                before = rows(path)
                child = Child(lambda say, path=path, n=operations: migrate_until(path, n, say))  # type: ignore[misc]
                child.wait()
                if child.status == 0:
                    break
                assert child.status == -signal.SIGKILL
                report["kills"] += 1
                reached, recorded, whole = state(path, before)
                copies = list(folder.glob("*.backup-v*[0-9]"))
                if (
                    recorded != list(range(1, reached + 1))
                    or columns(path) != schemas[reached]
                    or not whole
                ):
                    wrong.append(
                        f"{version}, killed at {operations}: {reached}, {recorded}, {whole}"
                    )
                if reached > version and not copies:
                    wrong.append(f"{version}, killed at {operations}: no copy")
                for copy in copies:
                    if (
                        state(copy, before) != (version, list(range(1, version + 1)), True)
                        or rows(copy) != before
                    ):
                        wrong.append(
                            f"{version}, killed at {operations}: the copy is not what there was"
                        )
                SqliteStore.open(path).close()
                if columns(path) != newest or not state(path, before)[2]:
                    wrong.append(f"{version}, killed at {operations}: not migrated afterwards")
                shutil.rmtree(folder)
                operations += step

        assert report["kills"] > 10
        assert wrong == []


@pytest.mark.covers("GM-12", "LS-2")
def test_processes_that_migrate_at_once_do_it_once(tmp_path: Path) -> None:
    """Six of them open the same old store: each migration runs once, and all of them can use it."""
    path = older_store(tmp_path / "memory.db", 1)

    def work(say: Callable[[str], None]) -> None:
        store = SqliteStore.open(path)
        with store.transaction(tenant=None, write=False) as tx:
            say(str(len(tx.rows("schema.applied"))))
        store.close()

    children = [Child(work) for _ in range(6)]

    assert [child.wait() for child in children] == [[str(len(ALL))]] * 6
