"""The profile: what is known about a user in a few lines, by importance, whatever the model
does.
"""

from __future__ import annotations

import string
from datetime import timedelta
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import ModelError
from omoide.nouns.item import Details, Source, Tier
from omoide.nouns.reflection import DigestKind
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.settings.switches import Switches, Use
from omoide.tables.listing import Listing
from omoide.write.remember import Statement
from tests.fix_memory import ANA, BEN, OpenMemory
from tests.fix_teaching import Taught
from tests.flow.test_unconfirmed import unsure

SAID = Details(source=Source.USER)
NAME = "The user's name is Ana Costa"
NOUNS = tuple(f"{a}{b}pot" for a in "bcdfg" for b in "aeiou")
THINGS = [
    f"Ana bought a {one}{other}"
    for one in string.ascii_lowercase
    for other in ("cket", "ndle", "lter", *NOUNS)
][:500]


def outline(*lines: tuple[str, str]) -> dict[str, Any]:
    """An answer with these lines, each with the marks of the facts it is made of."""
    return {"lines": [{"text": text, "from": names.split()} for text, names in lines]}


def profiling(taught: Taught, *answers: Any, **settings: Any) -> Memory:
    """A memory whose model makes profiles with these answers."""
    return taught(script={Purpose.PROFILE: list(answers)}, **settings)


def lines(memory: Memory, scope: Scope = ANA) -> tuple[str, ...]:
    """The profile's lines; none if there is no profile."""
    found = memory.reflections.profile(scope)
    return found.lines if found else ()


@pytest.mark.covers("AD-23")
def test_one_question_makes_a_profile_of_all_that_is_known(taught: Taught) -> None:
    """Who the user is stands as it was said; the rest is folded by the model, which is shown it by
    importance.
    """
    memory = profiling(taught, outline(("Ana likes green tea and black coffee", "k1 k2")))
    memory.remember("Ana likes green tea")
    memory.remember("Ana likes black coffee")
    memory.remember(NAME, details=SAID)

    profile = memory.reflections.profile()

    assert profile is not None
    assert profile.lines == (NAME, "Ana likes green tea and black coffee")
    assert (len(profile.items), profile.version, profile.model, profile.degraded) == (
        3,
        1,
        "scripted",
        (),
    )
    (asked,) = taught.asked
    assert asked.purpose is Purpose.PROFILE
    assert NAME not in asked.text


@pytest.mark.covers("AD-25")
def test_a_profile_is_made_once_until_something_changes(taught: Taught, clock: FixedClock) -> None:
    """Recalls and turns are no change; a new item, one that was corrected or closed, is."""
    answers = [outline((f"Ana likes {what}", "k1 k2")) for what in ("tea", "tea", "coffee")]
    memory = profiling(taught, *answers)
    tea = memory.remember("Ana likes tea").item
    first = memory.reflections.profile()
    clock.move(minutes=1)
    memory.recall("tea")
    memory.ingest(
        [{"role": "user", "content": "Nice weather today, I think"}], Scope(user="ana", session="s")
    )
    assert memory.reflections.profile() == first
    assert len(taught.asked) == 1

    memory.remember("Ana sings in a choir")
    lines(memory)
    assert len(taught.asked) == 2

    clock.move(minutes=1)
    memory.correct(tea.id, "Ana likes coffee")
    lines(memory)
    lines(memory)
    assert len(taught.asked) == 3
    versions = [
        one.version
        for one in memory.reflections.digests(history=True)
        if one.kind is DigestKind.PROFILE
    ]
    assert versions == [3, 2, 1]


@pytest.mark.covers("LS-89", "AD-25")
def test_a_name_survives_five_hundred_newer_facts(taught: Taught, clock: FixedClock) -> None:
    """With a model and without one; whatever the model leaves out."""
    memory = profiling(taught, outline((THINGS[0], "k1")))
    memory.remember(NAME, details=SAID)
    clock.move(minutes=1)
    memory.items.add_many([Statement(text=text, details=SAID) for text in THINGS])
    assert len(memory.items.list(Listing(limit=1000)).items) == 501

    assert lines(memory) == (NAME, THINGS[0])


