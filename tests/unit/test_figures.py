"""Numbers of a text, and addresses, which are none."""

from __future__ import annotations

import pytest

from omoide.text.addresses import addresses
from omoide.text.figures import Figure, figures


@pytest.mark.parametrize(
    ("text", "language", "values", "unit"),
    [
        ("25 km", "en", {"25"}, "km"),
        ("twenty-five", "en", {"25"}, ""),
        ("fünfundzwanzig Kilo", "de", {"25"}, "kg"),
        ("treinta y cinco años", "es", {"35"}, "year"),
        ("trentacinque", "it", {"35"}, ""),
        ("тридцать пять лет", "ru", {"35"}, "year"),
        ("ثلاثة وعشرون", "ar", {"23"}, ""),
        ("तीन साल", "hi", {"3"}, "year"),
        ("두 마리", "ko", {"2"}, ""),
        ("٤٢", "ar", {"42"}, ""),
        ("二十五岁", "zh", {"25"}, "year"),
        ("九万八", "zh", {"90008", "98000"}, ""),
        ("一亿三千万人", "zh", {"130000000"}, ""),
        ("两万亿", "zh", {"2000000000000"}, ""),
        ("5万円", "ja", {"50000"}, "JPY"),
        ("3.5 million", "en", {"3500000"}, ""),
        ("$300", "en", {"300"}, "USD"),
        ("1,000", "en", {"1000", "1"}, ""),
        ("3 pm", "en", {"15:00"}, "clock"),
        ("15 Uhr", "de", {"15:00"}, "clock"),
        ("92 m²", "de", {"92"}, "m"),
        ("92 qm", "de", {"92"}, "m"),
        ("92平米", "zh", {"92"}, "m"),
        ("الساعة الخامسة مساءً", "ar", {"5"}, ""),
        ("20 °C", "en", {"20"}, "°c"),
        ("huszonöt", "hu", {"25"}, ""),
        ("dvacet pět", "cs", {"25"}, ""),
        ("ఇరవై ఐదు", "te", {"25"}, ""),
        ("ఇద్దరు", "te", {"2"}, ""),
        ("পঁয়ত্রিশ", "bn", {"35"}, ""),
        ("দুটি", "bn", {"2"}, ""),
        ("ოცდახუთი", "ka", {"25"}, ""),
        ("രണ്ട്", "ml", {"2"}, ""),
        ("ಮೂರು", "kn", {"3"}, ""),
        ("ஐந்து", "ta", {"5"}, ""),
        ("દસ હજાર", "gu", {"10000"}, ""),
        ("ਪੰਜ", "pa", {"5"}, ""),
        ("ሁለት", "am", {"2"}, ""),
        ("بیست و پنج", "fa", {"25"}, ""),
        ("پانچ", "ur", {"5"}, ""),
    ],
)
def test_a_number_is_read_with_its_unit(
    text: str, language: str, values: set[str], unit: str
) -> None:
    """In figures of any script and in words; every value that it may have."""
    (figure,) = figures(text, (language,))

    assert (set(figure.values), figure.unit) == (values, unit)


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("a dozen eggs", "en", "12"),
        ("zwei Dutzend Eier", "de", "24"),
        ("dozens of letters", "en", "dozens"),
        ("десятки писем", "ru", "dozens"),
        ("miles de cartas", "es", "thousands"),
        ("in the nineties", "en", "1994"),
        ("in den Neunzigern", "de", "1994"),
        ("в девяностых", "ru", "1994"),
        ("في التسعينيات", "ar", "1994"),
        ("in her thirties", "en", "34"),
        ("half of the class", "en", "50"),
        ("half an hour", "en", "30"),
        ("eine halbe Stunde", "de", "30"),
        ("نصف ساعة", "ar", "30"),
        ("一半的人", "zh", "0.5"),
        ("半分の人", "ja", "0.5"),
    ],
)
def test_amounts_and_decades_in_a_word_are_numbers(text: str, language: str, value: str) -> None:
    """What has no exact number is known by what it is called."""
    assert [figure.is_sure for figure in figures(text, (language,)) if value in figure.values] == [
        True
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("two and a half years", "en"),
        ("half past six", "en"),
        ("halb sieben", "de"),
        ("halb 7", "de"),
    ],
)
def test_half_of_a_number_or_a_time_is_no_amount(text: str, language: str) -> None:
    """It is a part of what stands beside it."""
    assert not any(
        figure.is_sure for figure in figures(text, (language,)) if "0.5" in figure.values
    )


