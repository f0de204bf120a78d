"""Names told from sentences."""

from __future__ import annotations

import pytest

from omoide.grounding.own_name import Likely, name_or_sentence


@pytest.mark.parametrize(
    "said",
    "Ana|ana|Max|Will|José|Dr. Okafor|J. R. Tolkien|Ludwig van Beethoven|Ana de la Cruz|Ana Maria Silva|Sam|Jean-Luc Picard"
    "|O'Brien|Conan O’Brien|Анна Петрова|محمد بن سلمان|अनिता शर्मा|小王|山田太郎|김민수|ნინო ბერიძე|anna-lena|Mr Smith".split(
        "|"
    ),
)
def test_names_are_names(said: str) -> None:
    """In any script, with initials and particles, and in small letters."""
    assert name_or_sentence(said) is Likely.NAME


@pytest.mark.parametrize(
    "said",
    "what can you do?|Who are you?|hello|Hi!|42|何ができますか？|ماذا تستطيع أن تفعل؟"
    "|I would like to plan a trip to Lisbon next spring|¿qué puedes hacer?".split("|"),
)
def test_sentences_are_sentences(said: str) -> None:
    """Questions, greetings, what has no letters, and what is too long."""
    assert name_or_sentence(said) is Likely.SENTENCE


@pytest.mark.parametrize(
    "said",
    "what can you do|why|ana de la cruz|book a flight|My name is Ana|I'm Ana|help me please|remember the milk|Ich bin Max|tell me more."
    "|меня зовут Анна|何ができますか|what is this|show me the news".split("|"),
)
def test_what_is_neither_is_unsure(said: str) -> None:
    """It has words that names do not have: whoever said it is asked."""
    assert name_or_sentence(said) is Likely.UNSURE
