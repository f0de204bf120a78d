"""Threads that write at once share commits, and none of them pays for another's failure."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from omoide.nouns.errors import StoreBusy, StoreError
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.writer import Turnstile
from tests.torture.kit import INJECTED, Disk, log_turn, turns_of


class Syncs:
    """Counts syncs of the log, and fails them while told to."""

    def __init__(self) -> None:
        self.count, self.failing = 0, False

    def __call__(self, action: str, file: str, at: int, data: bytes) -> None:
        if action == "sync" and file.endswith("-wal"):
            self.count += 1
            if self.failing:
                raise apsw.IOError(INJECTED)


def side_by_side(bodies: int, work: Callable[[int], None]) -> list[BaseException | None]:
    """Run work(0), work(1), … in threads of their own; what each raised."""
    raised: list[BaseException | None] = [None] * bodies

    def run(number: int) -> None:
        try:
            work(number)
        except (StoreError, ZeroDivisionError) as error:
            raised[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(bodies)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return raised


def in_one_batch(
    store: SqliteStore, bodies: int, end: Callable[[int], None]
) -> list[BaseException | None]:
    """Let threads write turns that all wait for the first one's commit; what each raised. ``end``
    closes each body.
    """
    begun = threading.Event()

    def work(number: int) -> None:
        if number:
            begun.wait(10)
        with store.transaction(tenant=None) as tx:
            if number == 0:
                begun.set()
                # the others queue up behind this one, which then is too old to be joined
                time.sleep(0.05)
            log_turn(tx, number)
            end(number)

    return side_by_side(bodies, work)


@pytest.mark.covers("GM-7", "LS-10")
def test_many_threads_share_syncs_and_lose_nothing(tmp_path: Path) -> None:
    """400 transactions of 16 threads are all there, with far fewer syncs."""
    syncs = Syncs()
    with Disk(syncs):
        store = SqliteStore.open(tmp_path / "memory.db")
        syncs.count = 0

        def work(thread: int) -> None:
            for number in range(25):
                with store.transaction(tenant=None) as tx:
                    log_turn(tx, number, session=str(thread))

        assert side_by_side(16, work) == [None] * 16
        assert [len(turns_of(store, str(thread))) for thread in range(16)] == [25] * 16
        assert 0 < syncs.count < 200
        store.close()


def test_a_commit_is_synced_before_its_block_ends(tmp_path: Path) -> None:
    """With full durability each block waits for a sync; with relaxed none does."""
    seen = {}
    for durability in ("full", "relaxed"):
        syncs = Syncs()
        with Disk(syncs):
            store = SqliteStore.open(tmp_path / f"{durability}.db", durability=durability)
            with store.transaction(tenant=None) as tx:  # the first also syncs the head of the log
                log_turn(tx, 0)
            syncs.count = 0
            for number in range(1, 6):
                with store.transaction(tenant=None) as tx:
                    log_turn(tx, number)
            seen[durability] = syncs.count
            store.close()

    assert seen == {"full": 5, "relaxed": 0}


def test_a_commit_that_may_be_lost_waits_for_no_sync(tmp_path: Path) -> None:
    """Until a durable one comes, which syncs the log with all that is in it; what is done alone is
    durable too.
    """
    syncs, seen = Syncs(), []
    with Disk(syncs):
        store = SqliteStore.open(tmp_path / "memory.db")
        with store.transaction(tenant=None) as tx:  # the first also syncs the head of the log
            log_turn(tx, 0)
        for number, durable in enumerate((False, False, True, False, True), start=1):
            syncs.count = 0
            with store.transaction(tenant=None, durable=durable) as tx:
                log_turn(tx, number)
            seen.append(syncs.count)
        store.close()

    assert seen == [0, 0, 1, 0, 1]


@pytest.mark.parametrize("first", [True, False])
def test_a_durable_body_is_synced_whatever_it_waited_for(first: bool, tmp_path: Path) -> None:
    """A body that need not be durable shares the sync of one that must; that one shares no commit
    without a sync.
    """
    syncs, begun, unsynced = Syncs(), threading.Event(), []
    with Disk(syncs):
        store = SqliteStore.open(tmp_path / "memory.db")
        with store.transaction(tenant=None) as tx:
            log_turn(tx, 9)
        syncs.count = 0

        def work(number: int) -> None:
            durable = first is (number == 0)
            if number:
                begun.wait(10)
            with store.transaction(tenant=None, durable=durable) as tx:
                begun.set()
                log_turn(tx, number)
            if durable and not syncs.count:
                unsynced.append(number)

        assert side_by_side(2, work) == [None] * 2
        assert (unsynced, syncs.count, turns_of(store)) == ([], 1, [0, 1, 9])
        store.close()


@pytest.mark.covers("LS-40")
def test_one_failed_body_leaves_the_others(tmp_path: Path) -> None:
    """In a batch, the body that raises is undone and the others are committed."""
    store = SqliteStore.open(tmp_path / "memory.db")

    def end(number: int) -> None:
        if number % 2:
            raise ZeroDivisionError

    raised = in_one_batch(store, 8, end)

    assert [type(error) for error in raised] == [type(None), ZeroDivisionError] * 4
    assert turns_of(store) == [0, 2, 4, 6]
    store.close()


@pytest.mark.covers("LS-40")
def test_a_failed_commit_fails_all_of_its_bodies(tmp_path: Path) -> None:
    """None of them is told that it was stored; the next transaction works."""
    syncs = Syncs()
    with Disk(syncs):
        store = SqliteStore.open(tmp_path / "memory.db")
        syncs.failing = True
        raised = in_one_batch(store, 8, lambda number: None)
        syncs.failing = False

        assert [type(error) for error in raised] == [StoreError] * 8
        with store.transaction(tenant=None) as tx:
            log_turn(tx, 99)
        assert turns_of(store) == [99]
        store.close()


def test_a_body_that_hides_a_failure_is_not_committed(tmp_path: Path) -> None:
    """SQLite undoes everything after some errors; a body that goes on regardless is told so at its
    end.
    """
    failing = False

    def visit(action: str, file: str, at: int, data: bytes) -> None:
        if failing and action == "write":
            raise apsw.FullError(INJECTED)

    def go_on_regardless(store: SqliteStore) -> None:
        nonlocal failing
        with store.transaction(tenant=None) as tx:
            failing = True
            for number in range(3_000):  # more than fits the page cache
                try:
                    log_turn(tx, number, text="x" * 10_000)
                except StoreError:
                    failing = False

    with Disk(visit):
        store = SqliteStore.open(tmp_path / "memory.db")
        with pytest.raises(StoreError):
            go_on_regardless(store)
        assert not failing
        assert turns_of(store) == []
        store.close()


def test_waiting_for_a_long_writer_ends(tmp_path: Path) -> None:
    """A thread that cannot write in time is told so, and the long one is none the worse."""
    store = SqliteStore.open(tmp_path / "memory.db", busy_s=0.1)
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 1)
        (raised,) = side_by_side(1, lambda number: add(store, number))

    assert isinstance(raised, StoreBusy)
    assert turns_of(store) == [1]
    store.close()


def add(store: SqliteStore, number: int) -> None:
    """Write one turn."""
    with store.transaction(tenant=None) as tx:
        log_turn(tx, number)


def test_threads_pass_in_the_order_they_came() -> None:
    """Nobody is overtaken, and one that gives up does not hold up the rest."""
    turnstile, passed = Turnstile(), []
    assert turnstile.acquire(0)

    def queue(number: int) -> None:
        if turnstile.acquire(0.05 if number == 2 else 10):
            passed.append(number)
            turnstile.release()

    threads = []
    for number in range(6):
        threads.append(threading.Thread(target=queue, args=(number,)))
        threads[-1].start()
        time.sleep(0.02)
    time.sleep(0.1)
    turnstile.release()
    for thread in threads:
        thread.join(10)

    assert passed == [0, 1, 3, 4, 5]
    assert turnstile.acquire(0)
    assert not turnstile.hand_on()