@pytest.mark.parametrize(
    ("said", "language", "noted"),
    [
        ("um halb neun", "de", "8:30 Uhr"),
        ("um halb 9", "de", "20:30"),
        ("viertel vor acht", "de", "7:45 Uhr"),
        ("quarter to eight", "en", "7:45"),
        ("om half negen", "nl", "8:30"),
        ("a las ocho menos cuarto", "es", "19:45"),
        ("à huit heures moins le quart", "fr", "7h45"),
        ("à huit heures et demie", "fr", "20h30"),
        ("à 19 heures", "fr", "19:00"),
        ("в 8 часов", "ru", "8:00"),
        ("الساعة الخامسة مساءً", "ar", "17:00"),
    ],
)
def test_an_hour_in_words_is_the_hour_in_figures(said: str, language: str, noted: str) -> None:
    """Also where it is counted down to, or called by the word for hours."""
    (hour,) = (one for one in figures(noted, (language,)) if one.unit == "clock")

    assert any(hour.same(one) for one in figures(said, (language,)))
    assert not any(
        Figure(frozenset(("3:00",)), "clock").same(one) for one in figures(said, (language,))
    )


@pytest.mark.parametrize("text", ["{}", "{} km", "halb {}", "{} pm", "1 {} m"])
def test_a_row_of_digits_without_end_is_read(text: str) -> None:
    """Python makes no number of so many: it raises ValueError."""
    digits = "9" * 5_000

    found = figures(text.format(digits), ("de", "en"))

    assert any(value.endswith(digits) for one in found for value in one.values)


def test_miles_are_no_thousands_in_english() -> None:
    """Words are read in their language alone."""
    assert [set(figure.values) for figure in figures("5 miles", ("en",))] == [{"5"}]


def test_parts_of_words_are_no_sure_numbers() -> None:
    """一 in "together" is no number, and the English "once" no eleven."""
    assert not any(figure.is_sure for figure in figures("我们一起去", ("zh",)))
    assert figures("she once lived there", ("en",)) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("see https://example.org/a?b=1.", "link"),
        ("ana.b@example.org", "mail"),
        ("我的邮箱是ana@example.cn", "mail"),
        ("call +44 7700 900123", "phone"),
        ("電話は090-1234-5678です", "phone"),
        ("PR-480", "code"),
        ("#260", "code"),
        ("~/notes/today.md", "path"),
        ("@ana_b", "handle"),
    ],
)
def test_an_address_is_told_from_words(text: str, kind: str) -> None:
    """Links, mail addresses, phone numbers, codes, paths and handles, in text of any script."""
    assert [address.kind for address in addresses(text)] == [kind]


@pytest.mark.parametrize(
    "text", ["on 2024-05-07", "07.05.2024", "1 000 000 people", "at 15:30", "and/or", "3.5 km"]
)
def test_dates_numbers_and_words_are_no_addresses(text: str) -> None:
    """What is read as a time or number is no address too."""
    assert addresses(text) == []


def test_a_phone_number_is_the_same_however_its_country_is_dialled() -> None:
    """+49 171 … is 0171 …, and a link the same without https."""
    one, other = addresses("+49 171 2345678")[0], addresses("0171 2345678")[0]

    assert one.same(other)
    assert addresses("https://www.example.org/")[0].same(addresses("example.org")[0])
    assert not one.same(addresses("0171 2345679")[0])


def test_persian_numbers_are_none_in_arabic() -> None:
    """Where a text may be of several languages of one script, the one that it is in counts: ده is
    ten, or this.
    """
    assert not any(figure.is_sure for figure in figures("الكتاب ده من الجامعة", ("ar", "fa", "ur")))
    assert [
        set(figure.values) for figure in figures("او ده گربه دارد که است", ("ar", "fa", "ur"))
    ] == [{"10"}]
