"""A noun with its article, as messages join them."""

from __future__ import annotations

import pytest

from omoide.nouns.record.lines import with_article


@pytest.mark.parametrize(
    ("noun", "said"),
    [
        ("index", "an index"),
        ("Item", "an Item"),
        ("agent", "an agent"),
        ("trigger", "a trigger"),
        ("user", "a user"),
        ("", "a "),
    ],
)
def test_a_vowel_takes_an(noun: str, said: str) -> None:
    """All nouns that messages name are told by their first letter."""
    assert with_article(noun) == said
