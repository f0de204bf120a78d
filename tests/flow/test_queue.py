"""The queue: one job at a time for a user, each effect once, and nothing lost when something
fails.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from omoide.jobs.leases import Leases
from omoide.jobs.queue import Effect, Handler, JobsDone, Queue, Stopped
from omoide.jobs.recurring import repeat
from omoide.jobs.retry import MOST
from omoide.nouns.clock import FixedClock, SystemClock
from omoide.nouns.errors import (
    BadAnswer,
    Conflict,
    InvalidInput,
    ModelError,
    ModelUnreachable,
    SpendLimit,
    StoreBusy,
    StoreFull,
)
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction
from omoide.tables.jobs import ANSWER_LIMIT, Failure, Job, JobCount, Jobs, Queued
from omoide.tables.meta import Meta
from tests.fix_memory import ANA, BEN, NINE, on_sqlite

TENANT, KIND = "default", "learn"
LEASE = timedelta(minutes=5)
Add = Callable[..., None]
Ready = Callable[..., "Job | None"]


@pytest.fixture
def add(store: Store) -> Add:
    """Schedules a job; what is not given is Ana's, at NINE."""

    def schedule(
        id: str, kind: str = KIND, *, user: str = "ana", run_at: datetime = NINE, **args: Any
    ) -> None:
        with store.transaction(tenant=None) as tx:
            Jobs(tx).schedule(TENANT, id, kind, user=user, args=args, run_at=run_at)

    return schedule


@pytest.fixture
def claim(store: Store, clock: FixedClock) -> Ready:
    """Claims the next job."""

    def next_one(*kinds: str) -> Job | None:
        with store.transaction(tenant=None) as tx:
            return Jobs(tx).claim(kinds or (KIND, "embed"), clock.now(), clock.now() + LEASE)

    return next_one


def queue_of(store: Store, clock: FixedClock, handler: Handler, kind: str = KIND) -> Queue:
    """A queue with one kind of jobs, and no chance in its waits."""
    return Queue(store, clock, {kind: handler}, chance=lambda: 1.0, lease=LEASE)


def noting(done: list[str]) -> Handler:
    """Notes each job that it does."""

    def handle(job: Job) -> None:
        done.append(job.id)

    return handle


def counting(job: Job) -> Effect:
    """An effect that can be seen: how often it happened to the store."""

    def effect(tx: Transaction) -> None:
        Meta(tx).set(f"effect:{job.id}", str(int(Meta(tx).get(f"effect:{job.id}") or 0) + 1))

    return effect


def effects(store: Store, id: str) -> int:
    """How often the effect of a job happened."""
    with store.transaction(tenant=None, write=False) as tx:
        return int(Meta(tx).get(f"effect:{id}") or 0)


def counts(store: Store, scope: Scope = ANA) -> dict[tuple[str, str], int]:
    """Jobs by kind and state."""
    with store.transaction(tenant=None, write=False) as tx:
        return {(count.kind, count.state): count.total for count in Jobs(tx).seen(scope, NINE)}


def dead(store: Store, scope: Scope = ANA) -> list[Queued]:
    """The asker's dead letters."""
    with store.transaction(tenant=None, write=False) as tx:
        return Jobs(tx).page(scope, "dead", 100, NINE)


def failing(error: Exception) -> Handler:
    """Fails with this each time."""

    def handle(job: Job) -> None:
        raise error

    return handle


def run_until_dead(queue: Queue, clock: FixedClock) -> int:
    """Run the queue, a day between, until its job gave up; how many tries that took."""
    for tries in range(1, 100):
        if queue.run().dead:
            return tries
        clock.move(days=1)
    raise AssertionError("it never gave up")


# --- scheduling ---


def test_a_job_waits_for_its_time(store: Store, clock: FixedClock, add: Add, claim: Ready) -> None:
    """It is claimed neither before its time nor twice."""
    add("one", run_at=NINE + timedelta(minutes=30))
    assert claim() is None

    clock.move(minutes=30)
    job = claim()
    assert job is not None
    assert (job.id, job.kind, job.user, job.attempts) == ("one", KIND, "ana", 1)
    assert claim() is None


