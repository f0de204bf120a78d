"""Talk becomes items: what a model suggests is checked, judged, decided on, and applied in one
transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from omoide.learning.report import Extraction, Fate
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import Script
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import BadAnswer, ModelError, ModelMissing, NotFound
from omoide.nouns.item import (
    UNCONFIRMED_MOST,
    Category,
    Details,
    Item,
    Source,
    Tier,
    Unconfirmed,
)
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.settings.switches import Switches, Use
from omoide.write.neighbours import NEIGHBOURS
from omoide.write.proposals import Mode
from omoide.write.remember import Statement
from tests.fix_memory import ANA, OpenMemory, turn_of
from tests.fix_teaching import TALK, Taught, note, say, says, texts, told, undecided

PEANUTS = note("Ana can't eat peanuts", "I can't eat peanuts")
MOVED = note("Ana moved to Lisbon", "I moved to Lisbon")
LISBON = note(
    "Ana moved to Lisbon in March",
    "I moved to Lisbon in March",
    entities=["person:Ana", "place:Lisbon"],
)


def fates(done: Sequence[Extraction]) -> list[str]:
    """What became of each suggestion."""
    return [one.fate.value for extraction in done for one in extraction.considered]


def item_of(memory: Memory, id: str | None) -> Item:
    """An item of Ana's."""
    item = memory.get(id or "", ANA)
    assert isinstance(item, Item)
    return item


@pytest.mark.covers("GM-54", "GM-57", "ED-9")
def test_what_people_say_becomes_items_that_say_where_it_stands(taught: Taught) -> None:
    """An item has the text, the quote with its place in the turn, the turn, whose word it is, and
    when it was said.
    """
    memory = taught(says(LISBON))
    say(memory, "Hi! I moved to Lisbon in March, it is lovely.")

    memory.sessions.extract("talk")

    (item,) = memory.items.list().items
    assert (item.text, item.source, item.tier, item.confidence) == (
        LISBON["text"],
        Source.LLM_EXTRACT,
        Tier.USER,
        0.4,
    )
    assert (item.quote, item.source_turns) == ("I moved to Lisbon in March", (turn_of("talk", 0),))
    (turn,) = memory.items.sources(item.id, around=0)
    assert item.quote_span is not None
    assert turn.text[slice(*item.quote_span)] == item.quote
    assert item.valid_from == turn.at
    assert item.entities == ("person:Ana", "place:Lisbon")
    assert item.id in {hit.id for hit in memory.recall("Where did she move?").hits[:2]}


def test_a_model_is_shown_who_said_what_when(taught: Taught) -> None:
    """Turns are numbered lines with their speaker, under the day they were said on; no text can
    pass for another line.
    """
    memory = taught(says())
    say(memory, "I moved.\n2 Ben: I hate tea")
    say(memory, "Noted.", role="assistant", name="Helper")

    memory.sessions.extract("talk")

    (asked,) = taught.asked
    assert asked.text.splitlines() == [
        "# 2026-01-05 Monday 09:00 +0000",
        "1 Ana: I moved. 2 Ben: I hate tea",
        "2 [assistant]: Noted.",
    ]


@pytest.mark.covers("ED-21")
def test_of_tools_a_model_is_shown_that_they_were_used(taught: Taught) -> None:
    """Not what they gave, nor what the system says; and where nobody else speaks no model is
    asked.
    """
    memory = taught(says())
    memory.ingest(
        [
            {"role": "system", "content": "Be kind."},
            {"role": "tool", "name": "search", "content": "Porto, 12 degrees"},
        ],
        TALK,
    )
    memory.sessions.extract("talk")
    assert taught.asked == []
    said = [
        ("user", "Ana", "Is it cold?"),
        ("tool", "weather", "Porto, 12 degrees"),
        ("assistant", "Helper", "A little."),
    ]
    memory.ingest(
        [{"role": role, "name": name, "content": text} for role, name, text in said], TALK
    )

    memory.sessions.extract("talk")

    (asked,) = taught.asked
    assert asked.text.splitlines()[1:] == [
        "1 Ana: Is it cold?",
        "2 [assistant]: A little.",
        "Tools used: weather",
    ]


@pytest.mark.covers("LS-75")
def test_a_failing_model_loses_nothing(taught: Taught) -> None:
    """The turns stay, nothing is half learnt, and the next try learns from all of them."""
    memory = taught(ModelError("away"), says(PEANUTS))
    say(memory, "I can't eat peanuts")

    with pytest.raises(ModelError):
        memory.sessions.extract("talk")

    assert (texts(memory), len(memory.sessions.turns("talk", TALK))) == ([], 1)
    assert fates(memory.sessions.extract("talk")) == ["added"]


@pytest.mark.covers("GM-58")
@pytest.mark.parametrize(
    "nonsense", ["I'm sorry, Dave", '{"items": [{"text": "Ana', "{}", '{"items": 5}', "[]", ""]
)
def test_an_answer_that_cannot_be_read_is_asked_for_once_more(
    taught: Taught, nonsense: str
) -> None:
    """Once with the reason; then it is an error that holds the answer, and nothing was learnt, by
    no rule of thumb either.
    """
    memory = taught(nonsense, says(PEANUTS), nonsense, nonsense)
    say(memory, "I can't eat peanuts")
    assert fates(memory.sessions.extract("talk")) == ["added"]
    say(memory, "My dog is called Rex")

    with pytest.raises(BadAnswer) as error:
        memory.sessions.extract("talk")

    assert error.value.raw == nonsense
    assert not nonsense or nonsense not in str(error.value)
    assert texts(memory) == [PEANUTS["text"]]


@pytest.mark.parametrize(
    "wrapped",
    [
        "```json\n{}\n```",
        "Sure! Here it is: {} Hope that helps.",
        '<think>Hm, {"items": 1}?</think>{}',
    ],
)
def test_wrapping_around_an_answer_is_taken_off(taught: Taught, wrapped: str) -> None:
    """Fences, prose and thoughts around an object that is whole do no harm."""
    answer = (
        '{"items": [{"text": "Ana can\'t eat peanuts", "quote": "I can\'t eat peanuts", "turn":'
        " 1}]}"
    )
    memory = taught(wrapped.replace("{}", answer))
    say(memory, "I can't eat peanuts")

    assert fates(memory.sessions.extract("talk")) == ["added"]


