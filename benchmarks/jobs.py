"""What the queue costs: claiming and finishing empty jobs, and waiting for some.

    python -m benchmarks.jobs                       on SQLite, and a minute of idling
    python -m benchmarks.jobs postgresql://…        on an empty database

Each job is claimed in a transaction and finished in another, durably.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figures import say
from omoide.jobs.queue import Queue
from omoide.jobs.worker import Look, Worker
from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import SystemClock
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.jobs import Job, Jobs

JOBS, THREADS, IDLE_S = 10_000, 2, 60.0


def nothing(job: Job) -> None:
    """An empty job."""


def fill(store: Store, users: int) -> None:
    """Ready jobs, of so many users in turn."""
    now = SystemClock().now()
    with store.transaction(tenant=None) as tx:
        for n in range(JOBS):
            Jobs(tx).schedule(
                "t", f"{n:06}", "learn", user=f"u{n % users}", args={"session": f"s{n}"}, run_at=now
            )


def drain(store: Store, users: int) -> None:
    """Do them all in threads."""
    fill(store, users)
    queue = Queue(store, SystemClock(), {"learn": nothing})
    began, cpu = time.perf_counter(), time.process_time()
    with Worker(
        lambda stop: Look(queue.run(stop), None), queue.give_back, threads=THREADS
    ) as worker:
        worker.wait(idle=True)
    seconds, busy = time.perf_counter() - began, time.process_time() - cpu
    assert worker.done.done == JOBS
    say(
        f"jobs of {users:,} users, {THREADS} threads",
        JOBS,
        f"{JOBS / seconds:,.0f} /s [{busy / JOBS * 1e3:.2f} ms each]",
        "200 /s",
    )


def idle(store: Store) -> None:
    """A memory whose worker has jobs for later, and nothing to do now."""
    with store.transaction(tenant=None) as tx:
        Jobs(tx).schedule(
            "t", "later", "embed", user="", args={}, run_at=SystemClock().now().replace(year=2100)
        )
    memory = Memory(store, embedder=FakeEmbedder())
    time.sleep(1)
    cpu = time.process_time()
    time.sleep(IDLE_S)
    say(
        "idle, one thread", 1, f"{(time.process_time() - cpu) / IDLE_S:.3%} of a processor", "0.2 %"
    )
    memory.close()


@contextmanager
def sqlite() -> Iterator[Store]:
    """A new file."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "memory.db"))
        yield store
        store.close()


def main(arguments: list[str]) -> None:
    for users in (1_000, 1):
        if arguments:
            store = open_store(arguments[0])
            drain(store, users)
            store.close()
        else:
            with sqlite() as store:
                drain(store, users)
    if not arguments:
        with sqlite() as store:
            idle(store)


if __name__ == "__main__":
    main(sys.argv[1:])
