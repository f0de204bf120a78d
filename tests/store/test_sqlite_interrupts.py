"""An interrupt (Ctrl-C) may come between any two lines of writing and reading: what comes next
works, and nothing is kept from others.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.guard import WriterLock
from tests.store.test_sqlite_group_commit import add
from tests.torture.kit import TENANT, log_turn, turns_of


class Interrupt:
    """Raises KeyboardInterrupt before the so-many-th line that runs of a file of the store,
    once.
    """

    def __init__(self, file: str, at: int) -> None:
        self._file, self._left = file, at
        self.came: KeyboardInterrupt | None = None

    def __call__(self, frame: FrameType, event: str, arg: object) -> Any:
        code = frame.f_code
        if (
            "omoide" not in code.co_filename
            or not code.co_filename.endswith(self._file)
            or code.co_qualname.startswith("Turnstile.")
        ):
            # a real interrupt leaves no lock of a with block held, as one before a line may
            return None
        if event == "line" and self.came is None:
            self._left -= 1
            if not self._left:
                self.came = KeyboardInterrupt()
                raise self.came
        return self


def interrupted(file: str, at: int, work: Callable[[], object]) -> KeyboardInterrupt | None:
    """Work, with an interrupt on the way; the error, with all that its traceback holds."""
    interrupt, before = Interrupt(file, at), sys.gettrace()
    sys.settrace(interrupt)
    try:
        work()
    except KeyboardInterrupt:
        assert interrupt.came is not None
    finally:
        sys.settrace(before)
    return interrupt.came


def test_the_next_write_works_wherever_an_interrupt_came(tmp_path: Path) -> None:
    """At each line in turn, of this thread's writing; another thread is not kept waiting, and what
    is there was written whole.
    """
    store = SqliteStore.open(tmp_path / "m.db", busy_s=2)
    at, came = 0, True
    while came:
        at += 1
        came = interrupted("writer.py", at, partial(add, store, 10_000 + at)) is not None
        other = threading.Thread(target=add, args=(store, at))
        other.start()
        other.join(10)
        assert not other.is_alive()
        assert at in turns_of(store), f"the write after an interrupt at line {at} failed"

    assert at > 30
    store.close()
    again = SqliteStore.open(tmp_path / "m.db")
    assert set(range(1, at + 1)) <= set(turns_of(again))
    again.close()


def test_an_interrupt_while_another_process_writes_leaves_no_lock_behind(tmp_path: Path) -> None:
    """At each line in turn of waiting for it to end; the lock is not taken later for one who waits
    no more.
    """
    waiting, other = (WriterLock(str(tmp_path / "m.db.lock")) for _ in range(2))
    at, came = 0, True
    while came:
        at += 1
        assert other.acquire(2), f"the interrupt before line {at} left the lock behind"
        ending = threading.Timer(0.02, other.release)
        ending.start()
        came = interrupted("guard.py", at, partial(waiting.acquire, 2)) is not None
        ending.join()
        waiting.release()

    assert at > 10
    waiting.close()
    other.close()


def test_a_lock_that_an_interrupt_left_held_is_let_go_of_with_the_next_turn(tmp_path: Path) -> None:
    """It came while another process wrote, and its release was cut short: the next turn takes no
    second one beside it.
    """
    mine, other = (WriterLock(str(tmp_path / "m.db.lock")) for _ in range(2))
    assert other.acquire(1)
    ending = threading.Timer(0.02, other.release)
    ending.start()
    assert mine.acquire(2)
    ending.join()

    assert mine.acquire(2)
    mine.release()

    assert other.acquire(2)
    mine.close()
    other.close()


def read(store: SqliteStore) -> None:
    """Rows of several turns."""
    assert len(turns_of(store)) >= 3


def write(store: SqliteStore) -> None:
    """Rows of several turns, read where something is written."""
    with store.transaction(tenant=None) as tx:
        rows = tx.rows("turns.all_of_session", tenant=TENANT, session_id="s")
        assert len(rows) >= 3


@pytest.mark.parametrize("work", [read, write])
def test_rows_that_an_interrupt_cut_short_are_let_go_of(
    tmp_path: Path, work: Callable[[SqliteStore], None]
) -> None:
    """While the error is still held, as a debugger or a notebook does: the log can be emptied, and
    others see what is new.
    """
    store = SqliteStore.open(tmp_path / "m.db", busy_s=2)
    for number in range(3):
        add(store, number)
    at, held = 0, True
    while held:
        at += 1
        error = interrupted("transactions.py", at, partial(work, store))
        held = error is not None
        with store.transaction(tenant=None) as tx:
            log_turn(tx, at, session="later")
        assert store.checkpoint(), f"at line {at} something held on to what it read"
        work(store)
        assert at in turns_of(store, "later"), f"at line {at} what it read was kept"
    store.close()


@pytest.mark.parametrize("writes", [False, True])
def test_a_stream_that_an_interrupt_left_in_the_middle_ends_with_its_transaction(
    tmp_path: Path, writes: bool
) -> None:
    """What is read one by one, as the search does with many: its reader's error, still held, keeps
    nothing open.
    """
    store = SqliteStore.open(tmp_path / "m.db", busy_s=2)
    for number in range(3):
        add(store, number)
    streams: list[Iterator[Any]] = []

    def cut_short() -> None:
        with store.transaction(tenant=None, write=writes) as tx:
            streams.append(tx.tuples("turns.all_of_session", {"tenant": TENANT, "session_id": "s"}))
            next(streams[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as held:
        cut_short()

    add(store, 3)
    assert store.checkpoint()
    assert turns_of(store) == [0, 1, 2, 3]
    assert held.value.__traceback__ is not None
    with pytest.raises(StopIteration):
        next(streams[0])
    store.close()
