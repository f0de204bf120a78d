"""Words a slip of the finger away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.slips import LONGEST, SHORTEST, slips_of
from omoide.text.words import index_terms

ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "אבגדהוזחטיכלמנסעפצקרשת",
)


@pytest.mark.covers("ED-29")
@pytest.mark.parametrize(
    ("slipped", "meant"),
    [
        ("lisbno", "lisbon"),
        ("lisbn", "lisbon"),
        ("lissbon", "lisbon"),
        ("lizbon", "lisbon"),
        ("lisbonn", "lisbon"),
        ("мосвка", "москва"),
        ("αθηνσ", "αθηνας"),
        ("ירושלם", "ירושלים"),
        ("किताप", "किताब"),
        ("bougth", "bought"),  # indexed as buy
        ("broekn", "broken"),
    ],
)
def test_each_kind_of_slip_is_thought_of(slipped: str, meant: str) -> None:
    """A letter too many, one missing, another one, two in the wrong order; at the end too, in any
    alphabet.
    """
    asked, written = (index_terms(word)[0] for word in (slipped, meant))

    assert written in slips_of(asked)


@pytest.mark.parametrize(
    "term",
    [
        "",
        "tea",
        "lisb",
        "e409x",
        "user_id",
        "c++",
        "#26000",
        "~lisbon",
        "北京",
        "x" * (LONGEST + 1),
        "\ud800" * 6,
    ],
)
def test_in_some_terms_no_slip_is_thought_of(term: str) -> None:
    """Short ones, those with digits or signs, and what is no word."""
    assert slips_of(term) == []


@pytest.mark.parametrize("term", ["vegan", "north", "train", "мосвка", "ירושלם"])
def test_the_first_letter_is_no_slip(term: str) -> None:
    """Another one there makes another word: "began", "worth", "brain"."""
    assert {slip[0] for slip in slips_of(term)} == {term[0]}


@given(
    st.sampled_from(ALPHABETS).flatmap(
        lambda letters: st.text(letters, min_size=SHORTEST, max_size=LONGEST)
    ),
    st.randoms(),
)
def test_slips_lead_there_and_back(term: str, random: object) -> None:
    """Each differs from the term, once, by one slip: the term is among its slips too, where it is
    long enough.
    """
    slips = slips_of(term)

    assert term not in slips
    assert len(slips) == len(set(slips)) > 2 * len(term)
    for slip in random.sample(slips, 5):  # type: ignore[attr-defined]
        assert abs(len(slip) - len(term)) <= 1
        assert not SHORTEST <= len(slip) <= LONGEST or term in slips_of(slip)


def test_the_work_grows_no_faster_than_the_word() -> None:
    """Twice the letters, twice the slips."""
    assert len(slips_of("abcdefghij" * 2)) < 2.5 * len(slips_of("abcdefghij"))