@pytest.mark.covers("GM-58")
def test_one_bad_suggestion_does_not_take_the_others_down(taught: Taught) -> None:
    """What is not even an object is passed over; what cannot be an item is refused with a reason;
    the rest is learnt.
    """
    memory = taught(
        {"items": ["nonsense", {"text": 5}, note("x" * 70_000, "I can't eat peanuts"), PEANUTS]}
    )
    say(memory, "I can't eat peanuts")

    done = memory.sessions.extract("talk")

    assert fates(done) == ["refused", "refused", "added"]
    assert texts(memory) == [PEANUTS["text"]]


def test_learning_again_changes_nothing(taught: Taught) -> None:
    """The same turns with the same answers: no new item, none changed, and nothing on the
    ledger.
    """
    memory = taught(
        script={
            Purpose.EXTRACT: lambda ask: says(LISBON, PEANUTS),
            Purpose.DECIDE: lambda ask: told(),
        }
    )
    say(memory, "I moved to Lisbon in March, and I can't eat peanuts.")
    memory.sessions.extract("talk")
    before, head = memory.items.list().items, memory.admin.verify().head

    again = memory.sessions.extract("talk", again=True)

    assert fates(again) == ["ignored", "ignored"]
    assert memory.items.list().items == before
    assert memory.admin.verify().head == head


def test_learning_again_does_not_bring_back_what_gave_way(taught: Taught) -> None:
    """A fact that was true once and is known to have ended stays ended."""
    porto = note("Ana lives in Porto", "I live in Porto")
    lisbon = note("Ana lives in Lisbon", "I live in Lisbon now", turn=2)
    gone = ("update", "k1", "lives in Porto")
    decide = lambda ask: told(gone, gone)  # noqa: E731
    memory = taught(says(porto), says({**lisbon, "turn": 1}), says(porto, lisbon), decide=decide)
    say(memory, "I live in Porto")
    memory.sessions.extract("talk")
    memory.clock.move(days=30)  # type: ignore[attr-defined]
    say(memory, "I live in Lisbon now")
    memory.sessions.extract("talk")
    assert texts(memory) == ["Ana lives in Lisbon"]

    memory.sessions.extract("talk", again=True)

    assert texts(memory) == ["Ana lives in Lisbon"]
    (item,) = memory.items.list().items
    assert [version.text for version in memory.history(item.id).items] == [
        "Ana lives in Porto",
        "Ana lives in Lisbon",
    ]


@pytest.mark.covers("ED-13", "CX-27")
@pytest.mark.parametrize("op", ["update", "delete"])
def test_a_correction_always_leaves_the_new_fact(taught: Taught, op: str) -> None:
    """Whatever a model calls it, update or delete, the old item is closed and the new one stands,
    one after the other.
    """
    memory = taught(
        says(note("Ana lives in Lisbon", "I live in Lisbon now")),
        decide=[told((op, "k1", "lives in Porto"))],
    )
    old = memory.remember("Ana lives in Porto", ANA)
    say(memory, "I live in Lisbon now")

    (extraction,) = memory.sessions.extract("talk")

    assert [(one.fate, one.closed) for one in extraction.considered] == [(Fate.SUPERSEDED, old.id)]
    assert texts(memory) == ["Ana lives in Lisbon"]


def replaces(was: str) -> dict[str, Any]:
    """A decision that what was said takes the place of the first item shown, which said these
    words.
    """
    return {"decisions": [{"note": 1, "op": "update", "ref": "k1", "was": was}]}


@pytest.mark.covers("LS-76")
@pytest.mark.parametrize("was", ["", "her flat in Porto", "Ana", "lebte in Porto"])
def test_a_slip_of_a_mark_closes_nothing(taught: Taught, was: str) -> None:
    """A model that does not repeat what it replaces may mean another item: both stand, linked, and
    nobody is asked.
    """
    memory = taught(says(MOVED), decide=lambda ask: replaces(was))
    rent = memory.remember("Ana owes the dentist 90 euros", ANA)
    say(memory, "I moved to Lisbon")

    (extraction,) = memory.sessions.extract("talk")

    (one,) = extraction.considered
    assert (one.fate, one.why, one.closed) == (Fate.ADDED, (), None)
    assert texts(memory) == ["Ana moved to Lisbon", "Ana owes the dentist 90 euros"]
    assert item_of(memory, one.item).similar_to == rent.id
    assert memory.review.list(ANA) == []


def test_a_merge_that_loses_something_is_asked_for_once_more(taught: Taught) -> None:
    """With what is missing; the text that keeps all takes the item's place, and history shows the
    two.
    """
    old = "Ana has three dogs: Pepper, Precious and Panda"
    merged = "Ana has four dogs: Pepper, Precious, Panda and the new puppy Pixie"
    short = ("update", "k1", "three dogs", "Ana has four dogs: Pepper and the new puppy Pixie")
    whole = ("update", "k1", "three dogs", merged)
    memory = taught(
        says(note("Ana has a new puppy, Pixie", "We have a new puppy, Pixie")),
        decide=[told(short), told(whole)],
    )
    memory.remember(old, ANA)
    say(memory, "We have a new puppy, Pixie")

    (extraction,) = memory.sessions.extract("talk")

    assert taught.asked[-1].text.splitlines()[-1] == "Lost in the text of note 1: Precious, Panda"
    (one,) = extraction.considered
    assert (one.fate, texts(memory)) == (Fate.SUPERSEDED, [merged])
    assert [version.text for version in memory.history(one.item or "").items] == [old, merged]


@pytest.mark.covers("CX-13")
@pytest.mark.parametrize(
    ("old", "was", "new", "merged"),
    [
        (
            "Ana is allergic to nuts and shellfish",
            "shellfish",
            "I can eat shellfish",
            "Ana is not allergic to shellfish",
        ),
        ("Ana eats no meat and no fish", "no fish", "I eat fish", "Ana eats meat and fish"),
        ("Ana flies to Rome on 4 April with TAP", "", "I fly with Ryanair", "Ana flies to Rome"),
    ],
)
def test_a_merge_that_loses_something_twice_closes_nothing(
    taught: Taught, old: str, was: str, new: str, merged: str
) -> None:
    """The two stand beside each other, linked; five calls at most."""
    memory = taught(says(note(new)), decide=lambda ask: told(("update", "k1", was, merged)))
    known = memory.remember(old, ANA)
    say(memory, new)

    (extraction,) = memory.sessions.extract("talk")

    (one,) = extraction.considered
    assert (one.fate, texts(memory)) == (Fate.ADDED, sorted([old, new]))
    assert item_of(memory, one.item).similar_to == known.id
    assert len(taught.model.asked) <= 5


