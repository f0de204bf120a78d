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
PAGES = ("The Porto metro closed for good.", "The Porto metro runs no more trains.")
HABIT = "Ana wants every answer in French."
MINE = Because(actor="ana", tier=Tier.USER)
AGAIN = Scope(user="ana", session="again")
Opened = Any


def closes(ask: Ask) -> dict[str, Any]:
    """Ends a known item, with its words, by what a page says: a person decides on that."""
    marks = [line[:2] for line in ask.text.splitlines() if line.endswith(METRO)]
    notes = [line[0] for line in ask.text.splitlines() if "metro" in line and line[1:2] == "."]
    return {
        "decisions": [
            {"note": int(number), "op": "update", "ref": mark, "was": METRO, "text": ""}
            for mark in marks
            for number in notes
        ]
    }


def heard(ask: Ask) -> dict[str, Any]:
    """What pages say: a note about the metro, and one of how to act."""
    lines = ask.text.splitlines()
    metro = [page for page in PAGES if any(page in line for line in lines)]
    habit = [HABIT] if any(HABIT in line for line in lines) else []
    return says(
        *(note(page, page) for page in metro),
        *(note(one, one, turn=2, category="preference") for one in habit),
    )


@pytest.fixture
def memory(taught: Taught) -> Memory:
    """What was learnt of a talk of two turns: the page of its first would end what is known, that
    of its second would change behaviour; both wait.
    """
    memory = taught(script={Purpose.EXTRACT: heard, Purpose.DECIDE: closes}).acting(MINE)
    memory.remember(METRO, ANA)
    say(memory, pasted(PAGES[0]), pasted(HABIT))
    return memory


def pasted(page: str) -> str:
    """A message of a page."""
    return f'I found this:\n"""\n{page}\n"""'


def waiting(memory: Memory) -> list[tuple[Wish, str]]:
    """What waits: what it would do, and what it would add."""
    return sorted((one.proposal.wish, one.proposal.text) for one in memory.review.list(ANA))


BOTH = [(Wish.ADD, HABIT), (Wish.RETRACT, "")]


def test_undoing_an_extraction_lets_nothing_of_it_wait(memory: Memory) -> None:
    """Neither what it would add nor what it would close; each waits again once that is undone."""
    (extraction,) = memory.sessions.extract("talk")
    assert waiting(memory) == BOTH

    undone = memory.undo(extraction.id, ANA)

    assert waiting(memory) == []
    for change in undone:
        memory.undo(change, ANA)
    assert waiting(memory) == BOTH
    assert texts(memory) == [METRO, PAGES[0]]
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
    assert texts(memory) == [METRO, HABIT]


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
    say(memory, pasted(PAGES[1]), "Hello", scope=AGAIN)
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
