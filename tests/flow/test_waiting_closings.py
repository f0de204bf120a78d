"""What waits for review is taken back with what had it wait: when that is undone, and when it is
forgotten.
"""

from __future__ import annotations

from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.change import Because
from omoide.nouns.errors import NotFound
from omoide.nouns.item import Tier
from omoide.nouns.proposal import Wish
from omoide.nouns.scope import Scope
from tests.fix_memory import ANA, session_of, turn_of
from tests.fix_teaching import Taught, note, say, says, texts
from tests.forgetting import forget

METRO = "Ana takes the Porto metro"
MINE = Because(actor="ana", tier=Tier.USER)
AGAIN = Scope(user="ana", session="again")
Opened = Any


def slips(ask: Ask) -> dict[str, Any]:
    """Ends a known item without repeating it, so that its closing waits."""
    marks = [line[:2] for line in ask.text.splitlines() if line.endswith(METRO)]
    return {
        "decisions": [
            {"note": 1, "op": "update", "ref": mark, "was": "something else entirely"}
            for mark in marks
        ]
    }


def heard(ask: Ask) -> dict[str, Any]:
    """A note of where Ana moved, and one whose name nobody said."""
    moved = [line.split(": ", 1)[1] for line in ask.text.splitlines() if ": I moved" in line]
    return says(
        *(note(text.replace("I moved", "Ana moved"), text) for text in moved),
        note("Ben keeps bees", "I keep bees", turn=2),
    )


@pytest.fixture
def memory(taught: Taught) -> Memory:
    """What was learnt of a talk of two turns: its first would end what is known, its second names
    somebody; both wait.
    """
    memory = taught(script={Purpose.EXTRACT: heard, Purpose.DECIDE: slips}).acting(MINE)
    memory.remember(METRO, ANA)
    say(memory, "I moved to Lisbon with the metro", "I keep bees")
    return memory


def waiting(memory: Memory) -> list[tuple[Wish, str]]:
    """What waits: what it would do, and what it would add."""
    return sorted((one.proposal.wish, one.proposal.text) for one in memory.review.list(ANA))


BOTH = [(Wish.ADD, "Ben keeps bees"), (Wish.RETRACT, "")]


def test_undoing_an_extraction_lets_nothing_of_it_wait(memory: Memory) -> None:
    """Neither what it would add nor what it would close; each waits again once that is undone."""
    (extraction,) = memory.sessions.extract("talk")
    assert waiting(memory) == BOTH

    undone = memory.undo(extraction.id, ANA)

    assert waiting(memory) == []
    for change in undone:
        memory.undo(change, ANA)
    assert waiting(memory) == BOTH
    assert texts(memory) == ["Ana moved to Lisbon with the metro", METRO]
    assert memory.admin.verify().problems == ()


def test_undoing_an_extraction_leaves_what_a_person_settled(memory: Memory) -> None:
    """What was approved holds, what was rejected stays rejected."""
    (extraction,) = memory.sessions.extract("talk")
    for one in memory.review.list(ANA):
        if one.proposal.wish is Wish.ADD:
            memory.review.approve(one.proposal.id, one.seal, ANA)
        else:
            memory.review.reject(one.proposal.id, ANA)

    memory.undo(extraction.id, ANA)

    assert waiting(memory) == []
    assert texts(memory) == [METRO, "Ben keeps bees"]


@pytest.mark.parametrize("target", [turn_of("talk", 0), "talk"])
def test_forgetting_a_turn_lets_nothing_wait_that_it_alone_said(
    memory: Memory, target: str
) -> None:
    """One turn by its id, or the whole session: here with what the other turn would add."""
    memory.sessions.extract("talk")

    forget(memory, ANA, **({"id": target} if "#" in target else {"session": target}))

    assert waiting(memory) == ([BOTH[0]] if "#" in target else [])


@pytest.mark.parametrize("first", ["talk", "again"])
@pytest.mark.parametrize("way", ["undo", "forget"])
def test_what_another_talk_would_close_too_waits_on(memory: Memory, first: str, way: str) -> None:
    """Until that is taken back as well; learning once more of a talk tells nothing new."""
    say(memory, "I moved into a house by the metro", "Hello", scope=AGAIN)
    done = {session: memory.sessions.extract(session)[0].id for session in ("talk", "again")}
    before = memory.stats().changes
    memory.sessions.extract("again", again=True)
    assert memory.stats().changes == before
    second = "again" if first == "talk" else "talk"

    def take_back(session: str) -> None:
        if way == "undo":
            memory.undo(done[session], ANA)
        else:
            memory.sessions.forget(session, scope=ANA)

    take_back(first)
    assert [one for one in waiting(memory) if one[0] is Wish.RETRACT] == [BOTH[1]]
    if way == "forget":
        assert {one.proposal.session for one in memory.review.list(ANA)} == {session_of(second)}
    take_back(second)
    assert waiting(memory) == []
    assert memory.admin.verify().problems == ()


def test_an_agent_may_undo_what_it_learnt_with_what_waits(memory: Memory) -> None:
    """To take back what nobody settled is no settling of it."""
    extraction = memory.sessions.extract("talk")[0]
    memory.undo(
        next(c.id for c in memory.history(extraction.considered[0].item or "").changes), ANA
    )

    memory.acting(Because(actor="agent")).undo(extraction.id, ANA)

    assert waiting(memory) == []
    with pytest.raises(NotFound):
        memory.acting(MINE).undo("nothing", ANA)
