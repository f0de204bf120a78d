"""BM25 over two fields of the documents of one partition.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009
(BM25F, section 3.6), with the idf of Lucene, which is never negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.store.search.postings import (
    NOTHING,
    Floats,
    Posting,
    Postings,
    PostingsPart,
    RowNumbers,
    changes,
)

# rows, ascending, each once, and their scores, above 0
Scored: TypeAlias = tuple[RowNumbers, Floats]
# of rows: score by own words, share of the words, one is written around, one that is written
# around some row is in it
ToldByIndex: TypeAlias = tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_]]

K1 = 1.2
B = 0.75
AROUND = 0.5  # weight of the words around a document; its own weigh 1
# How far a word is met that the turn before holds, and that after: a turn takes up what was said
# before it; what is said after it is another's answer to it.
LENT = np.array([1.0, 0.5], np.float32)
_DENSE = 8  # a word that touches more than one row of so many is scored by going through all rows
# a search that touches less than one of so many rows looks at these alone
_FEW, _FEW_LINKED = 4, 32


@dataclass(frozen=True, slots=True)
class Bm25Fields:
    """What BM25 needs to know of the documents of one partition.

    own, around: postings of the two fields; the words of neighbours are not among them but are
    taken from their own postings. before, after: rows of the neighbours, -1 for none; no row is
    the neighbour before (or after) of two rows. own_length, around_length: words in each field,
    neighbours included.
    """

    own: Postings
    around: Postings
    before: RowNumbers
    after: RowNumbers
    own_length: Floats
    around_length: Floats
    alive: NDArray[np.bool_]
    count: int  # of living documents
    own_total: float  # words of living documents
    around_total: float
    linked: bool = True  # some may have neighbours

    @classmethod
    def none(cls) -> Bm25Fields:
        """Of a partition without documents."""
        no_row, nothing, nobody = np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, bool)
        words, links, lengths = (Postings(), Postings()), (no_row, no_row), (nothing, nothing)
        return cls(*words, *links, *lengths, nobody, 0, 0.0, 0.0, linked=False)

    def links(self, rows: RowNumbers) -> tuple[RowNumbers, ...]:
        """The neighbours before and after some rows, if any row has some."""
        return (self.before[rows], self.after[rows]) if self.linked else ()

    def any_lives(self, rows: RowNumbers) -> bool:
        """Whether any of some rows is a living document."""
        all_live = self.count == len(self.alive)
        return len(rows) > 0 and (all_live or bool(self.alive[rows].any()))

    def living(self, found: Mapping[int, Sequence[PostingsPart]]) -> dict[int, int]:
        """How many living documents each of some postings tells of."""
        sizes = [sum(end - start for _, _, start, end in parts) for parts in found.values()]
        if self.count < len(self.alive) and found:
            sizes = self._living([part for parts in found.values() for part in parts], sizes)
        return dict(zip(found, sizes, strict=True))

    def _living(self, parts: Sequence[PostingsPart], sizes: Sequence[int]) -> list[int]:
        """How many rows live of each run of so many, of all rows in some parts."""
        alive = self.alive[np.concatenate([rows[start:end] for rows, _, start, end in parts])]
        before = np.concatenate([[0], np.cumsum(alive)])
        counts: list[int] = np.diff(before[np.cumsum([0, *sizes])]).tolist()
        return counts


@dataclass(frozen=True, slots=True)
class SoughtWord:
    """A word that is looked for: its postings in one partition, and what it weighs."""

    own: Posting
    around: Posting
    weight: np.float32


def scored(
    fields: Bm25Fields,
    asked: Sequence[SoughtWord],
    means: Sequence[float],
    among: RowNumbers | None,
) -> Scored:
    """The rows that score, by the way that costs least; the scores are the same to the last bit."""
    if among is not None:
        return _score_some(fields, among, asked, means)
    touched = sum((3 if fields.linked else 1) * len(a.own[0]) + len(a.around[0]) for a in asked)
    if touched * (_FEW_LINKED if fields.linked else _FEW) > len(fields.alive):
        return _Scoring(fields, means).all(asked)
    if fields.linked or any(len(a.around[0]) for a in asked):
        return _score_some(fields, _touched(fields, asked), asked, means)
    return _score_own(fields, asked, means[0])


def told(
    fields: Bm25Fields, asked: Sequence[SoughtWord], mean: float, rows: RowNumbers
) -> ToldByIndex:
    """What makes the score of some rows; mean is that of the own field's lengths."""
    own_norm = _inverse_norm(fields.own_length[rows], mean, 1.0)
    links = fields.links(rows)
    own, share = np.zeros((2, len(rows)), np.float32)
    spoken, named = np.zeros((2, len(rows)), bool)
    total = np.float32(0)
    for word in asked:
        held, around = _counts(word.own, rows), _counts(word.around, rows) > 0
        own += _share(word.weight, held * own_norm)
        share += word.weight * _met(word, links, (held > 0) | around)
        spoken |= around
        if fields.any_lives(word.around[0]):
            named |= held > 0
        total += word.weight
    return own, share / (total or np.float32(1)), spoken, named


def _met(word: SoughtWord, links: Sequence[RowNumbers], itself: NDArray[np.bool_]) -> Floats:
    """How far some rows meet a word: fully, or half if only the turn after them holds it."""
    met = itself.astype(np.float32)
    for link, lent in zip(links, LENT, strict=False):
        np.maximum(met, lent * (_counts(word.own, link) > 0), out=met)
    return met


