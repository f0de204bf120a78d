"""What a question is looked for by: its subject, where it has one besides the talk as such."""

from __future__ import annotations

import pytest

from omoide.read.question import looked_for
from omoide.text.words import query_terms


def test_a_question_about_what_was_told_is_looked_for_by_its_subject() -> None:
    """Its other words would find whatever is called a summary."""
    text, terms = looked_for("Can I have a summary of our conversations about the garden?")

    assert "summary" not in text
    assert {term.term for term in terms} == {"garden"}


@pytest.mark.parametrize(
    "question",
    [
        "Summarize our conversations",
        "What was our talk about?",
        "Where is the garden?",
        "",
        "要約して",
    ],
)
def test_a_question_without_another_subject_is_looked_for_as_it_is(question: str) -> None:
    """So that no question is looked for by nothing."""
    assert looked_for(question) == (question, query_terms(question))
