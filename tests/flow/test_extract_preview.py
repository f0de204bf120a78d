"""A preview tells what learning then does, however many parts a session is learnt from in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from omoide.learning.report import Extraction
from omoide.learning.session_work import AT_ONCE
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.change import Because
from omoide.nouns.item import Tier
from tests.fix_memory import ANA
from tests.fix_teaching import TALK, Taught, note, says, texts

PLACES = ("Porto", "Lisbon", "Rome")
LIVES, METRO = re.compile(r"^(\d+) Ana: I live in (\w+) now$"), "Ana takes the Porto metro"
BEES = re.compile(r"^(\d+) Ana: I keep bees$")


def hear(ask: Ask) -> dict[str, Any]:
    """Notes where Ana lives, and that she keeps bees."""
    lines = ask.text.splitlines()
    lives = [
        note(f"Ana's home is {m[2]}", f"I live in {m[2]} now", turn=int(m[1]))
        for m in map(LIVES.match, lines)
        if m
    ]
    return says(
        *lives,
        *(
            note("Ana keeps bees", "I keep bees", turn=int(m[1]))
            for m in map(BEES.match, lines)
            if m
        ),
    )


def settle(ask: Ask) -> dict[str, Any]:
    """A note of a home replaces each known one, and the way to work."""
    known, new = ask.text.removeprefix("Known:\n").split("\nNew:\n")
    homes = [int(line.split(".")[0]) for line in new.splitlines() if "home is" in line]
    marks = [
        (line[:2], line.split(") ", 1)[1])
        for line in known.splitlines()
        if "home is" in line or METRO in line
    ]
    return {
        "decisions": [
            {"note": n, "op": "update", "ref": mark, "was": was}
            for n in homes
            for mark, was in marks
        ]
    }


def outcome(done: Sequence[Extraction]) -> list[Any]:
    """What became of each suggestion, with how many items it closed, ids aside."""
    return [
        (
            one.first,
            one.end,
            one.more,
            [
                (s.text, s.fate, s.why, s.turn, s.closed is not None, len(s.besides))
                for s in one.considered
            ],
        )
        for one in done
    ]


@pytest.mark.parametrize("strategy", ["two-calls", "one-call"])
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_a_preview_of_many_parts_tells_what_learning_does(
    parts: int, strategy: str, taught: Taught
) -> None:
    """Each part knows what those before it would have learnt; the model is asked the same, and
    nothing lasts.
    """
    memory = taught(
        script={Purpose.EXTRACT: hear, Purpose.DECIDE: settle}, strategy=strategy
    ).acting(Because(actor="ana", tier=Tier.USER))
    memory.remember(METRO, ANA)
    said = [f"Hello number {n}" for n in range(AT_ONCE * (parts - 1) + 20)]
    for part in range(parts):
        said[AT_ONCE * part + 5], said[AT_ONCE * part + 7] = (
            f"I live in {PLACES[part]} now",
            "I keep bees",
        )
    memory.ingest([{"role": "user", "content": text, "name": "Ana"} for text in said], TALK)
    before = (texts(memory), memory.review.list(ANA), memory.admin.verify().head)

    told = memory.sessions.extract("talk", preview=True)

    assert (texts(memory), memory.review.list(ANA), memory.admin.verify().head) == before
    asked = [ask.text for ask in taught.asked]
    assert len(told) == parts
    assert outcome(memory.sessions.extract("talk")) == outcome(told)
    assert [ask.text for ask in taught.asked][len(asked) :] == asked
    if strategy == "two-calls":
        assert texts(memory) == ["Ana keeps bees", f"Ana's home is {PLACES[parts - 1]}"]
