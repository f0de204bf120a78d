"""Items that no language model is shown: sensitive ones, and those of privileged categories."""

from __future__ import annotations

import pytest

from omoide.models.chat.base import Purpose
from omoide.nouns.clock import FixedClock
from omoide.nouns.item import Category, Details, Source
from omoide.nouns.turn import Message
from omoide.write.remember import Statement
from tests.fix_memory import ANA
from tests.fix_teaching import TALK, Taught, note, says
from tests.reflecting import ALL_ON, thoughts

SAID = "I take the small white tablets before breakfast"
SECRETS = [
    Statement(
        text="Ana takes the small white zidovudine tablets before breakfast",
        details=Details(sensitive=True, source=Source.USER),
    ),
    Statement(
        text="Ana takes the small white zidovudine tablets after breakfast",
        details=Details(sensitive=True, source=Source.USER),
    ),
    Statement(text="Ana may see the small white zidovudine tablets", category=Category.PERMISSION),
]


@pytest.mark.covers("CX-4", "LS-19")
@pytest.mark.parametrize("strategy", ["two-calls", "one-call"])
def test_no_question_of_learning_or_upkeep_shows_them(
    taught: Taught, clock: FixedClock, strategy: str
) -> None:
    """Neither beside what is said, nor to be decided on, reflected on, compared, or made a profile
    of. What is not private is shown.
    """
    script = {
        Purpose.EXTRACT: lambda ask: says(
            note("Ana takes the small white tablets before breakfast", SAID)
        ),
        Purpose.DECIDE: lambda ask: {"decisions": []},
        Purpose.REFLECT: lambda ask: thoughts(),
        Purpose.RECONCILE: lambda ask: {"verdict": "neutral"},
        Purpose.PROFILE: lambda ask: {"lines": []},
    }
    memory = taught(script=script, strategy=strategy, reflect=True, switches=ALL_ON)
    memory.items.add_many(SECRETS, ANA)
    memory.items.add_many([Statement(text="Ana takes the small white cup to breakfast")], ANA)
    memory.ingest(
        [Message(text=SAID, speaker="Ana"), Message(text="And a cup of tea", speaker="Ana")], TALK
    )

    memory.sessions.extract("talk", TALK)
    memory.reflections.add("talk", TALK)
    memory.reflections.profile(ANA)
    clock.move(hours=1)
    memory.admin.tidy(only=["reconcile"])

    asked = "\n".join(ask.text for ask in taught.asked)
    assert "zidovudine" not in asked
    assert "white cup" in asked
    assert {ask.purpose for ask in taught.asked} >= {
        Purpose.EXTRACT,
        Purpose.REFLECT,
        Purpose.PROFILE,
    }
