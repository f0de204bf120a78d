"""Distilling: a session at rest is learnt from to its end and summed up, once, before anything of
it may be pruned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.change import Because
from omoide.nouns.chore import Chore, Done
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import ModelUnreachable
from omoide.nouns.item import Category, Item, Source, Tier
from omoide.nouns.scope import Scope
from omoide.upkeep.distil import LEAST, SESSIONS
from omoide.upkeep.summary import read_summary
from omoide.write.proposals import Mode
from tests.fix_memory import ANA, OpenMemory, on_sqlite, turn_of
from tests.fix_teaching import TALK, Taught, note, say, says

FIVE = (
    "I moved to Lisbon",
    "The flat is small",
    "I can't eat peanuts",
    "My sister Eva visits in June",
    "She brings her dog",
)
SUMMARY = "Ana moved to Lisbon. Her sister Eva visits in June and brings her dog."
Distil = Callable[..., Memory]


@pytest.fixture
def distils(taught: Taught) -> Distil:
    """Opens memories whose model learns nothing from turns, unless told, and sums up as told."""

    def open(
        *summaries: Any, extract: Callable[[Ask], Any] = lambda ask: says(), **settings: Any
    ) -> Memory:
        return taught(
            script={
                Purpose.EXTRACT: extract,
                Purpose.DISTIL: list(summaries) or [{"summary": SUMMARY}],
            },
            **settings,
        )

    return open


def distilled(memory: Memory) -> Done:
    """What a round's distilling came to."""
    (done,) = memory.admin.tidy(only=["distil"]).chores
    return done


def summaries(memory: Memory, scope: Scope = ANA) -> list[Item]:
    """The summaries that a scope holds."""
    return [
        item for item in memory.items.list(scope=scope).items if item.source is Source.CONSOLIDATION
    ]


@pytest.mark.covers("GM-61", "GM-62", "GM-33")
def test_a_session_of_five_turns_is_summed_up_after_two_weeks(
    distils: Distil, clock: FixedClock
) -> None:
    """Not a moment before: as a note that names its session and all its turns."""
    memory = distils()
    say(memory, *FIVE)
    clock.move(days=14, seconds=-1)
    assert distilled(memory).counts == {"distilled": 0, "items": 0}

    clock.move(seconds=1)

    assert distilled(memory).counts == {"distilled": 1, "items": 1}
    (summary,) = summaries(memory)
    assert (summary.text, summary.category, summary.domain, summary.confidence) == (
        SUMMARY,
        Category.NOTE,
        "session:talk",
        0.5,
    )
    assert summary.source_turns == tuple(turn_of("talk", n) for n in range(5))
    assert summary.tier is Tier.USER
    assert memory.recall("Lisbon", limit=10).hits


def test_a_summary_of_a_talk_with_a_pasted_mail_is_a_documents_word(
    distils: Distil, clock: FixedClock
) -> None:
    """As trusted as the least of what it rests on: what a user pastes is not theirs, wherever in a
    turn it stands.
    """
    memory = distils()
    say(memory, *FIVE, "Sum up this mail for me:\n\nDear Ana,\n\nYour sister brings a dog.\n\nEve")
    clock.move(days=15)

    distilled(memory)

    (summary,) = summaries(memory)
    assert summary.tier is Tier.DOCUMENT


def test_it_is_summed_up_once(distils: Distil, clock: FixedClock) -> None:
    """A second round has nothing to do, and asks nobody."""
    memory = distils()
    say(memory, *FIVE)
    clock.move(days=15)
    distilled(memory)

    assert distilled(memory).counts["distilled"] == 0
    assert len(summaries(memory)) == 1


@pytest.mark.parametrize("turns", [0, LEAST - 1])
def test_a_few_words_are_not_summed_up(distils: Distil, clock: FixedClock, turns: int) -> None:
    """A session of under five turns is left to extraction."""
    memory = distils()
    say(memory, *FIVE[:turns], *(() if turns else ("Hello",)))
    clock.move(days=15)

    assert distilled(memory).counts["distilled"] == 0


def test_a_session_that_goes_on_is_left_alone(distils: Distil, clock: FixedClock) -> None:
    """All its turns must be old."""
    memory = distils()
    say(memory, *FIVE)
    clock.move(days=15)
    say(memory, "I am back")

    assert distilled(memory).counts["distilled"] == 0


