"""T2: power loss, by replaying the engine's own writes with what was not synced torn or missing."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from omoide.nouns.errors import StoreError
from omoide.store.sqlite.engine import SqliteStore
from tests.torture.kit import Disk, Report, contents, count, forget_turn, log_turn

STATES = count(150, 10_000)
THREADS = 3
SECTOR = 512


@dataclass
class History:
    """Everything that was done to the files, and when each thread's steps were acknowledged."""

    before: dict[str, bytes]
    log: list[tuple[str, str, int, bytes]] = field(default_factory=list)
    # length of the log, session, steps done
    acknowledged: list[tuple[int, str, int]] = field(default_factory=list)

    def visit(self, action: str, file: str, at: int, data: bytes) -> None:
        """Note one operation."""
        self.log.append((action, file, at, data))

    def steps_done(self, session: str, upto: int) -> int:
        """How many steps of a session had been acknowledged when the log was that long."""
        return max(
            (
                steps
                for length, name, steps in self.acknowledged
                if name == session and length <= upto
            ),
            default=0,
        )


def state_after(steps: int) -> set[int]:
    """The turns of a session after that many steps: each adds a turn, and every fourth forgets the
    one three before it.
    """
    return set(range(steps)) - {step - 3 for step in range(steps) if step % 4 == 3}


def is_durable(step: int) -> bool:
    """Every third step may be lost until the next one, which must not, nor what it comes after."""
    return step % 3 != 1


def record(path: Path, durability: Literal["full", "relaxed"], steps: int) -> History:
    """Let threads write and a fourth cut the log, on a recorded disk."""
    store = SqliteStore.open(path)
    store.close()
    history = History({path.name: path.read_bytes()})

    def work(session: str) -> None:
        rng = random.Random(session)
        for step in range(steps):
            with store.transaction(tenant=None, durable=is_durable(step)) as tx:
                log_turn(tx, step, session=session, text="x" * rng.randrange(4_000))
                if step % 4 == 3:
                    forget_turn(tx, step - 3, session=session)
            if is_durable(step):
                history.acknowledged.append((len(history.log), session, step + 1))
            if step % 10 == 9:
                store.checkpoint()

    with Disk(history.visit):
        store = SqliteStore.open(path, durability=durability)
        threads = [threading.Thread(target=work, args=(str(number),)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        store.close()
    return history


class Platter:
    """What is surely on the disk, and what was written but not synced, at a growing length of the
    log.
    """

    def __init__(self, history: History, *, syncs: bool) -> None:
        self._history, self._syncs, self._at = history, syncs, 0
        self._durable = {name: bytearray(data) for name, data in history.before.items()}
        self._pending: dict[str, list[tuple[str, int, bytes]]] = {}

    def move_to(self, length: int) -> None:
        """Go forward in time."""
        for action, file, at, data in self._history.log[self._at : length]:
            if action in ("write", "truncate"):
                self._pending.setdefault(file, []).append((action, at, data))
            elif action == "sync" and self._syncs:
                for change in self._pending.pop(file, []):
                    put(self._durable.setdefault(file, bytearray()), *change)
            elif action == "delete":
                self._durable.pop(file, None)
                self._pending.pop(file, None)
        self._at = length

    def cut_power(self, rng: random.Random) -> dict[str, bytearray]:
        """The files as they may be found: of what was not synced, any sectors made it and others
        did not.
        """
        found = {name: bytearray(data) for name, data in self._durable.items()}
        keep = rng.choice((0.0, 0.2, 0.5, 0.8, 1.0))
        for name, changes in self._pending.items():
            data = found.setdefault(name, bytearray())
            for action, at, written in changes:
                if action == "truncate":
                    if rng.random() < keep:
                        put(data, action, at, b"")
                    continue
                for start in range(0, len(written), SECTOR):
                    if rng.random() < keep:
                        put(data, action, at + start, written[start : start + SECTOR])
        return found


def put(data: bytearray, action: str, at: int, written: bytes) -> None:
    """Do one change to a file's bytes."""
    if action == "truncate":
        del data[at:]
        return
    data.extend(bytes(max(0, at + len(written) - len(data))))
    data[at : at + len(written)] = written


def outcome(history: History, files: dict[str, bytearray], length: int, folder: Path) -> str:
    """What is found after the power cut: fine, lost (acknowledged steps), or corrupt."""
    for file in folder.iterdir():
        file.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    path = folder / "memory.db"
    try:
        SqliteStore.open(path, create=False).close()
        turns, docs, damage = contents(path)
    except (StoreError, AssertionError):
        return "corrupt"
    if damage or turns != docs:
        return "corrupt"
    lost = False
    for session in map(str, range(THREADS)):
        found, steps = turns.get(session, set()), max(turns.get(session, {-1})) + 1
        if found != state_after(steps):
            return "corrupt"  # half a transaction
        lost |= steps < history.steps_done(session, length)
    return "lost" if lost else "fine"


def replay(
    history: History, report: Report, folder: Path, states: int, *, syncs: bool = True
) -> dict[str, int]:
    """Cut the power that many times, at random moments; how often each outcome was found."""
    folder.mkdir()
    platter = Platter(history, syncs=syncs)
    outcomes = {"fine": 0, "lost": 0, "corrupt": 0}
    for length in sorted(report.random.randrange(len(history.log) + 1) for _ in range(states)):
        platter.move_to(length)
        outcomes[outcome(history, platter.cut_power(report.random), length, folder)] += 1
    return outcomes


@pytest.mark.torture
@pytest.mark.covers("GM-7", "LS-40")
@pytest.mark.timeout(3_600)
def test_t2_power_loss_takes_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Full durability: nothing lost, nothing corrupt, in any state. Relaxed: perhaps the last
    steps, never soundness.

    Control: were nothing ever synced, the same replay finds loss or damage, so it can tell.
    """
    steps = count(40, 120)
    with Report("T2") as report:
        full = record(tmp_path / "full" / "memory.db", "full", steps)
        relaxed = record(tmp_path / "relaxed" / "memory.db", "relaxed", steps)
        found = {
            "full": replay(full, report, tmp_path / "a", STATES),
            "relaxed": replay(relaxed, report, tmp_path / "b", STATES // 5),
            "never_synced": replay(full, report, tmp_path / "c", STATES // 5, syncs=False),
        }
        for name, outcomes in found.items():
            for kind, times in outcomes.items():
                report[f"{name}_{kind}"] = times

        assert len(full.acknowledged) == THREADS * sum(map(is_durable, range(steps)))
        assert found["full"] == {"fine": STATES, "lost": 0, "corrupt": 0}
        assert found["relaxed"]["corrupt"] == 0
        assert found["relaxed"]["lost"] > 0
        assert found["never_synced"]["lost"] + found["never_synced"]["corrupt"] > STATES // 10
