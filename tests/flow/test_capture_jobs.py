"""Sessions in line to be learnt from: enqueued with the turns, done by workers once each, and
waiting where no model is there.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import Conflict, ModelError
from omoide.nouns.item import Source, Tier
from omoide.nouns.scope import Scope
from omoide.settings.triggers import read_triggers
from omoide.tables.jobs import EXTRACT_JOB, Queued
from tests.fix_memory import ANA, NINE, OpenMemory, turn_of
from tests.fix_teaching import TALK, Taught, note, say, says, texts

PEANUTS = note("Ana can't eat peanuts", "I can't eat peanuts")


def in_line(memory: Memory) -> list[Queued]:
    """The sessions that wait to be learnt from, or gave up."""
    return [job for job in memory.jobs.list(ANA) if job.kind == EXTRACT_JOB]


@pytest.mark.covers("AD-16", "AD-18", "CX-18")
def test_talk_is_learnt_from_when_it_went_idle(taught: Taught, clock: FixedClock) -> None:
    """Half an hour after the last turn, each new turn starting the time anew; not before, and not
    when the memory is closed.
    """
    memory = taught(says(PEANUTS))
    say(memory, "I can't eat peanuts")
    clock.move(minutes=20)
    say(memory, "Good to know, isn't it?")
    assert [job.run_at for job in in_line(memory)] == [NINE + timedelta(minutes=50)]
    clock.move(minutes=29)
    memory.upkeep.work()
    memory.close()
    assert taught.asked == []


@pytest.mark.covers("AD-17")
def test_a_session_that_went_idle_while_no_program_ran_is_learnt_from_at_the_next_start(
    taught: Taught, open_memory: OpenMemory, clock: FixedClock
) -> None:
    """It waits in the store, so whoever opens it next, with a model, gets to it."""
    say(open_memory(), "I can't eat peanuts")
    clock.move(days=2)

    memory = taught(says(PEANUTS))
    memory.upkeep.work()

    assert texts(memory) == [PEANUTS["text"]]
    assert in_line(memory) == []


def test_without_a_model_sessions_wait_and_are_counted(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """Nothing pretends: the job stays, and is seen."""
    memory = open_memory()
    say(memory, "I can't eat peanuts")
    clock.move(days=1)

    memory.upkeep.work()

    assert [(job.state, job.failures) for job in in_line(memory)] == [("ready", 0)]


@pytest.mark.covers("CX-18", "ED-47")
def test_a_session_that_is_over_is_learnt_from_at_once(taught: Taught) -> None:
    """Without waiting for anything; more may still be said, and is learnt from in its turn."""
    memory = taught(says(PEANUTS), says(note("My dog is called Rex")))
    say(memory, "I can't eat peanuts")
    memory.sessions.end("talk")
    memory.upkeep.work()
    say(memory, "My dog is called Rex")
    memory.sessions.end("talk")

    memory.upkeep.work()

    assert texts(memory) == ["Ana can't eat peanuts", "My dog is called Rex"]


@pytest.mark.parametrize(("setting", "said"), [("turn", 1), ("messages=4", 4), ("tokens=20", 4)])
def test_a_policy_makes_a_session_due_at_once(taught: Taught, setting: str, said: int) -> None:
    """Every turn, so many messages, or so many weighted tokens."""
    memory = taught(says(PEANUTS), triggers=read_triggers(setting))
    say(memory, *["I can't eat peanuts, not even a few of them"] * said)

    memory.upkeep.work()

    assert texts(memory) == [PEANUTS["text"]]


def test_by_hand_nothing_is_in_line(taught: Taught) -> None:
    """Until somebody asks."""
    memory = taught(says(PEANUTS), triggers=read_triggers("hand"))
    say(memory, "I can't eat peanuts")
    assert in_line(memory) == []

    memory.sessions.extract("talk")

    assert texts(memory) == [PEANUTS["text"]]


@pytest.mark.covers("ED-51", "GM-152")
def test_a_private_session_is_never_in_line(taught: Taught) -> None:
    """Nor is it when it ends, nor once it became private with a job waiting."""
    memory = taught(says(PEANUTS))
    memory.ingest([{"role": "user", "content": "I can't eat peanuts"}], TALK, private=True)
    memory.sessions.end("talk")
    assert in_line(memory) == []
    other = Scope(user="ana", session="other")
    say(memory, "I can't eat peanuts", scope=other)
    memory.ingest([{"role": "user", "content": "This is between us"}], other, private=True)
    memory.clock.move(days=1)  # type: ignore[attr-defined]

    memory.upkeep.work()

    assert (texts(memory), taught.asked) == ([], [])


@pytest.mark.covers("LS-75", "LS-81")
def test_what_fails_is_tried_again_and_given_up_with_a_reason(
    taught: Taught, clock: FixedClock
) -> None:
    """No turn is lost or learnt from twice; the raw answer is kept; once replayed, all of it is
    learnt.
    """
    memory = taught(
        *[ModelError("broken")] * 4,
        "no JSON",
        "still none",
        says(PEANUTS),
        triggers=read_triggers("turn"),
    )
    say(memory, "I can't eat peanuts at all")
    for _ in range(6):
        memory.upkeep.work()
        clock.move(hours=2)

    (dead,) = in_line(memory)
    assert (dead.state, texts(memory)) == ("dead", [])
    assert "BadAnswer" in dead.error
    assert memory.jobs.answer(dead.id) == "still none"

    assert memory.jobs.replay(dead.id) == 1
    memory.upkeep.work()
    assert texts(memory) == [PEANUTS["text"]]
    assert in_line(memory) == []


@pytest.mark.parametrize("change", ["private", "shared", "undone", "forgotten"])
def test_what_changes_while_a_model_thinks_is_not_learnt_from_as_it_was(
    taught: Taught, change: str
) -> None:
    """A session that became private or shared, turns that were undone or forgotten: nothing of them
    is formed.
    """
    held: list[Memory] = []

    def extract(ask: Ask) -> dict[str, Any]:
        if len(taught.asked) == 1:
            _change(held[0], change)
        return says(PEANUTS)

    memory = taught(
        script={Purpose.EXTRACT: extract, Purpose.DECIDE: lambda ask: {"decisions": []}}
    )
    held.append(memory)
    say(memory, "I can't eat peanuts")

    with pytest.raises(Conflict):
        memory.sessions.extract("talk")

    assert texts(memory) == []
    if change in ("private", "shared"):
        memory.sessions.extract("talk")
        assert texts(memory) == []


def _change(memory: Memory, change: str) -> None:
    match change:
        case "private":
            memory.ingest(
                [{"role": "user", "content": "This is between us", "name": "Ana"}],
                TALK,
                private=True,
            )
        case "shared":
            memory.ingest([{"role": "user", "content": "Hi, I am Ben", "user": "ben"}], TALK)
        case "undone":
            memory.acting(Because(tier=Tier.USER)).undo("talk", ANA)
        case _:
            memory.forget(turn_of("talk", 0), ANA)


def test_turns_that_come_while_a_session_is_learnt_from_are_not_lost(
    taught: Taught, clock: FixedClock
) -> None:
    """They are in line again, and learnt from in their turn."""

    def extract(ask: Ask) -> dict[str, Any]:
        if "peanuts" in ask.text and len(taught.asked) == 1:
            say(memory, "My dog is called Rex, by the way")
        return says(
            *(
                note(text, turn=n)
                for n, text in ((1, "I can't eat peanuts"), (1, "My dog is called Rex"))
                if text in ask.text
            )
        )

    memory = taught(script={Purpose.EXTRACT: extract}, triggers=read_triggers("turn"))
    say(memory, "I can't eat peanuts, not any")
    memory.upkeep.work()
    clock.move(hours=1)
    memory.upkeep.work()

    assert texts(memory) == ["I can't eat peanuts", "My dog is called Rex"]
    assert in_line(memory) == []


def test_a_long_session_is_learnt_from_in_parts(taught: Taught) -> None:
    """Every turn is shown once, in windows of up to 40 turns; parts of up to 200 turns are applied
    one after the other.
    """
    memory = taught(script={Purpose.EXTRACT: lambda ask: says()})
    say(memory, *[f"This is what I say as number {n}" for n in range(450)])

    done = memory.sessions.extract("talk")

    assert [(one.first, one.end) for one in done] == [(0, 200), (200, 400), (400, 450)]
    shown = [
        line.partition(": ")[2]
        for ask in taught.asked
        for line in ask.text.splitlines()
        if line[0].isdigit()
    ]
    assert shown == [f"This is what I say as number {n}" for n in range(450)]


def test_a_long_turn_is_shown_whole(taught: Taught) -> None:
    """In parts, none of them cut off."""
    memory = taught(script={Purpose.EXTRACT: lambda ask: says()})
    story = " ".join(f"word{n}" for n in range(5_000))
    say(memory, story)

    memory.sessions.extract("talk")

    shown = "".join(
        line.partition(": ")[2]
        for ask in taught.asked
        for line in ask.text.splitlines()
        if line.startswith("1 ")
    )
    assert shown.replace(" ", "") == story.replace(" ", "")
    assert len(taught.asked) > 1


def test_what_is_learnt_says_it_was_extracted(taught: Taught) -> None:
    """The ledger names who did it, and with which model."""
    memory = taught(says(PEANUTS))
    say(memory, "I can't eat peanuts")
    (extraction,) = memory.sessions.extract("talk")
    (one,) = extraction.considered

    (change,) = memory.history(one.item or "").changes

    assert (change.actor, change.reason, change.cause) == ("extraction", "scripted", extraction.id)
    assert memory.items.list().items[0].source is Source.LLM_EXTRACT
