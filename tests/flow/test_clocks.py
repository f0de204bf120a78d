"""Machines whose clocks differ share a store: what is committed is never hidden from a question
about now.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from omoide.memory import Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.item import Details
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.write.remember import Outcome
from tests.fix_memory import ANA, NINE, OpenMemory

Texts = Callable[..., list[str]]
AHEAD = timedelta(minutes=3)


class Ahead:
    """Another's clock, three minutes ahead; it gives the same ids out, so that none is given
    twice.
    """

    def __init__(self, clock: FixedClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        """The other's time, and three minutes."""
        return self._clock.now() + AHEAD

    def new_id(self) -> str:
        """The other's next id."""
        return self._clock.new_id()


@pytest.fixture
def ahead(open_memory: OpenMemory, clock: FixedClock) -> Memory:
    """The same store from a machine whose clock is three minutes ahead."""
    return open_memory(clock=Ahead(clock))


def test_what_a_fast_clock_recorded_is_recalled_at_once(
    memory: Memory, ahead: Memory, texts: Texts
) -> None:
    """By words, by entity, by filters alone; why_not agrees; a question about a time still keeps to
    it.
    """
    item = ahead.remember(
        "The wombat ate the passport", entities=["animal:wombat"], tags=["zoo"]
    ).item
    ahead.ingest([Message(text="The wombat slept")], Scope(user="ana", session="s"))

    assert set(texts(memory, "wombat")) == {"The wombat ate the passport", "The wombat slept"}
    assert texts(memory, Query(tags=("zoo",))) == ["The wombat ate the passport"]
    assert texts(memory, Query(text="wombat", known_at=NINE)) == []
    assert texts(memory, Query(text="wombat", as_of=NINE)) == []
    assert memory.why_not("wombat", item.id).gate == "recalled"
    assert memory.why_not(Query(text="wombat", known_at=NINE), item.id).gate == "known"
    assert [one.id for one in memory.diff(NINE - timedelta(days=1)).added] == [item.id]


def test_what_a_fast_clock_superseded_is_gone_at_once(
    memory: Memory, ahead: Memory, texts: Texts
) -> None:
    """The old statement and the new are never both held, whichever machine is asked."""
    rome = memory.remember("Ana lives in Rome").item
    ahead.correct(rome.id, "Ana lives in Oslo")

    assert (
        texts(memory, "Where does Ana live?")
        == texts(ahead, "Where does Ana live?")
        == ["Ana lives in Oslo"]
    )
    assert memory.why_not("Where does Ana live?", rome.id).gate == "valid"
    assert texts(memory, Query(text="Where does Ana live?", as_of=NINE)) == ["Ana lives in Rome"]


def test_what_a_fast_clock_recorded_is_known_to_remember(memory: Memory, ahead: Memory) -> None:
    """Said again on a slower machine, it is not kept twice."""
    first = ahead.remember("The locker in the hall is number 11")

    assert memory.remember("The locker in the hall is number 11").outcome is Outcome.REINFORCED
    assert memory.remember("The locker in the hall is number 12").similar == first.id
    assert memory.items.list().total == 2


def test_what_is_to_come_stays_to_come(memory: Memory, clock: FixedClock, texts: Texts) -> None:
    """A fact that holds from a later time on is found from then on, as is a correction."""
    memory.remember("Ana moves to Oslo", ANA, details=Details(valid_from=NINE + timedelta(days=7)))
    tea = memory.remember("Ana drinks tea").item
    memory.correct(tea.id, "Ana drinks coffee", at=NINE + timedelta(days=7))
    oslo, drinks = Query(text="Oslo", preset="keyword"), Query(text="drinks", preset="keyword")
    assert (texts(memory, oslo), texts(memory, drinks)) == ([], ["Ana drinks tea"])

    clock.move(days=8)

    assert (texts(memory, oslo), texts(memory, drinks)) == (
        ["Ana moves to Oslo"],
        ["Ana drinks coffee"],
    )


def test_a_message_dated_ahead_of_our_clock_is_found(memory: Memory, texts: Texts) -> None:
    """The sender's clock was ahead of ours."""
    memory.ingest(
        [Message(text="The wombat slept", at=NINE + AHEAD)], Scope(user="ana", session="s")
    )

    assert texts(memory, "wombat") == ["The wombat slept"]
