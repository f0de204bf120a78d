"""Words that were not said in any form, in scripts without capitals of whose languages few words
are listed.

There nothing tells a name: Bengali, Georgian, Telugu, Amharic or Burmese letters have no capitals,
and no list holds the names of their speakers. So every word of a statement that its source has in
no form is taken for one, but for the small and common words of those languages that ``proper.toml``
lists. An honest statement in words of its own waits; an invented name does not pass.

A word has been said where the greater part of it stands in a word of the source, or one of the
source's begins it: languages of these scripts write much onto the ends of words, and a little onto
their beginnings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby, pairwise
from math import ceil
from typing import Protocol

from omoide.text.languages import is_stop_word
from omoide.text.letters import MARKS, fold, script_of
from omoide.text.unmarked import is_persian_or_urdu, tables

_LANGUAGES = {
    **{
        "BENGALI": "bn",
        "TAMIL": "ta",
        "TELUGU": "te",
        "GUJARATI": "gu",
        "GURMUKHI": "pa",
        "KANNADA": "kn",
        "MALAYALAM": "ml",
    },
    **{
        "SINHALA": "si",
        "GEORGIAN": "ka",
        "ETHIOPIC": "am",
        "MYANMAR": "my",
        "KHMER": "km",
        "LAO": "lo",
        "TIBETAN": "bo",
    },
    **{"HEBREW": "he", "ARABIC": "fa ur"},
}
# read elsewhere: by their capitals, or with lists of names and of what is written onto words; of
# Arabic letters only Persian and Urdu are
_OTHERS = frozenset(
    "LATIN CYRILLIC GREEK ARMENIAN DEVANAGARI HANGUL CJK IDEOGRAPHIC HIRAGANA KATAKANA THAI".split()
)
_SPACELESS = frozenset("MYANMAR KHMER LAO TIBETAN TAI NEW JAVANESE BALINESE".split())
_MOST, _MORE = (
    0.55,
    0.7,
)  # share of a word's characters, and of its letters, that stand in one of the source's
_LEAST, _LEAST_PLAIN = (
    3,
    4,
    # characters that must stand there, of longer words; of scripts whose vowels are letters
    # or are not written
)
_LONGEST = 64  # characters of a word that are looked at
_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*")
_STACKERS = "\u1039\u17d2"  # join the next letter to the one before
_KILLER = "\u103a"  # the letter before it ends a Burmese syllable
_BETWEEN_SYLLABLES = "\u0f0b"
_VOWELS = str.maketrans("", "", MARKS)


class Source(Protocol):
    """What words may rest on, and names that count although it has them not."""

    source: str
    names: tuple[str, ...]


def unheard_words(text: str, known: Source) -> Iterator[str]:
    """Words of a text in such a script that its source has in no form, but for listed ones. Linear
    in the length of both.
    """
    if text.isascii():
        return
    words = [word for word in _WORD.findall(_flat(text)) if _is_such(word[0])]
    if not is_persian_or_urdu(text):
        words = [word for word in words if script_of(word[0]) != "ARABIC"]
    if not words:
        return
    said = _Said(_flat(known.source), _flat("\n".join(known.names)))
    for word in words:
        if script_of(word[0]) in _SPACELESS:
            yield from said.missing_parts(word)
        elif len(_letters(word)) > 1 and not _is_ordinary(word) and not said.has(word[:_LONGEST]):
            yield word


def _flat(text: str) -> str:
    return fold(text).replace(_BETWEEN_SYLLABLES, "")


def _is_such(char: str) -> bool:
    return not char.isascii() and script_of(char) not in _OTHERS and char.title() == char


def _letters(word: str) -> str:
    """A word without vowel signs; of Ethiopic syllables the first of each row, since verbs change
    their vowels.
    """
    return "".join(
        chr(ord(char) & ~7) if "\u1200" <= char < "\u1380" else char
        for char in word.translate(_VOWELS)
    )


class _Said:
    """The words of a source, and names."""

    def __init__(self, source: str, names: str) -> None:
        found, named = (
            [word for word in _WORD.findall(text) if _is_such(word[0])] for text in (source, names)
        )
        self._named = tuple(stem for word in named if len(stem := _stem(word)) >= 2)
        found += named
        self._text, self._letters = (
            "".join(f" {word}" for word in found),
            "".join(f" {_letters(word)}" for word in found),
        )
        self._stems = frozenset(
            stem for word in found if len(stem := _stem(word)) >= _LEAST and not _is_ordinary(word)
        )
        self._pairs = frozenset(
            pair
            for word in found
            if script_of(word[0]) in _SPACELESS
            for pair in _pairs(_units(word))
        )

    def has(self, word: str) -> bool:
        """Whether the greater part of a word stands in it, or one of its words begins it."""
        begins = any(word[:end] in self._stems for end in range(_LEAST, len(word) + 1))
        if begins or word.startswith(self._named) or word[1:].startswith(self._named):
            return True
        letters = _letters(word)
        if len(word) <= _LEAST or len(letters) < _LEAST:
            return f" {_stem(word)}" in self._text
        if script_of(word[0]) == "ETHIOPIC":
            return _has_run(letters, self._letters, _MOST)
        if letters == word:
            return _has_run(word, self._text, _MOST, min(_LEAST_PLAIN, len(word) - 1))
        return _has_run(letters, self._letters, _MORE) and _has_run(word, self._text, _MOST)

    def missing_parts(self, run: str) -> Iterator[str]:
        """What of a text without spaces it has not: two letters or more in a row of which it has
        none beside the same other.
        """
        units = _units(run)
        heard = [n for n, pair in enumerate(_pairs(units)) if pair in self._pairs]
        covered = {n + after for n in heard for after in (0, 1)}
        for is_new, places in groupby(range(len(units)), lambda n: n not in covered):
            missing = [units[n] for n in places]
            if is_new and len(missing) > 1 and not _are_ordinary(missing):
                yield "".join(missing)


def _has_run(word: str, text: str, share: float, least: int = _LEAST) -> bool:
    length = max(least, ceil(share * len(word)))
    return any(word[at : at + length] in text for at in range(len(word) - length + 1))


def _stem(word: str) -> str:
    """A word without the vowel signs that it ends in; in Georgian letters without its last
    vowel.
    """
    bare = word.rstrip(MARKS)
    return (
        bare[:-1]
        if script_of(word[0]) == "GEORGIAN" and len(bare) > _LEAST and bare[-1] in "აეიოუ"
        else bare
    )


def _units(run: str) -> list[str]:
    """Letters with what is written around them; an ended consonant and one below another are part
    of the one before.
    """
    units: list[str] = []
    for at, char in enumerate(run):
        joins = char in MARKS or run[at - 1 : at] in _STACKERS or run[at + 1 : at + 2] == _KILLER
        if units and joins:
            units[-1] += char
        else:
            units.append(char)
    return units


def _pairs(units: list[str]) -> list[str]:
    return [one + other for one, other in pairwise(units)]


@cache
def _ordinary(script: str) -> frozenset[str]:
    codes = _LANGUAGES.get(script, "").split()
    return frozenset(_flat(word) for code in codes for word in tables()[code]["ordinary"].split())


def _is_ordinary(word: str) -> bool:
    """A listed word, with an ending that is not much longer than it; one of under four characters
    with vowel signs at most.
    """
    listed = _ordinary(script_of(word[0]))
    if word in listed or _stem(word) in listed or is_stop_word(word, ""):
        return True
    return any(
        len(one) > _LEAST and len(word) <= 2 * len(one) + 2 and word.startswith(one)
        for one in listed
    )


def _are_ordinary(units: list[str]) -> bool:
    """Whether letters in a row are listed words, one after the other."""
    listed = _ordinary(script_of(units[0][0]))
    longest, reached = max(map(len, listed), default=0), {0}
    for end in range(1, len(units) + 1):
        starts = reached.intersection(range(max(0, end - longest), end))
        if any("".join(units[start:end]) in listed for start in starts):
            reached.add(end)
    return len(units) in reached