@pytest.mark.parametrize("minutes", [-20, 20], ids=["sooner", "later"])
def test_scheduling_again_moves_a_waiting_job(
    minutes: int, store: Store, clock: FixedClock, add: Add, claim: Ready
) -> None:
    """Sooner or later; it is still one job, with the newest args."""
    add("one", run_at=NINE + timedelta(minutes=30), n=1)
    add("one", run_at=NINE + timedelta(minutes=30 + minutes), n=2)

    clock.move(minutes=30 + min(minutes, 0))
    if minutes > 0:
        assert claim() is None
        clock.move(minutes=minutes)
    job = claim()
    assert job is not None
    assert job.args == {"n": 2}
    assert counts(store) == {(KIND, "leased"): 1}


def test_a_job_that_is_enqueued_in_a_transaction_that_fails_is_not_there(
    store: Store, clock: FixedClock
) -> None:
    """It is necessary only if that transaction lasts."""

    def change_mind() -> None:
        with store.transaction(tenant=None) as tx:
            Jobs(tx).schedule(TENANT, "one", KIND, user="ana", args={}, run_at=NINE)
            raise Conflict("changed my mind")

    with pytest.raises(Conflict):
        change_mind()
    assert counts(store) == {}


def test_what_is_asked_for_while_it_runs_is_done_again(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """The run that is at work has not seen what came meanwhile: the job stays, for the time it was
    asked for.
    """
    done: list[str] = []

    def handle(job: Job) -> None:
        if not done:
            add("one", run_at=clock.now() + timedelta(minutes=30))
        done.append(job.id)

    add("one")
    queue = queue_of(store, clock, handle)
    assert queue.run() == JobsDone(done=1)
    assert counts(store) == {(KIND, "ready"): 1}
    clock.move(minutes=30)
    assert queue.run() == JobsDone(done=1)
    assert (done, counts(store)) == (["one", "one"], {})


def test_jobs_of_a_user_come_in_the_order_of_their_times(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """Equal times by id, whatever their kinds."""
    done: list[str] = []
    add("c", run_at=NINE - timedelta(minutes=2))
    add("b", "other")
    add("a")
    add("d", "other", run_at=NINE - timedelta(minutes=1))

    Queue(store, clock, {KIND: noting(done), "other": noting(done)}).run()
    assert done == ["c", "d", "a", "b"]


def test_jobs_without_a_handler_wait(store: Store, clock: FixedClock, add: Add) -> None:
    """Without a model there is none for learning: these are counted, with the time since when they
    could be done.
    """
    add("one")
    add("two", run_at=NINE - timedelta(hours=1))

    assert queue_of(store, clock, noting([]), "other").run() == JobsDone()
    with store.transaction(tenant=None, write=False) as tx:
        assert Jobs(tx).seen(ANA, NINE) == [
            JobCount(kind=KIND, state="ready", total=2, since=NINE - timedelta(hours=1))
        ]


def test_a_run_does_no_more_than_it_is_asked_to(store: Store, clock: FixedClock, add: Add) -> None:
    """So many jobs, these kinds, until it is told to stop."""
    done: list[str] = []
    for n in range(6):
        add(f"{n}", "a" if n < 4 else "b")
    queue = Queue(store, clock, {"a": noting(done), "b": noting(done)})

    assert queue.run(kinds={"b"}).done == 2
    assert queue.run(limit=1).done == 1
    assert queue.run(lambda: len(done) >= 5).done == 2
    assert done == ["4", "5", "0", "1", "2"]


# --- one at a time ---


@pytest.mark.covers("LS-75")
def test_jobs_of_one_user_are_never_done_two_at_a_time(
    store: Store, clock: FixedClock, add: Add, claim: Ready
) -> None:
    """The second waits until the first is done; those of another user, or of nobody, need not wait
    for either.
    """
    add("a1")
    add("a2", "embed")
    add("a3")
    add("b1", user="ben")
    add("n1", user="")

    claimed = [claim(), claim(), claim(), claim(), claim()]
    assert [job.id if job else None for job in claimed] == ["a1", "a2", "b1", "n1", None]
    first = claimed[0]
    assert first is not None
    with store.transaction(tenant=None) as tx:
        assert Jobs(tx).finish(first, clock.now())
    last = claim()
    assert last is not None
    assert last.id == "a3"


def test_threads_never_do_two_jobs_of_a_user(store: Store, clock: FixedClock, add: Add) -> None:
    """Four of them, over jobs of three users: each job once, and of each user one at a time."""
    at_work, done, crossed = set[str](), list[str](), list[str]()
    lock = threading.Lock()

    def handle(job: Job) -> Effect:
        with lock:
            if job.user in at_work:
                crossed.append(job.id)
            at_work.add(job.user)

        def effect(tx: Transaction) -> None:
            with lock:
                at_work.discard(job.user)
                done.append(job.id)

        return effect

    for n in range(60):
        add(f"{n:02}", user=("ana", "ben", "eve")[n % 3])
    queue = queue_of(store, clock, handle)

    def work() -> None:
        while counts(store, ANA) or counts(store, BEN) or counts(store, Scope(user="eve")):
            queue.run()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert crossed == []
    assert sorted(done) == [f"{n:02}" for n in range(60)]
    for user in range(3):
        assert [id for id in done if int(id) % 3 == user] == [
            f"{n:02}" for n in range(60) if n % 3 == user
        ]


# --- leases ---


def test_an_effect_and_the_end_of_its_job_are_one(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """When the effect cannot be finished, neither lasts, and the job is tried again."""
    fails = [True]

    def handle(job: Job) -> Effect:
        def effect(tx: Transaction) -> None:
            counting(job)(tx)
            if fails:
                fails.pop()
                raise Conflict("somebody was first")

        return effect

    add("one")
    queue = queue_of(store, clock, handle)
    assert queue.run().failed == 1
    assert effects(store, "one") == 0
    clock.move(minutes=1)
    assert queue.run() == JobsDone(done=1)
    assert (effects(store, "one"), counts(store)) == (1, {})


def test_a_worker_whose_lease_ran_out_changes_nothing(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """Another does the job meanwhile; what the slow one brings later is dropped."""
    other = queue_of(store, clock, counting)

    def slow(job: Job) -> Effect:
        clock.move(minutes=6)
        assert other.run() == JobsDone(done=1)
        return counting(job)

    add("one")
    assert queue_of(store, clock, slow).run() == JobsDone()
    assert (effects(store, "one"), counts(store)) == (1, {})


def test_neither_does_one_that_nobody_took_over_from(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """Its lease ran out: that alone decides. The job counts as failed, so that one that always
    takes too long gives up.
    """

    def slow(job: Job) -> Effect:
        clock.move(minutes=6)
        return counting(job)

    add("one")
    queue = queue_of(store, clock, slow)
    assert queue.run().failed == 1
    assert effects(store, "one") == 0
    assert run_until_dead(queue, clock) == MOST  # the first of these only waited
    assert [letter.error for letter in dead(store)] == ["Conflict"]


@on_sqlite
def test_a_job_at_work_is_held_for_as_long_as_that_takes(store: Store) -> None:
    """However short a lease is: nobody has to think of prolonging it."""
    clock, held = SystemClock(), list[datetime]()

    def slow(job: Job) -> Effect:
        while len(held) < 3:
            until = queue.next_at()  # when the lease runs out
            assert until is not None
            held.extend([until] if until not in held else [])
            threading.Event().wait(0.01)
        return counting(job)

    with store.transaction(tenant=None) as tx:
        Jobs(tx).schedule(TENANT, "one", KIND, user="ana", args={}, run_at=clock.now())
    queue = Queue(store, clock, {KIND: slow}, lease=timedelta(seconds=1.5))
    assert queue.run() == JobsDone(done=1)
    assert effects(store, "one") == 1
    assert held[2] - held[0] > timedelta(seconds=0.5)


class Flaky(Store):
    """A store in which the first writes fail with these errors."""

    def __init__(self, store: Store, *errors: Exception) -> None:
        self._store, self._errors, self.writes = store, iter(errors), threading.Semaphore(0)

    def transaction(self, *, tenant: str | None, write: bool = True, durable: bool = True) -> Any:
        """As the store's, unless an error is left."""
        if write:
            self.writes.release()
            for error in self._errors:
                raise error
        return self._store.transaction(tenant=tenant, write=write, durable=durable)

    def close(self) -> None:
        """As the store's."""
        self._store.close()


def test_a_store_that_fails_meanwhile_is_asked_again(
    store: Store, clock: FixedClock, add: Add, claim: Ready
) -> None:
    """What holds the leases goes on after an error."""
    flaky = Flaky(store, StoreBusy("locked"), StoreFull("no space"))
    add("one")
    job = claim()
    assert job is not None

    with Leases(flaky, clock, timedelta(seconds=0.03)).held(job):
        assert [flaky.writes.acquire(timeout=20) for _ in range(4)] == [True] * 4


def test_a_worker_that_vanishes_is_replaced(
    store: Store, clock: FixedClock, add: Add, claim: Ready
) -> None:
    """When its lease ran out; a job that takes its worker down each time gives up, and says
    that.
    """
    add("one")
    for _ in range(MOST):
        assert claim() is not None
        assert claim() is None
        clock.move(minutes=5)

    assert claim() is None
    assert [
        (letter.id, letter.failures, letter.error.partition(":")[0]) for letter in dead(store)
    ] == [("one", MOST, "WorkerLost")]


def test_of_one_user_nothing_is_begun_beside_a_lease_that_is_taken_back(
    store: Store, clock: FixedClock, add: Add, claim: Ready
) -> None:
    """The job whose worker was lost comes first, at its old place; and is the only one."""
    add("a")
    add("b", run_at=NINE + timedelta(minutes=1))
    lost = claim()
    clock.move(minutes=5)

    again = claim()
    assert lost is not None
    assert again is not None
    assert (lost.id, again.id, again.attempts) == ("a", "a", 2)
    assert claim() is None
    with store.transaction(tenant=None) as tx:
        assert not Jobs(tx).finish(lost, clock.now())
        assert not Jobs(tx).hold(lost, clock.now(), clock.now() + LEASE)
        assert not Jobs(tx).give_back(lost)
        assert not Jobs(tx).fail(
            lost, Failure(failures=1, at=clock.now(), error="x"), again_at=None
        )
        assert Jobs(tx).finish(again, clock.now())


def test_a_job_given_back_is_another_s_at_once(store: Store, clock: FixedClock, add: Add) -> None:
    """What its worker brings afterwards is dropped, and it does not count as a failure."""

    def slow(job: Job) -> Effect:
        if job.attempts == 1:
            assert queue.give_back() == 1
            assert queue.give_back() == 0
        return counting(job)

    add("one")
    queue = queue_of(store, clock, slow)
    assert queue.run() == JobsDone(done=1)
    assert (effects(store, "one"), counts(store)) == (1, {})


def test_a_handler_that_is_stopped_in_the_middle_leaves_the_job_to_others(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """As it was, without a failure; and the run ends."""

    def handle(job: Job) -> Effect:
        if job.attempts == 1:
            raise Stopped
        assert job.failures == 0
        return counting(job)

    add("one")
    queue = queue_of(store, clock, handle)
    assert queue.run() == JobsDone()
    assert queue.run() == JobsDone(done=1)
    assert effects(store, "one") == 1


def test_a_program_that_is_ended_gives_its_job_back(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """Ctrl-C in the middle of it: the next worker need not wait for the lease."""

    def handle(job: Job) -> Effect:
        if job.attempts == 1:
            raise KeyboardInterrupt
        return counting(job)

    add("one")
    queue = queue_of(store, clock, handle)
    with pytest.raises(KeyboardInterrupt):
        queue.run()
    assert queue.run() == JobsDone(done=1)


# --- failures ---


@pytest.mark.covers("LS-75")
def test_one_job_that_fails_does_not_stop_the_next(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """Whatever it raised; the run tells the last error."""
    done: list[str] = []
    error = KeyError("surprise")

    def handle(job: Job) -> None:
        if job.id == "a":
            raise error
        done.append(job.id)

    add("a")
    add("b")
    assert queue_of(store, clock, handle).run() == JobsDone(done=1, failed=1, error=error)
    assert done == ["b"]


@pytest.mark.covers("LS-75")
def test_a_job_that_keeps_failing_gives_up_with_its_reason(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """After its tries it is set aside: with the error's class and, where no memory text can be in
    it, its message.
    """
    add("a", session="s1")
    assert (
        run_until_dead(queue_of(store, clock, failing(ModelError("the answer is no JSON"))), clock)
        == MOST
    )
    add("b")
    assert (
        run_until_dead(queue_of(store, clock, failing(KeyError("Ana's password"))), clock) == MOST
    )

    letters = dead(store)
    assert [(x.id, x.error, x.session, x.failures, x.kind, x.user) for x in letters] == [
        ("a", "ModelError: the answer is no JSON", "s1", MOST, KIND, "ana"),
        ("b", "KeyError", "", MOST, KIND, "ana"),
    ]
    assert letters[1].failed_at == clock.now()
    assert dead(store, BEN) == []


def test_a_raw_answer_is_kept_for_its_owner(store: Store, clock: FixedClock, add: Add) -> None:
    """Cut at a length, without what no database holds, and not among what is listed or logged."""
    error = BadAnswer("toy", "extract", "no JSON", "\0 said \ud800 " + "x" * 2 * ANSWER_LIMIT)
    add("a")
    run_until_dead(queue_of(store, clock, failing(error)), clock)

    (letter,) = dead(store)
    assert letter.answered == ANSWER_LIMIT
    assert "said" not in repr(letter)
    with store.transaction(tenant=None, write=False) as tx:
        answer = Jobs(tx).answer(ANA, "a")
        assert Jobs(tx).answer(BEN, "a") is None
    assert answer is not None
    assert answer.startswith("\\0 said \\ud800 xxx")
    assert len(answer) == ANSWER_LIMIT


def test_what_is_known_of_a_failure_goes_when_the_job_is_done(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """Asked for again while it was at work, the job starts afresh."""
    error = BadAnswer("toy", "extract", "no JSON", "nonsense")

    def handle(job: Job) -> None:
        if job.failures == 0:
            raise error
        add("a", run_at=NINE + timedelta(hours=1))

    add("a")
    queue = queue_of(store, clock, handle)
    assert queue.run().failed == 1
    clock.move(minutes=1)
    assert queue.run().done == 1
    with store.transaction(tenant=None, write=False) as tx:
        assert Jobs(tx).answer(ANA, "a") == ""
    clock.move(hours=1)
    assert queue.run().failed == 1


def test_dead_letters_are_replayed(store: Store, clock: FixedClock, add: Add) -> None:
    """One, those of a kind, or all that the asker may see; they start afresh."""
    add("a")
    add("b", "other")
    add("c", user="ben")
    for kind in (KIND, "other"):
        queue = queue_of(store, clock, failing(ModelError("no")), kind)
        while (
            counts(store).keys() | counts(store, BEN).keys() & {(kind, "ready")}
            and queue.next_at() is not None
        ) or queue.run().failed:
            clock.move(days=1)
            queue.run()
    assert {letter.id for letter in (*dead(store), *dead(store, BEN))} == {"a", "b", "c"}

    with store.transaction(tenant=None) as tx:
        jobs, now = Jobs(tx), clock.now()
        assert jobs.replay(now, BEN, id="a") == 0
        assert jobs.replay(now, ANA, id="a") == 1
        assert jobs.replay(now, ANA, kind=KIND) == 0
        assert jobs.replay(now, ANA) == 1
        assert jobs.replay(now, kind=KIND) == 1
    done: list[str] = []
    Queue(store, clock, {KIND: noting(done), "other": noting(done)}).run()
    assert sorted(done) == ["a", "b", "c"]


def test_asking_again_gives_a_dead_job_one_more_try(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """What is new may help; if it does not, the job is not tried over and over."""
    add("a")
    queue = queue_of(store, clock, failing(ModelError("no")))
    run_until_dead(queue, clock)

    add("a", run_at=clock.now())
    assert queue.run().dead == 1
    assert queue.run() == JobsDone()


def test_a_failed_job_is_not_hurried_by_being_asked_for(
    store: Store, clock: FixedClock, add: Add, claim: Ready
) -> None:
    """A talk that goes on does not make a model that is down be called at every turn."""
    add("a")
    queue_of(store, clock, failing(ModelUnreachable("down"))).run()

    add("a", run_at=clock.now())
    assert claim() is None
    add("a", run_at=clock.now() + timedelta(minutes=30))
    clock.move(minutes=29)
    assert claim() is None
    clock.move(minutes=1)
    assert claim() is not None


def test_a_job_that_waits_for_money_does_not_count_it_as_a_failure(
    store: Store, clock: FixedClock, add: Add
) -> None:
    """However often it is refused until then."""
    error = SpendLimit(5.0, 5.0, NINE + timedelta(days=30))
    add("a")
    queue = queue_of(store, clock, failing(error))
    for _ in range(2 * MOST):
        assert queue.run().failed == 1
        assert queue.next_at() == error.until
        with store.transaction(tenant=None) as tx:
            Jobs(tx).replay(clock.now(), id="a")

    assert dead(store) == []


# --- when to look again ---


def test_the_queue_knows_when_there_is_something_to_do(
    store: Store, clock: FixedClock, add: Add, claim: Ready
) -> None:
    """At the earliest time of what waits, or when a lease runs out; of what is ready already it
    says nothing.
    """
    queue = queue_of(store, clock, noting([]))
    assert queue.next_at() is None
    add("far", run_at=NINE + timedelta(hours=2))
    add("other", "other", run_at=NINE + timedelta(minutes=1))
    assert queue.next_at() == NINE + timedelta(hours=2)
    add("now")
    assert queue.next_at() == NINE + timedelta(hours=2)
    claim()
    assert queue.next_at() == NINE + LEASE


# --- again and again ---


def enlist(store: Store, schedule: str, zone: str = "Europe/Berlin", now: datetime = NINE) -> None:
    """Let upkeep come at these times."""
    with store.transaction(tenant=None) as tx:
        repeat(tx, (TENANT, "upkeep", "upkeep"), schedule, zone, now)


def test_a_schedule_is_one_job_that_comes_again(store: Store, clock: FixedClock) -> None:
    """At each of its times once; what was missed while nothing ran is made up for once."""
    times: list[datetime] = []

    def handle(job: Job) -> Effect:
        times.append(clock.now())
        return counting(job)

    queue = queue_of(store, clock, handle, "upkeep")
    enlist(store, "30 3 * * *")
    assert (queue.run(), queue.next_at()) == (JobsDone(), datetime(2026, 1, 6, 2, 30, tzinfo=UTC))
    clock.move(hours=18)
    assert (queue.run().done, queue.run().done) == (1, 0)
    clock.move(days=9)
    enlist(store, "30 3 * * *", now=clock.now())
    assert (queue.run().done, queue.run().done) == (1, 0)
    assert queue.next_at() == datetime(2026, 1, 16, 2, 30, tzinfo=UTC)
    assert (effects(store, "upkeep"), len(times)) == (2, 2)


def test_a_schedule_that_changed_is_followed_from_then_on(store: Store, clock: FixedClock) -> None:
    """The old time is not waited for."""
    queue = queue_of(store, clock, noting([]), "upkeep")
    enlist(store, "30 3 * * *")
    enlist(store, "0 12 * * *")

    assert queue.next_at() == datetime(2026, 1, 5, 11, 0, tzinfo=UTC)
    assert counts(store) == {("upkeep", "ready"): 1}


def test_upkeep_that_fails_comes_again_with_its_next_time(store: Store, clock: FixedClock) -> None:
    """After its tries it waits for that, and is never set aside for good."""
    queue = queue_of(store, clock, failing(ModelError("no")), "upkeep")
    enlist(store, "30 3 * * *")
    clock.move(hours=18)
    for _ in range(MOST):
        assert queue.run().failed == 1
        clock.move(minutes=1)

    assert queue.next_at() == datetime(2026, 1, 7, 2, 30, tzinfo=UTC)
    assert dead(store) == []


def test_upkeep_that_took_its_workers_down_comes_again_when_it_is_asked_for(
    store: Store, clock: FixedClock, claim: Ready
) -> None:
    """As each start of a program does."""
    enlist(store, "30 3 * * *")
    clock.move(hours=18)
    for _ in range(MOST):
        assert claim("upkeep") is not None
        clock.move(minutes=5)
    assert claim("upkeep") is None
    assert [job.id for job in dead(store)] == ["upkeep"]

    enlist(store, "30 3 * * *", now=clock.now())
    assert (dead(store), queue_of(store, clock, noting([]), "upkeep").next_at()) == (
        [],
        datetime(2026, 1, 7, 2, 30, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("schedule", "zone"),
    [("every day", "UTC"), ("61 * * * *", "UTC"), ("* * * * * *", "UTC"), ("0 0 31 2 *", "UTC")],
)
def test_a_schedule_that_is_none_is_refused(schedule: str, zone: str, store: Store) -> None:
    """With an example of one."""
    with pytest.raises(InvalidInput, match="30 3"):
        enlist(store, schedule, zone)


def test_a_zone_that_is_none_is_refused(store: Store) -> None:
    """With an example of one."""
    with pytest.raises(InvalidInput, match="Europe/Berlin"):
        enlist(store, "30 3 * * *", "Mars/Olympus")
