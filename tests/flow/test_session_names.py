"""Names of sessions: two who use one name have two sessions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import InvalidScope
from omoide.nouns.ids import SessionId
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant, Session, session_id, session_name
from omoide.nouns.turn import Message
from omoide.write.kinds.session import SESSION
from tests.fix_memory import ANA, BEN, NOBODY, session_of

FIXED = datetime(2026, 1, 5, tzinfo=UTC)


def texts(memory: Memory, scope: Scope) -> list[str]:
    """What stands in the session that an asker calls s."""
    return [turn.text for turn in memory.sessions.turns("s", scope)]


def test_two_users_may_have_sessions_of_one_name(memory: Memory) -> None:
    """Each is told their own, and nothing tells that there is another."""
    told = [
        memory.ingest([Message(text=f"I am {scope.user}")], Scope(user=scope.user, session="s"))
        for scope in (ANA, BEN)
    ]

    assert (texts(memory, ANA), texts(memory, BEN)) == (["I am ana"], ["I am ben"])
    assert len({one.session for one in told}) == 2
    assert [one.session.name for one in memory.sessions.list(BEN)] == ["s"]
    assert memory.sessions.forget("s", BEN).erased["turns"] == 1
    assert texts(memory, ANA) == ["I am ana"]


def test_an_id_does_not_depend_on_what_others_have(memory: Memory) -> None:
    """It is the same whether the name is taken by somebody else or not."""
    free = memory.ingest([Message(text="hello")], Scope(user="ben", session="quiet")).session
    memory.ingest([Message(text="hello")], Scope(user="ana", session="taken"))
    taken = memory.ingest([Message(text="hello")], Scope(user="ben", session="taken")).session

    assert (free, taken) == (session_of("quiet", BEN), session_of("taken", BEN))


def test_a_session_is_named_by_its_id_too(memory: Memory) -> None:
    """Also before anything is said in it."""
    scope = Scope(user="ana", session=session_of("s"))
    memory.ingest([Message(text="hello")], scope)

    assert texts(memory, ANA) == ["hello"]
    assert [one.session.name for one in memory.sessions.list(ANA)] == ["s"]
    assert memory.sessions.turns(session_of("s"), ANA) == memory.sessions.turns("s", ANA)


def test_everybodys_session_is_not_joined_by_its_name(memory: Memory) -> None:
    """What a user says in a session that everybody calls the same is theirs alone."""
    memory.ingest([Message(text="for all")], Scope(shared=True, session="s"))
    memory.ingest([Message(text="for Ana")], Scope(user="ana", session="s"))

    assert (texts(memory, ANA), texts(memory, NOBODY)) == (["for Ana"], ["for all"])


def test_a_name_and_an_id_are_told_apart() -> None:
    """An id is its own name; anybody else's is not."""
    mine = session_id("a.b", user="ana", agent=None)

    assert session_id(mine, user="ana", agent=None) == mine
    assert session_name(mine, user="ana", agent=None) == "a.b"
    assert session_id(mine, user="ben", agent=None) != mine
    assert session_name(mine, user="ben", agent=None) == mine


@pytest.mark.parametrize("length", [245, 246, 256])
def test_a_name_may_be_as_long_as_an_id(memory: Memory, length: int) -> None:
    """Names that differ only at their end stay apart, and a session is found by name and id."""
    one, other = "n" * length, "n" * (length - 1) + "m"
    for name in (one, other):
        memory.ingest([Message(text=name[-1])], Scope(user="ana", session=name))
    id = session_id(one, user="ana", agent=None)

    assert [turn.text for turn in memory.sessions.turns(one, ANA)] == ["n"]
    assert [turn.text for turn in memory.sessions.turns(id, ANA)] == ["n"]
    assert memory.ingest([Message(text="x")], Scope(user="ana", session=id)).session == id
    assert len(memory.sessions.list(ANA)) == 2
    memory.sessions.end(one, ANA)


def test_a_long_name_leads_another_of_the_session_to_it(memory: Memory) -> None:
    """One who takes part calls it by the name that its owner gave it."""
    name, people = "g" * 256, (Participant(name="Ben", user="ben"),)
    talk = Conversation(id=name, messages=(Message(text="hello"),), participants=people)
    begun = memory.ingest(talk, ANA)

    assert memory.ingest([Message(text="hi")], Scope(user="ben", session=name)).session == (
        begun.session
    )


def test_a_session_of_an_archive_has_a_name_that_can_be_one() -> None:
    """A name is checked as an id is; one without has that of its id, without its owner's."""
    old = Session(id=SessionId("ana/s"), scope=ANA, owner="ana")

    assert SESSION.fit is not None
    assert SESSION.fit(old, FIXED).name == "s"
    with pytest.raises(InvalidScope, match="name"):
        SESSION.fit(replace(old, name="a\nb"), FIXED)
