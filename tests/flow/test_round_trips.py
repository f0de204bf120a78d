"""How many statements reads take: as many for a few records as for many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.item import Details, Source
from omoide.nouns.scope import Scope
from omoide.store.base import Store
from tests.fix_memory import OpenMemory

Read = Callable[[Memory], object]
READS: dict[str, Read] = {
    "sessions": lambda memory: memory.sessions.list(),
    "items": lambda memory: memory.items.list(),
    "context": lambda memory: memory.context("zzz", strategy="gaia"),
    "context of work": lambda memory: memory.at(context="work").context("zzz", strategy="gaia"),
    "xml": lambda memory: memory.context("zzz", strategy="xml"),
}


class CountingStore:
    """A store that notes the name of each statement that it is asked."""

    def __init__(self, store: Store) -> None:
        self._store, self.asked = store, list[str]()

    @contextmanager
    def transaction(self, **how: Any) -> Iterator[Any]:
        """One of the store's own, listened to."""
        with self._store.transaction(**how) as tx:
            yield CountingTransaction(tx, self.asked)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class CountingTransaction:
    """A transaction whose statements are noted."""

    def __init__(self, tx: Any, asked: list[str]) -> None:
        self._tx, self._asked = tx, asked

    def run(self, query: str, /, *args: Any, **values: Any) -> int:
        """As the transaction's own."""
        self._asked.append(query)
        return int(self._tx.run(query, *args, **values))

    def rows(self, query: str, /, **values: Any) -> Any:
        """As the transaction's own."""
        self._asked.append(query)
        return self._tx.rows(query, **values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)


def fill(memory: Memory, first: int, last: int) -> None:
    """Sessions and items of each section of a prompt, half of them of work."""
    own = Details(source=Source.USER)
    for n in range(first, last):
        scope = Scope(user="ana", context="work") if n % 2 else Scope(user="ana")
        for category in ("preference", "fact", "skill", "error", "profile"):
            memory.remember(f"{category} number {n}", scope, category=category, details=own)
        talk = Scope(user="ana", session=f"talk {n}")
        memory.ingest([{"role": "user", "content": f"Hello number {n}"}], talk)


@pytest.fixture
def counted(store: Store) -> CountingStore:
    """The test's store, listened to."""
    return CountingStore(store)


@pytest.mark.covers("LS-23", "GM-21")
@pytest.mark.parametrize("name", READS)
def test_a_read_takes_as_many_statements_whatever_there_is(
    name: str, counted: CountingStore, open_memory: OpenMemory, store: Store
) -> None:
    """A list of sessions has their first words, and a section of a prompt its rows of all contexts,
    without a statement for each.
    """
    memory = open_memory()
    listening = Memory(
        counted,
        scope=memory.scope,
        embedder=None,
        clock=memory.clock,
        background=False,
    )
    counts = []
    for first, last in ((0, 2), (2, 14)):
        fill(memory, first, last)
        READS[name](listening)  # what is read once is in memory now
        counted.asked.clear()
        READS[name](listening)
        counts.append(sorted(counted.asked))

    assert counts[0] == counts[1]
    assert counts[0]


def test_what_is_forgotten_together_is_not_linked_anew(
    counted: CountingStore, open_memory: OpenMemory
) -> None:
    """Items of a source that are like each other go: what each would be like then is nothing."""
    memory = open_memory(embedder=None)
    for n in range(12):
        memory.remember(f"The {n}. box is in the blue room", details=Details(origin="notes"))
    listening = Memory(
        counted, scope=memory.scope, embedder=None, clock=memory.clock, background=False
    )

    assert listening.items.forget(origin="notes").erased["items"] == 12
    assert "items.link_similar" not in counted.asked
