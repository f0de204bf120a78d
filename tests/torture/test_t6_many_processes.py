"""T6: sixteen processes write to one file while others read, back up and checkpoint."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.nouns.errors import StoreBusy
from omoide.store.sqlite.engine import SqliteStore
from tests.torture.kit import TENANT, USER, Child, Report, contents, count, log_turn, turns_of

WRITERS, READERS = 16, 4
WRITES = count(15, 500)
P99_S, MAX_S = 1.0, 5.0


def write(path: Path, gate: Path, number: int, say: Callable[[str], None]) -> None:
    """Write turns one by one, all processes to one partition; say how long each took."""
    store = SqliteStore.open(path)
    say("ready")
    while not gate.exists():
        time.sleep(0.005)
    waits = []
    for turn in range(WRITES):
        began = time.monotonic()
        with store.transaction(tenant=None) as tx:
            log_turn(tx, turn, session=str(number))
        waits.append(time.monotonic() - began)
    store.close()
    say(" ".join(f"{wait:.4f}" for wait in waits))


def read(path: Path, gate: Path, say: Callable[[str], None]) -> None:
    """Read until all is over; every snapshot must be whole: the counter equals the turns in it."""
    store = SqliteStore.open(path)
    say("ready")
    reads = 0
    while not gate.with_name("over").exists():
        with store.transaction(tenant=None, write=False) as tx:
            counter = tx.rows("partitions.seq", tenant=TENANT, user=USER)
            turns = tx.rows("turns.count", tenant=TENANT, user=USER, agent="", session="")[0][
                "turns"
            ]
        if (counter[0]["seq"] if counter else 0) != turns:
            say(f"! counter {counter}, turns {turns}")
        reads += 1
        time.sleep(0.02)
    store.close()
    say(str(reads))


def look_after(path: Path, gate: Path, say: Callable[[str], None]) -> None:
    """Back up and checkpoint in turn until all is over."""
    store = SqliteStore.open(path)
    say("ready")
    done = 0
    while not gate.with_name("over").exists():
        store.checkpoint()
        copy = path.with_name(f"copy-{done}.db")
        if problems := store.backup(copy):
            say(f"! {problems}")
        os.unlink(copy)
        done += 1
        time.sleep(0.25)
    store.close()
    say(str(done))


@pytest.mark.torture
@pytest.mark.covers("LS-10", "LS-24", "LS-44", "GM-7")
@pytest.mark.timeout(3_600)
def test_t6_many_processes_share_one_file(tmp_path: Path) -> None:
    """Nobody is told that the database is locked, nobody starves, every snapshot is whole, and the
    sum is exact.
    """
    path, gate = tmp_path / "memory.db", tmp_path / "gate"
    SqliteStore.open(path).close()
    with Report("T6") as report:
        writers = [Child(lambda say, n=n: write(path, gate, n, say)) for n in range(WRITERS)]  # type: ignore[misc]
        others = [Child(lambda say: read(path, gate, say)) for _ in range(READERS)] + [
            Child(lambda say: look_after(path, gate, say))
        ]
        assert [child.next_line() for child in writers + others] == ["ready"] * (
            WRITERS + READERS + 1
        )
        began = time.monotonic()
        gate.touch()
        said = [child.wait() for child in writers]
        report["writes_per_s"] = round(WRITERS * WRITES / (time.monotonic() - began))
        gate.with_name("over").touch()
        heard = [child.wait() for child in others]

        assert [child.status for child in writers + others] == [0] * (WRITERS + READERS + 1), (
            said + heard
        )
        assert [len(lines) for lines in said + heard] == [1] * (WRITERS + READERS + 1), heard
        waits = sorted(float(wait) for (line,) in said for wait in line.split())
        report["p99_s"], report["max_s"] = waits[int(len(waits) * 0.99)], waits[-1]
        report["reads"], report["backups"] = (
            sum(int(line) for (line,) in heard[:-1]),
            int(heard[-1][0]),
        )
        turns, docs, damage = contents(path)

        assert turns == docs == {str(number): set(range(WRITES)) for number in range(WRITERS)}
        assert damage == []
        assert report["reads"] > 0
        assert report["backups"] > 0
        assert len(waits) == WRITERS * WRITES
        assert report["p99_s"] <= P99_S
        assert report["max_s"] <= MAX_S
        store = SqliteStore.open(path)
        with store.transaction(tenant=None, write=False) as tx:
            assert tx.rows("partitions.seq", tenant=TENANT, user=USER) == [
                {"seq": WRITERS * WRITES}
            ]
        store.close()


@pytest.mark.covers("LS-24")
def test_a_writer_that_waits_too_long_for_another_process_is_told(tmp_path: Path) -> None:
    """StoreBusy after the time it allowed, nothing written; and once the other is killed, it gets
    its turn.
    """
    path = tmp_path / "memory.db"
    store = SqliteStore.open(path, busy_s=0.3)

    def hold(say: Callable[[str], None]) -> None:
        other = SqliteStore.open(path)
        with other.transaction(tenant=None) as tx:
            log_turn(tx, 1)
            say("holding")
            time.sleep(60)

    child = Child(hold)
    assert child.next_line() == "holding"
    began = time.monotonic()
    with pytest.raises(StoreBusy), store.transaction(tenant=None) as tx:
        log_turn(tx, 2)
    assert 0.25 < time.monotonic() - began < 5
    child.kill()
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 3)

    assert turns_of(store) == [3]
    store.close()
