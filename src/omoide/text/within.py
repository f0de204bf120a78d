"""Whether all words of a text stand in another, in any language. No meaning is known here: another
word is another thing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from omoide.text.languages import is_stop_word, plausible_languages
from omoide.text.letters import fold, script_of
from omoide.text.words import NATIVE, index_terms, pair_in

_LETTERS = re.compile(r"[^\W_]+")
_IDEOGRAPHS = ("CJK", "IDEOGRAPHIC")
_NO_WORDS = (
    "HIRAGANA",
    "HANGUL",
)  # scripts in which one character by itself is mostly a particle or an ending

Word = tuple[str, ...]  # the forms that it is indexed by, its root first


def stands_in(text: str, other: str, names: Collection[str] = ()) -> bool:
    """Whether every word of a text stands in another, in any of its forms.

    Small words ("the", "is") are let go, unless each text has one that the other has not: "before"
    here and "after" there. Of scripts without spaces an ideograph is a word, and pairs of
    characters are. Names that both have come in the same order, and so do all words of two texts
    that have the same ones: in another order it may be the reverse.
    """
    mine, theirs, small = list(_words(text)), list(_words(other)), _small(text) | _small(other)
    missing, besides = _lacking(mine, theirs), _lacking(theirs, mine)
    if not all(map(small.intersection, missing)):
        return False
    if missing and any(map(small.intersection, besides)):
        return False
    if not _same_order(_named(text, names), _named(other, names)):
        return False
    if missing or besides:
        return not all(map(small.intersection, besides)) or in_order(text, other)
    # "from" and "to" may have changed places
    return _same_order([word[0] for word in mine], [word[0] for word in theirs])


def in_order(one: str, other: str) -> bool:
    """Whether two texts have the words that they share, small ones aside, in the same order; of
    what is said twice the first counts.
    """
    small = _small(one) | _small(other)
    return _same_order(
        *([word[0] for word in _words(text) if small.isdisjoint(word)] for text in (one, other))
    )


def _same_order(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists have what both have in the same order, each the first time."""
    both = set(one) & set(other)
    return list(dict.fromkeys(filter(both.__contains__, one))) == list(
        dict.fromkeys(filter(both.__contains__, other))
    )


def _words(text: str) -> Iterator[Word]:
    forms: Word = ()
    for term in index_terms(text):
        if term.startswith(NATIVE):
            forms += (term,)
        elif not _is_part(term):
            yield from (forms,) if forms else ()
            forms = (term,)
    yield from (forms,) if forms else ()


def _is_part(term: str) -> bool:
    """Whether a term of a script without spaces tells no more than others of its text: a particle,
    or a pair with an ideograph.
    """
    if len(term) == 1:
        return script_of(term) in _NO_WORDS
    pair = pair_in(term)
    return pair is not None and any(script_of(character[0]) in _IDEOGRAPHS for character in pair)


def _lacking(words: Iterable[Word], than: Iterable[Word]) -> list[Word]:
    held = {form for word in than for form in word}
    return [word for word in words if held.isdisjoint(word)]


def _small(text: str) -> frozenset[str]:
    """The terms of the words of a text that say little about its subject."""
    language = next(iter(plausible_languages(text)), "")
    return frozenset(
        term
        for word in _LETTERS.findall(fold(text))
        if is_stop_word(word, language)
        for term in index_terms(word)
    )


def _named(text: str, names: Collection[str]) -> list[str]:
    """Which names a text has, in their order."""
    folded = fold(text)
    places = {name: folded.find(name) for name in map(fold, names) if name}
    return sorted(
        (name for name, place in places.items() if place >= 0),
        key=lambda name: (places[name], name),
    )