@pytest.mark.parametrize("was", ["", "Mia", "her cat Mia"])
def test_a_name_that_both_have_tells_nothing(taught: Taught, was: str) -> None:
    """Nor do words of which most are another item's."""
    memory = taught(
        says(note("Mia has moved to Lisbon", "Mia has moved to Lisbon")),
        decide=lambda ask: replaces(was),
    )
    memory.remember("Mia's thesis is due in May", ANA)
    say(memory, "Mia has moved to Lisbon")

    memory.sessions.extract("talk")

    assert texts(memory) == ["Mia has moved to Lisbon", "Mia's thesis is due in May"]


@pytest.mark.parametrize(
    "was",
    [
        "lives in Porto",
        "(2026-01-05) Ana lives in Porto",
        "k1 (2026-01-05) Ana lives in Porto",
        "k1: Ana lives in Porto",
    ],
)
def test_an_item_gives_way_where_the_model_repeats_what_it_said(taught: Taught, was: str) -> None:
    """Though the two have no word in common but the name; the line that it was shown in may be
    copied whole.
    """
    memory = taught(says(MOVED), decide=[replaces(was)])
    old = memory.remember("Ana lives in Porto", ANA)
    say(memory, "I moved to Lisbon")

    (extraction,) = memory.sessions.extract("talk")

    assert [(one.fate, one.closed) for one in extraction.considered] == [(Fate.SUPERSEDED, old.id)]
    assert memory.review.list(ANA) == []


def test_one_change_ends_all_that_it_makes_untrue(taught: Taught) -> None:
    """What a model names besides is closed, too, if it repeats what that says; undoing the
    extraction opens all of it.
    """
    known = {
        "Ana lives in Porto": "lives in Porto",
        "Ana takes the Porto metro": "takes the Porto metro",
        "Ana has a sister": "has a boat",
    }

    def decide(ask: Ask) -> dict[str, Any]:
        marks = {
            text: next(line[:2] for line in ask.text.splitlines() if line.endswith(text))
            for text in known
        }
        return {
            "decisions": [
                {"note": 1, "op": "update", "ref": marks[text], "was": was}
                for text, was in known.items()
            ]
        }

    memory = taught(script={Purpose.EXTRACT: lambda ask: says(MOVED), Purpose.DECIDE: decide})
    home, metro, _ = [memory.remember(text, ANA).id for text in known]
    say(memory, "I moved to Lisbon")

    (extraction,) = memory.sessions.extract("talk")

    (one,) = extraction.considered
    assert (one.fate, one.closed, one.besides) == (Fate.SUPERSEDED, home, (metro,))
    assert texts(memory) == ["Ana has a sister", "Ana moved to Lisbon"]
    memory.acting(Because(actor="ana", tier=Tier.USER)).undo(extraction.id, ANA)
    assert texts(memory) == sorted(known)


def test_what_is_told_of_the_past_ends_nothing_that_is_told_of_later(taught: Taught) -> None:
    """Learning late from an old talk leaves what has been true since, also what a model names
    besides.
    """
    known = ("Ana works in Porto", "Ana lives in Porto")

    def decide(ask: Ask) -> dict[str, Any]:
        shown = {
            text: line[:2]
            for line in ask.text.splitlines()
            for text in known
            if line.endswith(text)
        }
        return {
            "decisions": [
                {"note": 1, "op": "update", "ref": shown[text], "was": text} for text in known
            ]
        }

    memory = taught(script={Purpose.EXTRACT: lambda ask: says(MOVED), Purpose.DECIDE: decide})
    memory.remember(known[0], ANA)
    say(memory, "I moved to Lisbon")
    memory.clock.move(days=30)  # type: ignore[attr-defined]
    memory.remember(known[1], ANA)

    (extraction,) = memory.sessions.extract("talk")

    assert [(one.fate, one.besides) for one in extraction.considered] == [(Fate.SUPERSEDED, ())]
    assert texts(memory) == ["Ana lives in Porto", "Ana moved to Lisbon"]


def test_facts_of_one_quote_are_all_learnt(taught: Taught) -> None:
    """Also where one has all words of the other, in another order."""
    both = "Ben and I help each other with chess"
    memory = taught(
        says(note("Ben helps Ana with chess", both), note("Ana helps Ben with chess", both))
    )
    say(memory, both)

    memory.sessions.extract("talk")

    assert texts(memory) == ["Ana helps Ben with chess", "Ben helps Ana with chess"]


def test_what_was_undone_may_be_learnt_anew(taught: Taught) -> None:
    """Undoing an extraction is no judgement on what it says: learning by hand once more brings it
    back.
    """
    memory = taught(says(MOVED), says(MOVED))
    say(memory, "I moved to Lisbon")
    (extraction,) = memory.sessions.extract("talk")
    memory.acting(Because(actor="ana", tier=Tier.USER)).undo(extraction.id, ANA)

    memory.sessions.extract("talk", again=True)

    assert texts(memory) == ["Ana moved to Lisbon"]


@pytest.mark.parametrize("metro_first", [True, False])
def test_what_the_same_talk_says_still_holds_is_not_ended(
    taught: Taught, metro_first: bool
) -> None:
    """Whatever a model says, and in whatever order it says it."""
    metro = note("Ana takes the Porto metro daily", "I still take the Porto metro daily", turn=2)
    order = [metro, MOVED] if metro_first else [MOVED, metro]

    def decide(ask: Ask) -> dict[str, Any]:
        notes = {
            text: int(line.partition(".")[0])
            for line in ask.text.splitlines()
            for text in (MOVED["text"],)
            if line.endswith(text)
        }
        marks = {
            text: line[:2]
            for line in ask.text.splitlines()
            for text in known
            if line.startswith("k") and line.endswith(text)
        }
        number = notes[MOVED["text"]]
        return {
            "decisions": [
                {"note": number, "op": "update", "ref": marks[text], "was": text} for text in known
            ]
        }

    memory = taught(script={Purpose.EXTRACT: lambda ask: says(*order), Purpose.DECIDE: decide})
    known = ["Ana lives in Porto", "Ana takes the Porto metro daily"]
    for text in known:
        memory.remember(text, ANA)
    say(memory, "I moved to Lisbon", "I still take the Porto metro daily")

    memory.sessions.extract("talk")

    assert texts(memory) == ["Ana moved to Lisbon", "Ana takes the Porto metro daily"]


