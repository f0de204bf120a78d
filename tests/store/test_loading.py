"""Partitions that are read in steps: what a search finds meanwhile, and afterwards."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from omoide.nouns.errors import StoreError, StoreRefused
from omoide.nouns.match import Matches
from omoide.store.search.loading import MISSING
from omoide.store.search.partition import Partitions, Shared
from omoide.store.search.unread import Tuples
from tests.store.test_partition import Doc, Rows, docs_of, seen_by, terms, unit

COUNT, STEP = 60, 8


class Shelf:
    """Rows that several threads read, and partitions whose background can be held or made to
    fail.
    """

    def __init__(self) -> None:
        self.rows, self._lock = Rows(), threading.Lock()
        self.go_on, self.error = threading.Event(), None
        self.begun = 0
        self.partitions = Partitions(reading=self.reading, step=STEP)
        for number in range(1, COUNT + 1):
            self.put(Doc(number, f"tea {number}"))

    error: BaseException | None

    def put(self, doc: Doc) -> None:
        """Add a document, or alter it, with its vector."""
        with self._lock:
            self.rows.put(doc)
            self.rows.embed(doc, unit(1, doc.doc))

    def erase(self, doc: Doc) -> None:
        """Take a document out."""
        with self._lock:
            self.rows.erase(doc)

    def tuples(self, query: str, values: dict[str, object]) -> Sequence[tuple[Any, ...]]:
        """A named query's rows."""
        with self._lock:
            return list(self.rows.tuples(query, values))

    @contextmanager
    def reading(self, tenant: str) -> Iterator[Tuples]:
        """A transaction of the background: it waits until it may go on."""
        self.begun += 1
        assert self.go_on.wait(10)
        if self.error is not None:
            raise self.error
        yield self.tuples

    def ask(self, word: str = "tea", patience_s: float = 0) -> Matches:
        """What a search finds that waits no longer than that."""
        until = time.monotonic() + patience_s
        return self.partitions.match_text(
            self.tuples, terms(word), seen_by(), 100, None, 1, Shared(until)
        )

    def near(self, patience_s: float = 0) -> Matches:
        """The nearest vectors."""
        until = time.monotonic() + patience_s
        return self.partitions.match_vector(self.tuples, unit(1, 0), 1, seen_by(), 100, until)

    def as_before(self) -> tuple[Matches, Matches]:
        """What a search finds that reads all at once."""
        alone = Partitions()
        return (
            alone.match_text(self.tuples, terms("tea"), seen_by(), 100),
            alone.match_vector(self.tuples, unit(1, 0), 1, seen_by(), 100),
        )


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    """Sixty documents, of which none is in memory."""
    made = Shelf()
    yield made
    made.go_on.set()
    made.partitions.close()


