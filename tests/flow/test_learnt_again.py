"""Learning from the same talk once more."""

from __future__ import annotations

from omoide.models.chat.base import Purpose
from tests.fix_teaching import TALK, Taught, note, say, says


def test_two_words_of_one_moment_are_learnt_once(taught: Taught) -> None:
    """Two words of one moment, which no model decided between: both stand, and are learnt once."""
    said = says(note("Ana likes tea"), note("Ana does not like tea", turn=2))
    memory = taught(
        script={Purpose.EXTRACT: [said, said], Purpose.DECIDE: lambda ask: {"decisions": []}}
    )
    say(memory, "Ana likes tea", "Ana does not like tea")
    memory.sessions.extract("talk", TALK)
    before = [(item.id, item.text) for item in memory.items.list(scope=TALK).items]

    memory.sessions.extract("talk", TALK, again=True)

    assert {text for _, text in before} == {"Ana likes tea", "Ana does not like tea"}
    assert [(item.id, item.text) for item in memory.items.list(scope=TALK).items] == before
