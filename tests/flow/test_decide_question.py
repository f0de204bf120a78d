"""What a model is asked about suggestions at once is bounded; an ordinary talk is one question of
each sort.
"""

from __future__ import annotations

from typing import Any

import pytest

from omoide.learning.extraction import WINDOW_CHARS
from omoide.learning.report import Fate
from omoide.models.chat.base import Ask, Purpose
from omoide.write.remember import Statement
from tests.fix_memory import ANA, on_sqlite
from tests.fix_teaching import Taught, note, say, says

WORDS = (
    "amber birch cedar dune ember fjord grove heath inlet jetty knoll larch moor nook oasis pond"
    " quay reef shoal tarn".split()
)


def replaces(ask: Ask) -> dict[str, Any]:
    """Each note replaces the known item of its place, by the mark of this question."""
    return decides(ask, "update")


def decides(ask: Ask, op: str) -> dict[str, Any]:
    """What each note is to the known item of its place, whose words it repeats."""
    known, new = ask.text.removeprefix("Known:\n").split("\nNew:\n")
    lines = [(line.split()[0], line.split(") ", 1)[1]) for line in known.splitlines()]
    marks = {text.split()[3]: (mark, text) for mark, text in lines}
    notes = [(int(line.split(".")[0]), line) for line in new.splitlines()]
    told = [
        (n, mark, was)
        for n, line in notes
        for word, (mark, was) in marks.items()
        if f"{word} key" in line
    ]
    return {"decisions": [{"note": n, "op": op, "ref": mark, "was": was} for n, mark, was in told]}


def hears(ask: Ask) -> dict[str, Any]:
    """A note for each message."""
    lines = [
        line.split(" Ana: ")
        for line in ask.text.splitlines()
        if " Ana: " in line and line[0].isdigit()
    ]
    return says(*(note(text, turn=int(number)) for number, text in lines))


def test_an_ordinary_talk_is_three_questions_and_a_fourth_for_reflections(taught: Taught) -> None:
    """Twenty turns, each of which says something to be compared with five items."""
    memory = taught(
        script={
            Purpose.EXTRACT: hears,
            Purpose.DECIDE: replaces,
            Purpose.REFLECT: lambda ask: {"reflections": []},
        },
        reflect=True,
    )
    for place in ("shed", "barn", "attic", "cellar", "porch"):
        memory.items.add_many(
            [
                Statement(
                    text=f"The key of {word} hangs on a hook in the old {place} beside the lamp"
                )
                for word in WORDS
            ],
            ANA,
        )
    say(memory, *(f"The {word} key lies {word}ward of {word}ham" for word in WORDS))

    memory.sessions.extract("talk")
    asked = [ask.purpose for ask in taught.model.asked]
    assert asked == [Purpose.EXTRACT, Purpose.JUDGE, Purpose.DECIDE]
    memory.upkeep.work()

    assert [ask.purpose for ask in taught.model.asked] == [*asked, Purpose.REFLECT]
    assert max(len(ask.text) for ask in taught.model.asked) <= WINDOW_CHARS


@on_sqlite
@pytest.mark.parametrize("more", [700, 2_000, 9_000])
def test_much_to_compare_is_asked_in_parts(more: int, taught: Taught) -> None:
    """No question is longer than what extraction shows at once, every note is asked about once, and
    what is said of it is heeded.
    """
    memory = taught(
        script={Purpose.EXTRACT: hears, Purpose.DECIDE: lambda ask: decides(ask, "none")}
    )
    memory.items.add_many(
        [
            Statement(text=f"The key of {word} hangs {'on a hook ' * (more // 10)}")
            for word in WORDS
        ],
        ANA,
    )
    say(memory, *(f"The {word} key lies {word}ward of {word}ham" for word in WORDS))

    (extraction,) = memory.sessions.extract("talk")

    asked = [ask for ask in taught.asked if ask.purpose is Purpose.DECIDE]
    assert len(asked) > 1
    assert max(len(ask.text) for ask in asked) <= WINDOW_CHARS
    noted = [
        line.split(". ", 1)[1]
        for ask in asked
        for line in ask.text.split("\nNew:\n")[1].splitlines()
    ]
    assert sorted(noted) == sorted(f"The {word} key lies {word}ward of {word}ham" for word in WORDS)
    assert {one.fate for one in extraction.considered} == {Fate.REINFORCED}
