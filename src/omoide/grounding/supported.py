"""How much of a text was said: the share of its words with content, in any form."""

from __future__ import annotations

import re
from collections.abc import Collection

from omoide.text.languages import is_stop_word, likely_languages
from omoide.text.letters import fold
from omoide.text.words import NATIVE, index_terms

_ALIKE = (3, 4)  # first letters by which two words are forms of one: beyond ASCII, in it


class SaidWords:
    """The words of a text in all their forms, made ready once for many texts to be held against."""

    def __init__(self, text: str) -> None:
        self._terms = _terms(text)
        self._starts = frozenset(term[:n] for term in self._terms for n in _ALIKE if len(term) >= n)

    def support(
        self, text: str, context: str = "", people: Collection[str] = (), found: int = 0
    ) -> float:
        """The share of a text's words with content that were said, as `support` tells it."""
        around, named = _terms(context), _terms(" ".join(people))
        words = [terms for word in _content(text) if (terms := _forms(word)) and not terms <= named]
        if not words:
            return 1.0
        mine = [any(map(self._has, terms)) for terms in words]
        near = sum(
            not (is_mine or terms.isdisjoint(around))
            for terms, is_mine in zip(words, mine, strict=True)
        )
        said = found + sum(mine)
        return (said + near / 2) / (found + len(words)) if said else 0.0

    def _has(self, term: str) -> bool:
        """A term, or another form of the word: four first letters in common, two of them
        ideographs.
        """
        least = _ALIKE[term.isascii()]
        return term in self._terms or (len(term) >= least and term[:least] in self._starts)


def support(
    text: str, quote: str, context: str, people: Collection[str] = (), found: int = 0
) -> float:
    """The share of a text's words with content that were said, from 0 to 1: in the quote, or half
    as much around it.

    0 where the quote itself has none of them: a bare "yes" says nothing by itself. found: how many
    numbers, dates and addresses it has.
    """
    return SaidWords(quote).support(text, context, people, found)


def _forms(word: str) -> set[str]:
    """The terms of a word; of a pair of characters with kana the pair alone, since one kana is in
    many words.
    """
    return {word} if len(word) == 2 and _KANA.search(word) else _terms(word)


def _terms(text: str) -> set[str]:
    return {term for term in index_terms(text, exact=True) if not term.startswith(NATIVE)}


_HAN = re.compile(r"(?=([\u3040-\u30ff\u3400-\u9fff\u0e01-\u0e4e]{2}))")


def _content(text: str) -> list[str]:
    """Its words that are no stop words; of scripts without spaces each pair of characters."""
    languages = likely_languages(text.split())
    words = [
        word
        for word in re.split(r"[\s.,;:!?()\"“”«»،؛؟।、。「」]+", _HAN_RUN.sub(" ", text))
        if word
    ]
    pairs = [
        pair
        for pair in _HAN.findall(text)
        if not is_stop_word(pair, "") and not _HIRAGANA.fullmatch(pair)
    ]
    return [
        word
        for word in words
        if not any(is_stop_word(fold(word), code) for code in (*languages, "en"))
    ] + pairs


_KANA = re.compile(r"[\u3040-\u30ff]")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")  # particles and endings
_HAN_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e01-\u0e4e]+")
