"""The threads that do jobs: woken by what is new, by what becomes due, and stopped whatever they
are in the middle of.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from omoide.jobs import worker
from omoide.jobs.queue import Effect, JobsDone, Queue, Stop
from omoide.jobs.worker import Look, Worker
from omoide.nouns.clock import FixedClock, SystemClock
from omoide.nouns.errors import StoreBusy
from omoide.store.base import Store, Transaction
from omoide.tables.jobs import Job, Jobs
from omoide.tables.meta import Meta
from tests.fix_memory import NINE, on_sqlite

# until a thread that does not do what it should is given up; none of these tests waits for it when
# all is well
PATIENCE_S = 20.0

Start = Callable[..., Worker]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts workers, and stops them."""
    workers: list[Worker] = []

    def make(
        work: Callable[[Stop], Look], give_back: Callable[[], object] = lambda: None, **options: Any
    ) -> Worker:
        workers.append(Worker(work, give_back, **options))
        return workers[-1]

    yield make
    for made in workers:
        made.close()


class Looks:
    """Work that notes each look, and waits as it is told."""

    def __init__(self, *waits: float | None) -> None:
        self._waits, self.seen = iter(waits), threading.Semaphore(0)

    def __call__(self, stop: Stop) -> Look:
        self.seen.release()
        wait = next(self._waits, None)
        if wait is not None and wait < 0:
            raise StoreBusy("locked")
        return Look(JobsDone(done=1), wait)

    def again(self) -> bool:
        """It looked once more."""
        return self.seen.acquire(timeout=PATIENCE_S)


def test_it_looks_when_woken(start: Start) -> None:
    """And not before."""
    looks = Looks()
    worker = start(looks)
    assert not looks.seen.acquire(blocking=False)

    for _ in range(3):
        worker.wake()
        assert looks.again()
    assert not looks.seen.acquire(blocking=False)


def test_it_looks_when_something_becomes_due(start: Start) -> None:
    """As soon as the work said; a time that has passed is at once."""
    looks = Looks(0.01, 0.0, -0.0)
    start(looks).wake()

    assert all([looks.again(), looks.again(), looks.again()])


@pytest.mark.parametrize("threads", [1, 3])
def test_what_another_process_left_is_found_too(threads: int, start: Start) -> None:
    """After a while it looks by itself, however far the next time is that is known of."""
    looks = Looks(None, 1e9)
    start(looks, threads=threads, every_s=0.01).wake()

    assert all([looks.again(), looks.again(), looks.again()])


