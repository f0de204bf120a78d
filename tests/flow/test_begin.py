"""Beginning: a session of its own for each start, the end of the one before, and what went unused
is less sure.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from omoide.memory import Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from tests.fix_memory import ANA, BEN, NINE, OpenMemory
from tests.fix_teaching import say

WORK = replace(ANA, context="work")


def sure(memory: Memory, id: str, scope: Scope) -> float:
    """How sure an item is."""
    item = memory.get(id, scope)
    assert isinstance(item, Item)
    return round(item.confidence, 8)


def to_learn_from(memory: Memory) -> list[tuple[str, datetime]]:
    """The sessions that are in line to be learnt from, and when they are."""
    return [(job.session, job.run_at) for job in memory.jobs.list() if job.kind == "extract"]


@pytest.mark.covers("GM-70")
def test_each_start_has_a_session_of_its_own(open_memory: OpenMemory) -> None:
    """A new one each time, in the scope that was asked for; what is said in it is of it."""
    memory = open_memory()
    scopes = [
        memory.sessions.start(WORK),
        memory.sessions.start(WORK),
        open_memory().sessions.start(WORK),
    ]

    assert len({scope.session for scope in scopes} - {None}) == 3
    assert {replace(scope, session=None) for scope in scopes} == {WORK}
    say(memory, "I moved to Lisbon", scope=scopes[0])
    assert [turn.session for turn in memory.sessions.turns(scopes[0].session, scopes[0])] == [
        scopes[0].session
    ]
    assert memory.sessions.start().user == ANA.user


@pytest.mark.covers("GM-70")
def test_beginning_anew_ends_the_session_before(memory: Memory) -> None:
    """It is in line to be learnt from at once; one in which nothing was said, or another's, is none
    to end.
    """
    first = memory.sessions.start()
    say(memory, "I moved to Lisbon", scope=first)
    memory.sessions.start(replace(BEN, session=first.session))
    assert to_learn_from(memory) == [(first.session, NINE + timedelta(minutes=30))]

    second = memory.sessions.start(first)
    third = memory.sessions.start(second)

    assert len({first.session, second.session, third.session}) == 3
    assert to_learn_from(memory) == [(first.session, NINE)]


@pytest.mark.covers("GM-70")
def test_beginning_lowers_what_went_unused_once(memory: Memory, clock: FixedClock) -> None:
    """Of the user whose session it is, however often it begins; others' wait for theirs, or for a
    round.
    """
    mine, theirs = memory.remember("Ana likes tea").id, memory.remember("Ben likes tea", BEN).id
    clock.move(days=31)

    for _ in range(3):
        memory.sessions.start()

    assert (sure(memory, mine, ANA), sure(memory, theirs, BEN)) == (0.63, 0.7)
    memory.sessions.start(BEN)
    assert sure(memory, theirs, BEN) == 0.63
