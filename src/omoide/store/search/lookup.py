"""Weighted words looked up in several partitions, and made ready to score by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from omoide.store.search.postings import PostingsPart, RowNumbers, hash_words, joined
from omoide.store.search.scoring import (
    K1,
    Bm25Fields,
    Scored,
    SoughtWord,
    ToldByIndex,
    scored,
    sharing,
    told,
)

# of a word: others that count in its place where no document has it, and their weights
Instead: TypeAlias = Callable[[str], Mapping[str, float]]
# postings of words in the own field, and in the other
_FoundParts: TypeAlias = tuple[dict[int, list[PostingsPart]], dict[int, list[PostingsPart]]]


@dataclass(frozen=True, slots=True)
class Search:
    """Weighted words, looked up in several partitions: what each holds of each, and the mean
    lengths of the two fields.
    """

    partitions: Sequence[Bm25Fields]
    asked: Sequence[Sequence[SoughtWord]]  # by partition
    means: Sequence[float]

    def scored(
        self, *, among: Sequence[RowNumbers | None] | None = None, least: int = 1
    ) -> list[Scored]:
        """The rows of each partition that have any of the words, scored.

        among: the only rows of each partition that are looked at, ascending; None: all. least: rows
        have at least so many of the words in their own words, or all if there are fewer.
        """
        found = []
        for number, (fields, some) in enumerate(zip(self.partitions, self.asked, strict=True)):
            rows = None if among is None else among[number]
            if least > 1:
                sharers = sharing(some, min(least, len(some)))
                rows = sharers if rows is None else np.intersect1d(rows, sharers)
            found.append(scored(fields, some, self.means, rows))
        return found

    def told(self, number: int, rows: RowNumbers) -> ToldByIndex:
        """What makes the score of some rows of one partition."""
        return told(self.partitions[number], self.asked[number], self.means[0], rows)


@dataclass(frozen=True, slots=True)
class _TermWords:
    """The term of each word of some weighted terms; its postings in each partition, and in how many
    documents it stands if it does.
    """

    terms: Sequence[tuple[str, float]]
    found: Sequence[_FoundParts]
    held: dict[int, int]

    @property
    def unheard(self) -> list[str]:
        """The terms of words that no document has."""
        return [term for place, (term, _) in enumerate(self.terms) if place not in self.held]

    def rarest(self, most: int | None) -> list[int]:
        """The places of words that documents have: of the rarest, at most so many."""
        places = list(self.held)
        if most is None or most >= len(places):
            return places
        return sorted(sorted(places, key=self.held.__getitem__)[:most])


def look_up(
    partitions: Sequence[Bm25Fields],
    terms: Sequence[tuple[str, float]],
    *,
    rarest: int | None = None,
    instead: Instead | None = None,
) -> Search:
    """Weighted words made ready to score by; statistics are over all partitions.

    A document's own words count fully, words around it half. A word's document frequency is that of
    the own field; if no document has it there, that of the words written around. rarest: only so
    many of the words count, those that the fewest documents have, of equals the first. instead:
    gives the weighted words that count in place of one that no document has.
    """
    count = sum(p.count for p in partitions)
    words = _looked_up(partitions, terms)
    if instead is not None and (others := _others(words, instead)):
        words = _looked_up(partitions, [*terms, *others.items()])
    weights = {
        place: _weight(words.terms[place][1], words.held[place], count)
        for place in words.rarest(rarest)
    }
    asked = [_asked(found, weights) for found in words.found]
    return Search(partitions, asked, _means(partitions, count))


def _asked(found: _FoundParts, weights: Mapping[int, np.float32]) -> list[SoughtWord]:
    """Words by their places, with what one partition holds of each."""
    own, around = found
    return [
        SoughtWord(joined(own.get(place, ())), joined(around.get(place, ())), weight)
        for place, weight in weights.items()
    ]


def _means(partitions: Sequence[Bm25Fields], count: int) -> list[float]:
    """The mean lengths of the two fields."""
    totals = zip(*((p.own_total, p.around_total) for p in partitions), strict=True)
    return [sum(total) / count if count else 0.0 for total in totals]


def _weight(given: float, held: int, count: int) -> np.float32:
    """What a word that so many of all documents have weighs, its idf in it."""
    return np.float32(given * math.log(1 + (count - held + 0.5) / (held + 0.5)) * (K1 + 1))


def _others(words: _TermWords, instead: Instead) -> dict[str, float]:
    """What counts in place of words that no document has."""
    others: dict[str, float] = {}
    for term in words.unheard:
        others.update(instead(term))
    for term, _ in words.terms:
        others.pop(term, None)
    return others


def _looked_up(partitions: Sequence[Bm25Fields], terms: Sequence[tuple[str, float]]) -> _TermWords:
    hashes, lengths = hash_words([term for term, _ in terms])
    found = [(p.own.find(hashes), p.around.find(hashes)) for p in partitions]
    words = [
        term for term, length in zip(terms, lengths.tolist(), strict=True) for _ in range(length)
    ]
    return _TermWords(words, found, _frequencies(partitions, found))


def _frequencies(partitions: Sequence[Bm25Fields], found: Sequence[_FoundParts]) -> dict[int, int]:
    """In how many documents words stand themselves, or if in none, around how many they are
    written; in order, without those in none.
    """
    own, around = Counter[int](), Counter[int]()
    for fields, (mine, others) in zip(partitions, found, strict=True):
        own.update(fields.living(mine))
        around.update(fields.living(others))
    return {place: n for place in sorted({*own, *around}) if (n := own[place] or around[place])}
