"""Stemmers whose look-ups are ours: every stem is the package's own."""

from __future__ import annotations

from importlib import import_module
from random import Random

import pytest

from omoide.text.languages import stop_words
from omoide.text.stemmers import load_stemmer

LATIN = (
    "danish dutch english finnish french german hungarian italian norwegian polish portuguese"
    " romanian spanish swedish turkish".split()
)


def endings(stemmer: object) -> list[str]:
    """All that the rules of a stemmer look for at either end of a word."""
    return sorted(
        {
            affix.s
            for name, rule in vars(type(stemmer)).items()
            if name.startswith("a_")
            for affix in rule
        }
    )


@pytest.mark.parametrize(
    "algorithm", [*LATIN, "armenian", "greek", "hindi", "nepali", "persian", "russian", "tamil"]
)
def test_every_stem_is_the_packages_own(algorithm: str) -> None:
    """Of words of all sorts of languages, with every ending and beginning that the rules know, and
    two at a time.
    """
    theirs = getattr(
        import_module(f"snowballstemmer.{algorithm}_stemmer"), f"{algorithm.capitalize()}Stemmer"
    )()
    affixes, choices = endings(theirs), Random(algorithm)
    bodies = sorted(
        {word for code in ("de", "en", "fr", "ru", "el", "hi") for word in stop_words(code)}
    )
    words = [choices.choice(bodies) + affix for affix in affixes]
    words += [
        choices.choice(affixes)
        + choices.choice(bodies)
        + choices.choice(affixes)
        + choices.choice(affixes)
        for _ in range(1000)
    ]

    assert [*map(load_stemmer(algorithm), words)] == theirs.stemWords(words)
