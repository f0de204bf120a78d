"""T16: forks, threads and event loops around an open store."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from omoide.nouns.errors import StoreError
from omoide.store.sqlite.engine import SqliteStore
from tests.torture.kit import Child, Report, contents, count, log_turn, turns_of

ROUNDS = count(10, 200)


def add(store: SqliteStore, session: str, numbers: range) -> None:
    """Write turns one by one."""
    for number in numbers:
        with store.transaction(tenant=None) as tx:
            log_turn(tx, number, session=session)


def preloaded(store: SqliteStore, number: int) -> list[str]:
    """A server that opens its store, forks workers and closes it: all of them use it, in any order
    of ending.
    """
    children = [
        Child(lambda say, child=child: add(store, f"{number}-{child}", range(5)))  # type: ignore[misc]
        for child in range(3)
    ]
    add(store, f"{number}-parent", range(5))
    store.close()
    return [line for child in children for line in child.wait()]


def while_threads_write(store: SqliteStore, number: int) -> list[str]:
    """Forks in the middle of other threads' transactions."""
    threads = [
        threading.Thread(target=add, args=(store, f"{number}-thread{thread}", range(10)))
        for thread in range(3)
    ]
    for thread in threads:
        thread.start()
    children = [
        Child(lambda say, child=child: add(store, f"{number}-{child}", range(5)))  # type: ignore[misc]
        for child in range(2)
    ]
    heard = [line for child in children for line in child.wait()]
    for thread in threads:
        thread.join()
    store.close()
    return heard


def inside_a_transaction(store: SqliteStore, number: int) -> list[str]:
    """A fork in one's own transaction: the child can do no harm, and the parent's commit stands."""
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 0, session=f"{number}-0")

        def misuse(say: Callable[[str], None]) -> None:
            attempts: list[Callable[[], None]] = [
                lambda: log_turn(tx, 1, session=f"{number}-0"),
                lambda: add(store, f"{number}-0", range(2, 3)),
            ]
            for attempt in attempts:
                try:
                    attempt()
                    say("nothing was said")
                except StoreError:
                    continue
            store.close()

        heard = Child(misuse).wait()
        log_turn(tx, 3, session=f"{number}-0")
    found = turns_of(store, f"{number}-0")
    store.close()
    return heard + ([] if found == [0, 3] else [f"found {found}"])


def event_loops(store: SqliteStore, number: int) -> list[str]:
    """Two event loops, each in its own thread, on one store."""

    async def work(loop: int) -> None:
        await asyncio.gather(
            *(
                asyncio.to_thread(add, store, f"{number}-{loop}-{task}", range(3))
                for task in range(4)
            )
        )

    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(asyncio.run, work(loop)) for loop in range(2)]
        for future in done:
            future.result()
    store.close()
    return []


KINDS = (preloaded, while_threads_write, inside_a_transaction, event_loops)
TURNS = {preloaded: 20, while_threads_write: 40, inside_a_transaction: 2, event_loops: 24}


@pytest.mark.torture
@pytest.mark.timeout(3_600)
def test_t16_forks_threads_and_loops_do_no_damage(tmp_path: Path) -> None:
    """Each way either works or gives a clear error; every acknowledged turn is there, and the file
    is sound.
    """
    path = tmp_path / "memory.db"
    wrong: list[str] = []
    expected = 0
    with Report("T16") as report:
        for number in range(ROUNDS):
            kind = KINDS[number % len(KINDS)]
            wrong += [
                f"{kind.__name__} {number}: {line}" for line in kind(SqliteStore.open(path), number)
            ]
            expected += TURNS[kind]
            report[kind.__name__] += 1
        turns, docs, damage = contents(path)

        assert wrong == []
        assert sum(map(len, turns.values())) == expected
        assert turns == docs
        assert damage == []


def test_a_child_keeps_the_log_while_its_parent_closes(tmp_path: Path) -> None:
    """The last one out removes the log; a parent that closes first must not take it from its
    child.
    """
    path = tmp_path / "memory.db"
    store = SqliteStore.open(path)
    add(store, "parent", range(3))
    closed, written = tmp_path / "closed", tmp_path / "written"

    def work(say: Callable[[str], None]) -> None:
        add(store, "child", range(3))
        say("written")
        while not closed.exists():
            pass
        add(store, "child", range(3, 6))
        say("again")
        written.touch()
        threading.Event().wait(60)  # killed here, without closing

    child = Child(work)
    assert child.next_line() == "written"
    store.close()
    closed.touch()
    assert child.next_line() == "again"
    child.kill()

    store = SqliteStore.open(path)
    assert turns_of(store, "child") == list(range(6))
    assert turns_of(store, "parent") == list(range(3))
    store.close()


def test_a_store_in_memory_is_copied_by_a_fork(tmp_path: Path) -> None:
    """Parent and child each go on with their own."""
    store = SqliteStore.open(":memory:")
    add(store, "s", range(3))

    def work(say: Callable[[str], None]) -> None:
        add(store, "s", range(3, 5))
        say(str(turns_of(store)))

    heard = Child(work).wait()
    add(store, "s", range(7, 8))

    assert heard == ["[0, 1, 2, 3, 4]"]
    assert turns_of(store) == [0, 1, 2, 7]
    store.close()


def spawned(path: str, session: str) -> None:
    """What a process of a spawning pool does."""
    store = SqliteStore.open(path)
    add(store, session, range(3))
    store.close()


def test_a_spawning_pool_works(tmp_path: Path) -> None:
    """Each process opens the store itself, while this one has it open too."""
    path = str(tmp_path / "memory.db")
    store = SqliteStore.open(path)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.starmap(spawned, [(path, "a"), (path, "b")])

    assert turns_of(store, "a") == turns_of(store, "b") == [0, 1, 2]
    store.close()
