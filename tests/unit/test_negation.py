"""Whether a statement says no where its source does not."""

from __future__ import annotations

import pytest

from omoide.text.negation import flips, negates

SAID_NO = """en:I don't smoke|de:ich rauche nicht|es:no fumo|fr:je ne fume pas|it:non fumo|pt:não fumo|ru:я не курю|zh:我不抽烟
ru:неверно, что она курит|uk:неправда, що вона палить|ja:吸いません|ko:담배를 안 피워요|ar:لا أدخن|hi:मैं नहीं पीता"""
LOOKS_LIKE = """pt:moro no Porto|de:am 7. Mai|fr:le 2 mai|fr:je suis né|en:I can't wait to go|zh:不错的书|zh:未来|ja:危ない道|ko:동안 살았다
en:never forget her|de:nicht nur Tee"""


@pytest.mark.parametrize("line", SAID_NO.replace("\n", "|").split("|"))
def test_a_negation_is_seen_in_many_languages(line: str) -> None:
    """By words and by endings."""
    language, _, text = line.partition(":")

    assert negates(text)
    assert negates(text, (language,))


@pytest.mark.parametrize("line", LOOKS_LIKE.replace("\n", "|").split("|"))
def test_what_only_looks_like_one_is_none(line: str) -> None:
    """Words of other languages, and turns of phrase."""
    language, _, text = line.partition(":")

    assert not negates(text, (language,))


@pytest.mark.parametrize(
    ("text", "source", "flipped"),
    [
        ("Ana likes tea", "I don't like tea", True),
        ("Ana does not like tea", "I like tea", True),
        ("Ana hates tea", "I don't like tea", False),
        ("Ana doesn't drink tea", "I hate to drink tea", False),
        ("Ana loves coffee", "I don't like tea, but I love coffee", False),
        ("Ana drinks tea without milk", "tea without milk for me", False),
        ("Ana likes short answers", "I like short answers without much ado", False),
        ("Ana no longer smokes", "I quit smoking", False),
        ("Ana isn't allergic to nuts", "I'm allergic to nuts", True),
    ],
)
def test_a_flip_is_told_clause_by_clause(text: str, source: str, flipped: bool) -> None:
    """Another clause's negation does not count, nor a word that denies by itself, unless both have
    it.
    """
    assert flips(text, source, ("en",)) is flipped
