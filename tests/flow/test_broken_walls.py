"""Walls between users, agents and sessions that a verb once walked through."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.errors import NotFound
from omoide.nouns.item import Details
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.read.prefixes import whole_id
from omoide.tables.ledger import Ledger
from tests.fix_memory import ANA, BEN, NINE, NOBODY

Texts = Callable[..., list[str]]
DAY = timedelta(days=1)
DIARY = "A diary about heliotrope"


def test_who_joins_a_session_forgets_nothing_of_whoever_was_there_alone(
    memory: Memory, texts: Texts
) -> None:
    """Ben speaks in Ana's session and has it forgotten: what Ana said there before stays hers."""
    memory.ingest([{"role": "user", "content": DIARY}], Scope(user="ana", session="diary"))
    memory.remember(
        "The lock is blue", Scope(user="ana", session="diary"), details=Details(session_only=True)
    )
    memory.ingest(
        Conversation(id="diary", messages=(), participants=(Participant(name="Ben", user="ben"),)),
        ANA,
    )
    memory.ingest(
        [{"role": "user", "content": "Hello from Ben"}], Scope(user="ben", session="diary")
    )

    receipt = memory.sessions.forget("diary", scope=BEN)

    assert (receipt.erased["turns"], receipt.erased["items"]) == (1, 0)
    assert texts(memory, "heliotrope diary", ANA) == [DIARY]


def test_a_session_is_undone_only_by_who_takes_part(memory: Memory) -> None:
    """Carol names a session of Ana's and Ben's: what that session alone knows is not hers to take
    back.
    """
    both = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    flat = Scope(session="flat", shared=True)
    memory.ingest(
        Conversation(
            id="flat", messages=(Message(text="Dinner on Friday", user="ana"),), participants=both
        ),
        NOBODY,
    )
    item = memory.remember(
        "The code word is heliotrope", flat, details=Details(session_only=True)
    ).item

    with pytest.raises(NotFound):
        memory.undo("flat", Scope(user="carol"))

    assert memory.get(item.id, flat) == item


@pytest.mark.parametrize("asker", [Scope(user="ana", agent="other"), ANA])
def test_a_diff_tells_nothing_of_another_agents_items(asker: Scope, memory: Memory) -> None:
    """Neither that there was a change, nor why."""
    memory.acting(Because(reason="why it was")).remember(
        "Only for one agent", Scope(user="ana", agent="one")
    )
    memory.entities.name("person:rui", None, Scope(user="ana", agent="one"))

    assert memory.diff(NINE - DAY, NINE + DAY, asker).changes == ()
    assert len(memory.diff(NINE - DAY, NINE + DAY, Scope(user="ana", agent="one")).changes) == 2


def test_a_diff_tells_nothing_of_shared_sessions_from_outside(memory: Memory) -> None:
    """An asker without a user sees neither that two others talked nor what their session knows."""
    both = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    memory.ingest(
        Conversation(
            id="flat", messages=(Message(text="Dinner on Friday", user="ana"),), participants=both
        ),
        NOBODY,
    )
    memory.remember(
        "The code word is heliotrope",
        Scope(session="flat", shared=True),
        details=Details(session_only=True),
    )

    assert memory.diff(NINE - DAY, NINE + DAY, NOBODY).changes == ()
    assert len(memory.diff(NINE - DAY, NINE + DAY, Scope(session="flat", shared=True)).changes) == 2


def test_nobody_learns_of_another_agents_changes(memory: Memory, tmp_path: Path) -> None:
    """Neither by the begin of their ids nor by how many there are, whatever the record's kind."""
    skill = tmp_path / "SKILL.md"
    skill.write_text("---\nname: deploy\ndescription: How to deploy\n---\n1. Run make\n")
    mine, others = (Scope(user="ana", agent=agent) for agent in ("coder", "cook"))
    made = memory.procedures.read_skill(skill, mine)
    with memory.store.transaction(tenant="default", write=False) as tx:
        change = Ledger(tx).of_record("default", made.id)[0].change.id

    assert whole_id(memory.store, mine, ["change"], change[:20]) == change
    assert whole_id(memory.store, others, ["change"], change[:20]) == change[:20]
    assert memory.stats(mine).changes == 1
    assert memory.stats(others).changes == 0