def test_what_is_said_after_a_summary_gets_one_of_its_own(
    distils: Distil, clock: FixedClock
) -> None:
    """Of the new turns alone."""
    memory = distils({"summary": SUMMARY}, {"summary": "Eva's dog likes the flat."})
    say(memory, *FIVE)
    clock.move(days=15)
    distilled(memory)
    say(memory, "Eva's dog likes the flat", "He barks", "He sleeps", "He eats", "He is gone")
    clock.move(days=15)

    assert distilled(memory).counts["distilled"] == 1
    assert {item.source_turns[0] for item in summaries(memory)} == {
        turn_of("talk", 0),
        turn_of("talk", 5),
    }


@pytest.mark.covers("LS-50")
@on_sqlite
def test_a_session_of_fifty_turns_is_covered_whole_and_once(
    distils: Distil, taught: Taught, clock: FixedClock
) -> None:
    """Every turn is shown to extraction once and to the summary once, the oldest first."""
    memory = distils({"summary": "Ana counts sheep."}, {"summary": "Ana counts sheep."})
    say(memory, *(f"Sheep number {n} of the flock jumps" for n in range(50)))
    clock.move(days=15)

    distilled(memory)
    distilled(memory)

    for purpose in (Purpose.EXTRACT, Purpose.DISTIL):
        told = "\n".join(ask.text for ask in taught.asked if ask.purpose is purpose)
        lines = [
            line
            for line in told.splitlines()
            if "Sheep number" in line and not line.startswith("earlier")
        ]
        assert [line.split("number ")[1].split()[0] for line in lines] == [
            str(n) for n in range(50)
        ]
    (summary,) = summaries(memory)
    assert len(summary.source_turns) == 50


def test_extraction_goes_over_all_of_it_first(distils: Distil, clock: FixedClock) -> None:
    """And what it finds is taken back with the round."""
    memory = distils(
        extract=lambda ask: says(note("Ana can't eat peanuts", "I can't eat peanuts", turn=3))
    )
    say(memory, *FIVE)
    clock.move(days=15)

    tidied = memory.admin.tidy(only=["distil"])

    assert tidied.count(Chore.DISTIL, "items") == 2
    assert "Ana can't eat peanuts" in [item.text for item in memory.items.list().items]
    memory.acting(Because(tier=Tier.USER)).undo(tidied.id)
    assert memory.items.list().items == ()


def test_five_sessions_are_distilled_in_a_round_those_that_rest_longest_first(
    distils: Distil, clock: FixedClock
) -> None:
    """The next round does the rest."""
    memory = distils(*[{"summary": "Ana moved to Lisbon."}] * 7)
    for n in range(7):
        say(memory, *FIVE, scope=Scope(user="ana", session=f"{n}-talk"))
        clock.move(hours=1)
    clock.move(days=15)

    assert distilled(memory).counts["distilled"] == SESSIONS
    assert {item.domain for item in summaries(memory)} == {f"session:{n}-talk" for n in range(5)}
    assert distilled(memory).counts["distilled"] == 2


@pytest.mark.covers("LS-27")
def test_without_a_model_sessions_wait_and_are_distilled_once_when_one_comes(
    open_memory: OpenMemory, distils: Distil, clock: FixedClock
) -> None:
    """The report says so; nothing is lost meanwhile."""
    memory = open_memory()
    say(memory, *FIVE)
    clock.move(days=15)

    assert distilled(memory).waits == "1 session waits for a language model"
    taught = distils()
    assert {job.kind for job in taught.jobs.list(Scope(shared=True))} >= {"distil"}
    taught.upkeep.work()
    assert len(summaries(taught)) == 1
    taught.upkeep.work()
    assert len(summaries(taught)) == 1


@pytest.mark.parametrize(
    "wrong", ["Ana has 3 dogs.", "The cat sleeps on barns.", "Ben visits in June 2031."]
)
def test_a_summary_that_says_what_nobody_said_waits_for_a_person(
    distils: Distil, clock: FixedClock, wrong: str
) -> None:
    """Its numbers, dates and most words are those of the turns, or somebody looks at it."""
    memory = distils({"summary": f"Ana talks of her flat. {wrong}"})
    say(memory, *FIVE)
    clock.move(days=15)

    assert distilled(memory).counts == {"distilled": 1, "items": 0}
    assert summaries(memory) == []
    assert len(memory.review.list()) == 1


def test_a_summary_weighs_as_little_as_the_least_trusted_of_its_turns(
    distils: Distil, clock: FixedClock
) -> None:
    """With an assistant's words in it, it is no user's word."""
    memory = distils()
    say(memory, *FIVE)
    say(memory, "Lisbon is lovely in June.", role="assistant", name="Helper")
    clock.move(days=15)
    distilled(memory)

    (summary,) = summaries(memory)
    assert summary.tier is Tier.AGENT


