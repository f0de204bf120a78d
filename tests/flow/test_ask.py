"""Answers in words: from memory alone, with what they rest on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from omoide.context.inquiry import NOT_HELD
from omoide.memory import Memory
from omoide.models.chat.base import Purpose
from omoide.nouns.errors import BadAnswer, InvalidInput, ModelMissing
from omoide.nouns.item import Category, Details, Source
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from tests.fix_memory import BEN
from tests.fix_teaching import TALK, Taught, say

USER = Details(source=Source.USER)


def held(text: str, *marks: str) -> dict[str, object]:
    """An answer that rests on these lines."""
    return {"held": True, "answer": text, "from": list(marks)}


def test_an_answer_cites_what_it_rests_on(taught: Taught) -> None:
    """Turns and items, each with its words and its day."""
    memory = taught(script={Purpose.ANSWER: [held("In Porto.", "m1", "m2", "m9")]})
    place = memory.remember("Ana lives in Porto", details=USER)
    say(memory, "I moved to Porto in May")
    turn = memory.sessions.turns("talk", TALK)[0]

    answer = memory.ask("Where does Ana live?")

    assert (answer.text, answer.held) == ("In Porto.", True)
    assert {(one.kind, one.id) for one in answer} == {
        (Kind.ITEM, place.id),
        (Kind.TURN, turn.id),
    }
    assert "I moved to Porto" in str(answer)


def test_a_model_that_finds_nothing_says_so(taught: Taught) -> None:
    """Then nothing is cited, whatever it names."""
    unheld = {"held": False, "answer": "Memory does not say.", "from": ["m1"]}
    memory = taught(script={Purpose.ANSWER: [unheld]})
    memory.remember("Ana lives in Porto")

    answer = memory.ask("What is the name of Ana's dog?")

    assert (answer.held, answer.text, list(answer)) == (False, "Memory does not say.", [])


def test_of_an_empty_memory_no_model_is_asked(taught: Taught) -> None:
    """What is not there needs no model."""
    memory = taught()

    answer = memory.ask("Where does Ana live?")

    assert (answer.held, answer.text, taught.asked) == (False, NOT_HELD, [])


def test_an_answer_without_a_source_is_asked_for_again(taught: Taught) -> None:
    """And refused if it comes again: nothing is told that memory does not hold."""
    memory = taught(script={Purpose.ANSWER: [held("Rome."), held("Rome.", "m77")]})
    memory.remember("Ana lives in Porto")

    with pytest.raises(BadAnswer):
        memory.ask("Where does Ana live?")


def test_what_no_record_has_is_named(taught: Taught) -> None:
    """A number that the model brought is pointed out."""
    memory = taught(script={Purpose.ANSWER: [held("She pays 950 euros.", "m1")]})
    memory.remember("Ana pays rent in Porto", details=USER)

    assert memory.ask("What rent does Ana pay?").unsupported


def test_the_model_sees_only_what_the_asker_may_see(taught: Taught) -> None:
    """No other user's records, and nothing sensitive unless it is asked for."""
    unheld = {"held": False, "answer": "", "from": []}
    memory = taught(script={Purpose.ANSWER: [unheld, unheld]})
    memory.remember("Ben has a dog", BEN)
    memory.remember("Ana has a dog", details=USER)
    memory.remember("Ana has asthma", details=Details(source=Source.USER, sensitive=True))

    memory.ask("Who has a dog and asthma?")
    memory.ask(Query(text="Who has a dog and asthma?", include_sensitive=True))

    first, second = (ask.text for ask in taught.asked)
    assert "Ana has a dog" in first
    assert "Ben" not in first
    assert "asthma" not in first.partition("Memory:")[2]
    assert "asthma" in second.partition("Memory:")[2]


UNHELD = {"held": False, "answer": "", "from": []}


def test_an_answer_as_of_a_time_is_looked_for_in_what_held_then(taught: Taught) -> None:
    """The model is told the time, and nothing that began later."""
    memory = taught(script={Purpose.ANSWER: [UNHELD, UNHELD]})
    began = Details(source=Source.USER, valid_from=datetime(2020, 1, 1, tzinfo=UTC))
    porto = memory.remember("Ana lives in Porto", details=began)
    memory.correct(porto.id, "Ana lives in Lisbon", at="2025-01-01", details=USER)

    memory.ask(Query(text="Where does Ana live?", as_of="2023-05-04"))
    memory.ask("Where does Ana live?")

    then, now = (ask.text for ask in taught.asked)
    assert "Porto" in then
    assert "Lisbon" not in then
    assert "Asked as of: 2023-05-04" in then
    assert "Lisbon" in now
    assert "Asked as of" not in now


CHOOSING = [
    Query(text="tea", tags=("work",)),
    Query(text="tea", categories=frozenset({Category.SKILL})),
    Query(text="tea", kinds=frozenset({Kind.TURN})),
    Query(text="tea", metadata={"project": "x"}),
    Query(text="tea", since="2001-01-01", until="2002-01-01"),
]


@pytest.mark.parametrize("query", CHOOSING, ids=["tag", "category", "kind", "metadata", "time"])
def test_an_answer_is_looked_for_in_what_the_filters_choose(query: Query, taught: Taught) -> None:
    """What stands in every context is no evidence where recall would not find it."""
    memory = taught(script={Purpose.ANSWER: [held("Tea.", "m1")]})
    memory.remember("Ana drinks green tea", details=USER)

    assert not memory.recall(query)
    assert memory.ask(query).text == NOT_HELD
    assert not taught.asked


LATER = datetime(2100, 1, 1, tzinfo=UTC)
TAKING_IN = [
    Query(text="zzz", kinds=frozenset({Kind.ITEM})),
    Query(text="zzz", categories=frozenset({Category.PROFILE})),
    Query(text="zzz", contexts=frozenset({"global"})),
    Query(text="zzz", as_of=LATER),
]


@pytest.mark.parametrize("query", TAKING_IN, ids=["kind", "category", "context", "time"])
def test_what_stands_and_meets_the_filters_is_looked_at(query: Query, taught: Taught) -> None:
    """As without the filters, though no word of the question is in it."""
    memory = taught(script={Purpose.ANSWER: [UNHELD]})
    memory.remember("My name is Ana", category="profile", details=USER)

    memory.ask(query)

    assert "My name is Ana" in taught.asked[0].text


def test_a_preference_of_later_is_no_evidence(taught: Taught) -> None:
    """It tells a context how to answer now, and a question nothing of a time before."""
    memory = taught(script={Purpose.ANSWER: [UNHELD]})
    memory.remember("I prefer tea", category="preference", details=USER)

    memory.ask(Query(text="zzz", as_of="2001-01-01"))

    assert not taught.asked


def test_without_a_model_it_is_said(memory: Memory) -> None:
    """What needs a model names what does not."""
    memory.remember("Ana lives in Porto")

    with pytest.raises(ModelMissing):
        memory.ask("Where does Ana live?")


def test_a_blank_question_is_refused(memory: Memory) -> None:
    """Nothing can be answered."""
    with pytest.raises(InvalidInput, match="question"):
        memory.ask(" ")
