"""What a question is looked for by: its subject, where it has one besides the talk as such."""

from __future__ import annotations

import pytest

from omoide.read.question import looked_for
from omoide.text.earlier_talk import earlier_talk_in
from omoide.text.words import query_terms


def test_a_question_about_what_was_told_is_looked_for_by_its_subject() -> None:
    """Its other words would find whatever is called a summary."""
    question = "Can I have a summary of our conversations about the garden?"
    text, terms = looked_for(question, earlier_talk_in(question).subject)

    assert "summary" not in text
    assert {term.term for term in terms} == {"garden"}


def test_a_question_about_what_one_said_is_looked_for_by_its_subject() -> None:
    """ "Mention" and "say" would find whoever mentions or says something."""
    question = "When and where did I say I met my partner?"
    _, terms = looked_for(question, earlier_talk_in(question).subject)

    assert {term.term for term in terms} == {"meet", "partner"}


@pytest.mark.parametrize(
    "question",
    [
        "What did I say?",
        "Summarize our conversations",
        "What was our talk about?",
        "Where is the garden?",
        "",
        "要約して",
    ],
)
def test_a_question_without_another_subject_is_looked_for_as_it_is(question: str) -> None:
    """So that no question is looked for by nothing."""
    subject = earlier_talk_in(question).subject

    assert looked_for(question, subject) == (question, query_terms(question))
