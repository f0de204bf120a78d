"""Words that a longer one may be made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.compounds import PART, SHORTEST, parts_of
from omoide.text.words import TERM_LIMIT, index_terms, query_terms


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Umzugstermin", "Umzug"),
        ("Umzugstermin", "Termin"),
        ("Versicherungsnummer", "Die Versicherungen sind alle bezahlt"),
        ("verjaardagstaart", "taart"),
        ("sjukhusbesök", "Vi var på sjukhuset och träffade läkaren"),
        ("työhaastattelu", "haastattelu"),
        ("электростанция", "станция"),
        ("bookshelves", "book"),
    ],
)
def test_a_question_in_one_word_thinks_of_the_words_it_is_made_of(asked: str, written: str) -> None:
    """The first and the last part, in whatever form stemming leaves them."""
    parts = {part for term in query_terms(asked) for part in parts_of(term.term)}

    assert parts & set(index_terms(written))


@pytest.mark.parametrize(
    "term",
    [
        "",
        "tea",
        "apricot",
        "user_id_of",
        "12345678",
        "e409xx-kk2",
        "北京",
        "x" * TERM_LIMIT,
        "\ud800" * 9,
    ],
)
def test_in_some_terms_no_part_is_thought_of(term: str) -> None:
    """Short ones, those with digits or signs, those that were cut, and what is no word."""
    assert parts_of(term) == []


def test_parts_of_a_native_stem_are_native_stems() -> None:
    """Else German would be looked for among English."""
    assert {part[0] for part in parts_of("~umzugstermin")} == {"~"}
    assert [part[1:] for part in parts_of("~umzugstermin")] == parts_of("umzugstermin")


@given(st.text("abcdefghijklmnopqrstuvwxyzабвгд", min_size=SHORTEST, max_size=TERM_LIMIT - 1))
def test_parts_are_beginnings_and_ends(term: str) -> None:
    """Each shorter than the word, each once, none of less than four letters."""
    parts = parts_of(term)

    assert len(parts) == len(set(parts)) <= 2 * len(term)
    assert all(
        PART <= len(part) < len(term) and (term.startswith(part) or term.endswith(part))
        for part in parts
    )
