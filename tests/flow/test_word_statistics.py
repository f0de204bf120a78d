"""No score tells what is said where one may not look."""

from __future__ import annotations

import pytest

from omoide.memory import Memory
from omoide.nouns.match import Where
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.text.words import query_terms
from tests.fix_memory import ANA, NOBODY, OpenMemory, session_of, turn_of

BOTH = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
WORDS = ("wombat", "koala", "tea")


def scores(memory: Memory, scope: Scope) -> list[tuple[str, float]]:
    """What is found for each word by its text, with its raw scores."""
    where = Where(scope=scope, as_of=None, known_at=None, now=memory.clock.now())
    found = []
    for word in WORDS:
        with memory.store.transaction(tenant=scope.tenant, write=False) as tx:
            found += [(m.ref, m.score) for m in tx.match_text(query_terms(word), where, 50)]
    return found


def say(memory: Memory, number: int, where: str) -> None:
    """Say something of wombats where others may not look."""
    text = f"The wombat number {number} of the merger drinks tea"
    match where:
        case "a private session":
            memory.ingest([Message(text=text)], Scope(user="ana", session="p"), private=True)
        case "a shared session":
            talk = Conversation(id="s", participants=BOTH, messages=(Message(text=text),))
            memory.ingest(talk, Scope(user="ben"))
        case _:
            memory.remember(text, Scope(user="ana", agent="cook"))


@pytest.mark.parametrize("where", ["a private session", "a shared session", "another agent"])
def test_scores_stay_whatever_is_said_where_one_may_not_look(
    open_memory: OpenMemory, where: str
) -> None:
    """Neither how many say a word there, nor how long it is, moves a score."""
    memory = open_memory(scope=NOBODY)
    for n in range(5):
        memory.remember(f"The wombat and the koala meet at {n} o'clock", ANA)
    memory.remember("Ana likes tea", ANA)
    before = scores(memory, ANA)
    assert len(before) > 2

    for n in range(20):
        say(memory, n, where)

    assert scores(memory, ANA) == before


def test_a_closed_session_is_searched_from_within(memory: Memory) -> None:
    """Its own words count there, with what is open to all."""
    memory.remember("The museum opens at nine")
    say(memory, 1, "a private session")

    found = scores(memory, Scope(user="ana", session=session_of("p")))

    assert [ref for ref, _ in found] == [turn_of("p", 0), turn_of("p", 0)]
    assert scores(memory, ANA) == []
