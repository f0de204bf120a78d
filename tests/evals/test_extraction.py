"""What is learnt from a story is counted rightly: against its facts, its changes, its noise, and
itself.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from omoide.evals.extraction import Figures, Told, figures, learn
from omoide.evals.gold import Fact, Story, Succession, Truth
from omoide.learning.teaching import Teaching
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.models.prompts import prompt
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from tests.evals import oracle
from tests.fix_teaching import note, says, told

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def talk(id: str, day: int, *texts: str) -> Conversation:
    """What Ana said on a day."""
    at = NOON + timedelta(days=day)
    return Conversation(
        id=id,
        messages=tuple(
            Message(text=text, speaker="Ana", at=at, key=f"{id}:{n}")
            for n, text in enumerate(texts)
        ),
    )


STORY = Story(
    id="ana",
    talks=(
        talk("one", 0, "I live in Porto near the river", "The soup was too hot"),
        talk("two", 30, "I live in Lisbon near the river now", "My dog Rex likes cheese"),
    ),
    facts=(
        Fact(session="one", text="Ana lives in Porto near the river"),
        Fact(session="two", text="Ana lives in Lisbon near the river"),
        Fact(session="two", text="Rex, the dog of Ana, likes cheese"),
    ),
    changes=(
        Succession(question="Where does Ana live?", old="Porto", new="Lisbon", session="two"),
    ),
    conflicts=(
        Succession(
            question="Where is Ana's home?",
            old="I live in Porto",
            new="Ana lives in Lisbon by now",
            session="two",
        ),
    ),
    profile=(
        Truth(question="Where does Ana live?", value="Lisbon"),
        Truth(question="What is Ana's job?", value="pilot of a balloon"),
    ),
    periods=(
        Truth(question="Where does Ana live?", value="Porto", at=NOON + timedelta(days=20)),
        Truth(question="Where does Ana live?", value="Lisbon", at=NOON + timedelta(days=20)),
    ),
    noise=frozenset({"The soup was too hot"}),
)
ANSWERS: dict[str, list[dict[str, Any]]] = {
    "Porto": [
        note("Ana lives in Porto near the river", "I live in Porto near the river"),
        note("Ana found the soup too hot", "The soup was too hot", turn=2),
    ],
    "Lisbon": [
        note("Ana lives in Lisbon near the river", "I live in Lisbon near the river now"),
        note(
            "Ben's dog Rex likes cheese",
            "My dog Rex likes cheese",
            turn=2,
            entities=["person:Ben", "pet:Rex"],
        ),
    ],
}


def model(decision: str = "update") -> ScriptedModel:
    """One that suggests two right things, one that is noise, and one with a name that nobody
    said.
    """

    def extract(ask: Ask) -> dict[str, Any]:
        shown = [line for line in ask.text.splitlines() if not line.startswith("earlier")]
        return says(
            *next(notes for word, notes in ANSWERS.items() if any(word in line for line in shown))
        )

    return ScriptedModel(
        {
            Purpose.EXTRACT: extract,
            Purpose.DECIDE: lambda ask: told((decision, "k1", "lives in Porto")),
        }
    )


def measured() -> tuple[Told, Figures]:
    """The story, learnt from."""
    done = learn(STORY, model(), Teaching(judge=False))
    return done, figures(done)


def test_right_and_wrong_are_counted_with_the_checks_on_and_off() -> None:
    """Of three learnt, two are known facts; of three facts, two are learnt; what a check kept out
    counts with the checks off.
    """
    done, found = measured()

    assert [one.fate for one in done.suggested] == ["added", "added", "superseded", "unconfirmed"]
    unchecked = figures(done, checks=False)
    assert (found.precision, unchecked.precision) == (2 / 3, 3 / 4)
    assert (found.recall, unchecked.recall) == (2 / 3, 1.0)
    assert (found.grounded, unchecked.grounded) == (3 / 4, None)
    assert (found.noise, unchecked.noise) == (1, 1)


def test_a_change_is_told_new_or_old() -> None:
    """By the first item that says anything of it."""
    done, found = measured()
    assert found.updated == 1.0
    assert [one.text for one in done.checked.asked] == ["Ana lives in Lisbon near the river"]

    one = lambda ask: says(*ANSWERS["Porto"][: "# 2026-01-05" in ask.text])  # noqa: E731
    only = ScriptedModel({Purpose.EXTRACT: one, Purpose.DECIDE: lambda ask: told(("none", "k1"))})
    kept = learn(STORY, only, Teaching(judge=False))

    assert (figures(kept).updated, figures(kept).stale) == (0.0, 1.0)


def test_what_is_true_is_asked_for_at_the_end_and_as_of_then() -> None:
    """Of a conflict the later word counts; of what was true for a while, whether it is told as of a
    time within it.
    """
    done, found = measured()

    assert found.resolved == 1.0
    assert (done.checked.profile, found.profile) == ((True, False), 0.5)
    assert (done.checked.periods, found.periods) == ((True, False), 0.5)


def test_learning_twice_adds_and_changes_nothing() -> None:
    """The same answers once more leave the items as they are."""
    held = measured()[0].checked

    assert (len(held.items), held.again_new, held.again_changed) == (3, 0, 0)


def test_what_it_takes_is_counted() -> None:
    """Calls without those of the second time, and tokens of the questions of extraction, and of
    all, for those of the turns.
    """
    done, found = measured()

    assert (done.calls, found.calls) == (4, 2.0)
    assert found.tokens == done.input_tokens / done.turn_tokens > 1
    assert (
        found.tokens_all
        == done.asked_tokens / done.turn_tokens
        > found.tokens + len(prompt("decide")) / 4 / done.turn_tokens
    )
    assert found.growth == 75.0


def test_of_right_answers_the_checks_keep_those_that_the_message_bears_out() -> None:
    """What annotators noted with a number that no message has is suggested, and is in doubt."""
    facts = (
        Fact(
            session="one", text="Ana lives in Porto near the river", messages=frozenset({"one:0"})
        ),
        Fact(session="two", text="Ben's 3 dogs like cheese", messages=frozenset({"two:1"})),
    )

    done, _ = oracle.measured(replace(STORY, facts=facts))
    found = figures(done)

    assert (figures(done, checks=False).recall, found.recall, found.precision, found.grounded) == (
        1.0,
        0.5,
        1.0,
        0.5,
    )
