"""How much of a text was said: the share of its words with content, in any form."""

from __future__ import annotations

import re
from collections.abc import Collection

from omoide.text.languages import is_stop_word, likely_languages
from omoide.text.letters import fold
from omoide.text.words import NATIVE, index_terms


def support(
    text: str, quote: str, context: str, people: Collection[str] = (), found: int = 0
) -> float:
    """The share of a text's words with content that were said, from 0 to 1: in the quote, or half
    as much around it.

    0 where the quote itself has none of them: a bare "yes" says nothing by itself. found: how many
    numbers, dates and addresses it has.
    """
    there, around, named = _terms(quote), _terms(context), _terms(" ".join(people))
    words = [terms for word in _content(text) if (terms := _forms(word)) and not terms <= named]
    if not words:
        return 1.0
    mine = [
        terms for terms in words if any(term in there or _has_like(term, there) for term in terms)
    ]
    near = [terms for terms in words if terms not in mine and terms & around]
    return (found + len(mine) + len(near) / 2) / (found + len(words)) if mine or found else 0.0


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


def _has_like(term: str, terms: Collection[str]) -> bool:
    """Another form of the word: four first letters in common, two of them ideographs."""
    least = 4 if term.isascii() else 3
    return len(term) >= least and any(other.startswith(term[:least]) for other in terms)
