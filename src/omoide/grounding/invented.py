"""Whether a text says only what its material says: the check of whatever is written anew from texts
that are known. Pure.

A digest and a profile have no quote. Every name, number, date and address of theirs must stand in
what they were made from, half of the words with content too, and what nearly repeats a line of it
may not deny that line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from omoide.grounding.claims import Flag
from omoide.text.addresses import addresses
from omoide.text.figures import figures
from omoide.text.languages import is_stop_word, likely_languages
from omoide.text.letters import fold
from omoide.text.moments import has_relative_word, moments
from omoide.text.negation import flips
from omoide.text.proper import Known, foreign_names
from omoide.text.tongue import spoken
from omoide.text.words import NATIVE, index_terms

SAME = 0.5  # share of a line's words from which on it is said over again
SUPPORTED = 0.5


class Told:
    """The lines that a text is made from. at: when that is."""

    def __init__(self, lines: Sequence[str], at: datetime) -> None:
        self.lines, self.text, self.at = tuple(lines), "\n".join(lines), at
        self.folded = fold(self.text)
        self.languages = spoken(self.text)
        self.known = Known(self.text, ())
        self.addresses = addresses(self.text)
        self.figures = figures(self.text, self.languages)
        self.moments = [moment for line in self.lines for moment in moments(line, at)]
        self.is_relative = has_relative_word(self.text)
        self._terms = {line: frozenset(index_terms(line)) for line in self.lines}

    def lacks(self, line: str) -> frozenset[Flag]:
        """What a line says that these do not."""
        if line in self._terms:
            return frozenset()
        text, flags = self._without_addresses(line)
        text, undated = self._without_dates(text)
        flags += undated
        flags += [
            Flag.NUMBER
            for figure in figures(text, self.languages)
            if not any(figure.same(one) for one in self.figures)
        ]
        if foreign_names(text, self.known, self.languages):
            flags.append(Flag.NAME)
        if support(line, self.text, "") < SUPPORTED:
            flags.append(Flag.UNSUPPORTED)
        if (covered := self._covered(line)) and flips(line, covered, self.languages):
            flags.append(Flag.NEGATION)
        return frozenset(flags)

    def _covered(self, line: str) -> str:
        """The lines that it says over again, or the opposite of."""
        mine = frozenset(index_terms(line))
        return "\n".join(
            one
            for one, theirs in self._terms.items()
            if theirs and len(mine & theirs) >= SAME * len(theirs)
        )

    def _without_addresses(self, text: str) -> tuple[str, list[Flag]]:
        flags = []
        for address in addresses(text):
            text = text.replace(address.text, " ", 1)
            if not any(address.same(one) for one in self.addresses):
                flags.append(Flag.ADDRESS)
        return text, flags

    def _without_dates(self, text: str) -> tuple[str, list[Flag]]:
        flags = []
        for moment in moments(text, self.at):
            if moment.is_amount:
                continue
            start, end = moment.interval.span
            text = text[:start] + " " * (end - start) + text[end:]
            if fold(moment.interval.text) in self.folded:
                continue
            if moment.relative:
                flags.append(Flag.RELATIVE_DATE)
            elif not any(moment.tells(one) for one in self.moments):
                flags.append(Flag.DATE)
        return text, flags + [Flag.RELATIVE_DATE] * (
            has_relative_word(text) and not self.is_relative
        )


def vanished(old: Sequence[str], new: Told, about: Sequence[str]) -> tuple[str, ...]:
    """The names, figures and addresses of old lines that a new text lacks, where nothing new was
    said about the line.
    """
    lost: list[str] = []
    for line in old:
        missing = _missing(line, new)
        if missing and not any(support(line, one, "") >= SUPPORTED for one in about):
            lost += missing
    return tuple(dict.fromkeys(lost))


def _missing(line: str, new: Told) -> list[str]:
    gone = [
        one.text for one in addresses(line) if not any(one.same(other) for other in new.addresses)
    ]
    # what is put in other words is not lost
    gone += foreign_names(line, new.known, new.languages, unheard=False)
    counted = (
        one
        for one in figures(line, new.languages)
        if not any(one.same(other) for other in new.figures)
    )
    return gone + [f"{min(one.values)} {one.unit}".strip() for one in counted if one.values]


def support(
    text: str, quote: str, context: str, people: Collection[str] = (), found: int = 0
) -> float:
    """The share of a text's words with content that were said, from 0 to 1: in the quote, or half
    as much around it.

    0 where the quote itself has none of them: a bare "yes" says nothing by itself. found: how many
    numbers, dates and addresses it has.
    """
    there, around, named = _terms(quote), _terms(context), _terms(" ".join(people))
    words = [terms for word in _content(text) if (terms := _terms(word)) and not terms <= named]
    if not words:
        return 1.0
    mine = [
        terms for terms in words if any(term in there or _has_like(term, there) for term in terms)
    ]
    near = [terms for terms in words if terms not in mine and terms & around]
    return (found + len(mine) + len(near) / 2) / (found + len(words)) if mine or found else 0.0


def _terms(text: str) -> set[str]:
    return {term for term in index_terms(text) if not term.startswith(NATIVE)}


_HAN = re.compile(r"(?=([\u3040-\u30ff\u3400-\u9fff\u0e01-\u0e4e]{2}))")


def _content(text: str) -> list[str]:
    """Its words that are no stop words; of scripts without spaces each pair of characters."""
    languages = likely_languages(text.split())
    words = [
        word
        for word in re.split(r"[\s.,;:!?()\"“”«»،؛؟।、。「」]+", _HAN_RUN.sub(" ", text))
        if word
    ]
    pairs = [pair for pair in _HAN.findall(text) if not is_stop_word(pair, "")]
    return [
        word
        for word in words
        if not any(is_stop_word(fold(word), code) for code in (*languages, "en"))
    ] + pairs


_HAN_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e01-\u0e4e]+")


def _has_like(term: str, terms: Collection[str]) -> bool:
    """Another form of the word: four first letters in common, two of them ideographs."""
    least = 4 if term.isascii() else 3
    return len(term) >= least and any(other.startswith(term[:least]) for other in terms)
