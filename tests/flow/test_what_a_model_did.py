"""What a model did to items of others is taken back with what it was told: when that is forgotten,
and when it is undone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide.learning.report import Extraction
from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.change import Because
from omoide.nouns.errors import CannotUndo
from omoide.nouns.item import Details, Source, Tier
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from tests.fix_memory import ANA, turn_of
from tests.fix_teaching import TALK, Taught, note, say, says, texts
from tests.forgetting import forget

HOME, METRO, SISTER = KNOWN = (
    "Ana lives in Porto",
    "Ana takes the Porto metro",
    "Ana has a sister",
)
MOVED, LATER = (
    note("Ana moved to Lisbon", "I moved to Lisbon"),
    note("Ana keeps bees", "I keep bees", turn=2),
)
MINE = Because(actor="ana", tier=Tier.USER)
Opens = Callable[..., tuple[Memory, Extraction]]


def ends(*known: str) -> Callable[[Ask], dict[str, Any]]:
    """Decides that the first note replaces these, in this order."""

    def decide(ask: Ask) -> dict[str, Any]:
        marks = {
            text: line[:2]
            for line in ask.text.splitlines()
            for text in known
            if line.startswith("k") and line.endswith(text)
        }
        return {
            "decisions": [
                {"note": 1, "op": "update", "ref": marks[text], "was": text}
                for text in known
                if text in marks
            ]
        }

    return decide


def outline(ask: Ask) -> dict[str, Any]:
    """A profile of all items as they are."""
    shown = [line.split(") ", 1) for line in ask.text.splitlines()]
    return {"lines": [{"text": text, "from": [mark.split()[0]]} for mark, text in shown]}


@pytest.fixture
def moved(taught: Taught) -> Opens:
    """A memory in which a move ended what was known, and what was learnt of that; of two turns, the
    second about bees.
    """

    def open(*known: str, notes: Any = (MOVED, LATER)) -> tuple[Memory, Extraction]:
        script = {
            Purpose.EXTRACT: lambda ask: says(*notes),
            Purpose.DECIDE: ends(*known),
            Purpose.PROFILE: outline,
        }
        memory = taught(script=script).acting(MINE)
        for text in KNOWN:
            memory.remember(text, ANA)
        memory.acting(Because(actor="import", cause="page")).ingest(
            [
                {"role": "user", "content": text, "name": "Ana"}
                for text in ("I moved to Lisbon", "I keep bees")
            ],
            TALK,
        )
        (extraction,) = memory.sessions.extract("talk")
        return memory, extraction

    return open


@pytest.mark.parametrize(
    "target", [{"origin": "page"}, {"session": "talk"}, {"id": turn_of("talk", 0)}]
)
def test_what_a_talk_ended_is_open_again_once_it_is_forgotten(
    moved: Opens, target: dict[str, str]
) -> None:
    """What gave way to what was said there, and what it ended besides: others had said it."""
    memory, _ = moved(METRO, SISTER)
    assert texts(memory) == ["Ana keeps bees", HOME, "Ana moved to Lisbon"]

    forget(memory, ANA, **target)

    kept = {SISTER, HOME, METRO} | ({"Ana keeps bees"} if "id" in target else set())
    assert set(texts(memory)) == kept
    assert memory.admin.verify().problems == ()


def test_what_a_forgotten_talk_said_has_ended_is_open_again(taught: Taught) -> None:
    """A deletion that left nothing in its place."""
    said = "I don't have a dog any more"
    gone = {"text": "", "quote": said, "turn": 1, "op": "delete", "ref": "k1", "was": "has a dog"}
    memory = taught(says(gone), strategy="one-call")
    memory.remember("Ana has a dog", ANA)
    say(memory, said)
    memory.sessions.extract("talk")
    assert texts(memory) == []

    memory.forget(turn_of("talk", 0), ANA)

    assert texts(memory) == ["Ana has a dog"]


def test_what_another_talk_said_too_is_kept_when_the_first_is_forgotten(taught: Taught) -> None:
    """Though it told nothing new; and learning from the second once more changes nothing."""
    memory = taught(says(MOVED), says(MOVED), says(MOVED))
    say(
        memory.acting(Because(cause="page")),
        "I moved to Lisbon",
        scope=Scope(user="ana", session="first"),
    )
    memory.sessions.extract("first")
    say(memory, "I moved to Lisbon")
    memory.sessions.extract("talk")
    before = memory.stats().changes
    memory.sessions.extract("talk", again=True)
    assert memory.stats().changes == before

    memory.items.forget(scope=ANA, origin="page")

    (item,) = memory.items.list(scope=ANA).items
    assert (item.text, item.source_turns) == ("Ana moved to Lisbon", (turn_of("talk", 0),))


def test_a_profile_is_made_anew_once_more_is_known_again(moved: Opens) -> None:
    """One that was made while something had ended tells that again."""
    memory, _ = moved(HOME, METRO, notes=(MOVED,))
    first = memory.reflections.profile(ANA)
    assert first is not None
    assert METRO not in first.lines

    memory.items.forget(scope=ANA, origin="page")

    profile = memory.reflections.profile(ANA)
    assert profile is not None
    assert set(profile.lines) == set(KNOWN)


def test_undoing_one_change_takes_back_all_that_it_ended(moved: Opens) -> None:
    """The adding of an item, or the closing of what it took the place of; and undoing that does all
    of it again.
    """
    memory, extraction = moved(HOME, METRO, SISTER)
    ended = texts(memory)
    first = extraction.considered[0].item
    assert first is not None
    (added,) = (
        change.id
        for change in memory.history(first).changes
        if (change.record, change.action.value) == (first, "add")
    )

    undone = memory.undo(added, ANA)

    assert texts(memory) == sorted(("Ana keeps bees", *KNOWN))
    (again,) = (
        change.id
        for change in memory.history(first).changes
        if change.id in undone and change.record == first
    )
    memory.undo(again, ANA)
    assert texts(memory) == ended
    assert memory.admin.verify().problems == ()


def test_what_was_opened_by_hand_since_does_not_stand_in_the_way(moved: Opens) -> None:
    """It is as the undoing would have it."""
    memory, extraction = moved(HOME, METRO)
    (metro,) = extraction.considered[0].besides
    memory.items.reopen(metro, ANA)
    first = extraction.considered[0].item
    assert first is not None
    added = next(
        change.id
        for change in memory.history(first).changes
        if (change.record, change.action.value) == (first, "add")
    )

    memory.undo(added, ANA)

    assert texts(memory) == sorted(("Ana keeps bees", *KNOWN))


def test_undoing_what_was_learnt_passes_over_what_was_forgotten(moved: Opens) -> None:
    """What is there still is undone; what was forgotten stays forgotten, and is named."""
    memory, extraction = moved(METRO, SISTER)
    home, bees = (one.item for one in extraction.considered)
    memory.forget(turn_of("talk", 0), ANA)

    undone = memory.undo(extraction.id, ANA)

    assert bees not in undone.forgotten
    assert home in undone.forgotten
    assert set(texts(memory)) == {HOME, METRO, SISTER}
    assert memory.admin.verify().problems == ()
    memory.forget(turn_of("talk", 1), ANA)


def test_undoing_what_was_forgotten_as_a_whole_is_refused(moved: Opens) -> None:
    """Nothing is left to bring back."""
    memory, extraction = moved(METRO, notes=(MOVED,))
    memory.forget(turn_of("talk", 0), ANA)

    with pytest.raises(CannotUndo, match="forgotten"):
        memory.undo(extraction.id, ANA)


def test_an_old_talk_ends_nothing_that_was_confirmed_since(taught: Taught) -> None:
    """Not what a model names besides, nor what it was said again of after the talk."""
    script = {Purpose.EXTRACT: lambda ask: says(MOVED), Purpose.DECIDE: ends(HOME, METRO, SISTER)}
    memory = taught(script=script).acting(MINE)
    for text in KNOWN:
        memory.remember(text, ANA)
    say(memory, "I moved to Lisbon")
    memory.clock.move(days=30)  # type: ignore[attr-defined]
    memory.remember(METRO, ANA, details=Details(source=Source.USER))

    (extraction,) = memory.sessions.extract("talk")

    assert len(extraction.considered[0].besides) == 1
    assert texts(memory) == ["Ana moved to Lisbon", METRO]


def test_what_is_said_again_ends_what_it_makes_untrue(taught: Taught) -> None:
    """A note that tells nothing new but that something else has ended; undoing that one change
    opens it again.
    """

    def decide(ask: Ask) -> dict[str, Any]:
        marks = {
            line.split(") ", 1)[1]: line[:2]
            for line in ask.text.splitlines()
            if line.startswith("k")
        }
        same = {"note": 1, "op": "none", "ref": marks["Ana moved to Lisbon in spring"]}
        return {"decisions": [same, {"note": 1, "op": "update", "ref": marks[METRO], "was": METRO}]}

    memory = taught(
        script={Purpose.EXTRACT: lambda ask: says(MOVED), Purpose.DECIDE: decide}
    ).acting(MINE)
    metro, known = (
        memory.remember(text, ANA).id for text in (METRO, "Ana moved to Lisbon in spring")
    )
    say(memory, "I moved to Lisbon")

    (extraction,) = memory.sessions.extract("talk")

    assert [(one.fate.value, one.item, one.besides) for one in extraction.considered] == [
        ("reinforced", known, (metro,))
    ]
    again = next(
        change.id for change in memory.history(known).changes if change.action.value == "reinforce"
    )
    memory.undo(again, ANA)
    assert texts(memory) == ["Ana moved to Lisbon in spring", METRO]


@pytest.mark.parametrize("confirmed", [False, True])
def test_an_old_talk_takes_not_the_place_of_what_was_said_again_since(
    confirmed: bool, taught: Taught
) -> None:
    """What is told later wins, in either order: the old talk's word was true until then."""
    script = {Purpose.EXTRACT: lambda ask: says(MOVED), Purpose.DECIDE: ends(HOME)}
    memory = taught(script=script).acting(MINE)
    memory.remember(HOME, ANA)
    say(memory, "I moved to Lisbon")
    memory.clock.move(days=30)  # type: ignore[attr-defined]
    if confirmed:
        memory.remember(HOME, ANA, details=Details(source=Source.USER))

    (extraction,) = memory.sessions.extract("talk")

    assert texts(memory) == ([HOME] if confirmed else ["Ana moved to Lisbon"])
    (moved,) = (
        item
        for item in memory.items.list(Listing(closed=True), ANA).items
        if item.text == "Ana moved to Lisbon"
    )
    assert (moved.valid_until is None) is not confirmed
    assert memory.admin.verify().problems == ()
    memory.undo(extraction.id, ANA)
    assert texts(memory) == [HOME]
