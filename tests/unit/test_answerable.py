"""How sure it is that an answer is held."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.hit import ArmRank, Hit
from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.query import Arm
from omoide.nouns.turn import Role, Turn
from omoide.read.answerable import answerable
from omoide.text.words import query_terms
from tests.fix_memory import NINE, MakeItem


def hit(text: str, cosine: float | None = None, record: Item | Turn | None = None) -> Hit:
    """A hit as the arms left it."""
    arms = (ArmRank(arm=Arm.VECTOR, rank=1, score=cosine, share=0.5),) if cosine is not None else ()
    item, turn = (record, None) if isinstance(record, Item) else (None, record)
    return Hit(
        kind=Kind.ITEM, id=text, text=text, score=1.0, at=NINE, item=item, turn=turn, arms=arms
    )


def test_nothing_found_is_not_answerable() -> None:
    """Zero, not half."""
    assert answerable(query_terms("where does ana live"), []) == 0.0


def test_a_listing_with_hits_is_answered() -> None:
    """Where there was no question, there is nothing to be unsure of."""
    assert answerable([], [hit("x")]) == 1.0
    assert answerable([], []) == 0.0


def test_a_hit_that_meets_the_question_is_surer() -> None:
    """By words and by nearness; by words alone where no vector was compared."""
    terms = query_terms("where does ana live")
    far, near = hit("the weather is fine", 0.05), hit("ana live in rome", 0.8)

    assert answerable(terms, [far]) < 0.1 < 0.9 < answerable(terms, [near])
    assert answerable(terms, [hit("ana live in rome", 0.3)]) < answerable(terms, [near])
    assert (
        answerable(terms, [hit("the weather is fine")])
        < 0.1
        < 0.9
        < answerable(terms, [hit("ana live in rome")])
    )


def test_who_said_it_and_what_it_is_about_count_as_its_words(make_item: MakeItem) -> None:
    """A question names the speaker, a day or an entity, which the text itself seldom does."""
    terms = query_terms("what did Ana say in January about Rome?")
    turn = Turn(
        id=TurnId("s#0"),
        session=SessionId("s"),
        position=0,
        role=Role.USER,
        speaker="Ana",
        user="ana",
        text="Off to Rome",
        at=NINE,
        recorded_at=NINE,
    )

    assert answerable(terms, [hit("Off to Rome", 0.4)]) < answerable(
        terms, [hit("Off to Rome", 0.4, turn)]
    )
    assert answerable(terms, [hit("Off to Rome")]) < answerable(
        terms, [hit("Off to Rome", None, make_item(entities=("person:ana",)))]
    )


def said_by(speaker: str, text: str) -> Hit:
    """A hit that somebody said."""
    turn = Turn(
        id=TurnId(f"s#{text}"),
        session=SessionId("s"),
        position=0,
        role=Role.USER,
        speaker=speaker,
        user="ana",
        text=text,
        at=NINE,
        recorded_at=NINE,
    )
    return hit(text, 0.5, turn)


def test_what_somebody_else_said_answers_less() -> None:
    """Ben sold a boat; that does not tell why Ana did."""
    terms = query_terms("Why did Ana sell the boat?")
    another = said_by("Ben", "I did sell the boat at last")

    assert answerable(terms, [said_by("Ana", "Hello there"), another]) < answerable(
        terms, [said_by("Ana", "I did sell the boat at last")]
    )
    assert answerable(terms, [another, said_by("Ana", "Hello")]) < answerable(
        query_terms("Why did Ben sell the boat?"), [another]
    )


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("铃木医生开了什么药", "铃木医生给我开了抗生素这种药"),
        ("駅前のパン屋はどこ", "駅前にあるパン屋は火曜が休み"),
    ],
)
def test_pairs_across_words_count_as_little_where_words_are_not_spaced(
    question: str, text: str
) -> None:
    """Half of a question's pairs join two of its words, and stand in no answer."""
    assert (
        answerable(query_terms(question), [hit(text)])
        > 0.5
        > answerable(query_terms(question), [hit("明天去爬山")])
    )


@given(st.text(max_size=30), st.text(max_size=30), st.floats(-1, 1))
def test_it_is_always_from_zero_to_one(question: str, text: str, cosine: float) -> None:
    """Whatever is asked and found."""
    assert 0.0 <= answerable(query_terms(question), [hit(text, cosine)]) <= 1.0


@pytest.mark.parametrize("question", ["安娜住在哪里", "где живёт Ана", "أين تعيش آنا"])
def test_it_needs_no_english(question: str) -> None:
    """The same words in any script are met."""
    assert answerable(query_terms(question), [hit(question, 0.9)]) > 0.9