def test_a_store_that_fails_does_not_end_it(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks again by itself."""
    monkeypatch.setattr(worker, "FIRST_S", 0.01)
    looks = Looks(-1.0, -1.0, None)
    start(looks).wake()

    assert all([looks.again(), looks.again(), looks.again()])


def test_a_closed_worker_stays_closed(start: Start) -> None:
    """Closing again is nothing, and neither is waking."""
    looks = Looks()
    worker = start(looks)
    worker.wake()
    assert looks.again()
    worker.close()
    worker.close()
    worker.wake()

    assert not looks.seen.acquire(blocking=False)


def test_work_may_close_its_own_worker(start: Start) -> None:
    """It does not wait for itself."""
    closed = threading.Event()

    def work(stop: Stop) -> Look:
        made.close()
        assert stop()
        closed.set()
        return Look(JobsDone(), None)

    made = start(work)
    made.wake()
    assert closed.wait(PATIENCE_S)


class Slow:
    """A handler in the middle of a model call until it is let go; its effect can be seen in the
    store.
    """

    def __init__(self) -> None:
        self.begun, self.answer, self.ended = (
            threading.Event(),
            threading.Event(),
            threading.Event(),
        )

    def __call__(self, job: Job) -> Effect:
        self.begun.set()
        assert self.answer.wait(PATIENCE_S)

        def effect(tx: Transaction) -> None:
            Meta(tx).set("effect", "happened")

        return effect


def state(store: Store) -> tuple[str | None, int, int]:
    """The effect, and how many jobs are ready and in all."""
    with store.transaction(tenant=None, write=False) as tx:
        jobs = Jobs(tx).waiting("t")
        return (
            Meta(tx).get("effect"),
            sum(j.total for j in jobs if j.state == "ready"),
            sum(j.total for j in jobs),
        )


@pytest.fixture
def slow(store: Store, clock: FixedClock, start: Start) -> Iterator[tuple[Slow, Worker]]:
    """A worker in the middle of a job."""
    handler = Slow()
    queue = Queue(store, clock, {"learn": handler})
    with store.transaction(tenant=None) as tx:
        Jobs(tx).schedule("t", "one", "learn", user="ana", args={}, run_at=NINE)

    def work(stop: Stop) -> Look:
        done = queue.run(stop)
        handler.ended.set()
        return Look(done, None)

    worker = start(work, queue.give_back)
    worker.wake()
    assert handler.begun.wait(PATIENCE_S)
    yield handler, worker
    handler.answer.set()
    assert handler.ended.wait(PATIENCE_S)


def test_it_stops_in_the_middle_of_a_model_call(
    slow: tuple[Slow, Worker], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without waiting for the answer, which is dropped; the job is there for the next worker, and
    nothing is half done.
    """
    handler, closing = slow
    monkeypatch.setattr(worker, "GRACE_S", 0.01)

    closing.close()
    assert not handler.ended.is_set()
    assert state(store) == (None, 1, 1)
    handler.answer.set()
    assert handler.ended.wait(PATIENCE_S)
    assert state(store) == (None, 1, 1)


def test_what_ends_in_time_lasts(slow: tuple[Slow, Worker], store: Store) -> None:
    """An answer that comes while it stops is not thrown away."""
    handler, closing = slow
    threading.Timer(0.05, handler.answer.set).start()

    closing.close()
    assert state(store) == ("happened", 0, 0)


def test_the_grace_leaves_room_within_two_seconds() -> None:
    """What a stop takes at most, with the giving back."""
    assert worker.GRACE_S <= 1.2


@on_sqlite
def test_threads_share_the_work(store: Store, start: Start) -> None:
    """Two jobs that each wait for the other's beginning are done by two threads, and by none in a
    row.
    """
    both = threading.Barrier(2)

    def meet(job: Job) -> None:
        both.wait(PATIENCE_S)

    queue = Queue(store, SystemClock(), {"learn": meet})
    with store.transaction(tenant=None) as tx:
        for user in ("ana", "ben"):
            Jobs(tx).schedule(
                "t", user, "learn", user=user, args={}, run_at=NINE - timedelta(days=1)
            )

    with start(lambda stop: Look(queue.run(stop), None), threads=2) as pair:
        pair.wait(idle=True)
    assert pair.done == JobsDone(done=2)


def test_one_can_wait_until_there_is_nothing_to_do(start: Start) -> None:
    """Or until it is closed; what was done is added up, and the last error kept."""
    looks = Looks(0.0, -1.0, 1e9)
    with start(looks, threads=3) as three:
        three.wait(idle=True)
        assert three.done.done >= 2
        three.wake()
        three.wait(idle=True)
    three.wait()

    assert isinstance(three.done.error, StoreBusy)
    assert three.done.done == sum(looks.seen.acquire(blocking=False) for _ in range(1_000)) - 1


def test_a_store_that_is_closed_ends_the_worker(
    start: Start, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """Silently, and whoever waits for it goes on: nobody opens a closed store again."""
    looked = threading.Event()

    def work(stop: Stop) -> Look:
        looked.set()
        with store.transaction(tenant=None, write=False):
            return Look(JobsDone(), 0.0)

    made = start(work)
    made.wake()
    assert looked.wait(PATIENCE_S)
    store.close()
    made.wait()

    assert made.is_stopping()
    assert "worker failed" not in caplog.text


def test_what_fails_while_it_is_stopped_is_no_failure(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    """What a job at hand needs may be closed before it."""
    begun, closed = threading.Event(), threading.Event()

    def work(stop: Stop) -> Look:
        begun.set()
        closed.wait(PATIENCE_S)
        raise StoreBusy("locked")

    others = set(threading.enumerate())
    made = start(work, give_back=closed.set)
    made.wake()
    assert begun.wait(PATIENCE_S)
    own = set(threading.enumerate()) - others
    made.close()
    for thread in own:
        thread.join(PATIENCE_S)

    assert "worker failed" not in caplog.text
