"""An interrupt (Ctrl-C) may come between any two lines of taking and ending a turn to write: the next one works."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from omoide.store.sqlite import SqliteStore
from tests.store.test_sqlite_group_commit import add
from tests.torture.kit import turns_of

WATCHED = "writer.py"


class Interrupt:
    """Raises KeyboardInterrupt before the so-many-th line that runs of the store's writing, once."""

    def __init__(self, at: int) -> None:
        self._left = at
        self.came = False

    def __call__(self, frame: FrameType, event: str, arg: object) -> Any:
        code = frame.f_code
        if "omoide" not in code.co_filename or not code.co_filename.endswith(WATCHED) or code.co_qualname.startswith("Turnstile."):
            return None  # a real interrupt leaves no lock of a with block held, as one before a line may
        if event == "line" and not self.came:
            self._left -= 1
            if not self._left:
                self.came = True
                raise KeyboardInterrupt
        return self


def interrupted(store: SqliteStore, number: int, at: int) -> Interrupt:
    """Write a turn, with an interrupt on the way."""
    interrupt, before = Interrupt(at), sys.gettrace()
    sys.settrace(interrupt)
    try:
        add(store, number)
    except KeyboardInterrupt:
        assert interrupt.came
    finally:
        sys.settrace(before)
    return interrupt


def test_the_next_write_works_wherever_an_interrupt_came(tmp_path: Path) -> None:
    """At each line in turn, of this thread's writing; another thread is not kept waiting, and what is there was written whole."""
    store = SqliteStore.open(tmp_path / "m.db", busy_s=2)
    at, came = 0, True
    while came:
        at += 1
        came = interrupted(store, 10_000 + at, at).came
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
