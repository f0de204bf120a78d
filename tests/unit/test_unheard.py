"""Names in scripts without capitals of whose languages few words are listed."""

from __future__ import annotations

import pytest

from omoide.text.proper import Known, foreign_names
from omoide.text.unheard import unheard_words
from tests.growth import is_linear


@pytest.mark.parametrize(
    ("said", "text", "new"),
    [
        ("আমি পুনেতে থাকি।", "অনিতা খুলনায় থাকেন", ["খুলনায"]),
        ("მე თბილისში ვცხოვრობ.", "ანა ქუთაისში ცხოვრობს", ["ქუთაისში"]),
        ("నేను గుంటూరులో ఉంటాను", "ఆమె కర్నూలులో ఉంటుంది", ["కర్నూలులో"]),
        ("አዲስ አበባ እኖራለሁ", "ጎንደር ትኖራለች", ["ጎንደር"]),
        ("ကျွန်မ ရန်ကုန်မှာ နေတယ်။", "သူမ မန္တလေးတွင် နေထိုင်သည်", ["မန္တလေး"]),
        ("ខ្ញុំរស់នៅភ្នំពេញ។", "គាត់រស់នៅបាត់ដំបង", ["បាត់ដំបង"]),
        ("من در شیراز زندگی می‌کنم", "او در بجنورد زندگی می‌کند", ["بجنورد"]),
    ],
)
def test_a_word_that_was_not_said_may_be_a_name(said: str, text: str, new: list[str]) -> None:
    """Another town in the same sentence is told, whatever is written onto the words around it."""
    assert [
        word[: len(new[0])] for word in unheard_words(text, Known(said, ("অনিতা", "ანა")))
    ] == new


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("আমি পুনেতে থাকি, আমার মেয়ের নাম মীরা।", "অনিতার মেয়ে মীরা, তিনি পুনেতে বসবাস করেন"),
        ("თბილისში ვცხოვრობ", "ანა თბილისის ოჯახში ცხოვრობს"),
        ("ਮੈਂ ਲੁਧਿਆਣੇ ਰਹਿੰਦੀ ਹਾਂ", "ਉਹ ਲੁਧਿਆਣੇ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ"),
        ("ስጋ አልበላም", "ስጋ አትበላም"),
        ("ຂ້ອຍຢູ່ວຽງຈັນ", "ລາວອາໄສຢູ່ວຽງຈັນ"),
    ],
)
def test_other_forms_and_small_words_are_none(said: str, text: str) -> None:
    """What is written onto a word or taken off it makes no other word, and common words say nothing
    new.
    """
    assert list(unheard_words(text, Known(said, ("অনিতা", "ანა")))) == []


def test_names_alike_are_told_apart() -> None:
    """Anil is not Anita, though they begin alike."""
    assert foreign_names("অনিল পুনেতে থাকেন", Known("অনিতা পুনেতে থাকে", ()), ("bn",)) == ["অনিল"]


def test_long_text_takes_no_time_to_speak_of() -> None:
    """A word of a thousand letters is looked at in part, and a source of twelve thousand characters
    once.
    """
    known = Known("পুনেতে থাকি " * 1_000, ())

    assert len(list(unheard_words("ক" * 1_000 + " " + "পুন " * 200, known))) == 1


def test_a_long_run_without_spaces_takes_no_time_to_speak_of() -> None:
    """Whether it is listed words only is found out without reading it anew for each of its
    letters.
    """
    known = Known("ဃငစ", ())

    assert is_linear(lambda text: list(unheard_words(text, known)), "ကခဂ" * 2_000)


def test_other_scripts_are_read_elsewhere() -> None:
    """Latin, Cyrillic, Chinese, Arabic and Hindi words are none of these."""
    assert list(unheard_words("Bern Берн 北京 القاهرة दिल्ली", Known("", ()))) == []
