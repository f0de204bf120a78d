"""The order of hits that are linked as similar."""

from __future__ import annotations

from dataclasses import replace

import pytest

from omoide.nouns.hit import Hit
from omoide.nouns.kind import Kind
from omoide.read.similar import fuller_first, newest_first
from omoide.text.words import query_terms
from tests.fix_memory import MakeItem


def first(make_item: MakeItem, asked: str, older: str, newer: str) -> str:
    """The text that a question shows first, of two that are linked, the newer one before it."""
    old, new = make_item(older), make_item(newer)
    new = replace(new, similar_to=old.id)
    hits = [
        Hit(kind=Kind.ITEM, id=item.id, text=item.text, score=score, at=item.recorded_at, item=item)
        for item, score in ((new, 1.0), (old, 0.9))
    ]
    terms = query_terms(asked)
    return newest_first(fuller_first(hits, terms), terms, asked)[0].text


@pytest.mark.parametrize(
    ("asked", "older", "newer"),
    [
        ("What does pump A need?", "Pump A needs a new seal", "Pump B needs a new seal"),
        ("Wovon handelt Band I?", "Band I handelt von Rom", "Band II handelt von Athen"),
        ("Où habite mon cousin ?", "Mon cousin habite Lyon", "Ma cousine habite Nice"),
        ("Où habite ma cousine ?", "Ma cousine habite Nice", "Mon cousin habite Lyon"),
        ("What hurts in my left knee?", "My left knee hurts", "My right knee hurts"),
    ],
)
def test_what_a_question_names_comes_before_what_is_newer(
    make_item: MakeItem, asked: str, older: str, newer: str
) -> None:
    """Also where a letter, a Roman number or an ending alone tells the two apart."""
    assert first(make_item, asked, older, newer) == older


@pytest.mark.parametrize(
    ("asked", "older", "newer"),
    [
        ("Where do I live?", "I live in Leeds", "I live in York"),
        ("Do I drink coffee?", "I drink coffee", "I no longer drink coffee"),
        ("What colour is a pump?", "A pump is red", "A pump is blue"),
    ],
)
def test_the_newer_comes_first_where_a_question_names_neither(
    make_item: MakeItem, asked: str, older: str, newer: str
) -> None:
    """A small word that stands in one of them names nothing."""
    assert first(make_item, asked, older, newer) == newer
