"""Which documents hold which words, as numpy arrays, and BM25 over two fields of them.

Documents are numbered by *row*: the place they take in memory, from 0. Rows are only ever added,
so everything here can be shared between threads: what is published never changes.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009
(BM25F, section 3.6), with the idf of Lucene, which is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int32]
Hashes: TypeAlias = NDArray[np.uint64]
Posting: TypeAlias = tuple[Rows, Floats]  # rows, each once, and how often each holds the word

K1 = 1.2
B = 0.75
_ODD = 0x9E3779B97F4A7C15
_INVERSE = pow(_ODD, -1, 2**64)
AROUND = 0.5  # weight of the words around a document; its own weigh 1
_DENSE = 8  # a word that touches more than one row of so many is scored by going through all rows
_MERGE_FACTOR = 4  # a segment is at least this many times the next one: few segments, little merging


def hash_words(texts: Sequence[str]) -> tuple[Hashes, Rows]:
    """The hashes of the words of space-joined texts, one text after the other, and the number of words of each.

    A word is known by this hash alone: the sum of its UTF-8 bytes, each times a power of a fixed odd
    number, modulo 2**64. Among a million words, two share a hash once in some 10**7 vocabularies;
    they would then be found as one.
    """
    text = np.frombuffer("\n".join(["", *texts, ""]).encode("utf-8", "surrogatepass"), np.uint8)
    is_space = text <= ord(" ")
    edges = np.flatnonzero(is_space[1:] != is_space[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    sums = np.zeros(len(text) + 1, np.uint64)
    table = 1 << len(text).bit_length()
    np.cumsum(text * _powers(_ODD, table)[: len(text)], out=sums[1:])
    hashes = (sums[ends] - sums[starts]) * _powers(_INVERSE, table)[starts]
    breaks = np.searchsorted(starts, np.flatnonzero(text == ord("\n")))
    return hashes, np.diff(breaks).astype(np.int32)


@lru_cache
def _powers(base: int, count: int) -> Hashes:
    factors = np.full(count, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors)


@dataclass(frozen=True, slots=True)
class Segment:
    """The postings of one range of rows: those of ``words[i]`` stand at ``starts[i]:starts[i + 1]``."""

    words: Hashes  # ascending
    starts: NDArray[np.int64]
    rows: Rows  # ascending within a word
    counts: Floats

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.words.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes

    def of(self, word: np.uint64) -> Posting | None:
        """The posting of a word, if the segment has it."""
        at = int(np.searchsorted(self.words, word))
        if at == len(self.words) or self.words[at] != word:
            return None
        start, end = self.starts[at], self.starts[at + 1]
        return self.rows[start:end], self.counts[start:end]


def make_segment(words: Hashes, lengths: Rows, first_row: int) -> Segment:
    """The segment of documents given by all their words and the number of words of each."""
    order = np.argsort(words, kind="stable")  # so rows stay ascending within a word
    words = words[order]
    rows = np.repeat(np.arange(first_row, first_row + len(lengths), dtype=np.int32), lengths)[order]
    del order
    heads = np.flatnonzero(_changes(words) | _changes(rows))
    words, rows = words[heads], rows[heads]
    return _segment(words, rows, np.diff(heads, append=lengths.sum()).astype(np.float32))


def _changes(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value differs from the one before it."""
    changes = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return changes


def _segment(words: Hashes, rows: Rows, counts: Floats) -> Segment:
    heads = np.flatnonzero(_changes(words))
    return Segment(words[heads], np.append(heads, len(words)), rows, counts)


def _merge(older: Segment, newer: Segment) -> Segment:
    words = np.concatenate([np.repeat(s.words, np.diff(s.starts)) for s in (older, newer)])
    order = np.argsort(words, kind="stable")
    rows, counts = np.concatenate([older.rows, newer.rows]), np.concatenate([older.counts, newer.counts])
    return _segment(words[order], rows[order], counts[order])


@dataclass(frozen=True, slots=True)
class Postings:
    """All postings of one field. Adding costs in proportion to what is added, times the few merges it takes part in."""

    segments: tuple[Segment, ...] = ()

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return sum(segment.nbytes for segment in self.segments)

    def extended(self, words: Hashes, lengths: Rows, first_row: int) -> Postings:
        """With the documents of the next rows, given by all their words and the number of words of each."""
        if not len(words):
            return self
        segments = [*self.segments, make_segment(words, lengths, first_row)]
        while len(segments) > 1 and len(segments[-2].rows) < _MERGE_FACTOR * len(segments[-1].rows):
            newer, older = segments.pop(), segments.pop()
            segments.append(_merge(older, newer))
        return Postings(tuple(segments))

    def of(self, word: np.uint64) -> Iterator[Posting]:
        """The postings of a word, in ascending order of rows."""
        return filter(None, (segment.of(word) for segment in self.segments))


