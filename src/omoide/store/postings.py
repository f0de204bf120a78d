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
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int32]
Posting: TypeAlias = tuple[Rows, Floats]  # rows, each once, and how often each holds the word

K1 = 1.2
B = 0.75
AROUND = 0.5  # weight of the words around a document; its own weigh 1
_MERGE_FACTOR = 4  # a segment is at least this many times the next one: few segments, little merging


class Codes(dict[str, int]):
    """Numbers for names, from 0 in the order they are first seen."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self.names)
        self.names.append(name)
        return code

    def encode(self, names: Iterable[str], count: int) -> Rows:
        """The numbers of that many names; unseen names get new ones."""
        return np.fromiter(map(self.__getitem__, names), np.int32, count)


def encode_texts(texts: Sequence[str], codes: Codes) -> tuple[Rows, Rows]:
    """The words of space-joined texts, one after the other, and the number of words of each text."""
    words = [text.split() for text in texts]
    lengths = np.fromiter(map(len, words), np.int32, len(words))
    return codes.encode(chain.from_iterable(words), int(lengths.sum())), lengths


@dataclass(frozen=True, slots=True)
class Segment:
    """The postings of one range of rows: those of ``terms[i]`` stand at ``starts[i]:starts[i + 1]``."""

    terms: Rows  # ascending
    starts: NDArray[np.int64]
    rows: Rows  # ascending within a term
    counts: Floats

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.terms.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes

    def of(self, term: int) -> Posting | None:
        """The posting of a term, if the segment has it."""
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            return None
        start, end = self.starts[at], self.starts[at + 1]
        return self.rows[start:end], self.counts[start:end]


def make_segment(words: Rows, lengths: Rows, first_row: int) -> Segment:
    """The segment of documents given by all their words and the number of words of each."""
    rows = np.repeat(np.arange(first_row, first_row + len(lengths), dtype=np.int64), lengths)
    keys = words.astype(np.int64) << 32 | rows
    keys.sort()
    heads = _heads(keys)
    unique = keys[heads]
    counts = np.diff(heads, append=len(keys)).astype(np.float32)
    return _segment((unique >> 32).astype(np.int32), (unique & 0xFFFFFFFF).astype(np.int32), counts)


def _heads(ordered: NDArray[np.int64] | Rows) -> NDArray[np.int64]:
    """Where a new value begins in an ordered array."""
    new = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return np.flatnonzero(new)


def _segment(terms: Rows, rows: Rows, counts: Floats) -> Segment:
    heads = _heads(terms)
    return Segment(terms[heads], np.append(heads, len(terms)), rows, counts)


def _merge(older: Segment, newer: Segment) -> Segment:
    terms = np.concatenate([np.repeat(s.terms, np.diff(s.starts)) for s in (older, newer)])
    order = np.argsort(terms, kind="stable")  # two ordered runs: one pass; older rows stay first
    rows, counts = np.concatenate([older.rows, newer.rows]), np.concatenate([older.counts, newer.counts])
    return _segment(terms[order], rows[order], counts[order])


@dataclass(frozen=True, slots=True)
class Postings:
    """All postings of one field. Adding costs in proportion to what is added, times the few merges it takes part in."""

    segments: tuple[Segment, ...] = ()

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return sum(segment.nbytes for segment in self.segments)

    def extended(self, words: Rows, lengths: Rows, first_row: int) -> Postings:
        """With the documents of the next rows, given by all their words and the number of words of each."""
        if not len(words):
            return self
        segments = [*self.segments, make_segment(words, lengths, first_row)]
        while len(segments) > 1 and len(segments[-2].rows) < _MERGE_FACTOR * len(segments[-1].rows):
            newer, older = segments.pop(), segments.pop()
            segments.append(_merge(older, newer))
        return Postings(tuple(segments))

    def of(self, term: int) -> Iterator[Posting]:
        """The postings of a term, in ascending order of rows."""
        return filter(None, (segment.of(term) for segment in self.segments))


@dataclass(frozen=True, slots=True)
class Fields:
    """What BM25 needs to know of the documents of one partition.

    own, around: postings of the two fields; the words of neighbours are not among them but are
    taken from their own postings. before, after: rows of the neighbours, -1 for none; no row is
    the neighbour before (or after) of two rows. own_length, around_length: words in each field,
    neighbours included.
    """

    codes: Codes
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

    def frequencies(self, term: str) -> tuple[int, int]:
        """How many living documents hold the word themselves, and how many have it written around them."""
        code = self.codes.get(term)
        return (0, 0) if code is None else (self._living(self.own.of(code)), self._living(self.around.of(code)))

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
    for term, weight in terms:
        frequencies = [p.frequencies(term) for p in partitions]
        n = sum(own for own, _ in frequencies) or sum(around for _, around in frequencies)
        if n:
            idf = math.log(1 + (count - n + 0.5) / (n + 0.5))
            for scoring in scorings:
                scoring.add(term, weight * idf * (K1 + 1))
    return [scoring.scores[:-1] for scoring in scorings]


class _Scoring:
    """Adds up the scores of one partition, one word after the other.

    All arrays have one place more than there are rows: the neighbour -1 falls into it.
    """

    def __init__(self, fields: Fields, own_mean: float, around_mean: float) -> None:
        self._fields = fields
        self._own = _inverse_norm(fields.own_length, own_mean, 1.0)
        self._around = _inverse_norm(fields.around_length, around_mean, AROUND)
        self._frequency = np.zeros(len(self._own), np.float32)
        self.scores = np.zeros(len(self._own), np.float32)

    def add(self, term: str, weight: float) -> None:
        """Add the share of one word."""
        code = self._fields.codes.get(term)
        touched = [] if code is None else [rows for step in self._shares(code) for rows in self._count(*step)]
        if not touched:
            return
        frequency, factor = self._frequency, np.float32(weight)
        if sum(map(len, touched)) > len(frequency) // 4:
            self.scores += factor * frequency / (frequency + np.float32(K1))
            frequency.fill(0)
            return
        rows = np.concatenate(touched)
        found = frequency[rows]
        # a row may come more than once, but then with the same sum: what is assigned is the same
        self.scores[rows] += factor * found / (found + np.float32(K1))
        frequency[rows] = 0

    def _shares(self, code: int) -> Iterator[tuple[Rows, Floats, Floats]]:
        fields = self._fields
        own = list(fields.own.of(code))
        for rows, counts in own:
            yield rows, counts, self._own
        for link in (fields.after, fields.before):
            for rows, counts in own:
                yield link[rows], counts, self._around
        for rows, counts in fields.around.of(code):
            yield rows, counts, self._around

    def _count(self, rows: Rows, counts: Floats, inverse_norm: Floats) -> Iterator[Rows]:
        self._frequency[rows] += counts * inverse_norm[rows]
        yield rows


def _inverse_norm(lengths: Floats, mean: float, weight: float) -> Floats:
    """What one occurrence counts in a field of each length, with one more place for no row at all, where it counts 0."""
    inverse = np.zeros(len(lengths) + 1, np.float32)
    if mean:
        np.multiply(lengths, np.float32(B / mean), out=inverse[:-1])
        inverse[:-1] += np.float32(1 - B)
        np.divide(np.float32(weight), inverse[:-1], out=inverse[:-1])
    return inverse
