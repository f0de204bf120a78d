"""Whether a text says only what its material says: the check of whatever is written anew from texts
that are known. Pure.

A digest and a profile have no quote. Every number, date and address of theirs must stand in what
they were made from, every word with a capital too, and half of the words with content; what nearly
repeats a line of it may not deny that line. No name that is known from elsewhere, or from another
line, may stand for the one of a line. Names that nobody knows, in scripts without capitals, are for
a judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from omoide.grounding.claims import Flag
from omoide.grounding.keyed import KeyedValues
from omoide.grounding.known_names import KnownNames
from omoide.grounding.named import WordStarts, unsaid_capitals
from omoide.grounding.supported import SaidWords, support
from omoide.text.addresses import addresses
from omoide.text.figures import figures
from omoide.text.letters import fold
from omoide.text.moments import has_relative_word, moments
from omoide.text.negation import flips
from omoide.text.tongue import spoken
from omoide.text.words import index_terms

SAME = 0.5  # share of a line's words from which on it is said over again
SUPPORTED = 0.5


class SourceText:
    """The lines that a text is made from. at: when that is. known: the things that whoever owns
    them has names for, as ``type:label``.
    """

    def __init__(self, lines: Sequence[str], at: datetime, known: Sequence[str] = ()) -> None:
        self.lines, self.text, self.at = tuple(lines), "\n".join(lines), at
        self.folded = fold(self.text)
        self.languages = spoken(self.text)
        self.addresses = KeyedValues(addresses(self.text))
        self.figures = KeyedValues(figures(self.text, self.languages))
        self.moments = [moment for line in self.lines for moment in moments(line, at)]
        self.is_relative = has_relative_word(self.text)
        self.starts, self._words = WordStarts(self.text), SaidWords(self.text)
        self._names = KnownNames(known, self.lines)
        self._terms = {line: frozenset(index_terms(line, exact=True)) for line in self.lines}

    def says(self, line: str) -> bool:
        """Whether it is one of them, word for word."""
        return line in self._terms

    def lacks(self, line: str) -> frozenset[Flag]:
        """What a line says that these do not."""
        if self.says(line):
            return frozenset()
        text, flags = self._without_addresses(line)
        text, undated = self._without_dates(text)
        flags += undated
        flags += [
            Flag.NUMBER for figure in figures(text, self.languages) if not self.figures.has(figure)
        ]
        if unsaid_capitals(text, self.starts, self.languages) or self._names.misplaced(line):
            flags.append(Flag.NAME)
        if self._words.support(line) < SUPPORTED:
            flags.append(Flag.UNSUPPORTED)
        if (covered := self._covered(line)) and flips(line, covered, self.languages):
            flags.append(Flag.NEGATION)
        return frozenset(flags)

    def _covered(self, line: str) -> str:
        """The lines that it says over again, or the opposite of."""
        mine = frozenset(index_terms(line, exact=True))
        return "\n".join(
            one
            for one, theirs in self._terms.items()
            if theirs and len(mine & theirs) >= SAME * len(theirs)
        )

    def _without_addresses(self, text: str) -> tuple[str, list[Flag]]:
        flags = []
        for address in addresses(text):
            text = text.replace(address.text, " ", 1)
            if not self.addresses.has(address):
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


def vanished(old: Sequence[str], new: SourceText, about: Sequence[str]) -> tuple[str, ...]:
    """The names, figures and addresses of old lines that a new text lacks, where nothing new was
    said about the line.
    """
    lost: list[str] = []
    for line in old:
        missing = _missing(line, new)
        if missing and not any(support(line, one, "") >= SUPPORTED for one in about):
            lost += missing
    return tuple(dict.fromkeys(lost))


def _missing(line: str, new: SourceText) -> list[str]:
    gone = [one.text for one in addresses(line) if not new.addresses.has(one)]
    # what is put in other words is not lost
    gone += unsaid_capitals(line, new.starts, new.languages)
    counted = (one for one in figures(line, new.languages) if not new.figures.has(one))
    return gone + [f"{min(one.values)} {one.unit}".strip() for one in counted if one.values]