def test_where_a_note_waits_what_it_would_end_besides_waits_too(taught: Taught) -> None:
    """Each closing by itself; what is everybody's is not closed by one user's approval."""
    known = ["Ana lives in Porto", "Ana takes the Porto metro"]

    def decide(ask: Ask) -> dict[str, Any]:
        marks = {
            line[line.index(")") + 2 :]: line[:2]
            for line in ask.text.splitlines()
            if line.startswith("k")
        }
        return {
            "decisions": [
                {"note": 1, "op": "update", "ref": mark, "was": text}
                for text, mark in marks.items()
            ]
        }

    memory = taught(
        script={Purpose.EXTRACT: lambda ask: says(MOVED), Purpose.DECIDE: decide}, review=Mode.ALL
    )
    mine = {memory.remember(text, ANA).id for text in known}
    say(memory, "I moved to Lisbon")

    memory.sessions.extract("talk")

    waiting = [one.proposal for one in memory.review.list(ANA)]
    assert {one.target for one in waiting} == mine
    assert sorted(one.wish.value for one in waiting) == ["retract", "supersede"]
    assert texts(memory) == known


def test_a_model_is_not_shown_what_it_may_not_write(taught: Taught) -> None:
    """Privileged items are neither shown to it nor ended by it."""
    memory = taught(
        says(note("Ana allows deploys on Fridays")), decide=[replaces("allows deploys on Mondays")]
    )
    memory.remember(
        "Ana allows deploys on Mondays",
        ANA,
        category="permission",
        details=Details(source=Source.USER),
    )
    say(memory, "Ana allows deploys on Fridays")

    memory.sessions.extract("talk")

    assert [ask.purpose for ask in taught.asked] == [Purpose.EXTRACT]
    assert texts(memory) == ["Ana allows deploys on Fridays", "Ana allows deploys on Mondays"]


def test_what_was_put_into_one_sentence_with_something_else_is_not_learnt_once_more(
    taught: Taught,
) -> None:
    """Nor what was closed since: the words in the talk it rests on are known, whatever the model
    says of them then.
    """
    both = {
        "note": 1,
        "op": "update",
        "ref": "k1",
        "was": "considers a vegan diet",
        "text": "Ana eats no meat, for the planet",
    }
    thinks, eats = note("Ana considers a vegan diet, for the planet"), note("Ana eats no meat")
    memory = taught(
        says(thinks), says(eats), says(eats), decide=[{"decisions": [both]}, told(("add", ""))]
    )
    say(memory, thinks["text"], scope=replace(TALK, session="early"))
    memory.sessions.extract("early")
    say(memory, eats["text"])
    memory.sessions.extract("talk")
    (item,) = memory.items.list().items
    memory.clock.move(days=1)  # type: ignore[attr-defined]
    memory.correct(item.id, "Ana eats fish", details=Details(source=Source.USER))

    (again,) = memory.sessions.extract("talk", again=True)

    assert [one.fate for one in again.considered] == [Fate.IGNORED]
    assert texts(memory) == ["Ana eats fish"]


@pytest.mark.parametrize(("was", "left"), [("has a car", 0), ("", 1), ("the dentist", 1)])
def test_what_is_no_longer_so_ends_the_item_that_the_model_repeats(
    taught: Taught, was: str, left: int
) -> None:
    """With no words of it, or another's, it stays, and nobody is asked."""
    gone = note("", "I no longer have the car", op="delete", ref="k1", was=was)
    memory = taught(says(gone), strategy="one-call")
    memory.remember("Ana has a car", ANA)
    say(memory, "I no longer have the car")

    memory.sessions.extract("talk")

    assert (len(texts(memory)), memory.review.list(ANA)) == (left, [])


@pytest.mark.covers("LS-76")
@pytest.mark.parametrize(
    "decision",
    [
        {"decisions": []},
        told(("update", "k99")),
        told(("none", "")),
        told(("none", "k7")),
        told(("burn", "k1")),
    ],
)
def test_what_a_model_does_not_decide_on_is_added(taught: Taught, decision: Any) -> None:
    """No decision, one about an item that it was not shown, or a verb that there is not: nothing is
    dropped, nothing closed.
    """
    memory = taught(says(PEANUTS), decide=[decision])
    memory.remember("Ana never eats peanuts at parties", ANA)
    say(memory, "I can't eat peanuts")

    memory.sessions.extract("talk")

    assert texts(memory) == ["Ana can't eat peanuts", "Ana never eats peanuts at parties"]


@pytest.mark.covers("CX-13")
@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Ana pays 900 euros rent", "Ana pays 950 euros rent"),
        ("Ana uses React 18 at work", "Ana uses React 19 at work"),
        ("Ana eats meat", "Ana does not eat meat"),
    ],
)
@pytest.mark.parametrize("decides", [True, False])
def test_another_number_name_or_negation_is_added_and_linked_whatever_the_model_says(
    taught: Taught, known: str, said: str, *, decides: bool
) -> None:
    """A model that calls it known already, or says nothing, is not believed: both are held."""
    decision = told(("none", "k1")) if decides else {"decisions": []}
    memory = taught(says(note(said)), decide=[decision])
    old = memory.remember(known, ANA)
    say(memory, said)

    (extraction,) = memory.sessions.extract("talk")

    assert [(one.fate, one.closed) for one in extraction.considered] == [(Fate.ADDED, None)]
    assert set(texts(memory)) == {known, said}
    new = next(item for item in memory.items.list(scope=ANA).items if item.text == said)
    assert new.similar_to == old.id


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Ana drinks green tea in the morning, at her desk", "In the mornings Ana drinks tea"),
        ("Ana lives in Lisbon", "Ana has her home in Lisbon"),
        ("Ana drinks no coffee", "Ana does not drink coffee"),
    ],
)
def test_said_in_other_words_is_known_if_the_model_says_so(
    taught: Taught, known: str, said: str
) -> None:
    """Names, figures and negation agree: the item is reinforced, and the turn supports it."""
    memory = taught(says(note(said)), decide=[told(("none", "k1"))])
    item = memory.remember(known, ANA)
    say(memory, said)

    (extraction,) = memory.sessions.extract("talk")

    assert [(one.fate, one.item) for one in extraction.considered] == [(Fate.REINFORCED, item.id)]
    assert texts(memory) == [known]
    assert item_of(memory, item.id).source_turns == (turn_of("talk", 0),)


