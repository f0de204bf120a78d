"""Which documents hold which words, as numpy arrays, and BM25 over two fields of them.

Documents are numbered by *row*: the place they take in memory, from 0. Rows are only ever added,
so everything here can be shared between threads: what is published never changes. Most postings are
in sorted segments, the few latest in dictionaries, so that one more document costs little.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009
(BM25F, section 3.6), with the idf of Lucene, which is never negative.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int32]
Hashes: TypeAlias = NDArray[np.uint64]
Posting: TypeAlias = tuple[Rows, Floats]  # rows, ascending, each once, and how often each holds the word
Scored: TypeAlias = tuple[Rows, Floats]  # rows, ascending, each once, and their scores, above 0

K1 = 1.2
B = 0.75
_ODD = 0x9E3779B97F4A7C15
_INVERSE = pow(_ODD, -1, 2**64)
AROUND = 0.5  # weight of the words around a document; its own weigh 1
_DENSE = 8  # a word that touches more than one row of so many is scored by going through all rows
_FEW = 32  # rows: a search that touches less than one of so many looks at these alone
_MERGE_FACTOR = 4  # a segment is at least this many times the next one: few segments, little merging
_TAIL_WORDS = 2048  # not yet in a segment
_TAIL_BATCH = 256  # words; what comes in larger batches is made a segment at once
_TAIL_BYTES = 160  # that one of these words takes, about
_NOTHING: Posting = (np.empty(0, np.int32), np.empty(0, np.float32))


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
    """The postings of one range of rows: those of ``words[i]`` stand at ``starts[i]:starts[i + 1]``. Never empty."""

    words: Hashes  # ascending
    starts: NDArray[np.int64]
    rows: Rows  # ascending within a word
    counts: Floats

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.words.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes

    def of(self, words: Hashes) -> Iterator[tuple[int, Posting]]:
        """The postings of those words that it has, each with the word's place among them."""
        at = self.words.searchsorted(words)
        at[at == len(self.words)] = 0
        for place in np.flatnonzero(self.words[at] == words).tolist():
            start, end = self.starts[at[place]], self.starts[at[place] + 1]
            yield place, (self.rows[start:end], self.counts[start:end])


def make_segment(words: Hashes, rows: Rows) -> Segment:
    """The segment of documents given by all their words and the row of each; rows ascend."""
    order = np.argsort(words, kind="stable")  # so rows stay ascending within a word
    words, rows = words[order], rows[order]
    del order
    heads = np.flatnonzero(_changes(words) | _changes(rows))
    counts = np.diff(heads, append=len(words)).astype(np.float32)
    return _segment(words[heads], rows[heads], counts)


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


class Tail:
    """The postings of the rows after the last segment. Only ever added to: who shares it reads up to a row of their own."""

    def __init__(self, chunks: Iterable[tuple[Hashes, Rows]] = ()) -> None:
        self.chunks: list[tuple[Hashes, Rows]] = []  # all words as they came, and the row of each
        self.size = self.end = 0  # words; the row after the last
        self._pairs: dict[int, list[tuple[int, int]]] = {}  # rows and counts by word
        for words, rows in chunks:
            self.add(words, rows)

    def add(self, words: Hashes, rows: Rows) -> None:
        """Add documents given by all their words and the row of each; rows ascend."""
        self.chunks.append((words, rows))
        self.size += len(words)
        self.end = int(rows[-1]) + 1
        for (word, row), count in Counter(zip(words.tolist(), rows.tolist(), strict=True)).items():
            self._pairs.setdefault(word, []).append((row, count))

    def before(self, end: int) -> Tail:
        """One with what was added before a row alone."""
        return self if self.end <= end else Tail(chunk for chunk in self.chunks if chunk[1][-1] < end)

    def of(self, words: Hashes, end: int) -> Iterator[tuple[int, Posting]]:
        """The postings before a row of those words that it has, each with the word's place among them."""
        for place, word in enumerate(words.tolist()):
            pairs = [pair for pair in self._pairs.get(word, ()) if pair[0] < end]
            if pairs:
                rows, counts = zip(*pairs, strict=True)
                yield place, (np.array(rows, np.int32), np.array(counts, np.float32))