@dataclass(frozen=True, slots=True)
class Fields:
    """What BM25 needs to know of the documents of one partition.

    own, around: postings of the two fields; the words of neighbours are not among them but are
    taken from their own postings. before, after: rows of the neighbours, -1 for none; no row is
    the neighbour before (or after) of two rows. own_length, around_length: words in each field,
    neighbours included.
    """

    own: Postings
    around: Postings
    before: Rows
    after: Rows
    own_length: Floats
    around_length: Floats
    alive: NDArray[np.bool_]
    count: int  # of living documents
    own_total: float  # words of living documents
    around_total: float

    def frequencies(self, word: np.uint64) -> tuple[int, int]:
        """How many living documents hold the word themselves, and how many have it written around them."""
        return self._living(self.own.of(word)), self._living(self.around.of(word))

    def _living(self, postings: Iterable[Posting]) -> int:
        if self.count == len(self.alive):
            return sum(len(rows) for rows, _ in postings)
        return sum(int(np.count_nonzero(self.alive[rows])) for rows, _ in postings)


def bm25(partitions: Sequence[Fields], terms: Sequence[tuple[str, float]]) -> list[Floats]:
    """The score of every row of each partition, at least 0, for weighted words; statistics are over all partitions.

    A document's own words count fully, words around it half. A word's document frequency is that
    of the own field; if no document has it there, that of the words written around.
    """
    count = sum(p.count for p in partitions)
    own_mean = sum(p.own_total for p in partitions) / count if count else 0.0
    around_mean = sum(p.around_total for p in partitions) / count if count else 0.0
    scorings = [_Scoring(p, own_mean, around_mean) for p in partitions]
    words, lengths = hash_words([term for term, _ in terms])
    for word, weight in zip(words, np.repeat([weight for _, weight in terms], lengths).tolist(), strict=True):
        frequencies = [p.frequencies(word) for p in partitions]
        n = sum(own for own, _ in frequencies) or sum(around for _, around in frequencies)
        if n:
            idf = math.log(1 + (count - n + 0.5) / (n + 0.5))
            for scoring in scorings:
                scoring.add(word, weight * idf * (K1 + 1))
    return [scoring.scores[:-1] for scoring in scorings]


class _Scoring:
    """Adds up the scores of one partition, one word after the other.

    All arrays have one place more than there are rows: the neighbour -1 falls into it, and counts 0.
    """

    def __init__(self, fields: Fields, own_mean: float, around_mean: float) -> None:
        self._fields = fields
        self._own = _inverse_norm(fields.own_length, own_mean, 1.0)
        self._around = _inverse_norm(fields.around_length, around_mean, AROUND)
        self._held, self._near, self.scores = np.zeros((3, len(self._own)), np.float32)

    def add(self, word: np.uint64, weight: float) -> None:
        """Add the share of one word."""
        fields, held, near = self._fields, self._held, self._near
        own, around = list(fields.own.of(word)), list(fields.around.of(word))
        for rows, counts in own:
            held[rows] = counts
        touched: Rows | slice = slice(None)
        if _DENSE * (3 * sum(len(rows) for rows, _ in own) + sum(len(rows) for rows, _ in around)) > len(held):
            np.add(held.take(fields.before), held.take(fields.after), out=near[:-1])
        else:
            touched = self._count_neighbours(own, around)
        for rows, counts in around:
            np.add.at(near, rows, counts)
        frequency = held[touched] * self._own[touched] + near[touched] * self._around[touched]
        # a row may be touched more than once, but then each time the same is assigned to it
        self.scores[touched] += np.float32(weight) * frequency / (frequency + np.float32(K1))
        held[touched] = near[touched] = 0

    def _count_neighbours(self, own: list[Posting], around: list[Posting]) -> Rows:
        touched = [rows for rows, _ in (*own, *around)]
        for link in (self._fields.before, self._fields.after):
            for rows, counts in own:
                touched.append(link.take(rows))
                np.add.at(self._near, touched[-1], counts)
        return np.concatenate(touched) if touched else np.empty(0, np.int32)


def _inverse_norm(lengths: Floats, mean: float, weight: float) -> Floats:
    """What one occurrence counts in a field of each length, with one more place for no row at all, where it counts 0."""
    inverse = np.zeros(len(lengths) + 1, np.float32)
    if mean:
        np.multiply(lengths, np.float32(B / mean), out=inverse[:-1])
        inverse[:-1] += np.float32(1 - B)
        np.divide(np.float32(weight), inverse[:-1], out=inverse[:-1])
    return inverse