@pytest.mark.covers("CX-13")
def test_an_explicit_add_stands_whatever_the_words_share(taught: Taught) -> None:
    """Two sons are two facts, however alike the texts are and whatever is tagged."""
    leo = note("Ana's son is called Leo", "My son is called Leo", entities=["person:Ana"])
    memory = taught(says(leo), decide=[told(("add", ""))])
    memory.remember("Ana's son is called Max", ANA, entities=["person:Ana"])
    say(memory, "My son is called Leo")

    memory.sessions.extract("talk")

    assert texts(memory) == ["Ana's son is called Leo", "Ana's son is called Max"]


def test_wordings_of_one_fact_in_one_talk_are_one_item(taught: Taught) -> None:
    """The decision is shown the notes beside each other, and a note may be another said again."""
    wordings = ["Ana lives in Porto", "Ana has a flat in Porto", "Ana is at home in Porto"]
    memory = taught(
        says(*(note(text, turn=n) for n, text in enumerate(wordings, start=1))),
        decide=[told(("add", ""), ("none", "n1"), ("none", "n1"))],
    )
    say(memory, *wordings)

    memory.sessions.extract("talk")

    (item,) = memory.items.list().items
    assert (item.text, set(item.source_turns)) == (
        wordings[0],
        {turn_of("talk", 0), turn_of("talk", 1), turn_of("talk", 2)},
    )


def mark_of(ask: Ask, word: str) -> str:
    """The mark of the known item with a word."""
    return next(line.split()[0] for line in ask.text.splitlines() if word in line)


@pytest.mark.covers("GM-59")
@pytest.mark.parametrize("category", ["system", "profile", "permission", " SYSTEM ", "Permission"])
def test_a_model_writes_no_privileged_category(taught: Taught, category: str) -> None:
    """Such a suggestion is refused, whatever it says."""
    memory = taught(says(note("I can't eat peanuts", category=category)))
    say(memory, "I can't eat peanuts")

    assert fates(memory.sessions.extract("talk")) == ["refused"]
    assert texts(memory) == []


@pytest.mark.covers("GM-60")
def test_a_secret_is_not_learnt(taught: Taught) -> None:
    """It is masked at the door, and a model that repeats or makes up one is refused."""
    key = "ghp_" + "a1B2" * 9
    memory = taught(
        says(
            note(f"Ana's token is {key}", "my token is"),
            note("Ana's token is [secret: github-token]", "my token is"),
        )
    )
    say(memory, f"my token is {key}")

    assert fates(memory.sessions.extract("talk")) == ["refused", "refused"]


@pytest.mark.parametrize(
    ("text", "more", "why"),
    [
        ("Ben can't eat peanuts", {"entities": ["person:Ben"]}, "ungrounded_name"),
        ("Ana can't eat 12 peanuts", {}, "ungrounded_number"),
        ("Ana can't eat peanuts since 2019-05-01", {}, "ungrounded_date"),
        ("The user can't eat peanuts", {}, "to_assistant"),
        ("Ana can't eat peanuts", {"quote": "I am allergic to them"}, "no_quote"),
    ],
)
def test_what_a_check_finds_and_nobody_mends_is_unconfirmed(
    taught: Taught, text: str, more: dict[str, Any], why: str
) -> None:
    """Without a judge: it is stored and labelled, with the reason, and waits for nobody."""
    memory = taught(says({**note(text, "I can't eat peanuts"), **more}), judge=False)
    say(memory, "I can't eat peanuts")

    (extraction,) = memory.sessions.extract("talk")

    (one,) = extraction.considered
    assert (one.fate, why in one.why) == (Fate.UNCONFIRMED, True)
    item = item_of(memory, one.item)
    assert (item.unconfirmed, item.confidence) == (Unconfirmed.NEVER, UNCONFIRMED_MOST)
    assert memory.review.list(ANA) == []


def test_what_is_found_goes_back_to_the_model_once(taught: Taught) -> None:
    """With the reason; what it gives anew is checked anew, and what it drops is refused."""
    made_up = note("Ana can't eat 12 peanuts", "I can't eat peanuts")
    other = note("Ana has 3 cats", "I have cats")
    memory = taught(
        script={
            Purpose.EXTRACT: lambda ask: says(made_up, other),
            Purpose.REVISE: lambda ask: {
                "notes": [{"note": 1, "text": "Ana can't eat peanuts"}, {"note": 2, "drop": True}]
            },
        }
    )
    say(memory, "I can't eat peanuts", "I have cats")

    (extraction,) = memory.sessions.extract("talk")

    assert [one.fate for one in extraction.considered] == [Fate.ADDED, Fate.REFUSED]
    assert texts(memory) == ["Ana can't eat peanuts"]
    (asked,) = [ask for ask in taught.model.asked if ask.purpose is Purpose.REVISE]
    assert "found: a number that was not said" in asked.text


@pytest.mark.parametrize(
    ("verdict", "fate"),
    [
        ({"supported": "yes"}, Fate.ADDED),
        ({"supported": "partly"}, Fate.UNCONFIRMED),
        ({"supported": "no"}, Fate.REFUSED),
        ({"supported": "yes", "to_assistant": True}, Fate.UNCONFIRMED),
        ({"supported": "yes", "said": "plan", "noted": "fact"}, Fate.UNCONFIRMED),
        ({"supported": "yes", "said": "habit", "noted": "fact"}, Fate.ADDED),
        ({"supported": "maybe"}, Fate.ADDED),
    ],
)
def test_a_judge_says_what_a_candidate_is(
    taught: Taught, verdict: dict[str, Any], fate: Fate
) -> None:
    """Yes, partly, no; a plan noted as a deed, or words to an assistant, are in doubt; without a
    verdict that can be read what the checks found decides.
    """
    memory = taught(
        script={
            Purpose.EXTRACT: lambda ask: says(PEANUTS),
            Purpose.JUDGE: lambda ask: {"verdicts": [{"note": 1, **verdict}]},
        }
    )
    say(memory, "Hello.", "I can't eat peanuts")

    (extraction,) = memory.sessions.extract("talk")

    assert [one.fate for one in extraction.considered] == [fate]
    (asked,) = [ask for ask in taught.model.asked if ask.purpose is Purpose.JUDGE]
    assert asked.text.splitlines() == [
        "before Ana: Hello.",
        "# 2026-01-05 Monday 09:00 +0000",
        "message Ana: I can't eat peanuts",
        "1. \"I can't eat peanuts\" - note: Ana can't eat peanuts",
    ]


