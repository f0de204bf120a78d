"""What of a session is replayed to a model: the last turns of the user, with all that follows."""

from __future__ import annotations

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from omoide.nouns.scope import Scope
from tests.fix_memory import BEN

TALK = Scope(session="talk")


def say(memory: Memory, turns: int) -> None:
    """A question, a call, its result and an answer, so often."""
    for turn in range(turns):
        memory.ingest(
            [
                {"role": "user", "content": f"Question {turn}"},
                {"role": "assistant", "content": f"I look it up {turn}"},
                {"role": "tool", "content": f"Result {turn}"},
                {"role": "assistant", "content": f"Answer {turn}"},
            ],
            TALK,
        )


@pytest.mark.covers("AD-3", "AD-37")
def test_the_window_is_of_thirty_turns_of_the_user(memory: Memory) -> None:
    """It begins with something that the user said; tools' results do not count as turns."""
    say(memory, 35)
    found = memory.sessions.window("talk")

    assert (found[0].text, found[-1].text, len(found)) == ("Question 5", "Answer 34", 120)
    assert [turn.text for turn in memory.sessions.window("talk", turns=1)] == [
        "Question 34", "I look it up 34", "Result 34", "Answer 34",
    ]  # fmt: skip
    assert len(memory.sessions.turns("talk", limit=1_000)) == 140  # all of it stays


def test_a_shorter_session_is_replayed_whole(memory: Memory) -> None:
    """And one that nobody spoke in is empty, as is another's."""
    memory.ingest([{"role": "assistant", "content": "Hello"}], TALK)
    say(memory, 2)

    assert len(memory.sessions.window("talk")) == 9
    assert list(memory.sessions.window("new")) == []
    assert list(memory.sessions.window("talk", BEN)) == []


def test_the_window_is_of_a_size_that_can_be(memory: Memory) -> None:
    """From 1 to 1,000 turns."""
    for turns in (0, 1_001):
        with pytest.raises(InvalidInput, match="turns"):
            memory.sessions.window("talk", turns=turns)
