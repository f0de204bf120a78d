"""How many hits a question gets, by its wording."""

from __future__ import annotations

import pytest

from omoide.read.depth import COMPLEX, MEDIUM, SIMPLE, depth_of


@pytest.mark.covers("GM-52")
@pytest.mark.parametrize(
    ("question", "depth"),
    [
        ("Where does Ana live?", SIMPLE),
        ("", SIMPLE),
        ("one two three four five six seven eight", SIMPLE),
        ("one two three four five six seven eight nine", MEDIUM),
        ("How does it work?", MEDIUM),
        ("why?", MEDIUM),
        ("Explain the plan", MEDIUM),
        ("Tell me what happened", MEDIUM),
        ("Summarize May", MEDIUM),
        ("Show everything", COMPLEX),
        ("compare A with B", COMPLEX),
        ("the history of this", COMPLEX),
        (" ".join(f"w{n}" for n in range(20)), MEDIUM),
        (" ".join(f"w{n}" for n in range(21)), COMPLEX),
    ],
)
def test_depth_follows_the_wording(question: str, depth: int) -> None:
    """3 for a simple question, 5 from nine words on or when it asks how or why, 10 from 21 words on
    or when it compares.
    """
    assert depth_of(question) == depth


@pytest.mark.parametrize(
    ("question", "depth"),
    [
        ("Warum?", MEDIUM),
        ("Vergleiche beide", COMPLEX),
        ("¿Cómo?", MEDIUM),
        ("为什么会这样？", MEDIUM),
        ("比较一下", COMPLEX),
        ("なぜですか", MEDIUM),
        ("почему так", MEDIUM),
        ("لماذا", MEDIUM),
        ("क्यों", MEDIUM),
        ("왜 그래", MEDIUM),
        ("모든 것", COMPLEX),
    ],
)
def test_depth_knows_other_languages(question: str, depth: int) -> None:
    """The words that ask for more are known in many languages."""
    assert depth_of(question) == depth


def test_long_questions_without_spaces_are_long() -> None:
    """Two wide characters count as a word."""
    assert depth_of("我昨天在公司附近的咖啡馆里遇到了谁呢") == MEDIUM
    assert depth_of("我" * 44) == COMPLEX


def test_a_repeated_word_still_counts() -> None:
    """Length is of the question, not of its vocabulary."""
    assert depth_of("that that that that that that that that that") == MEDIUM