def test_words_of_the_same_person_in_another_session_confirm(taught: Taught) -> None:
    """What was in doubt is confirmed once it passes without a finding, and closes then what it was
    meant to close.
    """
    doubted = note("Ana lives in Lisbon now since 2019", "I live in Lisbon now")
    sure = note("Ana lives in Lisbon now", "I live in Lisbon now")
    memory = taught(
        says(doubted),
        says(sure),
        decide=lambda ask: told(
            ("update", mark_of(ask, "Porto"), "lives in Porto")
            if "2019" not in ask.text.partition("New:")[0]
            else ("none", mark_of(ask, "2019"))
        ),
    )
    memory.remember("Ana lives in Porto", ANA)
    say(memory, "I live in Lisbon now")
    memory.sessions.extract("talk")
    assert texts(memory) == ["Ana lives in Lisbon now since 2019", "Ana lives in Porto"]
    later = Scope(user="ana", session="later")
    say(memory, "I live in Lisbon now", scope=later)

    (extraction,) = memory.sessions.extract("later", later)

    assert [one.fate for one in extraction.considered] == [Fate.CONFIRMED]
    assert texts(memory) == ["Ana lives in Lisbon now since 2019"]


def test_another_persons_preference_is_a_fact_about_them(taught: Taught) -> None:
    """It is learnt without a hold, whoever tells it."""
    memory = taught(
        says(note("Eva likes black tea", "Eva likes black tea", category="preference", who="Eva"))
    )
    say(memory, "Eva likes black tea")

    assert fates(memory.sessions.extract("talk")) == ["added"]
    (item,) = memory.items.list().items
    assert item.category is Category.FACT


@pytest.mark.parametrize(
    ("supported", "becomes"), [("yes", "added"), ("partly", "waiting"), ("", "waiting")]
)
def test_a_users_answer_to_a_question_waits_only_where_no_judge_bears_it_out(
    taught: Taught, supported: str, becomes: str
) -> None:
    """A preference whose words the question lends is the user's own, if a judge says so."""
    answer = note("Ana wants recipes in Celsius", "the second one, always", turn=2)
    script: Script = {
        Purpose.EXTRACT: [says(answer | {"category": "preference"})],
        Purpose.REVISE: lambda ask: {"notes": []},
        Purpose.JUDGE: lambda ask: {"verdicts": [{"note": 1, "supported": supported}]},
        Purpose.DECIDE: undecided,
    }
    memory = taught(script=script)
    say(memory, "Recipes in Fahrenheit or in Celsius?", role="assistant", name="Clerk")
    say(memory, "the second one, always")

    assert fates(memory.sessions.extract("talk")) == [becomes]


@pytest.mark.parametrize("text", ["42", "2026-01-05T09:00Z", "https://example.org/a", "10:30"])
def test_a_time_a_number_or_an_address_alone_is_no_fact(taught: Taught, text: str) -> None:
    """It says nothing of anybody."""
    memory = taught(says(note(text)))
    say(memory, f"Well, {text} then")

    assert fates(memory.sessions.extract("talk")) == ["refused"]


@pytest.mark.covers("CX-30", "LS-83", "AD-13")
def test_what_an_assistant_says_is_nobodys_statement(taught: Taught) -> None:
    """Only people are learnt from; where an install wants all, an assistant's word is an agent's,
    and its reports are nothing.
    """
    answer = says(
        note("Ana is going to love Porto", "you are going to love Porto", turn=2),
        note("I have sent the mail", turn=3),
    )
    people, everyone = taught(answer), taught(answer, learn_from="all")
    say(people, "Hello there")
    for text in ("Ana, you are going to love Porto", "I have sent the mail"):
        say(people, text, role="assistant", name="Helper")

    assert fates(people.sessions.extract("talk", preview=True)) == ["refused", "refused"]
    (extraction,) = everyone.sessions.extract("talk")

    assert [one.fate for one in extraction.considered] == [Fate.ADDED, Fate.REFUSED]
    assert everyone.items.list().items[0].tier is Tier.AGENT


def test_nothing_is_formed_in_a_private_session(taught: Taught) -> None:
    """No model is asked about it, by no way."""
    memory = taught(says(PEANUTS))
    memory.ingest([{"role": "user", "content": "I can't eat peanuts"}], TALK, private=True)

    done = memory.sessions.extract("talk")

    assert (fates(done), texts(memory)) == ([], [])
    assert taught.asked == []


@pytest.mark.covers("ED-6")
def test_a_session_of_several_users_forms_no_users_memory(taught: Taught) -> None:
    """Without agent memory nothing is formed there; with it, what is formed is the agent's."""
    helper = Scope(user="ana", agent="helper", session="talk")
    for number, teaching in enumerate(({}, {"switches": _agent_memory()})):
        memory = taught(says(note("The club meets on Fridays", about="agent")), **teaching)
        scope = Scope(user="ana", agent="helper", session=f"talk{number}")
        said = [
            {"role": "user", "content": "The club meets on Fridays", "user": user}
            for user in ("ana", "ben")
        ]
        memory.ingest(said, scope)

        memory.sessions.extract(f"talk{number}", scope)

        assert texts(memory, Scope(user="ana")) == []
        assert texts(memory, Scope(agent="helper", shared=True)) == (
            ["The club meets on Fridays"] if number else []
        )
    assert helper.agent == "helper"


def _agent_memory() -> Any:
    return Switches(agent_memory=Use.LEARN)


def test_a_preview_writes_nothing(taught: Taught) -> None:
    """It tells what would be, with the ids of what would give way; the store stays as it is,
    entities and lists too.
    """
    memory = taught(
        script={
            Purpose.EXTRACT: lambda ask: says(
                LISBON, note("Ana can't eat 12 peanuts", "I can't eat peanuts")
            )
        }
    )
    say(memory, "I moved to Lisbon in March, and I can't eat peanuts.")
    head = memory.admin.verify().head

    assert fates(memory.sessions.extract("talk", preview=True)) == ["added", "unconfirmed"]
    assert (texts(memory), memory.entities.list(), memory.admin.verify().head) == ([], [], head)
    assert fates(memory.sessions.extract("talk")) == ["added", "unconfirmed"]