def sharing(asked: Sequence[SoughtWord], least: int) -> RowNumbers:
    """The rows that have at least so many of the words themselves, ascending."""
    rows = np.concatenate([NOTHING[0], *(a.own[0] for a in asked)])
    if least < 2:
        return _distinct(rows)
    rows.sort()
    return _distinct(rows[least - 1 :][rows[least - 1 :] == rows[: 1 - least]])


def _score_own(fields: Bm25Fields, asked: Sequence[SoughtWord], mean: float) -> Scored:
    """The rows that score where there are no words around, and their scores."""
    rows = np.concatenate([NOTHING[0], *(a.own[0] for a in asked)])
    counts = np.concatenate([NOTHING[1], *(a.own[1] for a in asked)])
    frequency = counts * _inverse_norm(fields.own_length[rows], mean, 1.0)
    each = np.array([a.weight for a in asked], np.float32)
    weights = np.repeat(each, [len(a.own[0]) for a in asked])
    apart = _distinct(rows)
    scores = np.zeros(len(apart), np.float32)
    np.add.at(scores, apart.searchsorted(rows), _share(weights, frequency))
    return apart, scores


def _distinct(rows: RowNumbers) -> RowNumbers:
    """The rows in ascending order, each once."""
    ordered = np.sort(rows)
    return ordered[changes(ordered)]


def _touched(fields: Bm25Fields, asked: Sequence[SoughtWord]) -> RowNumbers:
    """The rows that can score."""
    rows = [a.own[0] for a in asked]
    if fields.linked:
        rows += [link.take(own) for own in rows for link in (fields.before, fields.after)]
    together = _distinct(np.concatenate([NOTHING[0], *rows, *(a.around[0] for a in asked)]))
    return together[together >= 0]


def _score_some(
    fields: Bm25Fields, rows: RowNumbers, asked: Sequence[SoughtWord], means: Sequence[float]
) -> Scored:
    """Those of some rows that score, and their scores."""
    if not len(rows):
        return NOTHING
    own_norm = _inverse_norm(fields.own_length[rows], means[0], 1.0)
    around_norm = _inverse_norm(fields.around_length[rows], means[1], AROUND)
    links, scores = fields.links(rows), np.zeros(len(rows), np.float32)
    for word in asked:
        frequency = _counts(word.own, rows) * own_norm
        frequency += _near(word, links, _counts(word.around, rows)) * around_norm
        scores += _share(word.weight, frequency)
    some = np.flatnonzero(scores)
    return rows[some], scores[some]


def _near(word: SoughtWord, links: Sequence[RowNumbers], start: Floats) -> Floats:
    """How often the neighbours of some rows hold a word, added to what is there."""
    return sum((_counts(word.own, link) for link in links), start=start)


def _counts(posting: Posting, rows: RowNumbers) -> Floats:
    """How often each of some rows holds a word; 0 for no row."""
    holding, counts = posting
    if not len(holding):
        return np.zeros(len(rows), np.float32)
    at = holding.searchsorted(rows)
    at[at == len(holding)] = 0
    return np.where(holding[at] == rows, counts[at], np.float32(0))


class _Scoring:
    """Adds up the scores of all rows of one partition, one word after the other.

    All arrays have one place more than there are rows: the neighbour -1 falls into it, and counts
    0.
    """

    def __init__(self, fields: Bm25Fields, means: Sequence[float]) -> None:
        self._fields = fields
        self._own = np.append(_inverse_norm(fields.own_length, means[0], 1.0), np.float32(0))
        self._around = np.append(
            _inverse_norm(fields.around_length, means[1], AROUND), np.float32(0)
        )
        self._held, self._near, self._scores = np.zeros((3, len(self._own)), np.float32)

    def all(self, asked: Sequence[SoughtWord]) -> Scored:
        """The rows that score, and their scores."""
        for word in asked:
            if self._fields.linked or len(word.around[0]):
                self._add(word)
            else:
                rows, counts = word.own
                self._scores[rows] += _share(word.weight, counts * self._own[rows])
        rows = np.flatnonzero(self._scores[:-1]).astype(np.int32)
        return rows, self._scores[rows]

    def _add(self, word: SoughtWord) -> None:
        held, near = self._held, self._near
        rows, counts = word.own
        around, around_counts = word.around
        held[rows] = counts
        touched = self._lend(rows, counts, around)
        near[around] += around_counts
        frequency = held[touched] * self._own[touched] + near[touched] * self._around[touched]
        # a row may be there more than once, but then each time the same is assigned to it
        self._scores[touched] += _share(word.weight, frequency)
        held[touched] = near[touched] = 0

    def _lend(self, rows: RowNumbers, counts: Floats, around: RowNumbers) -> RowNumbers | slice:
        """Count a word for the neighbours of the rows that hold it; which rows have a count now."""
        fields, near = self._fields, self._near
        if _DENSE * (3 * len(rows) + len(around)) > len(near):
            held = self._held
            np.add(held.take(fields.before), held.take(fields.after), out=near[:-1])
            return slice(None)
        befores, afters = fields.before.take(rows), fields.after.take(rows)
        np.add.at(near, befores, counts)
        np.add.at(near, afters, counts)
        return np.concatenate([rows, around, befores, afters])


def _share(weight: np.float32 | Floats, frequency: Floats) -> Floats:
    """What a word adds to scores."""
    share: Floats = weight * frequency / (frequency + np.float32(K1))
    return share


def _inverse_norm(lengths: Floats, mean: float, weight: float) -> Floats:
    """What one occurrence counts in a field of each length."""
    if not mean:
        return np.zeros(len(lengths), np.float32)
    inverse: Floats = lengths * np.float32(B / mean)
    inverse += np.float32(1 - B)
    np.divide(np.float32(weight), inverse, out=inverse)
    return inverse
