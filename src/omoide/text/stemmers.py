"""Snowball's stemmers, with the endings of a word looked up in a table at once instead of letter by
letter.

The rules are the package's own, and so is every stem; only how a rule finds which of its endings a
word has is ours. It is most of what a stemmer does, and twice as fast like this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol, TypeAlias, cast


class _Affix(Protocol):
    """A beginning or an ending that a rule looks for."""

    s: str
    result: int
    method: Callable[[Any], bool] | None  # whether it counts where it stands


# what may stand at a letter: the lengths of affixes that have it at their edge, the longest first,
# and affixes by their text; those without letters stand with every letter, and with none
_SuffixTable: TypeAlias = dict[str, tuple[tuple[int, ...], dict[str, _Affix]]]
# by the list they are made from, which lives as long as its class
_beginnings: dict[int, _SuffixTable] = {}
_endings: dict[int, _SuffixTable] = {}


def _table(affixes: Sequence[_Affix], edge: slice) -> _SuffixTable:
    """Affixes by the letter at that edge of theirs."""
    by_letter: dict[str, dict[str, _Affix]] = {"": {}}
    for one in affixes:
        by_letter.setdefault(one.s[edge], {})[one.s] = one
    return {
        letter: (tuple(sorted({len(s) for s in some}, reverse=True)), some)
        for letter, those in by_letter.items()
        for some in [by_letter[""] | those]
    }


class _Looking:
    """The two look-ups of a stemmer: each gives the result of the longest affix at the cursor that
    counts, or 0, and passes it.
    """

    current: str
    cursor: int
    limit: int
    limit_backward: int

    def find_among(self, affixes: Sequence[_Affix]) -> int:
        """Of affixes that begin at the cursor."""
        start, text, most = self.cursor, self.current, self.limit
        if (by_letter := _beginnings.get(id(affixes))) is None:
            by_letter = _beginnings[id(affixes)] = _table(affixes, slice(1))
        sizes, table = by_letter.get(text[start : start + 1]) or by_letter[""]
        for size in sizes:
            if (
                start + size <= most
                and (affix := table.get(text[start : start + size])) is not None
                and self._counts(affix, start + size)
            ):
                return affix.result
        return 0

    def find_among_b(self, affixes: Sequence[_Affix]) -> int:
        """Of affixes that end at the cursor."""
        end, text, least = self.cursor, self.current, self.limit_backward
        if (by_letter := _endings.get(id(affixes))) is None:
            by_letter = _endings[id(affixes)] = _table(affixes, slice(-1, None))
        sizes, table = by_letter.get(text[end - 1 : end]) or by_letter[""]
        for size in sizes:
            if (
                end - size >= least
                and (affix := table.get(text[end - size : end])) is not None
                and self._counts(affix, end - size)
            ):
                return affix.result
        return 0

    def _counts(self, affix: _Affix, passed: int) -> bool:
        self.cursor = passed
        if affix.method is None:
            return True
        counts = affix.method(self)
        if counts:
            self.cursor = passed
        return counts


@cache
def load_stemmer(algorithm: str) -> Callable[[str], str]:
    """What gives the stem of a lower-case word by one of Snowball's algorithms; for one thread at a
    time.
    """
    rules = getattr(
        import_module(f"snowballstemmer.{algorithm}_stemmer"), f"{algorithm.capitalize()}Stemmer"
    )
    stemmer = type(rules.__name__, (_Looking, rules), {})()
    return cast("Callable[[str], str]", stemmer.stemWord)
