"""What can be read of a model's answer, and what cannot."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.models.chat.answers import LIMIT, objects, read_object, without_thoughts

VALUE = {"items": [{"text": 'Ana said: {not JSON}, "quoted", and ```fenced```', "turn": 1}]}
SAID = json.dumps(VALUE)
DRAFT = '{"items": [{"text": "only a thought"}]}'

storable = st.characters(codec="utf-8", exclude_characters="\0<[")
values = st.dictionaries(
    st.text(storable, max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(storable),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(storable), inner),
        max_leaves=8,
    ),
    max_size=4,
)


@pytest.mark.covers("GM-58", "LS-30")
@pytest.mark.parametrize(
    "said",
    [
        SAID,
        f"  \n{SAID}\n",
        f"```json\n{SAID}\n```",
        f"```\n{SAID}\n```\nI hope this helps!",
        f"Here is what I found (in {{braces}} too):\n{SAID}",
        f"Sure.\n\n{SAID}\n\nLet me know {{if}} it is right.",
        f"\ufeff{SAID}",
        f"<think>maybe {DRAFT}</think>{SAID}",
        f"<think>a <think>b {DRAFT}</think> c</think>\n{SAID}",
        f"<thinking>{DRAFT}</thinking>```json\n{SAID}```",
        f"{DRAFT} is my draft</think>{SAID}",
        f'<reasoning effort="high">{DRAFT}</reasoning>{SAID}',
        f"[THINK]{DRAFT}[/THINK]{SAID}",
        f"[{SAID}]",
        f"<THINK>{DRAFT}</Think >{SAID}",
        f"<think>one</think><think>two</think>{SAID}<think>and after it {DRAFT}",
    ],
)
def test_the_one_object_of_an_answer_is_read(said: str) -> None:
    """However it is wrapped; what a model only thought is not what it answered."""
    assert read_object(said) == VALUE


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("I cannot help with that.", "no JSON object"),
        ("[]", "a list"),
        (f"[1, {SAID}]", "a list"),
        ('"text"', "text"),
        ("true", "true or false"),
        ("17", "a number"),
        ("null", "no JSON object"),
        (SAID * 2, "several"),
        (f"{SAID}\n\nor rather\n\n{SAID}", "several"),
        (f"<think>{DRAFT}", "empty"),
        (f"<think>a<think>b</think>{SAID}", "empty"),
        (SAID[:-1], "cut off or broken"),
        (SAID[:-3], "cut off or broken"),
        (f"```json\n{SAID[:-2]}\n```", "cut off or broken"),
        (f'{{"outer": {SAID}', "cut off or broken"),
        (f"{SAID}{SAID[:20]}", "cut off or broken"),
        (f"{{'outer': {SAID}}}", "cut off or broken"),
        (f"{{outer: {SAID}}}", "cut off or broken"),
        (f"{{[{SAID}]}}", "cut off or broken"),
        ('{"items": [1, 2,]}', "cut off or broken"),
        ('{"items": NaN}', "NaN"),
        ('{"items": -Infinity}', "-Infinity"),
        ('{"items": 1e999}', "too large"),
        ('{"items": ' + "9" * 5_000 + "}", "too large"),
        ('{"a": ' * 100_000, "nested"),
        ('{"a": ' * 5_000 + "1" + "}" * 5_000, "nested"),
        ("[" * 100_000, "nested"),
        ("x" * (LIMIT + 1), "longer"),
        (json.dumps({"items": "x" * LIMIT}), "longer"),
    ],
)
def test_what_is_not_one_whole_object_is_refused(said: str, why: str) -> None:
    """An answer that is cut off is never read as the part that is there; the reason holds nothing
    of it.
    """
    with pytest.raises(ValueError, match=why) as caught:
        read_object(said)

    assert "Ana" not in str(caught.value)


@given(values, st.data())
def test_no_part_of_an_answer_passes_for_the_answer(
    value: dict[str, Any], data: st.DataObject
) -> None:
    """Cut off anywhere, with any prose before it, it is refused."""
    said = json.dumps({"items": [value], "more": value})
    cut = data.draw(st.integers(1, len(said) - 1))
    before = data.draw(st.sampled_from(["", "```json\n", "Here: ", "a {b} c ", "<think>x</think>"]))

    with pytest.raises(ValueError, match="answer"):
        read_object(before + said[:cut])


@given(
    values,
    st.sampled_from(["{}", "```json\n{}\n```", "<think>hm</think>{}", "Here you are:\n{}\nDone."]),
)
def test_wrapping_changes_nothing(value: dict[str, Any], wrapping: str) -> None:
    """What a model says is read as it said it."""
    assert read_object(wrapping.replace("{}", json.dumps(value))) == value


@given(st.text(alphabet='{}[]"\\:,<>/think \x00\ud800aé1', max_size=60))
def test_any_text_is_read_or_refused(said: str) -> None:
    """There is no third way, and what is read can be written down again."""
    try:
        value = read_object(said)
    except ValueError:
        return

    assert json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize("bad", ["\x00", "\ud800", "\\u0000", "\\ud83d", "\\udfff\\ud83d"])
def test_what_cannot_be_stored_is_replaced(bad: str) -> None:
    """Written out or escaped, in names and in values."""
    value = read_object(f'{{"items{bad}": [{{"text": "a{bad}b"}}]}}')

    text = json.dumps(value, ensure_ascii=False)
    assert "\ufffd" in text
    assert "\x00" not in text
    text.encode()


def test_a_pair_of_surrogates_is_the_letter_that_it_means() -> None:
    """JSON escapes letters beyond the first 65,536 as pairs."""
    assert read_object('{"text": "\\ud83e\\udd8a"}') == {"text": "🦊"}


@pytest.mark.covers("LS-30")
def test_thoughts_within_a_text_are_no_part_of_it() -> None:
    """A server that holds a model to a schema makes it think inside of the first text. A tag that
    is only named stays.
    """
    value = read_object(
        '{"text": "<think>does she?</think> Ana likes tea", "quote": "I wrote <think> by hand"}'
    )

    assert value == {"text": "Ana likes tea", "quote": "I wrote <think> by hand"}


def test_talk_about_thinking_tags_is_read() -> None:
    """Tags in the texts of an answer that is whole are not taken for the model's own."""
    assert read_object('{"text": "Ana asks what </think> does"}') == {
        "text": "Ana asks what </think> does"
    }


