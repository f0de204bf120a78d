"""T7: a reader that never lets go, under thousands of writes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.nouns.errors import StoreBusy
from omoide.store.sqlite.engine import READ_S, SqliteStore
from tests.torture.kit import FULL, Child, Report, count, log_turn, turns_of

ROUNDS = count(1, 10)
WRITES = count(4_000, 20_000)
LIMIT_S = READ_S if FULL else 1.0
LOG_LIMIT = 64 * 2**20
THREADS = 8


def hold(path: Path, say: Callable[[str], None]) -> None:
    """Open a snapshot in a process of its own and sit on it; say what using it at last gives."""
    store = SqliteStore.open(path, read_s=LIMIT_S)
    try:
        with store.transaction(tenant=None, write=False) as tx:
            tx.rows("partitions.seq", tenant="t", user="ana")
            say("holding")
            time.sleep(LIMIT_S * 2.5)
            tx.rows("partitions.seq", tenant="t", user="ana")
        say("kept")
    except StoreBusy as error:
        say(str(error))
    store.close()


@pytest.mark.torture
@pytest.mark.covers("LS-44", "GM-7")
@pytest.mark.timeout(3_600)
def test_t7_a_pinned_reader_does_not_let_the_log_grow(tmp_path: Path) -> None:
    """The log stays within 64 MiB, the reader is ended with a clear error, and the writes are all
    there.
    """
    log = tmp_path / "memory.db-wal"
    with Report("T7") as report:
        store = SqliteStore.open(tmp_path / "memory.db")
        for number in range(ROUNDS):
            child = Child(lambda say: hold(tmp_path / "memory.db", say))
            assert child.next_line() == "holding"
            largest = 0

            def work(session: str) -> None:
                for turn in range(WRITES // THREADS):
                    with store.transaction(tenant=None) as tx:
                        log_turn(tx, turn, session=session, text="x" * 2_000)

            began = time.monotonic()
            threads = [
                threading.Thread(target=work, args=(f"{number}-{thread}",))
                for thread in range(THREADS)
            ]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                largest = max(largest, log.stat().st_size if log.exists() else 0)
                time.sleep(0.01)
            report["seconds_writing"] += round(time.monotonic() - began, 1)
            report["largest_log"] = max(report["largest_log"], largest)
            (ended,) = child.wait()

            assert "longer than" in ended
            assert (
                sum(len(turns_of(store, f"{number}-{thread}")) for thread in range(THREADS))
                == WRITES
            )
        store.close()

        assert 2**20 < report["largest_log"] <= LOG_LIMIT