def eventually(is_so: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_search_of_some_patience_reads_all_by_itself(shelf: Shelf) -> None:
    """In steps, in its own snapshot: nothing happens in the background."""
    assert shelf.near(10) == shelf.as_before()[1]
    assert shelf.ask(patience_s=10) == shelf.as_before()[0]
    assert shelf.ask().loading == ""
    assert shelf.begun == 0


def test_what_was_said_last_is_found_while_the_rest_is_read(shelf: Shelf) -> None:
    """By words and by vectors; the search says that something may be missing."""
    found, near = shelf.ask(), shelf.near()

    assert found.loading == near.loading == MISSING
    assert 0 < len(found) < COUNT
    assert sorted(docs_of(found)) == list(range(COUNT + 1 - len(found), COUNT + 1))
    assert set(docs_of(near)) <= set(range(COUNT // 4, COUNT + 1))
    assert COUNT in docs_of(near)
    assert docs_of(shelf.ask(str(COUNT))) == [COUNT]


def test_a_partition_is_read_once_however_many_ask(shelf: Shelf) -> None:
    """Whoever asks meanwhile is answered from what is there, and starts no second load."""
    shelf.ask()
    threads = [threading.Thread(target=shelf.ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)

    assert not any(thread.is_alive() for thread in threads)
    assert shelf.begun == 1


def test_afterwards_a_search_finds_what_it_found_before(shelf: Shelf) -> None:
    """The same documents with the same scores to the last bit, and what changed meanwhile as it is
    now.
    """
    shelf.near()
    shelf.put(Doc(3, "tea and milk"))
    shelf.put(Doc(COUNT, "tea and rice"))
    shelf.erase(Doc(5))
    shelf.erase(Doc(COUNT - 1))
    shelf.put(Doc(COUNT + 1, "tea"))
    assert docs_of(shelf.ask("rice")) == [COUNT]

    shelf.go_on.set()
    eventually(lambda: not shelf.near().loading)

    assert (shelf.ask(), shelf.near()) == shelf.as_before()
    assert shelf.rows.fetched["docs.changed"] < 4 * COUNT


def test_many_changes_of_another_process_are_read_in_steps_too(shelf: Shelf) -> None:
    """What is held stays searchable, and nothing is found by what it was before."""
    shelf.near(10)
    for number in range(1, 40):
        shelf.put(Doc(number, f"coffee {number}"))
    shelf.erase(Doc(50))

    found = shelf.ask()
    assert found.loading == MISSING
    assert set(docs_of(found)) == set(range(40, COUNT + 1)) - {50}
    assert 39 in docs_of(shelf.ask("coffee"))

    shelf.go_on.set()
    eventually(lambda: not shelf.near().loading)
    assert (shelf.ask(), shelf.near()) == shelf.as_before()
    assert len(shelf.ask("coffee")) == 39


@pytest.mark.parametrize("error", [StoreError("disk I/O error"), MemoryError()])
def test_a_load_that_fails_is_told_and_tried_again(shelf: Shelf, error: BaseException) -> None:
    """With the reason, where there is one; what is there is searched meanwhile."""
    shelf.error = error
    shelf.go_on.set()
    newest = docs_of(shelf.ask())
    eventually(shelf.partitions.faults)

    (said,) = shelf.partitions.faults()
    assert said in ("disk I/O error", "there is not enough memory")
    assert said in shelf.ask().loading
    assert newest[0] == COUNT

    shelf.error = None
    eventually(lambda: not shelf.ask().loading)
    assert shelf.partitions.faults() == []
    assert shelf.ask() == shelf.as_before()[0]


def test_a_search_whose_own_reading_fails_is_answered_all_the_same(shelf: Shelf) -> None:
    """From what is there, which is nothing yet; but damage is raised."""

    def failing(query: str, values: dict[str, object]) -> Sequence[tuple[Any, ...]]:
        if query == "docs.changed":
            raise StoreError("disk I/O error")
        return shelf.tuples(query, values)

    def damaged(query: str, values: dict[str, object]) -> Sequence[tuple[Any, ...]]:
        if query == "docs.changed":
            raise StoreRefused("a.db", "damaged", "restore it")
        return shelf.tuples(query, values)

    with pytest.raises(StoreRefused):
        shelf.partitions.match_text(damaged, terms("tea"), seen_by(), 9, shared=Shared(0))
    found = shelf.partitions.match_text(failing, terms("tea"), seen_by(), 9, shared=Shared(0))

    assert found == []
    assert "disk I/O error" in found.loading
    shelf.go_on.set()
    eventually(lambda: not shelf.ask().loading)
    assert len(shelf.ask()) == COUNT


def test_dead_rows_are_cleared_in_the_background(shelf: Shelf) -> None:
    """Where most of what is held is dead a copy without it takes its place; searches miss nothing
    meanwhile.
    """
    shelf.near(10)
    for turn in range(12):
        for number in range(1, COUNT + 1):
            shelf.put(Doc(number, f"tea {turn}"))
        found = shelf.near(10)
        assert found.loading == ""
        assert len(found) == len(shelf.ask(patience_s=10)) == COUNT
    before = shelf.partitions.memory_bytes()
    shelf.go_on.set()

    eventually(lambda: shelf.partitions.memory_bytes() < before / 2)
    assert (shelf.ask(patience_s=10), shelf.near(10)) == shelf.as_before()


def test_nothing_is_read_once_the_store_is_closed(shelf: Shelf) -> None:
    """The background ends after its step."""
    shelf.ask()
    (thread,) = (t for t in threading.enumerate() if t.name == "omoide-partitions")
    shelf.partitions.close()
    shelf.go_on.set()
    thread.join(5)

    assert not thread.is_alive()
    assert shelf.begun == 1
