"""Names that nobody tagged: words with a capital that nobody said."""

from __future__ import annotations

import pytest

from omoide.grounding.named import WordStarts, unsaid_capitals, unsaid_names


@pytest.mark.parametrize(
    ("text", "said", "language", "names"),
    [
        ("Ana lives with Bo in Porto", "Ana lives in Porto", "en", ["Bo"]),
        ("Ana uses PostgreSQL", "Ana: I use Postgres", "en", []),
        ("Ana vive em Braga", "Ana vive no Porto", "pt", ["Braga"]),
        ("Анна живёт в Риге", "Анна живёт в Осло", "ru", ["Риге"]),
        ("She likes tea. Often at noon", "Ana likes tea, often at noon", "en", []),
        ("Ana mag den Garten", "Ana mag das Grün", "de", []),
        ("安娜住在波尔图", "安娜住在里斯本", "zh", []),
    ],
)
def test_a_word_with_a_capital_that_nothing_said_begins_like_is_a_name(
    text: str, said: str, language: str, names: list[str]
) -> None:
    """Not at the beginning of a sentence, in German, or in scripts without capitals."""
    assert unsaid_capitals(text, WordStarts(said), (language,)) == names


def test_a_name_in_georgian_is_a_name() -> None:
    """Its letters are small ones, of which no capitals are written."""
    said = ("მე ნინო ვარ",)

    assert unsaid_names("თამარი ექიმია", ["person:თამარი"], said, ()) == ("თამარი",)
    assert unsaid_names("ნინო ექიმია", ["person:ნინო"], said, ()) == ()
    assert unsaid_names("the harp is old", ["thing:harp"], said, ()) == ()
