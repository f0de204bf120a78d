"""All rows of ``benchmarks.figures`` for two checkouts, in turns, within one run.

    python -m benchmarks.paired BEFORE AFTER            two folders, each a checkout
    python -m benchmarks.paired BEFORE AFTER remember   single rows

Each checkout runs in a process of its own, with its own ``benchmarks.figures``, and keeps its
stores. Round after round both are asked for the same calls, in changing order, so that what else
the machine does falls on both alike. Prints for each row the median times a call of both, and the
median ratio of processor time with the 95 % interval of a bootstrap over rounds; a ratio over 1
means slower now.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import count, cycle
from pathlib import Path
from threading import Thread
from typing import Any

ROUNDS, RESAMPLED = 21, 2_000
Calls = Iterator[Callable[[], object]]

# the checkout's own, whose names lie elsewhere in another
figures: Any = import_module("benchmarks.figures")


@dataclass(frozen=True)
class Row:
    """One figure: how to set it up in a folder, and how many calls are one round."""

    what: str
    each: int
    set_up: Callable[[Path], Calls]


def recall_given(folder: Path, n: int = 100_000) -> Calls:
    """Recall with the vector given, in one partition of 100,000 items."""
    memory = figures.opened(folder / "given.db", figures.Given())
    figures.fill(memory, figures.sentences(n), figures.unit_vectors(n))
    questions = cycle(figures.sentences(300, words=7, seed=9))
    memory.recall(next(questions), limit=10)
    return (partial(memory.recall, question, limit=10) for question in questions)


def recall_whole(folder: Path, n: int = 20_000) -> Calls:
    """Recall end to end with the default embedder, in one partition of 20,000 items."""
    embedder = figures.load_embedder("static")
    texts = figures.sentences(n)
    memory = figures.opened(folder / "whole.db", embedder)
    figures.fill(memory, texts, embedder.embed(texts))
    questions = cycle(figures.sentences(300, words=7, seed=9))
    memory.recall(next(questions), limit=10)
    return (partial(memory.recall, question, limit=10) for question in questions)


def recall_users(folder: Path, users: int = 200, each: int = 1_000) -> Calls:
    """Recall among 200 users with 1,000 items each, loaded when first asked."""
    memory = figures.opened(folder / "users.db", figures.Given())
    texts = figures.sentences(each * 20)
    scopes = [figures.Scope(user=f"u{user}") for user in range(users)]
    for user, scope in enumerate(scopes):
        part = texts[(user % 20) * each : (user % 20 + 1) * each]
        figures.fill(memory, part, figures.unit_vectors(each, seed=user), scope)
    questions = cycle(figures.sentences(300, words=7, seed=9))
    return (
        partial(memory.recall, question, scope, limit=10)
        for question, scope in zip(questions, cycle(scopes), strict=False)
    )


def remember_one(folder: Path) -> Calls:
    """Remember by one writer, acknowledged durable."""
    memory = figures.opened(folder / "one.db", figures.load_embedder("static"))
    return (partial(memory.remember, text) for text in figures.sentences(24_000, seed=4))


def remember_many(folder: Path, threads: int = 16, each: int = 10) -> Calls:
    """Remember by 16 threads at once, ten statements each, acknowledged durable."""
    memory = figures.opened(folder / "many.db", figures.load_embedder("static"))
    texts = iter(figures.sentences(24_000, seed=4))

    def a_batch() -> None:
        shares = [[next(texts) for _ in range(each)] for _ in range(threads)]
        workers = [
            Thread(target=lambda share=share: [memory.remember(text) for text in share])
            for share in shares
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    return (a_batch for _ in count())


def ingest(folder: Path, each: int = 500) -> Calls:
    """Ingest a talk of 500 messages without embedding."""
    memory = figures.opened(folder / "ingest.db", None)
    texts = figures.sentences(30_000, words=16, seed=5)
    talks = (
        figures.Conversation(
            id=f"s{first}",
            messages=tuple(figures.Message(text=text) for text in texts[first : first + each]),
        )
        for first in range(0, len(texts), each)
    )
    return (partial(memory.ingest, talk) for talk in talks)


def opening(folder: Path, n: int = 20_000) -> Calls:
    """Open a store of 20,000 items that was closed, and close it."""
    path = folder / "opening.db"
    with figures.opened(path, figures.Given()) as memory:
        figures.fill(memory, figures.sentences(n), figures.unit_vectors(n))
    return (lambda: figures.SqliteStore.open(path).close() for _ in count())


def making(folder: Path) -> Calls:
    """Make a new store, and close it."""
    return (
        partial(lambda k: figures.SqliteStore.open(folder / f"new{k}.db").close(), k)
        for k in count()
    )


ROWS = {
    "recall-given": Row("recall, query vector given, 100,000 items", 10, recall_given),
    "recall-whole": Row("recall end to end, default embedder, 20,000 items", 20, recall_whole),
    "recall-users": Row("recall, 200 users with 1,000 items each", 20, recall_users),
    "remember": Row("remember, one writer", 20, remember_one),
    "remember-many": Row("remember, 16 threads, 160 statements", 1, remember_many),
    "ingest": Row("ingest, a talk of 500 messages", 1, ingest),
    "opening": Row("open, clean, 20,000 items", 3, opening),
    "making": Row("make a new store", 2, making),
}


def work(folder: Path) -> None:
    """Set up the row that standard input names, then run one round for each further line."""
    row = ROWS[sys.stdin.readline().strip()]
    calls = row.set_up(folder)
    figures.timed(next(calls) for _ in range(row.each))
    print("ready", flush=True)
    for _ in sys.stdin:
        times = figures.timed(next(calls) for _ in range(row.each))
        print(sum(times.wall) / row.each, sum(times.cpu) / row.each, flush=True)


class Side:
    """A checkout at work in a process of its own."""

    def __init__(self, tree: str, row: str, folder: Path) -> None:
        path = f"{tree}/src:{tree}"
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--work", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0", "HOME": str(folder)},
        )
        self._say(row)
        if self._heard() != ["ready"]:
            raise SystemExit(f"{tree}: {row} does not run there")
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def run(self) -> None:
        """One round of calls."""
        self._say("go")
        wall, cpu = map(float, self._heard())
        self.wall.append(wall)
        self.cpu.append(cpu)

    def stop(self) -> None:
        """Let the process end."""
        self._process.communicate()

    def _say(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _heard(self) -> list[str]:
        assert self._process.stdout
        return self._process.stdout.readline().split()


def interval(ratios: list[float]) -> tuple[float, float]:
    """The middle 95 % of medians of resampled ratios."""
    draw = random.Random(1)
    medians = sorted(
        statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(RESAMPLED)
    )
    return medians[RESAMPLED // 40], medians[-RESAMPLED // 40]


def compare(trees: tuple[str, str], name: str) -> None:
    """Run one row on both checkouts in turns, and print it."""
    row = ROWS[name]
    with tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
        before, after = Side(trees[0], name, Path(old)), Side(trees[1], name, Path(new))
        for turn in range(ROUNDS):
            for side in (before, after) if turn % 2 else (after, before):
                side.run()
        for side in (before, after):
            side.stop()
    ratios = [now / then for now, then in zip(after.cpu, before.cpu, strict=True)]
    low, high = interval(ratios)
    then, now = (1e3 * statistics.median(side.cpu) for side in (before, after))
    walls = statistics.median(a / b for a, b in zip(after.wall, before.wall, strict=True))
    print(
        f"{row.what:<52} {then:9.3f} -> {now:9.3f} ms  ratio {statistics.median(ratios):.3f}"
        f" [{low:.3f}, {high:.3f}]  by the clock {walls:.3f}  load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def main(before: str, after: str, *names: str) -> None:
    """Compare every row, or those that are named."""
    print(f"# {ROUNDS} rounds each; processor time a call, median: {before} -> {after}")
    for name in names or ROWS:
        compare((os.path.abspath(before), os.path.abspath(after)), name)


if __name__ == "__main__":
    if sys.argv[1] == "--work":
        work(Path(sys.argv[2]))
    else:
        main(*sys.argv[1:])