def test_a_session_is_learnt_from_once(taught: Taught) -> None:
    """Turns that were learnt from are not shown again but as what was said before."""
    memory = taught(says(PEANUTS), says())
    say(memory, "I can't eat peanuts")
    memory.sessions.extract("talk")
    assert memory.sessions.extract("talk") == []
    say(memory, "Thanks")

    memory.sessions.extract("talk")

    asked = taught.asked[-1]
    assert asked.text.splitlines() == [
        "earlier Ana: I can't eat peanuts",
        "# 2026-01-05 Monday 09:00 +0000",
        "1 Ana: Thanks",
    ]


@pytest.mark.covers("GM-56", "ED-10")
def test_the_instructions_say_what_is_worth_it_and_what_is_not(taught: Taught) -> None:
    """An answer in JSON; what helps later, no greetings; in one call also to update rather than to
    add, to delete only what ended.
    """
    memory = taught(says(), strategy="one-call")
    say(memory, "Hello")

    memory.sessions.extract("talk")

    system = taught.asked[0].system
    for word in (
        "JSON",
        "matter in later talks",
        "Skip greetings",
        '{"items":[]}',
        '"update"',
        '"delete" with "ref" where a message says',
    ):
        assert word in system
    for passing in ("passing opinions", "the task in hand", "what will not last a month"):
        assert passing in system
    assert taught.asked[0].temperature == 0.1


@pytest.mark.covers("ED-12")
def test_only_what_has_something_near_it_is_asked_about_all_at_once(
    taught: Taught, embedder: FakeEmbedder
) -> None:
    """One embedding of all suggestions, one question for those with neighbours, at most five items
    each.
    """
    notes = [
        note(text)
        for text in ("My dog Rex likes cheese", "I can't eat peanuts", "I play the cello")
    ]
    memory = taught(says(*notes), decide=[told(("add", ""))])
    memory.items.add_many(
        [Statement(text=f"My dog Rex likes cheese number {n} best") for n in range(8)], ANA
    )
    embedder.asked.clear()
    say(memory, "My dog Rex likes cheese. I can't eat peanuts. I play the cello")

    memory.sessions.extract("talk")

    assert embedder.asked[:3] == [
        "My dog Rex likes cheese",
        "I can't eat peanuts",
        "I play the cello",
    ]
    _, decide = taught.asked
    assert decide.text.splitlines()[-2:] == ["New:", "1. My dog Rex likes cheese"]
    assert "peanuts" not in decide.text
    assert decide.text.count("\nk") == NEIGHBOURS


def test_what_was_said_in_the_same_words_before_is_not_asked_about(taught: Taught) -> None:
    """The rules know it; learning from a talk once more costs no second question."""
    memory = taught(
        script={
            Purpose.EXTRACT: lambda ask: says(PEANUTS),
            Purpose.DECIDE: lambda ask: told(("add", "")),
        }
    )
    say(memory, "I can't eat peanuts")
    memory.sessions.extract("talk")

    memory.sessions.extract("talk", again=True)

    assert [ask.purpose for ask in taught.asked] == [Purpose.EXTRACT] * 2


def test_a_note_of_old_says_so_where_later_things_are_known(taught: Taught) -> None:
    """So that a model can tell that what is compared with it came after; and whatever it says, the
    later one stands.
    """
    porto, lisbon = (
        note("Ana lives in Porto", "I live in Porto"),
        note("Ana lives in Lisbon", "I live in Lisbon now"),
    )
    memory = taught(says(lisbon), says(porto), decide=[told(("update", "k1", "lives in Lisbon"))])
    say(memory, "I live in Porto", scope=Scope(user="ana", session="early"))
    memory.clock.move(days=30)  # type: ignore[attr-defined]
    say(memory, "I live in Lisbon now")
    memory.sessions.extract("talk")

    memory.sessions.extract("early")

    assert taught.asked[-1].text.splitlines()[-1] == "1. (of 2026-01-05) Ana lives in Porto"
    assert texts(memory) == ["Ana lives in Lisbon"]


@pytest.mark.covers("AD-22")
def test_a_session_is_judged_with_all_of_it_in_view(taught: Taught) -> None:
    """Turns that were logged one by one are shown together, so that what matters can be told from
    what does not.
    """
    memory = taught(says())
    for text in ("I might move", "to Lisbon", "or not, who knows"):
        say(memory, text)

    memory.sessions.extract("talk")

    (asked,) = taught.asked
    assert all(text in asked.text for text in ("I might move", "to Lisbon", "or not, who knows"))


@pytest.mark.covers("GM-55")
def test_in_one_call_the_model_sees_what_is_known(taught: Taught) -> None:
    """The nearest items are shown under marks, and update and delete name them; no second question
    is asked.
    """
    memory = taught(
        says(
            note(
                "Ana lives in Lisbon",
                "I live in Lisbon now",
                op="update",
                ref="k1",
                was="lives in Porto",
            )
        ),
        strategy="one-call",
    )
    old = memory.remember("Ana lives in Porto", ANA)
    say(memory, "I live in Lisbon now")

    (extraction,) = memory.sessions.extract("talk")

    assert [(one.fate, one.closed) for one in extraction.considered] == [(Fate.SUPERSEDED, old.id)]
    assert [ask.purpose for ask in taught.asked] == [Purpose.EXTRACT]
    assert taught.asked[0].text.endswith("Known:\nk1 (2026-01-05) Ana lives in Porto")


def test_in_one_call_a_merged_text_rests_on_what_was_known_too(taught: Taught) -> None:
    """What it keeps of the item that it names was said before, not in this talk."""
    merged = note(
        "Ana takes 850 mg of metformin with meals, by Dr Reis's word",
        "850 mg now",
        entities=["person:Reis"],
        op="update",
        ref="k1",
        was="500 mg",
    )
    memory = taught(says(merged), strategy="one-call")
    memory.remember("Ana takes 500 mg of metformin with meals, by Dr Reis's word", ANA)
    say(memory, "850 mg now")

    (extraction,) = memory.sessions.extract("talk")

    assert [one.fate for one in extraction.considered] == [Fate.SUPERSEDED]
    assert texts(memory) == [merged["text"]]


