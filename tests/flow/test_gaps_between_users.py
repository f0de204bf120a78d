"""Where what is of others, or was said by another name, was reached or left behind."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.nouns.item import Details
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from tests.fix_memory import ANA, NOBODY, OpenMemory, on_sqlite

COOK, CODER = Scope(agent="cook"), Scope(agent="coder")
BOTH = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))


@pytest.mark.parametrize("user", [None, "ana"])
def test_an_agents_export_holds_nothing_of_other_agents(
    open_memory: OpenMemory, tmp_path: Path, user: str | None
) -> None:
    """Neither items nor entities nor changes of them; what is of no agent is in it."""
    memory = open_memory(scope=NOBODY)
    for scope, text in ((COOK, "soup at noon"), (CODER, "tests at night"), (NOBODY, "tea at four")):
        memory.remember(
            f"There is {text}",
            replace(scope, user=user, shared=user is None),
            entities=[f"thing:{text}"],
        )

    path = tmp_path / "cook.jsonl"
    memory.admin.export(path, replace(COOK, user=user, shared=user is None))

    told = path.read_text()
    assert ("soup" in told, "tea" in told, "tests" in told) == (True, True, False)
    assert told.count('"type":"change"') == 2
    memory.admin.export(tmp_path / "all.jsonl", NOBODY, everything=True)
    assert "tests at night" in (tmp_path / "all.jsonl").read_text()


def test_a_caller_without_a_user_writes_into_no_session_of_users(memory: Memory) -> None:
    """Not even of two: what it says is in a session of its own. One who names a participant as
    speaking may.
    """
    said = Conversation(id="s", participants=BOTH, messages=(Message(text="Dinner on Friday"),))
    memory.ingest(said, ANA)

    Memory(memory.store, scope=NOBODY, background=False).ingest(
        [Message(text="I was never there")], Scope(session="s")
    )

    assert [turn.text for turn in memory.sessions.turns("s", replace(ANA, session="s"))] == [
        "Dinner on Friday"
    ]


def test_an_alias_is_found_with_its_type_before_it(memory: Memory) -> None:
    """What is said of person:ALIAS is said of the person, and goes with them."""
    memory.entities.name("person:Robert", "Bobby")
    memory.remember("Robert likes tea", entities=["person:Robert"])
    memory.remember("Bobby sails", entities=["person:Bobby"])
    memory.remember("Bobby the project is late", entities=["project:Bobby"])

    assert {e.name: e.items for e in memory.entities.list()} == {
        "person:Robert": 2,
        "project:Bobby": 1,
    }
    assert memory.entities.forget("person:Bobby").erased["items"] == 2
    assert [item.text for item in memory.items.list().items] == ["Bobby the project is late"]


COLOURS = "amber basil cedar delta ember fjord grove heron ivory jewel karma lotus mango".split()


@on_sqlite
def test_forgetting_a_source_takes_no_square_of_what_was_corrected(
    open_memory: OpenMemory,
) -> None:
    """Four times as many corrected items take far less than sixteen times as long."""
    took = []
    for number in (40, 160):
        memory = open_memory(scope=Scope(user=f"user{number}"))
        for n in range(number):
            what = f"The {COLOURS[n % 13]} {COLOURS[n // 13]} box"
            memory.remember(f"{what} is in drawer {n}", details=Details(origin="import"))
            item = memory.remember(f"{what} is in drawer {n}").item
            memory.correct(item.id, f"{what} stands in cupboard {n}")
        began = time.process_time()
        memory.items.forget(origin="import")
        took.append(time.process_time() - began)

    assert took[1] < 9 * took[0], took
