"""What learning from talk costs beside the model's own time.

    python -m benchmarks.capture                     on SQLite: everything, about ten minutes
    python -m benchmarks.capture queued [SESSIONS]   one part: slow, turns, queued
    python -m benchmarks.capture queued 10000 postgresql://…   on an empty database

The model is a function that suggests one thing for each turn of a person, and decides nothing.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.figures import percentiles, say
from benchmarks.texts import sentences
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.models.embedders.encoders import Named
from omoide.nouns.scope import Scope
from omoide.settings.triggers import read_triggers
from omoide.store import open_store
from omoide.tables.jobs import EXTRACT_JOB, Jobs

TURN = re.compile(r"^(\d+) (?!\[)[^:]*: (.*)$", re.MULTILINE)
SESSIONS, USERS, WORKERS, TURNS = 10_000, 100, 2, 20
PAUSE_S = 10.0  # between two words on how far it is


def suggest(ask: Ask) -> dict[str, object]:
    """Each turn of a person as it is."""
    return {
        "items": [
            {"text": text, "quote": text, "turn": int(n), "category": "fact"}
            for n, text in TURN.findall(ask.text)
        ]
    }


def model(slow_s: float = 0.0) -> ScriptedModel:
    """The function as a model, with a wait before each answer."""

    def extract(ask: Ask) -> dict[str, object]:
        time.sleep(slow_s)
        return suggest(ask)

    return ScriptedModel({Purpose.EXTRACT: extract, Purpose.DECIDE: lambda ask: {"decisions": []}})


def opened(url: str, *, slow_s: float = 0.0, background: bool = False) -> Memory:
    """A memory that learns from every turn."""
    teaching = Teaching(asker=Asker(model(slow_s)), triggers=read_triggers("turn"))
    embedder = Named("static", load_embedder("static"))
    return Memory(open_store(url), embedder=embedder, background=background, teaching=teaching)


def talk(memory: Memory, texts: list[str], scope: Scope) -> None:
    """Log a person's turns, each with an answer."""
    said = [
        {"role": role, "content": text}
        for n in texts
        for role, text in (("user", n), ("assistant", "I see."))
    ]
    memory.ingest(said, scope)


def slow(folder: Path) -> None:
    """Turns are acknowledged and found while the model takes a minute for each call."""
    texts = sentences(400)
    with opened(str(folder / "slow.db"), slow_s=60.0, background=True) as memory:
        waits, recalls = [], []
        for n, text in enumerate(texts):
            start = time.perf_counter()
            talk(memory, [text], Scope(user=f"u{n % 10}", session=f"s{n % 40}"))
            waits.append(time.perf_counter() - start)
            start = time.perf_counter()
            memory.recall(texts[n // 2], Scope(user=f"u{n % 10}"), limit=10)
            recalls.append(time.perf_counter() - start)
        threads = sum(thread.name.startswith("omoide") for thread in threading.enumerate())
    say(
        f"ingest acknowledged, the model at 60 s a call, {threads} threads",
        len(texts),
        _ms(waits),
        "p95 <= 25 ms",
    )
    say("recall meanwhile", len(texts), _ms(recalls), "as without")
    with opened(str(folder / "quiet.db")) as memory:
        recalls = []
        for n, text in enumerate(texts):
            talk(memory, [text], Scope(user=f"u{n % 10}", session=f"s{n % 40}"))
            start = time.perf_counter()
            memory.recall(texts[n // 2], Scope(user=f"u{n % 10}"), limit=10)
            recalls.append(time.perf_counter() - start)
    say("recall with nothing learnt meanwhile", len(texts), _ms(recalls), "-")


def _ms(seconds: list[float]) -> str:
    return "{:.1f} / {:.1f} ms".format(*percentiles(seconds))


def turns(folder: Path) -> None:
    """The product's own time for a turn of a session of twenty, everything suggested and
    checked.
    """
    texts = sentences(2_000)
    with opened(str(folder / "turns.db")) as memory:
        for n in range(0, len(texts), TURNS // 2):
            talk(memory, texts[n : n + TURNS // 2], Scope(user="ana", session=f"s{n}"))
        start = time.perf_counter()
        for n in range(0, len(texts), TURNS // 2):
            memory.sessions.extract(f"s{n}", Scope(user="ana"))
        spent = time.perf_counter() - start
    say(
        "learning, for a turn, beside the model",
        2 * len(texts),
        f"{1000 * spent / (2 * len(texts)):.1f} ms",
        "<= 10 ms",
    )


def queued(url: str, sessions: int) -> None:
    """Sessions in line, and two processes that learn from them; in brackets their processor time,
    and the most memory of one.
    """
    with opened(url) as memory:
        for n, text in enumerate(sentences(sessions)):
            talk(memory, [text], Scope(user=f"u{n % USERS}", session=f"s{n}"))
            if n % 1_000 == 999:
                tell(f"{n + 1:,} sessions logged")
    start = time.perf_counter()
    workers = [
        subprocess.Popen([sys.executable, "-m", "benchmarks.capture", "worker", url])
        for _ in range(WORKERS)
    ]
    with opened(url) as memory:
        while running := [worker for worker in workers if worker.poll() is None]:
            with suppress(subprocess.TimeoutExpired):
                running[0].wait(PAUSE_S)
            tell(
                f"{time.perf_counter() - start:.0f} s: {sum(left(memory).values()):,} sessions left"
            )
        spent = time.perf_counter() - start
        items = sum(memory.items.list(scope=Scope(user=f"u{n}")).total for n in range(USERS))
        if any(worker.returncode for worker in workers) or left(memory):
            sys.exit(f"not all was learnt from: {left(memory)}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    each, memory_mb = 1000 * (used.ru_utime + used.ru_stime) / sessions, used.ru_maxrss / 1024
    figure = f"{sessions / spent:.0f} /s [{each:.1f} ms each, {memory_mb:.0f} MB]"
    say(f"queued sessions, {WORKERS} processes, {items} items", sessions, figure, ">= 50 /s")


def left(memory: Memory) -> dict[str, int]:
    """How many sessions are not learnt from yet, by the state of their jobs."""
    with memory.store.transaction(write=False) as tx:
        return {
            one.state: one.total
            for one in Jobs(tx).waiting(memory.scope.tenant)
            if one.kind == EXTRACT_JOB
        }


def tell(progress: str) -> None:
    """What a person who waits wants to know."""
    print(progress, file=sys.stderr, flush=True)


def worker(url: str) -> None:
    """One process that does all that is in line."""
    with opened(url) as memory:
        memory.upkeep.queue.run(kinds={"extract"})


def main(arguments: list[str]) -> None:
    """Take the figures."""
    part, *rest = arguments or ["all"]
    if part == "worker":
        return worker(rest[0])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if part in ("all", "slow"):
            slow(folder)
        if part in ("all", "turns"):
            turns(folder)
        if part in ("all", "queued"):
            queued(
                rest[1] if len(rest) > 1 else str(folder / "queued.db"),
                int(rest[0]) if rest else SESSIONS,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