@dataclass(frozen=True, slots=True)
class Postings:
    """All postings of one field. Adding costs in proportion to what is added, times the few merges it takes part in."""

    segments: tuple[Segment, ...] = ()
    tail: Tail = field(default_factory=Tail)
    end: int = 0  # the row up to which the tail counts

    @property
    def nbytes(self) -> int:
        """Memory it takes, estimated for the tail."""
        return sum(segment.nbytes for segment in self.segments) + _TAIL_BYTES * self.tail.size

    def extended(self, words: Hashes, lengths: Rows, first_row: int) -> Postings:
        """With the documents of the next rows, given by all their words and the number of words of each."""
        if not len(words):
            return self
        rows = np.repeat(np.arange(first_row, first_row + len(lengths), dtype=np.int32), lengths)
        tail = self.tail.before(self.end)  # an addition that was given up may have left something behind it
        if len(words) <= _TAIL_BATCH and tail.size + len(words) <= _TAIL_WORDS:
            tail.add(words, rows)
            return Postings(self.segments, tail, tail.end)
        all_words, all_rows = zip(*tail.chunks, (words, rows), strict=True)
        segments = [*self.segments, make_segment(np.concatenate(all_words), np.concatenate(all_rows))]
        while len(segments) > 1 and len(segments[-2].rows) < _MERGE_FACTOR * len(segments[-1].rows):
            newer, older = segments.pop(), segments.pop()
            segments.append(_merge(older, newer))
        return Postings(tuple(segments))

    def of(self, words: Hashes) -> list[Posting]:
        """The posting of each word; empty for those that nobody has."""
        found: list[list[Posting]] = [[] for _ in range(len(words))]
        for segment in self.segments:
            for place, posting in segment.of(words):
                found[place].append(posting)
        for place, posting in self.tail.of(words, self.end) if self.end else ():
            found[place].append(posting)
        return [_joined(postings) for postings in found]


