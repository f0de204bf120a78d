"""Whether two texts differ in names, numbers and days alone, in any language that shows its names
by capitals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from omoide.text.figures import figures
from omoide.text.languages import plausible_languages
from omoide.text.letters import fold
from omoide.text.proper import calendar_words
from omoide.text.words import index_terms

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_FIGURES = re.compile(r"\d+(?:[.,:]\d+)*[^\W\d_]{0,3}")
_NOUNS_HAVE_CAPITALS = "de"


def numbers_apart(one: str, other: str) -> bool:
    """Whether two texts have as many words, the same but for some that are numbers in both, in
    figures or in words.
    """
    mine, theirs = fold(one).split(), fold(other).split()
    apart = [pair for pair in zip(mine, theirs, strict=False) if pair[0] != pair[1]]
    if len(mine) != len(theirs) or not apart or 2 * len(apart) > len(mine):
        return False
    languages = plausible_languages(one)
    return all(_is_number(word, languages) for pair in apart for word in pair)


def names_and_figures_apart(one: str, other: str) -> bool:
    """Whether each of two texts has words that the other has not, and all of these are names,
    numbers, days or months.

    A text's first word has its capital from its place, and German nouns have theirs from being
    nouns: neither is taken for a name.
    """
    mine, theirs = _names_and_figures_of(one, other), _names_and_figures_of(other, one)
    return bool(mine) and bool(theirs) and all(mine) and all(theirs)


def _names_and_figures_of(text: str, than: str) -> list[bool]:
    """Of each word that a text has and another has not, whether it is a name, a number, a day or a
    month.
    """
    held, languages = set(index_terms(than)), plausible_languages(text)
    words = list(_WORD.finditer(text))
    own = (word for word in words if held.isdisjoint(index_terms(word[0])))
    return [
        _is_figure(word[0], languages)
        or (word is not words[0] and _has_capital(word[0], languages))
        for word in own
    ]


def _is_figure(word: str, languages: Sequence[str]) -> bool:
    return fold(word) in calendar_words() or _is_number(word, languages)


def _is_number(word: str, languages: Sequence[str]) -> bool:
    """In figures, with a short unit or without, or in words; x12 and 06h2 are names."""
    return bool(_FIGURES.fullmatch(word) or word.isalpha()) and bool(figures(word, languages))


def _has_capital(word: str, languages: Sequence[str]) -> bool:
    return word[0].isupper() and _NOUNS_HAVE_CAPITALS not in languages[:1]
