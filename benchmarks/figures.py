"""Omoide's own figures on SQLite: latency, throughput, memory and size.

    python -m benchmarks.figures            everything, about ten minutes
    python -m benchmarks.figures recall     one part: recall, users, remember, ingest, opening

Prints one line a figure: what, n, the figure, what it should reach, and how many processes wanted a
processor meanwhile. Behind a figure in brackets: the same in processor time, which a busy machine
changes less.
"""

from __future__ import annotations

import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.texts import sentences, unit_vectors
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.embedders.encoders import Named
from omoide.nouns.change import Because
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.store.sqlite.engine import SqliteStore
from omoide.write.apply import Door
from omoide.write.index import words_of
from omoide.write.remember import Statement, draft

ANA = Scope(user="ana")


class Given:
    """An embedder whose vectors were made before: a text's number leads to its vector."""

    at_once = True

    def __init__(self, width: int = 256) -> None:
        self.id, self.dimension = f"given-{width}", width
        self._vectors = unit_vectors(4096, width)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        return self._vectors[[hash(text) % 4096 for text in texts]]


def say(what: str, n: int, figure: str, goal: str) -> None:
    print(
        f"{what:<62} n={n:<8} {figure:<40} goal {goal:<14} load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    """p50 and p95 in milliseconds."""
    p50, p95 = np.percentile(np.array(seconds) * 1000, [50, 95])
    return float(p50), float(p95)


@dataclass(frozen=True)
class Times:
    """Seconds that each of some calls took, by the clock and of the processor."""

    wall: list[float]
    cpu: list[float]

    def __str__(self) -> str:
        return "{:.1f} / {:.1f} ms [{:.1f} / {:.1f} ms]".format(
            *percentiles(self.wall), *percentiles(self.cpu)
        )


def timed(calls: Iterable[Callable[[], object]]) -> Times:
    """Run calls one after the other."""
    wall, cpu = [], []
    for call in calls:
        start, begun = time.perf_counter(), time.process_time()
        call()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - begun)
    return Times(wall, cpu)


def opened(path: Path, embedder: object) -> Memory:
    return Memory(
        SqliteStore.open(path), scope=ANA, embedder=Named("static", embedder), background=False
    )  # type: ignore[arg-type]


def fill(memory: Memory, texts: Sequence[str], vectors: np.ndarray, scope: Scope = ANA) -> None:
    """Add items without looking for look-alikes, as an archive is loaded: through the same door, in
    large transactions.
    """
    number = memory.encoders.loaded[0].model.number
    for start in range(0, len(texts), 2_000):
        with memory.store.transaction(tenant=None) as tx, Door(tx, memory.clock, Because()) as door:
            for n in range(start, min(start + 2_000, len(texts))):
                item = draft(Statement(text=texts[n]), scope, memory.clock)
                door.add(item, words_of(item, ((number, vectors[n]),)))


def rss_mb() -> float:
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize() / 2**20


def ask(memory: Memory, questions: Sequence[str]) -> Times:
    return timed(partial(memory.recall, question, limit=10) for question in questions)


def recall(folder: Path, n: int = 100_000) -> None:
    texts, questions = sentences(n), sentences(300, words=7, seed=9)
    base = rss_mb()
    with opened(folder / "recall.db", Given()) as memory:
        fill(memory, texts, unit_vectors(n))
    size, text = (folder / "recall.db").stat().st_size, sum(map(len, texts))
    say(
        "file size per memory beyond text and vector",
        n,
        f"{(size - text - n * 1024) / n:.0f} bytes",
        "<= 1024",
    )
    with opened(folder / "recall.db", Given()) as memory:
        first = ask(memory, questions[:1])
        say(
            "first recall in a process, one partition",
            n,
            f"{first.wall[0]:.2f} s [{first.cpu[0]:.2f} s]",
            "-",
        )
        say(
            "recall, query vector given, one partition",
            n,
            str(ask(memory, questions)),
            "<= 12 / 25 ms",
        )
        say(
            "resident memory with all loaded, beyond this benchmark's texts",
            n,
            f"{rss_mb() - base:.0f} MB",
            "<= 400 MB",
        )
    with opened(folder / "recall2.db", load_embedder("static")) as memory:
        embedder = load_embedder("static")
        assert embedder is not None
        fill(
            memory,
            texts,
            np.concatenate([embedder.embed(texts[i : i + 1000]) for i in range(0, n, 1000)]),
        )
        memory.recall(questions[0], limit=10)
        say(
            "recall end to end, default embedder, one partition",
            n,
            str(ask(memory, questions)),
            "<= 20 / 50 ms",
        )


def users(folder: Path, users: int = 1_000, each: int = 1_000) -> None:
    texts, questions = sentences(each * 20), sentences(600, words=7, seed=9)
    with opened(folder / "users.db", Given()) as memory:
        for user in range(users):
            part = texts[(user % 20) * each : (user % 20 + 1) * each]
            fill(memory, part, unit_vectors(each, seed=user), Scope(user=f"u{user}"))
        rng = np.random.default_rng(3)
        scopes = [Scope(user=f"u{n}") for n in rng.integers(0, users, 300)]
        for held, asked in (("not yet held", questions[:300]), ("held", questions[300:])):
            times = timed(
                partial(memory.recall, q, s, limit=10) for q, s in zip(asked, scopes, strict=True)
            )
            say(
                f"recall, {users} users with {each} items, partition {held}",
                300,
                str(times),
                "<= 3 / 8 ms" if held == "held" else "-",
            )


def remember(folder: Path) -> None:
    texts = sentences(24_000, seed=4)
    with opened(folder / "remember.db", load_embedder("static")) as memory:
        times = timed(partial(memory.remember, text) for text in texts[:2_000])
        say("remember, acknowledged durable, one writer", 2_000, str(times), "p95 <= 25 ms")
        shares = [texts[2_000 + 500 * n : 2_500 + 500 * n] for n in range(16)]
        threads = [
            threading.Thread(target=lambda share=share: [memory.remember(t) for t in share])
            for share in shares
        ]
        start, begun = time.perf_counter(), time.process_time()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wall, cpu = time.perf_counter() - start, time.process_time() - begun
        say(
            "remember, 16 threads, durable",
            8_000,
            f"{8_000 / wall:.0f} /s [{cpu / 8:.2f} ms each]",
            ">= 1000 /s",
        )


def ingest(folder: Path, n: int = 100_000) -> None:
    texts = sentences(n, words=16, seed=5)
    with opened(folder / "ingest.db", None) as memory:
        talks = (
            Conversation(
                id=f"s{first}",
                messages=tuple(Message(text=t) for t in texts[first : first + 1_000]),
            )
            for first in range(0, n, 1_000)
        )
        times = timed(partial(memory.ingest, talk) for talk in talks)
        say(
            "bulk ingest of turns without embedding",
            n,
            f"{n / sum(times.wall):.0f} /s [{n / sum(times.cpu):.0f} /s]",
            ">= 10000 /s",
        )


def opening(folder: Path, n: int = 100_000) -> None:
    path = folder / "opening.db"
    with opened(path, Given()) as memory:
        fill(memory, sentences(n), unit_vectors(n))

    def open_and_close() -> None:
        SqliteStore.open(path).close()

    clean = timed([open_and_close] * 5)
    say(
        "open, clean",
        n,
        f"{np.median(clean.wall):.2f} s [{np.median(clean.cpu):.2f} s]",
        "<= 0.3 s",
    )
    killed = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            with opened(path, Given()) as memory:
                memory.remember("one more thing, then the lights go out")
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        killed.append(timed([open_and_close]))
    wall, cpu = (
        np.median([getattr(times, kind)[0] for times in killed]) for kind in ("wall", "cpu")
    )
    say("open, after a kill", n, f"{wall:.2f} s [{cpu:.2f} s]", "<= 2 s")
    idle = (
        "import omoide.memory; from omoide.store.sqlite.engine import SqliteStore; m ="
        " omoide.memory.Memory(SqliteStore.open(':memory:'));"
    )
    idle += "print(int(open('/proc/self/statm').read().split()[1]) * 4096 // 2**20)"
    out = subprocess.run([sys.executable, "-c", idle], capture_output=True, text=True, check=True)
    say(
        "resident memory, idle library without the model", 1, f"{out.stdout.strip()} MB", "<= 80 MB"
    )


PARTS: dict[str, Callable[[Path], None]] = {
    "recall": recall,
    "users": users,
    "remember": remember,
    "ingest": ingest,
    "opening": opening,
}


def main(names: Sequence[str]) -> None:
    print(
        f"# {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, numpy"
        f" {np.__version__}"
    )
    for name in names or PARTS:
        with tempfile.TemporaryDirectory(prefix="omoide-bench-") as folder:
            PARTS[name](Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
