"""Tables of irregular forms: every form is searched by its base form, none by another word unseen."""

from __future__ import annotations

from importlib.resources import files

import pytest

from omoide.text.forms import forms_id, forms_of, read_forms
from omoide.text.languages import base_roots, base_stems, root, stem, stems_differ, stop_words
from omoide.text.words import index_terms, query_terms

LANGUAGES = ("da", "de", "en", "es", "fr", "it", "nl", "no", "pl", "pt", "ru", "sv")

# forms that are forms of several words, or base forms of others: searched by all of them
ACCEPTED = {
    "da": {"talt", "talte", "lave", "åbne"},
    "de": {"gehört", "gefallen", "spannen"},
    "en": {"lay", "saw"},
    "es": {
        "fui", "fue", "fuimos", "fueron", "siento", "sienta", "sientas", "sientan", "siente",
        "sientes", "sienten", "cruces",
    },
    "fr": {"vis", "vit", "plu"},
    "it": {"uso"},
    "nl": {"leden", "graven", "wegen"},
    "no": {"lagt", "satt", "turte", "la", "mor"},
    "pl": set(),
    "pt": {"fui", "foi", "fomos", "foram", "fosse", "fossem", "for", "sais"},
    "ru": {"поем", "поешь", "плачу", "вожу", "есть"},
    "sv": {"satt"},
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_form_has_the_search_term_of_its_base_form(language: str) -> None:
    """Of each entry; a base form keeps the stem that it has by itself."""
    forms = forms_of(language)

    assert len(forms.bases) > 400
    for form, bases in forms.bases.items():
        for base in bases:
            assert stem(base, language) in base_stems(form, language)
            assert stem(base, language) in base_stems(base, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_forms_of_several_words_are_known(language: str) -> None:
    """No form is taken for another word's unseen: those that are stand in a list."""
    forms = forms_of(language)
    several = {form for form, bases in forms.bases.items() if len(bases) > 1}

    assert several | (forms.bases.keys() & forms.base_forms) == ACCEPTED[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_that_are_forms_too_keep_their_own_term(language: str) -> None:
    """Both are indexed, and a question looks for the word itself first."""
    found = {word: base_stems(word, language) for word in forms_of(language).words}

    assert found
    assert all(stems[0] == stem(word, language) for word, stems in found.items())
    assert all(
        stem(base, language) in stems
        for word, stems in found.items()
        for base in forms_of(language).bases_of(word)
    )


def test_each_file_is_read_by_a_language_with_stems() -> None:
    """English and Russian by every text of their script, the others by texts in their language."""
    names = {file.name for file in files("omoide.text").joinpath("irregular").iterdir()}

    assert names == {f"{code}.txt" for code in LANGUAGES}
    assert all(stems_differ(code) or code in ("en", "ru") for code in LANGUAGES)
    assert base_roots("broke") == ("break",)
    assert base_roots("нашел") == (root("найти"),)


def test_small_words_of_english_stay_what_they_are() -> None:
    """They stand in texts of every language that is written in Latin letters. *won* is one of them
    for the sake of *won't*.
    """
    assert forms_of("en").bases.keys() & stop_words("en") == {"won"}


@pytest.mark.parametrize(
    ("form", "base", "language"),
    [
        ("mitgebracht", "mitbringen", "de"),
        ("mitbrachte", "mitbringen", "de"),
        ("mitzubringen", "mitbringen", "de"),
        ("versprochen", "versprechen", "de"),
        ("verkauft", "verkaufen", "de"),
        ("angerufen", "anrufen", "de"),
        ("uitgegeven", "uitgeven", "nl"),
        ("obtuvieron", "obtener", "es"),
        ("permis", "permettre", "fr"),
        ("ripreso", "riprendere", "it"),
        ("överlevde", "överleva", "sv"),
        ("przyszła", "przyjść", "pl"),
        ("привез", "привезти", "ru"),
        ("overslept", "oversleep", "en"),
    ],
)
def test_a_prefix_stands_before_any_form(form: str, base: str, language: str) -> None:
    """Without an entry of its own."""
    assert base_stems(form, language) == (stem(base, language),)


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("anlegen", "de"),
        ("verlangen", "de"),
        ("vergessen", "de"),
        ("unterlage", "de"),
        ("presente", "es"),
        ("tamis", "fr"),
        ("conserve", "fr"),
        ("порта", "ru"),
        ("founded", "en"),
        ("underground", "en"),
    ],
)
def test_what_only_looks_like_a_form_stays_itself(word: str, language: str) -> None:
    """An infinitive, a noun, a regular form."""
    assert base_stems(word, language) == (stem(word, language),)


def test_a_line_tells_a_base_form_and_its_forms() -> None:
    """The notation: endings, stems with them, classes, prefixes, and forms that follow none."""
    forms = read_forms(
        "# comment\nprefixes = ab un\nwords = left\nend = -e -en ge-t\n"
        "leave : left\ndo : did done!\nbring : brach+end\nen+end : machen\nsea! : seas\n"
    )

    assert forms.bases_of("left") == ("leave",)
    assert forms.bases_of("brachen") == forms.bases_of("gebracht") == ("bring",)
    assert forms.bases_of("gemacht") == ("machen",)
    assert forms.bases_of("undid") == ("undo",)
    assert forms.bases_of("undone") == forms.bases_of("unseas") == forms.bases_of("sea") == ()


def test_exact_terms_keep_irregular_forms_apart() -> None:
    """A search takes *broke* for *break*; whoever compares what texts say does not."""
    text = "Chloe broke it, und er hat gestern einen Kuchen mitgebracht, das ist nicht neu"

    assert "break" in index_terms(text)
    assert "break" not in index_terms(text, exact=True)
    assert "broke" in index_terms(text, exact=True)
    assert [term.term for term in query_terms("who broke it", exact=True)] == ["broke"]


def test_a_question_with_a_form_that_is_another_word_looks_for_both() -> None:
    """The word itself counts twice as much."""
    assert [(term.term, term.weight) for term in query_terms("who left")] == [
        ("left", 1.0),
        ("leav", 0.5),
    ]


def test_the_tables_have_a_name() -> None:
    """An index made with other tables can be told."""
    assert len(forms_id()) == 8
