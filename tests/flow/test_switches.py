"""What of users and of the agent is learnt and recalled: the settings user_memory and
agent_memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omoide.learning.teaching import Teaching, load_teaching
from omoide.memory import Memory
from omoide.nouns.errors import Forbidden, InvalidInput
from omoide.nouns.item import Details
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.settings.config import load_config
from omoide.settings.switches import Switches, Use
from omoide.write.remember import Statement
from tests.fix_memory import NOBODY, OpenMemory
from tests.fix_teaching import Taught, note, say, says, texts

HERS, CLERKS = Scope(user="ana"), Scope(agent="clerk", shared=True)
BOTH = Scope(user="ana", agent="clerk")
DESK = Scope(user="ana", agent="clerk", session="desk")
ABOUT_TEA = "What about tea?"


def opened(open_memory: OpenMemory, **switches: Any) -> Memory:
    """A memory with these switches."""
    return open_memory(scope=BOTH, teaching=Teaching(switches=Switches(**switches)))


@pytest.fixture
def told(open_memory: OpenMemory) -> dict[str, str]:
    """Of each level one item about tea, and a talk about it: the id of each."""
    memory = opened(open_memory)
    ids = {
        "user": memory.remember("Ana drinks tea", HERS).id,
        "user with the agent": memory.remember("Ana gets her tea from the clerk", BOTH).id,
        "agent": memory.remember("The tea of the office is in the cupboard", CLERKS).id,
        "all": memory.remember("Tea is bought on Mondays", NOBODY).id,
        "session": (
            memory.remember(
                "Tea with lemon for this meeting", DESK, details=Details(session_only=True)
            ).id
        ),
        "turn": (
            memory.ingest([{"role": "user", "content": "No sugar in the tea please"}], DESK).turns[
                0
            ]
        ),
    }
    return ids


@pytest.mark.covers("ED-7")
@pytest.mark.parametrize(
    ("switches", "gone"),
    [
        ({}, set()),
        ({"user_memory": Use.HAND, "agent_memory": Use.HAND}, set()),
        ({"user_memory": Use.OFF}, {"user", "user with the agent", "turn"}),
        ({"agent_memory": Use.OFF}, {"agent"}),
        ({"shared_memory": False}, {"all"}),
        (
            {"user_memory": Use.OFF, "agent_memory": Use.OFF},
            {"user", "user with the agent", "turn", "agent"},
        ),
    ],
)
def test_what_is_off_is_not_recalled(
    open_memory: OpenMemory, told: dict[str, str], switches: dict[str, Any], gone: set[str]
) -> None:
    """Nothing of the level comes, by any arm, and recall and why_not say so.

    Whether the agent is given context and search is is_on, which the agent is to read.
    """
    memory = opened(open_memory, **switches)

    for question in (
        ABOUT_TEA,
        Query(text="", contexts=frozenset({"global"})),
        Query(text="tea on Monday", preset="keyword"),
    ):
        recalled = memory.recall(question, BOTH, limit=50)
        assert not {hit.id for hit in recalled.hits} & {told[name] for name in gone}
        assert [text for text in recalled.degraded if "memory is off" in text] == [
            f"scope: {level} memory is off" for level in sorted(memory.switches.off)
        ]
    assert {hit.id for hit in memory.recall(ABOUT_TEA, BOTH, limit=50).hits} == {
        id for name, id in told.items() if name not in gone | {"session"}
    }
    assert {memory.why_not(ABOUT_TEA, told[name], BOTH, limit=50).gate for name in gone} <= {
        "switch"
    }
    assert memory.switches.is_on == (len(gone) < 4)


@pytest.mark.covers("ED-7")
def test_a_session_finds_its_own_whatever_is_off(
    open_memory: OpenMemory, told: dict[str, str]
) -> None:
    """What was said in it, and what is kept to it."""
    memory = opened(open_memory, user_memory=Use.OFF, agent_memory=Use.OFF)

    assert {hit.id for hit in memory.recall(ABOUT_TEA, DESK, limit=50).hits} == {
        told["all"],
        told["session"],
        told["turn"],
    }


@pytest.mark.covers("ED-7")
def test_what_is_off_is_not_remembered(open_memory: OpenMemory) -> None:
    """A call that would remember it is refused with what to do; everybody's, and a session's own,
    still can be.
    """
    memory = opened(open_memory, user_memory=Use.OFF, agent_memory=Use.OFF)

    with pytest.raises(Forbidden, match="shared_memory"):
        opened(open_memory, shared_memory=False).remember("Tea, please", NOBODY)
    for scope, setting in ((HERS, "user_memory"), (CLERKS, "agent_memory")):
        with pytest.raises(Forbidden, match=setting):
            memory.remember("Tea, please", scope)
        with pytest.raises(Forbidden, match=setting):
            memory.items.add_many([Statement(text="Tea, please")], scope)
    assert memory.remember("Tea is bought on Mondays", NOBODY).id
    assert memory.remember("Tea with lemon", DESK, details=Details(session_only=True)).id
    assert memory.ingest([{"role": "user", "content": "Tea, please"}], DESK).added == 1


@pytest.mark.covers("ED-7")
def test_what_was_known_before_can_be_seen_and_taken_back(
    open_memory: OpenMemory, told: dict[str, str]
) -> None:
    """Lists, get, correct and forget do not heed the switches: whoever switches memory off may
    still look and erase.
    """
    memory = opened(open_memory, user_memory=Use.OFF, agent_memory=Use.OFF)

    assert {item.id for item in memory.items.list(scope=BOTH).items} == {
        told[name] for name in ("user", "user with the agent", "agent", "all")
    }
    assert memory.get(told["user"], HERS)
    assert memory.correct(told["user"], "Ana drinks coffee", HERS).item.text == "Ana drinks coffee"
    assert memory.forget(told["agent"], CLERKS).erased["items"] == 1


@pytest.mark.covers("ED-7")
@pytest.mark.parametrize(
    ("switches", "learnt"),
    [
        ({}, ["Ana drinks tea"]),
        ({"user_memory": Use.HAND, "agent_memory": Use.LEARN}, ["Ana drinks tea"]),
        ({"user_memory": Use.OFF, "agent_memory": Use.OFF}, []),
        ({"user_memory": Use.HAND, "agent_memory": Use.HAND}, []),
    ],
)
def test_only_what_is_to_be_learnt_is(
    taught: Taught, switches: dict[str, Any], learnt: list[str]
) -> None:
    """By hand, and off, nothing is formed from talk; the talk is logged all the same."""
    memory = taught(says(note("Ana drinks tea")), switches=Switches(**switches))
    say(memory, "Ana drinks tea", scope=DESK)

    memory.sessions.extract("desk", BOTH)

    assert texts(memory, BOTH) == learnt
    assert len(memory.sessions.turns("desk", BOTH)) == 1


@pytest.mark.covers("ED-7", "SO-4")
def test_the_switches_are_settings(tmp_path: Path) -> None:
    """Of users it is learnt, of the agent only what it is told; another word is refused."""

    def switches(**given: Any) -> Switches:
        return load_teaching(
            load_config(environment={"OMOIDE_HOME": str(tmp_path)}, **given)
        ).switches

    assert switches() == Switches(user_memory=Use.LEARN, agent_memory=Use.HAND)
    assert switches(user_memory="off", agent_memory="learn") == Switches(
        user_memory=Use.OFF, agent_memory=Use.LEARN
    )
    assert switches(shared_memory="false").off == {"shared"}
    with pytest.raises(InvalidInput, match="learn, hand or off"):
        switches(user_memory="maybe")
