"""T12: workers are killed while they hold leases, in the middle of their jobs' effects too; each
effect happens once.
"""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from omoide.jobs.queue import Effect, Queue
from omoide.nouns.clock import SystemClock
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.store.base import Store, Transaction
from omoide.tables.jobs import Job, Jobs
from omoide.tables.meta import Meta
from tests.torture.kit import TENANT, Child, Report, count

JOBS, KILLS, WORKERS, USERS = count(200, 2_000), count(20, 200), 4, 40
LEASE = timedelta(seconds=2)
SLOW_S, EFFECT_S = 0.1, 0.02  # at most, of a job's slow part and of its effect
KIND = "learn"

Say = Callable[[str], None]


def work(url: str, locks: Path, seed: int, say: Say) -> None:
    """Do jobs until none is left, telling when one is begun and when its effect is: ``at`` and
    ``in`` with its id.
    """
    chance, store = random.Random(seed), open_store(url)

    def handle(job: Job) -> Effect:
        say(f"at {job.id}")
        # which a killed process lets go of
        lock = os.open(locks / job.user, os.O_CREAT | os.O_RDWR)
        # raises if another job of this user is at work
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        time.sleep(chance.uniform(0, SLOW_S))

        def effect(tx: Transaction) -> None:
            name = f"effect:{job.id}"
            Meta(tx).set(name, str(int(Meta(tx).get(name) or 0) + 1))
            say(f"in {job.id}")
            time.sleep(chance.uniform(0, EFFECT_S))
            os.close(lock)

        return effect

    queue = Queue(store, SystemClock(), {KIND: handle}, lease=LEASE)
    while left(store):
        if (error := queue.run().error) is not None:
            raise error
        time.sleep(0.01)


def left(store: Store) -> int:
    """Jobs that are not done."""
    with store.transaction(tenant=None, write=False) as tx:
        return sum(jobs.total for jobs in Jobs(tx).waiting(TENANT))


def hit(url: str, lines: list[str]) -> str:
    """What a worker was in the middle of when it was killed: ``at`` a job, ``in`` its effect, or
    nothing.

    A job that it said it was at, and that is leased still, is one it never ended: nobody else can
    have it before the lease runs out.
    """
    said = [line.split() for line in lines if line.startswith(("at", "in"))]
    if not said or len(said[-1]) != 2:  # the last line may be cut off
        return ""
    step, id = said[-1]
    store = open_store(url)
    with store.transaction(tenant=None, write=False) as tx:
        leased = Jobs(tx).page(
            Scope(tenant=TENANT, user=user_of(int(id))), "leased", 10, SystemClock().now()
        )
    store.close()
    return step if id in {job.id for job in leased} else ""


def user_of(n: int) -> str:
    """Whose the n-th job is."""
    return f"user-{n % USERS}"


def torture(url: str, locks: Path, report: Report) -> None:
    """Kill workers, each in the middle of something, and replace them; then let the last ones
    finish.
    """
    store = open_store(url)
    now = SystemClock().now()
    with store.transaction(tenant=None) as tx:
        for n in range(JOBS):
            Jobs(tx).schedule(TENANT, f"{n:05}", KIND, user=user_of(n), args={}, run_at=now)
    store.close()
    seeds = iter(range(report.seed, report.seed + 10_000))

    def start() -> Child:
        seed = next(seeds)
        return Child(lambda say: work(url, locks, seed, say))

    workers = [start() for _ in range(WORKERS)]
    for _ in range(KILLS):
        victim = workers.pop(0)
        time.sleep(report.random.uniform(0.01, SLOW_S))
        lines = victim.kill()
        assert victim.status == -9
        assert not any(line.startswith("!") for line in lines), lines
        report["kills"] += 1
        where = hit(url, lines)
        report["in the middle of a job"] += where == "at"
        report["in the middle of an effect"] += where == "in"
        workers.append(start())
    for worker in workers:
        lines = worker.wait()
        assert worker.status == 0, lines
    assert_done(url, report)


def assert_done(url: str, report: Report) -> None:
    """No job is left, and each effect happened once; the kills met what they were meant to meet."""
    store = open_store(url)
    with store.transaction(tenant=None, write=False) as tx:
        effects = [Meta(tx).get(f"effect:{n:05}") for n in range(JOBS)]
    assert left(store) == 0
    store.close()
    report["jobs"] = len(effects)
    report["lost"] = effects.count(None)
    report["twice"] = len([effect for effect in effects if effect not in (None, "1")])
    assert (report["jobs"], report["lost"], report["twice"]) == (JOBS, 0, 0)
    assert report["kills"] == KILLS
    assert report["in the middle of a job"] + report["in the middle of an effect"] >= KILLS / 2
    assert report["in the middle of an effect"] >= KILLS // 50


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    """A folder for the locks by which two jobs of a user would be noticed."""
    (tmp_path / "locks").mkdir()
    return tmp_path / "locks"


@pytest.mark.torture
@pytest.mark.covers("LS-75", "LS-40")
@pytest.mark.timeout(3_600)
def test_t12_each_effect_happens_once(tmp_path: Path, locks: Path) -> None:
    """However many workers are killed, and whenever: none is lost, none doubled, and no two of one
    user at a time.
    """
    with Report("T12") as report:
        torture(str(tmp_path / "memory.db"), locks, report)


@pytest.mark.torture
@pytest.mark.postgres
@pytest.mark.covers("LS-75")
@pytest.mark.timeout(3_600)
def test_t12_each_effect_happens_once_on_postgres(postgres_url: str, locks: Path) -> None:
    """The same on a server, which undoes what a killed worker was in the middle of."""
    with Report("T12 postgres") as report:
        torture(postgres_url, locks, report)
