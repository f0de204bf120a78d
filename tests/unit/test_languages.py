"""Languages: recognised, stemmed, and what a question may leave out."""

from __future__ import annotations

import threading

import pytest

from omoide.text.languages import (
    is_stop_word,
    language_of,
    likely_languages,
    plausible_languages,
    stem,
    stop_words,
)
from omoide.text.words import index_terms, query_terms

SENTENCES = [
    ("en", "I went to the park with the kids"),
    ("de", "Meine Katzen schlafen gern in den Häusern"),
    ("de", "was ist los"),
    ("es", "Los gatos duermen en la cama"),
    ("es", "¿Dónde está el gato?"),
    ("fr", "J'aime les chevaux et la mer"),
    ("pt", "Eu moro em Lisboa com minha mãe"),
    ("it", "Dove sono i miei gatti"),
    ("nl", "De honden lopen in het park"),
    ("sv", "Jag har en hund och två katter"),
    ("da", "Jeg har en hund, hvad hedder din"),
    ("no", "Hva heter hunden din"),
    ("fi", "Minulla on koira ja talossa on kissa"),
    ("tr", "Evlerimiz çok büyük"),
    ("pl", "Gdzie jest mój rower"),
    ("cs", "Mám dva psy a kočky"),
    ("hu", "A kutyák a kertben vannak"),
    ("ro", "Unde este bicicleta mea"),
    ("id", "Saya suka makanan yang pedas"),
    ("vi", "Tôi có một con chó"),
    ("ru", "Мы ездили в Москву"),
    ("uk", "У мене є собака"),
    ("el", "Οι γάτες κοιμούνται"),
    ("ar", "أحب السيارات"),
    ("fa", "من یک سگ دارم"),
    ("ur", "میرے پاس ایک کتا ہے"),
    ("he", "יש לי כלב"),
    ("hi", "मेरे पास एक कुत्ता है"),
    ("ja", "犬を飼っています"),
    ("zh", "我有一只狗"),
    ("ko", "저는 개가 있어요"),
    ("th", "ฉันมีหมา"),
    ("", "pizza"),
    ("", "123 😀"),
    ("", ""),
]

INFLECTED = [
    ("My cats were running through the garden", "run"),
    ("Meine Katzen schlafen gern in den Häusern", "Haus"),
    ("Meine Katzen schlafen gern", "Katze"),
    ("Los gatos duermen en la cama", "gato"),
    ("Las canciones son muy bonitas", "canción"),
    ("Las canciones son muy bonitas", "cancion"),
    ("Les chevaux sont dans le pré", "cheval"),
    ("As crianças gostam de música", "criança"),
    ("I bambini giocano nel parco", "bambino"),
    ("De honden lopen in het park", "hond"),
    ("Jag såg flickorna på skolan", "flicka"),
    ("Drengene spiller fodbold på skolen", "dreng"),
    ("Guttene spiller fotball på skolen", "gutt"),
    ("Minulla on koira ja talossa on kissa", "talo"),
    ("Evlerimiz çok büyük", "ev"),
    ("Mam dwa koty i psa", "kot"),
    ("Mám dva psy a kočky", "kočka"),
    ("A kutyák a kertben vannak", "kert"),
    ("Pisicile dorm în casă", "pisică"),
    ("Saya suka makanan yang pedas", "makan"),
    ("Мы ездили в Москву", "Москва"),
    ("Οι γάτες κοιμούνται", "γάτα"),
    ("أحب السيارات", "سيارة"),
    ("मुझे किताबें पसंद हैं", "किताब"),
    ("من کتاب‌ها را دوست دارم", "کتاب"),
    ("நான் புத்தகங்கள் படிக்கிறேன்", "புத்தகம்"),
]


@pytest.mark.parametrize(("code", "text"), SENTENCES)
def test_a_sentence_tells_its_language(code: str, text: str) -> None:
    """By script, stop words and letters; "" where nothing tells."""
    assert language_of(text) == code