def test_thoughts_are_taken_out_of_any_text() -> None:
    """Text that is not JSON keeps what stands around them."""
    assert without_thoughts("a<think>b<think>c</think>d</think>e") == "ae"
    assert without_thoughts("thought</think>said") == "said"
    assert without_thoughts("said<think>never closed") == "said"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "said",
    [
        "{" * 900_000,
        "{ " * 450_000,
        "<think>" * 100_000,
        "{a{a" * 200_000,
        '{"": "' + "\\" * 900_000,
    ],
)
def test_reading_takes_no_longer_than_the_answer_is_long(said: str) -> None:
    """What is made to be slow to read is refused as fast as any text of its size: to read on from
    each place anew takes hours.
    """
    with pytest.raises(ValueError, match="answer"):
        read_object(said)


def test_a_list_is_read_by_its_name() -> None:
    """What is no object in it is passed over; a list that is not there is told by its name."""
    assert objects({"items": [{"a": 1}, "b", None, {"c": 2}]}, "items") == [{"a": 1}, {"c": 2}]
    lacking: list[dict[str, Any]] = [{}, {"items": {}}, {"items": None}]
    for value in lacking:
        with pytest.raises(ValueError, match="items"):
            objects(value, "items")


@pytest.mark.parametrize(
    "said",
    [
        {"items": [{"text": "a"}, {"text": "b"}]},
        {"items": ["a", "b"]},
        {"notes": [{"text": "a"}, {"text": "b"}], "language": "en", "more": []},
    ],
)
def test_the_one_list_of_an_answer_is_read(said: dict[str, Any]) -> None:
    """By its name, or where there is no other; a text is an entry with one field."""
    assert objects(said, "items", "text") == [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "Here it is: {}"])
def test_a_list_without_an_object_around_it_is_read(around: str) -> None:
    """In a fence and in prose, too."""
    said = read_object(around.replace("{}", '[{"text": "a"}, {"text": "b"}]'))

    assert objects(said, "items") == [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize(
    "said", [{}, {"items": 5}, {"items": None}, {"a": [{"x": 1}], "b": [{"y": 2}]}]
)
def test_an_answer_without_the_list_is_refused(said: dict[str, Any]) -> None:
    """Also where two may be meant."""
    with pytest.raises(ValueError, match="no list"):
        objects(said, "items")


def test_one_object_is_a_list_of_one() -> None:
    """Small models leave the brackets out."""
    assert objects({"items": {"text": "a"}}, "items") == [{"text": "a"}]
