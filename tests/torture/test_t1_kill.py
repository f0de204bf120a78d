"""T1: kill -9 in the middle of mixed writes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.store.sqlite.engine import SqliteStore
from tests.torture.kit import (
    TENANT,
    Child,
    Report,
    contents,
    count,
    forget_turn,
    log_turn,
    turns_of,
)

CYCLES = count(12, 1_000)
THREADS = 4
READY_S = 2.0


def write_until_killed(path: Path, cycle: int, say: Callable[[str], None]) -> None:
    """Threads add turns to sessions of their own and forget every third; each step is said once it
    is durable.
    """
    store = SqliteStore.open(path)

    def work(session: str) -> None:
        for number in range(10_000):
            with store.transaction(tenant=None) as tx:
                log_turn(tx, number, session=session)
            say(f"+ {session} {number}")
            if number % 3 == 0:
                with store.transaction(tenant=None) as tx:
                    forget_turn(tx, number, session=session)
                say(f"- {session} {number}")

    threads = [
        threading.Thread(target=work, args=(f"{cycle}-{thread}",)) for thread in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def faults(store: SqliteStore, session: str, said: list[tuple[str, int]]) -> list[str]:
    """What differs between a session's turns and what its thread said. Only its very next step may
    or may not be there.
    """
    turns = set(turns_of(store, session))
    added, gone = (
        {number for sign, number in said if sign == "+"},
        {number for sign, number in said if sign == "-"},
    )
    sign, last = said[-1]
    next_add = last + 1 if sign == "-" or last % 3 else None
    next_gone = last if sign == "+" and last % 3 == 0 else None
    found = [
        f"{session}: {number} was lost" for number in added - gone - turns if number != next_gone
    ]
    found += [f"{session}: {number} came back" for number in gone & turns]
    found += [
        f"{session}: {number} came from nowhere" for number in turns - added if number != next_add
    ]
    with store.transaction(tenant=None, write=False) as tx:
        if (
            indexed := {
                n
                for n in added | turns
                if tx.rows("docs.of_ref", tenant=TENANT, kind="turn", ref=f"{session}#{n}")
            }
            ^ turns
        ):
            found.append(f"{session}: index and rows differ in {sorted(indexed)[:5]}")
    return found


@pytest.mark.torture
@pytest.mark.covers("GM-7", "LS-40")
@pytest.mark.timeout(3_600)
def test_t1_a_killed_process_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    """Whenever it is killed: every acknowledged step is there once, index and rows agree, and the
    store opens within 2 s.
    """
    path = tmp_path / "memory.db"
    SqliteStore.open(path).close()
    wrong: list[str] = []
    with Report("T1") as report:
        for cycle in range(CYCLES):
            child = Child(lambda say, cycle=cycle: write_until_killed(path, cycle, say))  # type: ignore[misc]
            lines = [child.next_line()]
            time.sleep(report.random.uniform(0, 0.06))
            lines += child.kill()
            assert child.status == -9
            assert not any(line.startswith("!") for line in lines), lines

            began = time.monotonic()
            store = SqliteStore.open(path)
            report["slowest_open_s"] = max(
                report["slowest_open_s"], round(time.monotonic() - began, 3)
            )
            steps: dict[str, list[tuple[str, int]]] = {}
            for line in lines:
                parts = line.split()
                if len(parts) == 3:  # the last one may be cut off
                    steps.setdefault(parts[1], []).append((parts[0], int(parts[2])))
            for session, said in steps.items():
                wrong += faults(store, session, said)
            store.close()
            report["acknowledged"] += sum(map(len, steps.values()))
            report["kills"] += 1
        turns, docs, damage = contents(path)

        assert report["kills"] == CYCLES
        assert report["acknowledged"] > 10 * CYCLES
        assert wrong == []
        assert turns == docs
        assert damage == []
        assert report["slowest_open_s"] <= READY_S