@pytest.mark.parametrize(("text", "word"), INFLECTED)
def test_the_basic_form_finds_the_inflected_one(text: str, word: str) -> None:
    """A question of one word tells no language and still finds the inflected word."""
    assert not {one.term for one in query_terms(word)}.isdisjoint(index_terms(text))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Das Haus ist groß", "Wo sind die Häuser?"),
        ("Lieblingsfarbe: Blau", "Welche Lieblingsfarben habe ich?"),
        ("Vive en Madrid con su familia", "¿Dónde viven?"),
        ("Il a une belle maison", "Combien de maisons y a-t-il ?"),
        ("У неё есть кошка", "Где её кошки?"),
        ("She adopted a puppy", "How many puppies did she adopt?"),
    ],
)
def test_a_question_finds_the_other_form(text: str, question: str) -> None:
    """Question and text are stemmed alike where both tell their language, and where the text is too
    short to.
    """
    assert not {one.term for one in query_terms(question)}.isdisjoint(index_terms(text))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Where did you go with the dogs?", {"where", "did", "you", "with", "the"}),
        ("Wo sind meine Katzen?", {"wo", "sind", "mein", "meine"}),
        ("¿Dónde están los gatos?", {"donde", "estan", "los"}),
        ("Где живут мои кошки?", {"где", "мо", "мои"}),
        ("أين تعيش القطط", {"اين"}),
        ("मेरी किताब कहाँ है", {"मेरी", "कहाँ", "है"}),
        ("你喜欢什么颜色", {"什么"}),
    ],
)
def test_a_question_leaves_out_the_stop_words_of_its_language(
    question: str, words: set[str]
) -> None:
    """They are in too many texts to tell them apart."""
    assert not {one.term for one in query_terms(question)} & words


@pytest.mark.parametrize(
    "code",
    "en de es fr it pt nl ru ar hi tr sv da no fi pl cs ro hu ca id vi uk bg el fa ur he ne hy ta"
    " ko ja zh th bn".split(),
)
def test_languages_have_stop_words(code: str) -> None:
    """At least a dozen, folded, each one word."""
    assert len(stop_words(code)) >= 12
    assert all(word == "".join(word.split()).lower() for word in stop_words(code))


def test_an_unknown_language_has_none_and_stems_nothing() -> None:
    """A code that nobody knows is no error."""
    assert stop_words("tlh") == frozenset()
    assert stem("qapla'", "tlh") == "qapla'"
    assert not is_stop_word("the", "tlh")


@pytest.mark.parametrize(
    "text",
    ["La Croix cans, please and thank you", "I love my new naïve café", "Kim and I met at El Paso"],
)
def test_foreign_names_make_no_foreign_text(text: str) -> None:
    """English with a borrowed word stays English."""
    assert language_of(text) == "en"


def test_languages_that_cannot_be_told_apart_are_all_likely() -> None:
    """Each of them stems the text, so that whichever a question is in finds it."""
    assert {"da", "no"} <= set(likely_languages("Drengene spiller fodbold på skolen".split()))


def test_a_word_may_be_in_any_language_that_has_its_letters() -> None:
    """ä is in German, Swedish and Finnish, not in French."""
    assert {"de", "sv", "fi"} <= set(plausible_languages("Häuser"))
    assert "fr" not in plausible_languages("Häuser")
    assert plausible_languages("Wo sind meine Häuser?") == ("de",)


def test_threads_get_the_stems_of_their_own_words() -> None:
    """Stemmers keep the word they work on; two threads must not share one."""
    words = [
        f"{start}{middle}ations"
        for start in "bcdfgklmnprst"
        for middle in ("enov", "imit", "orm", "ust")
    ]
    expected = [stem(word, "en") for word in words]
    wrong: list[str] = []

    def work() -> None:
        fresh = [f"{word}ly" for word in words]
        wrong.extend(
            word for word, want in zip(words, expected, strict=True) if stem(word, "en") != want
        )
        wrong.extend(word for word in fresh if not word.startswith(stem(word, "en")[:4]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