def _joined(postings: list[Posting]) -> Posting:
    if len(postings) < 2:
        return postings[0] if postings else _NOTHING
    rows, counts = zip(*postings, strict=True)
    return np.concatenate(rows), np.concatenate(counts)


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
    linked: bool = True  # some may have neighbours

    def living(self, posting: Posting) -> int:
        """How many living documents a posting tells of."""
        rows, _ = posting
        return len(rows) if self.count == len(self.alive) else int(np.count_nonzero(self.alive[rows]))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A word that is looked for: its postings in one partition, and what it weighs."""

    own: Posting
    around: Posting
    weight: np.float32


def bm25(
    partitions: Sequence[Fields],
    terms: Sequence[tuple[str, float]],
    *,
    among: Sequence[Rows | None] | None = None,
    rarest: int | None = None,
) -> list[Scored]:
    """The rows of each partition that have any of the weighted words, scored; statistics are over all partitions.

    A document's own words count fully, words around it half. A word's document frequency is that
    of the own field; if no document has it there, that of the words written around.

    among: the only rows of each partition that are looked at, ascending; None: all. rarest: only so many of the
    words count, those that the fewest documents have, of equals the first.
    """
    count = sum(p.count for p in partitions)
    means = [sum(total) / count if count else 0.0 for total in zip(*((p.own_total, p.around_total) for p in partitions), strict=True)]
    words, lengths = hash_words([term for term, _ in terms])
    weights = np.repeat([weight for _, weight in terms], lengths).tolist()
    postings = [(p.own.of(words), p.around.of(words)) for p in partitions]
    held = [_frequency(partitions, postings, place) for place in range(len(words))]
    places = [place for place, n in enumerate(held) if n]
    if rarest is not None and rarest < len(places):
        places = sorted(sorted(places, key=held.__getitem__)[:rarest])
    idfs = {place: math.log(1 + (count - held[place] + 0.5) / (held[place] + 0.5)) for place in places}
    scored = []
    for number, (fields, (own, around)) in enumerate(zip(partitions, postings, strict=True)):
        asked = [_Asked(own[place], around[place], np.float32(weights[place] * idf * (K1 + 1))) for place, idf in idfs.items()]
        rows = _touched(fields, asked) if among is None else among[number]
        scores = _Scoring(fields, means).all(asked) if rows is None else _score_some(fields, rows, asked, means)
        some = np.flatnonzero(scores)
        scored.append((some.astype(np.int32) if rows is None else rows[some], scores[some]))
    return scored


def _frequency(partitions: Sequence[Fields], postings: Sequence[tuple[list[Posting], list[Posting]]], place: int) -> int:
    """In how many documents a word stands itself, or if in none, around how many it is written."""
    own = sum(fields.living(found[0][place]) for fields, found in zip(partitions, postings, strict=True))
    return own or sum(fields.living(found[1][place]) for fields, found in zip(partitions, postings, strict=True))


def _touched(fields: Fields, asked: Sequence[_Asked]) -> Rows | None:
    """The rows that can score, if they are few."""
    if _FEW * sum((3 if fields.linked else 1) * len(a.own[0]) + len(a.around[0]) for a in asked) > len(fields.alive):
        return None
    rows = [a.own[0] for a in asked]
    if fields.linked:
        rows += [link.take(own) for own in rows for link in (fields.before, fields.after)]
    together = np.unique(np.concatenate([_NOTHING[0], *rows, *(a.around[0] for a in asked)]))
    return together[1:] if len(together) and together[0] < 0 else together


def _score_some(fields: Fields, rows: Rows, asked: Sequence[_Asked], means: Sequence[float]) -> Floats:
    """The scores of some rows."""
    own_norm = _inverse_norm(fields.own_length[rows], means[0], 1.0)
    around_norm = _inverse_norm(fields.around_length[rows], means[1], AROUND)
    links = (fields.before[rows], fields.after[rows]) if fields.linked else ()
    scores = np.zeros(len(rows), np.float32)
    for word in asked:
        frequency = _counts(word.own, rows) * own_norm
        near = sum((_counts(word.own, link) for link in links), start=_counts(word.around, rows))
        frequency += near * around_norm
        scores += word.weight * frequency / (frequency + np.float32(K1))
    return scores


def _counts(posting: Posting, rows: Rows) -> Floats:
    """How often each of some rows holds a word; 0 for no row."""
    holding, counts = posting
    if not len(holding):
        return np.zeros(len(rows), np.float32)
    at = holding.searchsorted(rows)
    at[at == len(holding)] = 0
    return np.where(holding[at] == rows, counts[at], np.float32(0))


class _Scoring:
    """Adds up the scores of all rows of one partition, one word after the other.

    All arrays have one place more than there are rows: the neighbour -1 falls into it, and counts 0.
    """

    def __init__(self, fields: Fields, means: Sequence[float]) -> None:
        self._fields = fields
        self._own = np.append(_inverse_norm(fields.own_length, means[0], 1.0), np.float32(0))
        self._around = np.append(_inverse_norm(fields.around_length, means[1], AROUND), np.float32(0))
        self._held, self._near, self._scores = np.zeros((3, len(self._own)), np.float32)

    def all(self, asked: Sequence[_Asked]) -> Floats:
        """The scores of all rows."""
        for word in asked:
            if self._fields.linked or len(word.around[0]):
                self._add(word)
            else:
                rows, counts = word.own
                self._add_share(rows, counts * self._own[rows], word.weight)
        return self._scores[:-1]

    def _add(self, word: _Asked) -> None:
        fields, held, near = self._fields, self._held, self._near
        rows, counts = word.own
        around, around_counts = word.around
        held[rows] = counts
        touched: Rows | slice = slice(None)
        if _DENSE * (3 * len(rows) + len(around)) > len(held):
            np.add(held.take(fields.before), held.take(fields.after), out=near[:-1])
        else:
            befores, afters = fields.before.take(rows), fields.after.take(rows)
            np.add.at(near, befores, counts)
            np.add.at(near, afters, counts)
            touched = np.concatenate([rows, around, befores, afters])
        near[around] += around_counts
        self._add_share(touched, held[touched] * self._own[touched] + near[touched] * self._around[touched], word.weight)
        held[touched] = near[touched] = 0

    def _add_share(self, rows: Rows | slice, frequency: Floats, weight: np.float32) -> None:
        # a row may be there more than once, but then each time the same is assigned to it
        self._scores[rows] += weight * frequency / (frequency + np.float32(K1))


def _inverse_norm(lengths: Floats, mean: float, weight: float) -> Floats:
    """What one occurrence counts in a field of each length."""
    if not mean:
        return np.zeros(len(lengths), np.float32)
    inverse: Floats = lengths * np.float32(B / mean)
    inverse += np.float32(1 - B)
    np.divide(np.float32(weight), inverse, out=inverse)
    return inverse
