"""A large memory answers while it is read from the database, and writers never wait for that."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import StoreError
from omoide.nouns.hit import Recall
from omoide.store import open_store
from omoide.store.search.loading import Partition
from omoide.store.search.unread import PartitionRows, RowPage, Unread
from omoide.write.remember import Outcome
from tests.fix_memory import ANA
from tests.torture.kit import Child

COUNT, STEP = 60, 8
OLDEST, NEWEST = (f"The wombat number {n} sleeps in the barn" for n in (0, COUNT - 1))


class Background:
    """What reads in the background: it can be held, or made to fail."""

    def __init__(self) -> None:
        self.go_on, self.error = threading.Event(), ""
        self.steps = 0

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Stand before every step of the background."""
        read_on = Partition.read_on

        def watched(partition: Partition, source: PartitionRows) -> None:
            self.steps += 1
            assert self.go_on.wait(20)
            if self.error:
                raise StoreError(self.error)
            read_on(partition, source)

        monkeypatch.setattr(Partition, "read_on", watched)


@pytest.fixture
def background(monkeypatch: pytest.MonkeyPatch) -> Iterator[Background]:
    """Small steps, searches without patience, and a background that waits."""
    held = Background()
    monkeypatch.setattr("omoide.store.search.loading.STEP", STEP)
    monkeypatch.setattr("omoide.store.engine_transaction.PATIENCE_S", 0.0)
    monkeypatch.setattr("omoide.write.neighbours.PATIENCE_S", 0.0)
    held.watch(monkeypatch)
    yield held
    held.go_on.set()


@pytest.fixture
def url(store_url: str, tmp_path: Path) -> str:
    """The address of an empty store that several processes may open, of each engine in turn."""
    return store_url if store_url != ":memory:" else f"sqlite:{tmp_path / 'memory.db'}"


def opened(url: str, clock: FixedClock) -> Memory:
    """Ana's memory at an address."""
    return Memory(
        open_store(url),
        scope=ANA,
        embedder=FakeEmbedder(),
        clock=clock,
        background=False,
    )


def filled(url: str, clock: FixedClock) -> None:
    """Put sixty statements there."""
    with opened(url, clock) as memory:
        for number in range(COUNT):
            memory.remember(f"The wombat number {number} sleeps in the barn")


@pytest.fixture
def cold(url: str, clock: FixedClock, background: Background) -> Iterator[Memory]:
    """A memory of sixty statements, of which none is in this process's memory."""
    background.go_on.set()
    filled(url, clock)
    background.go_on.clear()
    memory = opened(url, clock)
    yield memory
    background.go_on.set()
    memory.close()


def is_loading(recall: Recall) -> bool:
    return any(said.startswith("loading: ") for said in recall.degraded)


def eventually(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def answers(memory: Memory) -> list[tuple[str, float]]:
    """What recall finds for some questions, with scores."""
    questions = ("wombat number 0", f"number {COUNT - 1}", "Who sleeps in the barn?")
    return [(hit.text, hit.score) for q in questions for hit in memory.recall(q, limit=COUNT).hits]


def test_recall_answers_from_what_is_there_and_says_so(
    cold: Memory, background: Background, url: str, clock: FixedClock
) -> None:
    """What was said last is found at once; once all is read, the answers are what they are where
    all is read at once.
    """
    first = cold.recall(f"wombat number {COUNT - 1}", limit=COUNT)
    assert is_loading(first)
    assert first.hits[0].text == NEWEST
    assert OLDEST not in [hit.text for hit in first.hits]
    assert is_loading(cold.recall("wombat number 0"))

    background.go_on.set()
    eventually(lambda: not is_loading(cold.recall("wombat number 0")))

    assert cold.recall("wombat number 0").hits[0].text == OLDEST
    assert background.steps <= COUNT // STEP + 2
    with opened(url, clock) as whole:
        eventually(lambda: not is_loading(whole.recall("wombat number 0")))
        assert answers(cold) == answers(whole)


def test_a_writer_neither_waits_for_a_load_nor_fails(cold: Memory, background: Background) -> None:
    """What is known already is reinforced though it is not in memory yet; what is new is added, and
    found at once.
    """
    began = time.monotonic()
    known = cold.remember(OLDEST)
    new = cold.remember("Ben repairs clocks")
    assert time.monotonic() - began < 5

    assert known.outcome is Outcome.REINFORCED
    assert new.outcome is Outcome.ADDED
    recall = cold.recall("Who repairs clocks?")
    assert is_loading(recall)
    assert recall.hits[0].text == "Ben repairs clocks"


def test_a_load_that_fails_is_told_by_recall_and_doctor(
    cold: Memory, background: Background
) -> None:
    """With the reason; it is tried again, and then neither tells of it."""
    background.error = "the disk is gone"
    background.go_on.set()
    cold.recall("wombat")
    eventually(cold.store.unread)

    assert "the disk is gone" in str(cold.recall("wombat").degraded)
    found = [f for f in cold.admin.doctor() if f.place == "search index"]
    assert "the disk is gone" in str(found)

    background.error = ""
    eventually(lambda: not is_loading(cold.recall("wombat number 0")))
    assert cold.store.unread() == []


def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each page of documents or vectors had that is read from now on."""
    read: list[int] = []
    after = Unread.after

    def counted(unread: Unread, page: RowPage) -> Unread | None:
        read.append(page.count)
        return after(unread, page)

    monkeypatch.setattr(Unread, "after", counted)
    return read


def look_twice(url: str, clock: FixedClock, gate: Path, say: Callable[[str], None]) -> None:
    """In a process of its own: read all, wait, and say how many rows another look reads."""
    with opened(url, clock) as memory, pytest.MonkeyPatch.context() as patches:
        found = len(memory.recall("wombat", limit=COUNT).hits)
        read = rows_read(patches)
        say(f"found {found}")
        while not gate.exists():
            time.sleep(0.01)
        texts = [hit.text for hit in memory.recall("wombat", limit=COUNT).hits]
        say(f"found {len(texts)}, the oldest: {OLDEST in texts}, rows read: {sum(read)}")


def test_one_forgotten_item_is_no_load_in_any_process(
    url: str, clock: FixedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that forgets and another one that held all drop it, and read no row again."""
    filled(url, clock)
    with opened(url, clock) as memory:
        hits = memory.recall("wombat", limit=COUNT).hits
        (oldest,) = (hit.id for hit in hits if hit.text == OLDEST)
    other = Child(lambda say: look_twice(url, clock, tmp_path / "gate", say))
    try:
        assert other.next_line() == f"found {COUNT}"
        with opened(url, clock) as memory:
            memory.recall("wombat")
            read = rows_read(monkeypatch)
            memory.forget(oldest)
            (tmp_path / "gate").touch()

            assert OLDEST not in [h.text for h in memory.recall("wombat", limit=COUNT).hits]
            assert sum(read) == 0
        assert other.next_line() == f"found {COUNT - 1}, the oldest: False, rows read: 0"
    finally:
        other.kill()
