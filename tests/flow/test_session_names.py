"""Names of sessions: two who use one name have two sessions."""

from __future__ import annotations

from omoide.memory import Memory
from omoide.nouns.scope import Scope
from omoide.nouns.session import session_id, session_name
from omoide.nouns.turn import Message
from tests.fix_memory import ANA, BEN, NOBODY, session_of


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