@pytest.mark.covers("LS-89")
def test_without_a_model_the_name_stands_first_too(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """It is the items themselves, as many as a profile has lines, in the order of their
    importance.
    """
    memory = open_memory()
    memory.remember("Ana's name is spelt Anna", details=SAID)
    for text in THINGS[:40]:
        clock.move(minutes=1)
        memory.items.add_many([Statement(text=text, details=SAID)])
    pinned = memory.remember("Ana must never be called before noon").item
    memory.items.pin(pinned.id)

    profile = memory.reflections.profile()

    assert profile is not None
    assert profile.lines[:3] == ("Ana's name is spelt Anna", pinned.text, THINGS[0])
    assert (len(profile.lines), profile.model, profile.version, profile.degraded) == (20, "", 0, ())


@pytest.mark.covers("AD-24")
def test_nothing_known_is_no_profile_and_no_question(taught: Taught) -> None:
    """None where nothing is stored, where memory of users is off, and where several users talk."""
    memory = profiling(taught)
    assert memory.reflections.profile() is None

    memory.remember("Ana likes tea")
    off = profiling(taught, switches=Switches(user_memory=Use.OFF))
    assert off.reflections.profile() is None

    people = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    off.ingest(Conversation(id="both", messages=(Message(text="hello"),), participants=people), ANA)
    assert profiling(taught).reflections.profile(Scope(user="ana", session="both")) is None
    assert taught.asked == []


def test_what_is_off_is_in_no_profile(taught: Taught) -> None:
    """Where nobody is named either: an agent's profile tells neither what is everybody's nor its
    own, if that is off.
    """
    memory, clerk = profiling(taught), Scope(agent="clerk", shared=True)
    memory.remember("Tea is bought on Mondays", Scope(shared=True))
    memory.remember("The clerk orders tea", clerk)

    no_shared = profiling(taught, profile=False, switches=Switches(shared_memory=False))
    assert no_shared.reflections.profile(Scope()) is None
    told = no_shared.reflections.profile(clerk)
    assert told is not None
    assert told.lines == ("The clerk orders tea",)
    no_agent = profiling(
        taught, profile=False, switches=Switches(agent_memory=Use.OFF)
    ).reflections.profile(clerk)
    assert no_agent is not None
    assert no_agent.lines == ("Tea is bought on Mondays",)


@pytest.mark.covers("AD-24")
@pytest.mark.parametrize(
    "answer",
    [
        ModelError("away"),
        "nonsense",
        outline(("Ana likes Zoe", "k1")),
        outline(("Ana likes tea", "k9")),
    ],
)
def test_a_failing_model_gives_the_raw_facts_and_says_so(taught: Taught, answer: Any) -> None:
    """No error comes out of it; what failed is named, nothing is kept, and the next time it is
    asked again.
    """
    memory = profiling(taught, answer, answer, outline(("Ana likes tea", "k1")))
    memory.remember("Ana likes tea")

    profile = memory.reflections.profile()

    assert profile is not None
    assert (profile.lines, profile.version) == (("Ana likes tea",), 0)
    assert profile.degraded[0].startswith("profile: ")
    assert profile.degraded[0].endswith("; these are the items themselves")
    assert memory.reflections.digests() == []


@pytest.mark.covers("AD-24")
def test_a_profile_that_is_switched_off_is_the_raw_facts(taught: Taught) -> None:
    """No model is asked."""
    memory = profiling(taught, profile=False)
    memory.remember("Ana likes tea")

    assert lines(memory) == ("Ana likes tea",)
    assert taught.asked == []


@pytest.mark.covers("AD-23")
def test_lines_that_say_what_no_item_says_are_left_out(taught: Taught) -> None:
    """The others stay, and how many were left out is told."""
    memory = profiling(
        taught,
        outline(
            ("Ana likes tea", "k1"),
            ("Ana likes tea from Ceylon", "k1"),
            ("Ana drinks 9 cups", "k1"),
        ),
    )
    memory.remember("Ana likes tea")

    profile = memory.reflections.profile()

    assert profile is not None
    assert (profile.lines, profile.degraded) == (
        ("Ana likes tea",),
        ("profile: 2 lines said what no item says",),
    )


@pytest.mark.covers("AD-23")
def test_a_profile_has_no_more_lines_than_its_limit(taught: Taught) -> None:
    """Twenty by default; the model is told how many."""
    many = outline(*((text, " ".join(f"k{m}" for m in range(1, 31))) for text in THINGS[:30]))
    memory = profiling(taught, many, profile_limit=5)
    memory.items.add_many([Statement(text=text) for text in THINGS[:30]])

    assert len(lines(memory)) == 5
    assert "at most 5 lines" in taught.asked[0].system


@pytest.mark.covers("AD-25")
def test_other_settings_make_another_profile(taught: Taught) -> None:
    """One that was made for more lines is not shown where fewer are wanted."""
    memory = profiling(taught, outline(("Ana likes tea", "k1"), ("Ana rows", "k2")))
    memory.items.add_many([Statement(text="Ana likes tea"), Statement(text="Ana rows")])
    assert len(lines(memory)) == 2

    shorter = profiling(taught, outline(("Ana rows", "k2")), profile_limit=1)

    assert lines(shorter) == lines(shorter) == ("Ana rows",)


def test_a_document_never_says_who_the_user_is(open_memory: OpenMemory) -> None:
    """Nor does an agent; what is in doubt, sensitive, muted, closed or another's is in no
    profile.
    """
    memory = open_memory()
    memory.remember(
        "Your name is Mallory", details=Details(source=Source.IMPORT, tier=Tier.DOCUMENT)
    )
    base = memory.remember("Ana works at Acme").item
    memory.remember("Ana has lunch at Acme's canteen", details=Details(bases=(base.id,)))
    memory.correct(base.id, "Ana works at the Blue Mill")
    memory.remember("Ana takes a pill a day", details=Details(sensitive=True))
    memory.items.edit(memory.remember("Ana hums when she reads").id, muted=True)
    memory.remember("Ben sails", BEN)
    memory.remember("Ana rows on the lake", details=SAID)

    assert lines(memory) == (
        "Ana rows on the lake",
        "Ana works at the Blue Mill",
        "Your name is Mallory",
    )


def test_what_is_forgotten_while_the_model_thinks_is_not_kept(taught: Taught) -> None:
    """The words of an item that is gone when the answer comes are in no digest."""
    known: list[str] = []

    def answer(ask: Ask) -> dict[str, Any]:
        memory.forget(known.pop())
        return outline(("Ana likes tea from the mountains", "k1"))

    memory = taught(script={Purpose.PROFILE: answer})
    known.append(memory.remember("Ana likes tea from the mountains").item.id)

    profile = memory.reflections.profile()

    assert profile is not None
    (problem,) = profile.degraded
    assert problem.endswith("; these are the items themselves")
    assert "tea" not in problem
    assert (memory.reflections.digests(), memory.reflections.profile()) == ([], None)


def test_a_profile_is_of_one_user(taught: Taught) -> None:
    """And forgotten with any item that it was made from."""

    def answer(ask: Ask) -> dict[str, Any]:
        return outline((ask.text.split(") ", 1)[1].splitlines()[0], "k1"))

    memory = taught(script={Purpose.PROFILE: answer})
    tea = memory.remember("Ana likes tea from the mountains").item
    memory.remember("Ben likes coffee from the valley", BEN)
    assert (lines(memory), lines(memory, BEN)) == (
        ("Ana likes tea from the mountains",),
        ("Ben likes coffee from the valley",),
    )

    receipt = memory.forget(tea.id)

    assert (receipt.erased["digests"], receipt.residue) == (1, 0)
    assert (memory.reflections.digests(), memory.reflections.profile()) == ([], None)
    assert lines(memory, BEN) == ("Ben likes coffee from the valley",)
    assert memory.admin.verify().problems == ()


@pytest.mark.covers("AD-23")
def test_a_model_tells_in_any_language_who_the_user_is(taught: Taught) -> None:
    """What it says is that stands first, as the user said it; of what somebody else said, and of
    several facts, it does not.
    """
    answer = {
        "lines": [
            {"text": "Likes tea and rowing", "from": ["k2", "k3"], "who": True},
            {"text": "Vinnur sem læknir", "from": ["k4"], "who": True},
            {"text": "Ana Costa", "from": ["k1"], "who": True},
        ]
    }
    memory = taught(script={Purpose.PROFILE: lambda ask: by_text(ask, answer)})
    memory.remember("Notandinn gegnir Ana Costa", details=SAID)
    memory.remember("Likes tea", details=SAID)
    memory.remember("Likes rowing", details=SAID)
    memory.remember("Vinnur sem læknir á Landspítala", details=Details(source=Source.INFERRED))

    assert lines(memory) == (
        "Notandinn gegnir Ana Costa",
        "Likes tea and rowing",
        "Vinnur sem læknir",
    )


def by_text(ask: Ask, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer with its marks, which are of the facts in the order they were remembered, as they
    stand in the question.
    """
    order = ("gegnir", "tea", "rowing", "læknir")
    shown = {
        word: line.split(" ", 1)[0]
        for line in ask.text.splitlines()
        for word in order
        if word in line
    }
    return {
        "lines": [
            one | {"from": [shown[order[int(mark[1:]) - 1]] for mark in one["from"]]}
            for one in answer["lines"]
        ]
    }


@pytest.mark.covers("AD-23", "AD-25")
def test_what_is_due_soon_gets_no_better_place(taught: Taught) -> None:
    """A profile is made when a session starts, by importance; what is to be done is told by due, at
    any turn.
    """
    memory = profiling(taught, profile=False, profile_limit=1)
    memory.items.pin(memory.remember("Ana likes tea").id)
    memory.remember("Ana renews her passport", due_at=memory.clock.now() + timedelta(days=1))

    assert lines(memory) == ("Ana likes tea",)
    assert [item.text for item in memory.due(within=timedelta(days=2))] == [
        "Ana renews her passport"
    ]


WISHES = "Ana wants answers short, in metric units, without emojis, and recipes without dill"


def preferring(memory: Memory) -> None:
    """A fact and how the user wants to be treated."""
    memory.remember("Ana plays the harp", details=SAID)
    memory.remember(WISHES, category="preference", details=SAID)


@pytest.mark.parametrize("line", ["Ana likes short answers", "Ana wants answers short"])
def test_how_the_user_wants_to_be_treated_is_put_back_in_their_words(
    line: str, taught: Taught
) -> None:
    """Whether a model leaves it out or keeps a part of it; it comes first."""
    memory = profiling(taught, outline(("Ana plays the harp", "k2"), (line, "k1 k2")))
    preferring(memory)

    assert lines(memory)[0] == WISHES
    assert "Ana plays the harp" in lines(memory)


def test_whatever_a_model_drops_is_put_back_where_there_is_room(taught: Taught) -> None:
    """Also what is only of interest; what it says in other words it has not dropped."""
    memory = profiling(taught, outline(("Ana is a harpist, she plays the harp", "k1")))
    memory.remember("Ana plays the harp", details=SAID)
    memory.remember("Ana has two cats", details=SAID)

    assert set(lines(memory)) == {"Ana is a harpist, she plays the harp", "Ana has two cats"}


def test_an_unconfirmed_item_is_told_last_and_labelled(taught: Taught) -> None:
    """With a model, which is not shown it, and without one."""
    memory = profiling(taught, outline(("Ana plays the harp", "k1")))
    memory.remember("Ana plays the harp", details=SAID)
    id = unsure(memory, "Ana lives in Milan")

    profile = memory.reflections.profile()

    assert profile is not None
    assert profile.lines == ("Ana plays the harp", "Ana lives in Milan (unconfirmed)")
    assert id in profile.items
    assert "Milan" not in taught.asked[0].text


@pytest.mark.covers("AD-1")
def test_the_profile_is_read_from_the_two_stores_and_is_none_itself(
    memory: Memory, clock: FixedClock
) -> None:
    """The running conversation is the log, and what lasts are items; the profile in a prompt is made
    of these and goes with them: erased with the items, and not brought back by the conversation.
    What is due stands beside it at a session's start, and is an item, too.
    """
    talk = memory.at(session="talk")
    talk.ingest([{"role": "user", "content": "Could you book the ferry?"}])
    kept = [memory.remember(text, details=SAID).item for text in (NAME, "Ana likes green tea")]

    assert [turn.text for turn in talk.sessions.window("talk")] == ["Could you book the ferry?"]
    profile = memory.reflections.profile()
    assert profile is not None
    assert set(profile.items) == {item.id for item in kept}
    assert "ferry" not in " ".join(profile.lines)
    in_prompt = talk.context("", strategy="profile").text
    assert NAME in in_prompt
    board = talk.remember(
        "Ana renews her passport", details=SAID, due_at=clock.now() + timedelta(days=1)
    ).item
    at_start = talk.context("", strategy="gaia").text
    assert NAME in at_start
    assert board.text in at_start
    for item in (*kept, board):
        memory.forget(item.id)
    clock.move(minutes=10)
    assert talk.context("", strategy="profile").text == ""
    assert board.text not in talk.context("", strategy="gaia").text
    assert memory.sessions.window("talk")
