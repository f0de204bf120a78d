"""True facts stay: without a model or a person nothing closes, in any language.

The pairs in ``data/both-hold.tsv``, ``changes.tsv`` and ``repeats.tsv`` were written before the
rules that they test.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.models.embedders.static import StaticEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.ids import ItemId
from omoide.tables.listing import Listing
from omoide.write.remember import Outcome, Remembered
from tests.fix_memory import OpenMemory, on_sqlite

DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[list[str]]:
    """The lines of a table, each without its language."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[1:] for line in lines]


@pytest.fixture
def offline(open_memory: OpenMemory) -> Iterator[Memory]:
    """A memory with the embedder that is in the package."""
    memory = open_memory(embedder=StaticEmbedder())
    yield memory
    memory.close()


def told(memory: Memory, clock: FixedClock, *texts: str) -> list[Remembered]:
    """What came of statements, told a minute apart."""
    done = []
    for text in texts:
        clock.move(minutes=1)
        done.append(memory.remember(text))
    return done


def found(memory: Memory, question: str) -> list[ItemId]:
    """The ids that a question finds, best first."""
    return [ItemId(hit.id) for hit in memory.recall(question).hits]


@on_sqlite
@pytest.mark.covers("CX-13")
def test_of_pairs_that_both_hold_none_closes_and_each_is_found_by_its_own_words(
    offline: Memory, clock: FixedClock
) -> None:
    """All pairs of eight languages in one memory: none is closed, and at least 95 of 100 questions
    find the right one of their pair first.
    """
    pairs = rows("both-hold.tsv")
    done = [told(offline, clock, one, other) for one, _, other, _ in pairs]

    assert {each.outcome for pair in done for each in pair} == {Outcome.ADDED}
    assert offline.items.list(Listing(limit=500)).total == 2 * len(pairs)
    right = 0
    for (one, other), (_, ask_one, _, ask_other) in zip(done, pairs, strict=True):
        for question, mine, theirs in ((ask_one, one, other), (ask_other, other, one)):
            ids = found(offline, question)
            first = next((id for id in ids if id in (mine.id, theirs.id)), None)
            right += first == mine.id
    assert right / (2 * len(pairs)) >= 0.95


@on_sqlite
@pytest.mark.covers("CX-13")
def test_a_change_told_without_a_correction_closes_nothing_and_comes_first(
    offline: Memory, clock: FixedClock
) -> None:
    """What changed stands beside what was, linked, and the newer one answers first."""
    pairs = rows("changes.tsv")
    done = [told(offline, clock, old, new) for old, new, _ in pairs]

    assert {each.outcome for pair in done for each in pair} == {Outcome.ADDED}
    assert offline.items.list(Listing(limit=500)).total == 2 * len(pairs)
    assert sum(new.similar == old.id for old, new in done) >= 0.9 * len(pairs)
    first = 0
    for (old, new), (_, _, question) in zip(done, pairs, strict=True):
        ids = [id for id in found(offline, question) if id in (old.id, new.id)]
        first += ids[:1] == [new.id]
    assert first >= 0.9 * len(pairs)


@on_sqlite
def test_the_same_said_again_is_stored_once(offline: Memory, clock: FixedClock) -> None:
    """Case, white space, a final full stop and how an accent is encoded make no other statement."""
    done = [told(offline, clock, one, again) for one, again in rows("repeats.tsv")]

    assert len(done) == 60
    assert all(second.id == first.id for first, second in done)
    assert {second.outcome for _, second in done} == {Outcome.REINFORCED}
