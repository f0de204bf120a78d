"""A program that works on one store for long, and says how much memory it holds meanwhile.

python -m tests.torture.soak PATH SEED OPERATIONS SAY_AFTER…
"""

from __future__ import annotations

import gc
import os
import random
import sys
from collections import deque
from pathlib import Path

from omoide.memory import Memory
from omoide.models.embedders.encoders import Named
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.errors import NotFound
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.store.sqlite.engine import SqliteStore
from omoide.tables.listing import Listing
from omoide.tables.meta import Meta
from omoide.write.remember import Statement

HELD = 200  # items, of which the oldest is forgotten when one comes
CACHED = 20 * 2**20  # bytes, more than all caches of pages together
WORDS = "tea rye kayak lamp ferry violin garden bread Porto winter cat moss letter train".split()
WEIGHTS = {"get": 30, "recall": 30, "page": 10, "history": 10, "missing": 10, "talk": 3, "tell": 7}


class Life:
    """A memory of one user that holds as much at the end as at the beginning."""

    def __init__(self, path: Path, seed: int) -> None:
        self._random = random.Random(seed)
        self._memory = Memory(
            SqliteStore.open(path, durability="relaxed"),
            scope=Scope(user="ana"),
            embedder=Named("fake", FakeEmbedder()),
            background=False,
        )
        self._ids: deque[str] = deque()
        self._told = 0
        self._fill_caches()
        for _ in range(HELD):
            self.tell()

    def _fill_caches(self) -> None:
        """Write and read more than SQLite keeps pages of, so that its caches grow no more."""
        keys = [f"filling {number}" for number in range(CACHED // 2**16)]
        with self._memory.store.transaction(tenant=None) as tx:
            for key in keys:
                Meta(tx).set(key, "x" * 2**16)
        with self._memory.store.transaction(tenant=None, write=False) as tx:
            for key in keys:
                Meta(tx).get(key)

    def step(self) -> None:
        """Do something, each as often as its weight says."""
        (name,) = self._random.choices(list(WEIGHTS), list(WEIGHTS.values()))
        getattr(self, name)()

    def get(self) -> None:
        assert self._memory.get(self._random.choice(self._ids)).id

    def recall(self) -> None:
        assert self._memory.recall(self._text(3)) is not None

    def page(self) -> None:
        assert self._memory.items.list(Listing(limit=20)).items

    def history(self) -> None:
        assert self._memory.history(self._random.choice(self._ids)).changes

    def missing(self) -> None:
        """An error in the middle of a transaction."""
        try:
            self._memory.correct("nothing", "Nothing is here")
        except NotFound:
            return
        raise AssertionError

    def talk(self) -> None:
        """A session of two turns, forgotten at once."""
        session = self._memory.ingest([Message(text=self._text(9)) for _ in range(2)]).session
        self._memory.sessions.forget(session)

    def tell(self) -> None:
        """One item more, and one fewer once there are enough."""
        self._told += 1
        text = f"{self._text(6)} number {self._told}"
        self._ids.append(self._memory.items.add_many([Statement(text=text)])[0].id)
        if len(self._ids) > HELD:
            self._memory.forget(self._ids.popleft())

    def close(self) -> None:
        self._memory.close()

    def _text(self, words: int) -> str:
        return " ".join(self._random.choices(WORDS, k=words))


def resident() -> int:
    """Bytes of memory that this process holds."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main(path: str, seed: str, operations: str, *say_after: str) -> None:
    """Live, and print the bytes held after so many operations, one number a line."""
    life = Life(Path(path), int(seed))
    for number in range(1, int(operations) + 1):
        life.step()
        if str(number) in say_after:
            print(resident(), flush=True)
    life.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