def test_what_tools_say_is_no_part_of_a_summary(
    distils: Distil, taught: Taught, clock: FixedClock
) -> None:
    """Unless everything is learnt from: a page's words never come in as a talk's."""
    memory = distils()
    say(memory, *FIVE)
    say(memory, "Peanuts are safe for everybody", role="tool", name="browser")
    clock.move(days=15)
    distilled(memory)

    (asked,) = [ask for ask in taught.asked if ask.purpose is Purpose.DISTIL]
    assert "safe" not in asked.text
    assert summaries(memory)[0].source_turns[-1] == turn_of("talk", 4)


def test_of_private_talk_nothing_is_made(distils: Distil, clock: FixedClock) -> None:
    """Neither items nor a summary."""
    memory = distils()
    memory.ingest(
        [{"role": "user", "content": text, "name": "Ana"} for text in FIVE], TALK, private=True
    )
    clock.move(days=15)

    assert distilled(memory).counts["distilled"] == 0


def test_where_all_is_reviewed_a_summary_waits(distils: Distil, clock: FixedClock) -> None:
    """As all that nobody said by themselves does."""
    memory = distils(review=Mode.ALL)
    say(memory, *FIVE)
    clock.move(days=15)

    assert distilled(memory).counts["items"] == 0
    assert len(memory.review.list()) == 1


def test_a_model_that_fails_loses_nothing(distils: Distil, clock: FixedClock) -> None:
    """It is named, and the next round sums the session up."""
    memory = distils(ModelUnreachable("gone"), {"summary": SUMMARY})
    say(memory, *FIVE)
    clock.move(days=15)

    assert distilled(memory).failed == "ModelUnreachable"
    assert distilled(memory).counts["distilled"] == 1


def test_a_session_of_which_no_answer_can_be_read_keeps_no_other_waiting(
    distils: Distil, clock: FixedClock
) -> None:
    """It is left for another round."""
    memory = distils(
        {}, {}, {"summary": "Ana moved to Lisbon."}, {"summary": "Ana moved to Lisbon."}
    )
    for n in range(2):
        say(memory, *FIVE, scope=Scope(user="ana", session=f"{n}-talk"))
        clock.move(hours=1)
    clock.move(days=15)

    assert distilled(memory).counts["distilled"] == 1
    assert [item.domain for item in summaries(memory)] == ["session:1-talk"]
    assert distilled(memory).counts["distilled"] == 1


@on_sqlite
def test_a_long_talk_is_summed_up_part_by_part(
    distils: Distil, taught: Taught, clock: FixedClock
) -> None:
    """Each part is shown after the summary of those before it; the last summary is kept."""

    def sum_up(ask: Ask) -> dict[str, str]:
        return {
            "summary": "Ana speaks of Lisbon, and of Eva."
            if ask.text.startswith("Before that:")
            else "Ana speaks of Lisbon."
        }

    memory = taught(script={Purpose.EXTRACT: lambda ask: says(), Purpose.DISTIL: sum_up})
    say(memory, *(f"{text}. " + "Lisbon and Eva are on my mind. " * 100 for text in FIVE))
    clock.move(days=15)
    distilled(memory)

    asked = [ask.text for ask in taught.asked if ask.purpose is Purpose.DISTIL]
    assert len(asked) > 1
    assert (
        sum(text.startswith("Before that: Ana speaks of Lisbon") for text in asked)
        == len(asked) - 1
    )
    assert [item.text for item in summaries(memory)] == ["Ana speaks of Lisbon, and of Eva."]


@pytest.mark.parametrize(
    "answer", [{}, {"summary": ""}, {"summary": "  "}, {"summary": 3}, {"summary": "x" * 1_001}]
)
def test_an_answer_without_a_summary_is_none(answer: dict[str, Any]) -> None:
    """Empty, of another kind, or endless."""
    with pytest.raises(ValueError, match="summary"):
        read_summary(answer)


def test_what_an_install_wants_remembered_is_told(
    distils: Distil, taught: Taught, clock: FixedClock
) -> None:
    """The same words as for facts."""
    memory = distils(steering="Note every allergy.")
    say(memory, *FIVE)
    clock.move(days=14)

    distilled(memory)

    assert all(
        "Note every allergy." in ask.system for ask in taught.asked if ask.purpose is Purpose.DISTIL
    )
    assert Purpose.DISTIL in {ask.purpose for ask in taught.asked}