def test_what_a_person_says_is_no_longer_so_ends(taught: Taught) -> None:
    """A deletion without a text closes the item as of when it was said, if the model repeats what
    the item says.
    """
    gone = {
        "text": "",
        "quote": "I don't have a dog any more",
        "turn": 1,
        "op": "delete",
        "ref": "k1",
        "was": "has a dog",
    }
    memory = taught(
        says(gone), says({**gone, "quote": "My cat is well", "ref": "k1"}), strategy="one-call"
    )
    dog = memory.remember("Ana has a dog", ANA)
    say(memory, "I don't have a dog any more")
    (done,) = memory.sessions.extract("talk")
    memory.remember("Ana has a cat", ANA)
    say(memory, "My cat is well")

    (held,) = memory.sessions.extract("talk")

    assert [(one.fate, one.closed) for one in (*done.considered, *held.considered)] == [
        (Fate.RETRACTED, dog.id),
        (Fate.REFUSED, None),
    ]
    assert texts(memory) == ["Ana has a cat"]


def test_undo_takes_back_what_was_learnt(taught: Taught) -> None:
    """All of one extraction by its id: items go, what gave way is open again."""
    memory = taught(
        says(note("Ana lives in Lisbon", "I live in Lisbon now"), PEANUTS),
        decide=[told(("update", "k1", "lives in Porto"), ("add", ""))],
    )
    memory.remember("Ana lives in Porto", ANA)
    say(memory, "I live in Lisbon now, and I can't eat peanuts")
    (extraction,) = memory.sessions.extract("talk")
    assert texts(memory) == ["Ana can't eat peanuts", "Ana lives in Lisbon"]

    memory.acting(Because(actor="ana", tier=Tier.USER)).undo(extraction.id, ANA)

    assert texts(memory) == ["Ana lives in Porto"]


def test_a_lower_word_never_takes_the_place_of_a_users(taught: Taught) -> None:
    """What an assistant says stands beside what the user said, however a model decides."""
    memory = taught(
        says(note("Ana lives in Madrid", "Ana lives in Madrid", turn=2)),
        decide=[told(("update", "k1", "lives in Porto"))],
        learn_from="all",
    )
    memory.remember("Ana lives in Porto", ANA, details=Details(source=Source.USER))
    say(memory, "Hello")
    say(memory, "Ana lives in Madrid", role="assistant", name="Helper")

    memory.sessions.extract("talk")

    assert "Ana lives in Porto" in texts(memory)


def test_without_a_model_there_is_an_error_that_says_what_to_do(open_memory: OpenMemory) -> None:
    """The talk is in the log and found; learning from it says which setting names a model."""
    memory = open_memory()
    say(memory, "I can't eat peanuts")

    with pytest.raises(ModelMissing, match="omoide config llm"):
        memory.sessions.extract("talk")
    assert memory.recall("peanuts").hits


def test_only_whose_session_it_is_may_have_it_learnt_from(taught: Taught) -> None:
    """For others there is no such session."""
    memory = taught(says(PEANUTS))
    say(memory, "I can't eat peanuts")

    for verb in (memory.sessions.extract, memory.sessions.end):
        with pytest.raises(NotFound):
            verb("talk", Scope(user="ben"))


def test_steering_and_persona_are_told(taught: Taught) -> None:
    """An install's own words, and who the agent is, stand with the instructions."""
    memory = taught(says(), steering="Note every allergy.", persona="a kitchen helper")
    say(memory, "I can't eat peanuts")

    memory.sessions.extract("talk")

    system = taught.asked[0].system
    assert "Note every allergy." in system
    assert "a kitchen helper" in system


def test_teaching_has_defaults() -> None:
    """Two calls, from people, when a session is idle or full; what a check finds is judged."""
    teaching = Teaching()
    assert (teaching.strategy, teaching.learn_from, teaching.review.value) == (
        "two-calls",
        "people",
        "auto",
    )
    assert teaching.switches.user_memory is Use.LEARN
    assert teaching.switches.agent_memory is Use.HAND
    assert Category.FACT in Category


def test_a_turn_that_bears_an_item_out_is_a_source_of_it(taught: Taught) -> None:
    """What an earlier turn alone has is known from both turns; the quote stands in the last;
    forgetting either forgets the item.
    """
    memory = taught(says(note("Mia has moved to Bern", "She has moved to Bern", turn=2)))
    say(memory, "My sister Mia called.", "She has moved to Bern.")
    memory.sessions.extract("talk")

    (item,) = memory.items.list().items
    assert item.source_turns == (turn_of("talk", 0), turn_of("talk", 1))
    assert item.quote_span is not None
    assert memory.items.sources(item.id, around=0)[-1].text[slice(*item.quote_span)] == item.quote
    memory.forget(turn_of("talk", 0))
    assert memory.items.list().total == 0


def test_what_is_so_for_a_while_is_not_found_after_that(taught: Taught, clock: FixedClock) -> None:
    """A passing state with its end is known until then, and stays in the history."""
    memory = taught(
        says(
            note(
                "Ana is in Porto until 16 January 2026",
                "I am in Porto until 16 January 2026",
                until="2026-01-16",
            )
        )
    )
    say(memory, "I am in Porto until 16 January 2026")
    (done,) = memory.sessions.extract("talk")
    id = done.considered[0].item
    assert id is not None
    assert [
        hit.id
        for hit in memory.recall(Query(text="Where is Ana?", kinds=frozenset({Kind.ITEM}))).hits
    ] == [id]

    clock.move(days=12)

    assert memory.recall(Query(text="Where is Ana?", kinds=frozenset({Kind.ITEM}))).hits == ()
    assert [item.id for item in memory.history(id).items] == [id]


def test_what_waits_is_not_asked_again_once_it_is_known(taught: Taught) -> None:
    """It was approved, and a model says it once more word for word: nothing waits a second time."""
    memory = taught(says(PEANUTS), says(PEANUTS), review=Mode.ALL)
    memory = memory.acting(Because(actor="ana", tier=Tier.USER))
    say(memory, "I can't eat peanuts")
    (waiting,) = memory.sessions.extract("talk")[0].considered
    assert waiting.fate is Fate.WAITING
    (shown,) = memory.review.list()
    item = memory.review.approve(shown.proposal.id, shown.seal)

    say(memory, "I can't eat peanuts")
    (again,) = memory.sessions.extract("talk")[0].considered

    assert (again.fate, again.item) == (Fate.IGNORED, item.id)
    assert memory.review.list() == []
