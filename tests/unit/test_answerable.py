"""How sure it is that an answer is held."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.read.answerable import answerable
from omoide.records import Arm, ArmRank, Hit, Kind
from omoide.text.words import query_terms
from tests.fix_memory import NINE


def hit(text: str, cosine: float | None = None, *, named: bool = False) -> Hit:
    """A hit as the arms left it."""
    arms = [ArmRank(arm=Arm.VECTOR, rank=1, score=cosine, share=0.5)] if cosine is not None else []
    arms += [ArmRank(arm=Arm.ENTITY, rank=1, score=1.0, share=0.2)] if named else []
    return Hit(kind=Kind.ITEM, id=text, text=text, score=1.0, at=NINE, arms=tuple(arms))


def test_nothing_found_is_not_answerable() -> None:
    """Zero, not half."""
    assert answerable(query_terms("where does ana live"), []) == 0.0


def test_a_listing_with_hits_is_answered() -> None:
    """Where there was no question, there is nothing to be unsure of."""
    assert answerable([], [hit("x")]) == 1.0
    assert answerable([], []) == 0.0


def test_a_hit_that_meets_the_question_is_surer() -> None:
    """By words, by nearness, and by the people named."""
    terms = query_terms("where does ana live")
    far, near = hit("the weather is fine", 0.05), hit("ana live in rome", 0.8)

    assert answerable(terms, [far]) < 0.3 < 0.7 < answerable(terms, [near])
    assert answerable(terms, [near]) < answerable(terms, [hit("ana live in rome", 0.8, named=True)])


@given(st.text(max_size=30), st.text(max_size=30), st.floats(-1, 1))
def test_it_is_always_from_zero_to_one(question: str, text: str, cosine: float) -> None:
    """Whatever is asked and found."""
    assert 0.0 <= answerable(query_terms(question), [hit(text, cosine)]) <= 1.0


@pytest.mark.parametrize("question", ["安娜住在哪里", "где живёт Ана", "أين تعيش آنا"])
def test_it_needs_no_english(question: str) -> None:
    """The same words in any script are met."""
    assert answerable(query_terms(question), [hit(question, 0.9)]) > 0.9
