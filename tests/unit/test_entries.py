"""What entries of a model's answers hold, in the shapes that models give it."""

from __future__ import annotations

from typing import Any

import pytest

from omoide.learning.decision import read_choices
from omoide.learning.entries import first_word, mark, names, number, repeated
from omoide.learning.judgement import Supported, read_verdicts
from omoide.learning.revision import read_revisions


@pytest.mark.parametrize("value", [3, "3", "3.", "#3", "note 3", "n3", [3], ["3"]])
def test_a_number_is_read_in_any_shape(value: Any) -> None:
    """As text, with its sign or noun, and alone in a list."""
    assert number(value) == 3


@pytest.mark.parametrize("value", [None, "", "three", True, 3.5, [1, 2], {"a": 1}])
def test_what_is_no_number_is_none(value: Any) -> None:
    """Nothing is guessed."""
    assert number(value) is None


@pytest.mark.parametrize("value", ["k2", "K2", "[k2]", "k2.", "k2 (2026-03-02)", ["k2"], 2])
def test_a_mark_is_read_in_any_shape(value: Any) -> None:
    """In brackets, with what stands behind it, as a number, and alone in a list."""
    assert mark(value) == "k2"


def test_another_text_is_no_mark() -> None:
    """It may be the text of an item; nothing is a reference to nothing."""
    assert [mark("Ana lives in Porto"), mark("keys"), mark(None)] == [
        "Ana lives in Porto",
        "keys",
        "",
    ]


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (["person:Ana", "place:Porto"], ("person:Ana", "place:Porto")),
        ("person:Ana, place:Porto", ("person:Ana", "place:Porto")),
        (["Ana", "Porto"], ("thing:Ana", "thing:Porto")),
        ([{"type": "Person", "name": "Ana"}, {"label": "Porto"}], ("person:Ana", "thing:Porto")),
        (None, ()),
        ([None, 5, "", {}], ()),
    ],
)
def test_names_are_read_in_any_shape(value: Any, read: tuple[str, ...]) -> None:
    """A list, a text that separates them, objects; a name without a type is a thing."""
    assert names(value) == read


@pytest.mark.parametrize(
    "was",
    ["lives in Porto", "k1 (2026-03-02) lives in Porto", "[k1] lives in Porto", ["lives in Porto"]],
)
def test_repeated_words_have_no_mark_and_date(was: Any) -> None:
    """Models copy the whole line."""
    assert repeated({"was": was}) == "lives in Porto"


def test_the_first_word_says_it() -> None:
    """And true or false is yes or no."""
    said: list[Any] = ["Yes.", "NO - another person", "partly: a wish", True, False, None]
    assert [first_word(one) for one in said] == ["yes", "no", "partly", "yes", "no", ""]


@pytest.mark.parametrize(
    "said",
    [
        {"decisions": [{"note": "1", "op": "ADD"}, {"note": "2", "op": "None", "ref": "K1"}]},
        {"decisions": [{"op": "add"}, {"op": "none", "ref": "[k1]"}]},
        {
            "decisions": [
                {"note": 1, "op": "add", "why": []},
                {"note": 2, "op": "none", "ref": ["k1"]},
            ]
        },
        {
            "results": [
                {"note": 1, "op": "add"},
                {"note": 2, "op": "none", "ref": "k1 (2026-03-02)"},
            ]
        },
    ],
)
def test_decisions_are_read_in_any_shape(said: dict[str, Any]) -> None:
    """Numbers as text or left out, words in capitals, fields that nobody asked for."""
    choices = read_choices(said)

    assert {n: [(one.op.value, one.ref) for one in those] for n, those in choices.items()} == {
        1: [("add", "")],
        2: [("none", "k1")],
    }


@pytest.mark.parametrize(
    "said",
    [
        {"verdicts": [{"note": "1", "supported": "Yes."}, {"note": "2", "supported": False}]},
        {"verdicts": ["yes", "no"]},
        {"verdicts": [{"supported": "yes", "said": None}, {"supported": "no, somebody else"}]},
    ],
)
def test_verdicts_are_read_in_any_shape(said: dict[str, Any]) -> None:
    """In their order, if no number says of which note each is."""
    verdicts = read_verdicts(said)

    assert {n: one.supported for n, one in verdicts.items()} == {1: Supported.YES, 2: Supported.NO}


def test_revisions_are_read_in_their_order() -> None:
    """Where no number says of which note each is."""
    revisions = read_revisions({"notes": [{"text": "Ana lives in Porto"}, {"drop": True}]})

    assert revisions[1].fields == {"text": "Ana lives in Porto"}
    assert revisions[2].drop
