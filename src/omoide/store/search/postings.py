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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int32]
Hashes: TypeAlias = NDArray[np.uint64]
# rows, ascending, each once, and how often each holds the word
Posting: TypeAlias = tuple[Rows, Floats]
# a posting as a stretch of longer arrays: where it starts and ends
Part: TypeAlias = tuple[Rows, Floats, int, int]
Scored: TypeAlias = tuple[Rows, Floats]  # rows, ascending, each once, and their scores, above 0
# of rows: score by own words, share of the words, one is written around
Told: TypeAlias = tuple[Floats, Floats, NDArray[np.bool_]]

K1 = 1.2
B = 0.75
_ODD = 0x9E3779B97F4A7C15
_INVERSE = pow(_ODD, -1, 2**64)
AROUND = 0.5  # weight of the words around a document; its own weigh 1
_DENSE = 8  # a word that touches more than one row of so many is scored by going through all rows
_FEW, _FEW_LINKED = (
    4,
    32,
)  # a search that touches less than one of so many rows looks at these alone
_MERGE_FACTOR = (
    8  # a segment is at least this many times the next one: few segments, little merging
)
_TAIL_WORDS = 2048  # not yet in a segment
_TAIL_BATCH = 256  # words; what comes in larger batches is made a segment at once
_TAIL_BYTES = 160  # that one of these words takes, about
_NOTHING: Posting = (np.empty(0, np.int32), np.empty(0, np.float32))


def hash_words(texts: Sequence[str]) -> tuple[Hashes, Rows]:
    """The hashes of the words of space-joined texts, one text after the other, and the number of
    words of each.

    A word is known by this hash alone: the sum of its UTF-8 bytes, each times a power of a fixed
    odd number, modulo 2**64. Among a million words, two share a hash once in some 10**7
    vocabularies; they would then be found as one.
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
    """The postings of one range of rows: those of ``words[i]`` stand at ``starts[i]:starts[i +
    1]``. Never empty.
    """

    words: Hashes  # ascending
    starts: NDArray[np.int64]
    rows: Rows  # ascending within a word
    counts: Floats

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.words.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes

    def find(self, words: Hashes) -> Iterator[tuple[int, Part]]:
        """The postings of those words that it has, each with the word's place among them."""
        at = self.words.searchsorted(words)
        places = (self.words.take(at, mode="clip") == words).nonzero()[0]
        at = at[places]
        for place, start, end in zip(
            places.tolist(), self.starts[at].tolist(), self.starts[at + 1].tolist(), strict=True
        ):
            yield place, (self.rows, self.counts, start, end)


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
    rows, counts = (
        np.concatenate([older.rows, newer.rows]),
        np.concatenate([older.counts, newer.counts]),
    )
    return _segment(words[order], rows[order], counts[order])


class Tail:
    """The postings of the rows after the last segment. Only ever added to: who shares it reads up
    to a row of their own.
    """

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
        return (
            self if self.end <= end else Tail(chunk for chunk in self.chunks if chunk[1][-1] < end)
        )

    def find(self, words: Hashes, end: int) -> Iterator[tuple[int, Part]]:
        """The postings before a row of those words that it has, each with the word's place among
        them.
        """
        for place, word in enumerate(words.tolist()):
            pairs = [pair for pair in self._pairs.get(word, ()) if pair[0] < end]
            if pairs:
                rows, counts = zip(*pairs, strict=True)
                yield place, (np.array(rows, np.int32), np.array(counts, np.float32), 0, len(pairs))


@dataclass(frozen=True, slots=True)
class Postings:
    """All postings of one field. Adding costs in proportion to what is added, times the few merges
    it takes part in.
    """

    segments: tuple[Segment, ...] = ()
    tail: Tail = field(default_factory=Tail)
    end: int = 0  # the row up to which the tail counts

    @property
    def nbytes(self) -> int:
        """Memory it takes, estimated for the tail."""
        return sum(segment.nbytes for segment in self.segments) + _TAIL_BYTES * self.tail.size

    def extended(self, words: Hashes, lengths: Rows, first_row: int) -> Postings:
        """With the documents of the next rows, given by all their words and the number of words of
        each.
        """
        if not len(words):
            return self
        rows = np.repeat(np.arange(first_row, first_row + len(lengths), dtype=np.int32), lengths)
        # an addition that was given up may have left something behind it
        tail = self.tail.before(self.end)
        if len(words) <= _TAIL_BATCH and tail.size + len(words) <= _TAIL_WORDS:
            tail.add(words, rows)
            return Postings(self.segments, tail, tail.end)
        all_words, all_rows = zip(*tail.chunks, (words, rows), strict=True)
        segments = [
            *self.segments,
            make_segment(np.concatenate(all_words), np.concatenate(all_rows)),
        ]
        while len(segments) > 1 and len(segments[-2].rows) < _MERGE_FACTOR * len(segments[-1].rows):
            newer, older = segments.pop(), segments.pop()
            segments.append(_merge(older, newer))
        return Postings(tuple(segments))

    def find(self, words: Hashes) -> dict[int, list[Part]]:
        """The postings of those words that somebody has, by the word's place among them: each in
        parts, one after the other.
        """
        found: dict[int, list[Part]] = {}
        for segment in self.segments:
            for place, part in segment.find(words):
                found.setdefault(place, []).append(part)
        for place, part in self.tail.find(words, self.end) if self.end else ():
            found.setdefault(place, []).append(part)
        return found


def joined(parts: Sequence[Part]) -> Posting:
    """A posting as a whole."""
    if len(parts) == 1:
        rows, counts, start, end = parts[0]
        return rows[start:end], counts[start:end]
    if not parts:
        return _NOTHING
    return np.concatenate([p[0][p[2] : p[3]] for p in parts]), np.concatenate(
        [p[1][p[2] : p[3]] for p in parts]
    )


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

    def living(self, found: Mapping[int, Sequence[Part]]) -> dict[int, int]:
        """How many living documents each of some postings tells of."""
        sizes = [sum(end - start for _, _, start, end in parts) for parts in found.values()]
        if self.count < len(self.alive) and found:
            rows = np.concatenate(
                [rows[start:end] for parts in found.values() for rows, _, start, end in parts]
            )
            before = np.concatenate([[0], np.cumsum(self.alive[rows])])
            sizes = np.diff(before[np.cumsum([0, *sizes])]).tolist()
        return dict(zip(found, sizes, strict=True))


@dataclass(frozen=True, slots=True)
class Asked:
    """A word that is looked for: its postings in one partition, and what it weighs."""

    own: Posting
    around: Posting
    weight: np.float32


@dataclass(frozen=True, slots=True)
class Search:
    """Weighted words, looked up in several partitions: what each holds of each, and the mean
    lengths of the two fields.
    """

    partitions: Sequence[Fields]
    asked: Sequence[Sequence[Asked]]  # by partition
    means: Sequence[float]

    def scored(self, *, among: Sequence[Rows | None] | None = None, least: int = 1) -> list[Scored]:
        """The rows of each partition that have any of the words, scored.

        among: the only rows of each partition that are looked at, ascending; None: all. least: rows
        have at least so many of the words in their own words, or all if there are fewer.
        """
        scored = []
        for number, (fields, some) in enumerate(zip(self.partitions, self.asked, strict=True)):
            rows = None if among is None else among[number]
            if least > 1:
                sharing = _sharing(some, min(least, len(some)))
                rows = sharing if rows is None else np.intersect1d(rows, sharing)
            scored.append(_scored(fields, some, self.means, rows))
        return scored

    def told(self, number: int, rows: Rows) -> Told:
        """What makes the score of some rows of one partition."""
        fields, asked = self.partitions[number], self.asked[number]
        own_norm = _inverse_norm(fields.own_length[rows], self.means[0], 1.0)
        links = (fields.before[rows], fields.after[rows]) if fields.linked else ()
        own, share, total = (
            np.zeros(len(rows), np.float32),
            np.zeros(len(rows), np.float32),
            np.float32(0),
        )
        spoken = np.zeros(len(rows), bool)
        for word in asked:
            held, around = _counts(word.own, rows), _counts(word.around, rows) > 0
            frequency = held * own_norm
            own += word.weight * frequency / (frequency + np.float32(K1))
            share += word.weight * np.logical_or.reduce(
                [held > 0, around, *(_counts(word.own, link) > 0 for link in links)]
            )
            spoken |= around
            total += word.weight
        return own, share / (total or np.float32(1)), spoken


def look_up(
    partitions: Sequence[Fields],
    terms: Sequence[tuple[str, float]],
    *,
    rarest: int | None = None,
    instead: Callable[[str], Iterable[tuple[str, float]]] | None = None,
) -> Search:
    """Weighted words made ready to score by; statistics are over all partitions.

    A document's own words count fully, words around it half. A word's document frequency is that of
    the own field; if no document has it there, that of the words written around. rarest: only so
    many of the words count, those that the fewest documents have, of equals the first. instead:
    gives the weighted words that count in place of one that no document has.
    """
    count = sum(p.count for p in partitions)
    means = [
        sum(total) / count if count else 0.0
        for total in zip(*((p.own_total, p.around_total) for p in partitions), strict=True)
    ]
    words, found, held = _looked_up(partitions, terms)
    if instead is not None and len(held) < len(words):
        unheard = [term for place, (term, _) in enumerate(words) if place not in held]
        others = {other: weight for term in unheard for other, weight in instead(term)}
        for term, _ in terms:
            others.pop(term, None)
        if others:
            words, found, held = _looked_up(partitions, [*terms, *others.items()])
    places = list(held)
    if rarest is not None and rarest < len(places):
        places = sorted(sorted(places, key=held.__getitem__)[:rarest])
    shares = [
        words[place][1] * math.log(1 + (count - held[place] + 0.5) / (held[place] + 0.5)) * (K1 + 1)
        for place in places
    ]
    weighed = [(place, np.float32(share)) for place, share in zip(places, shares, strict=True)]
    asked = [
        [
            Asked(joined(own.get(place, ())), joined(around.get(place, ())), share)
            for place, share in weighed
        ]
        for own, around in found
    ]
    return Search(partitions, asked, means)


# postings of words in the own field, and in the other
_Found: TypeAlias = tuple[dict[int, list[Part]], dict[int, list[Part]]]


def _looked_up(
    partitions: Sequence[Fields], terms: Sequence[tuple[str, float]]
) -> tuple[list[tuple[str, float]], list[_Found], dict[int, int]]:
    """The term of each word of some weighted terms; its postings in each partition, and in how many
    documents it stands if it does.
    """
    hashes, lengths = hash_words([term for term, _ in terms])
    found = [(p.own.find(hashes), p.around.find(hashes)) for p in partitions]
    words = [
        term for term, length in zip(terms, lengths.tolist(), strict=True) for _ in range(length)
    ]
    return words, found, _frequencies(partitions, found)


def _frequencies(partitions: Sequence[Fields], found: Sequence[_Found]) -> dict[int, int]:
    """In how many documents words stand themselves, or if in none, around how many they are
    written; in order, without those in none.
    """
    own, around = Counter[int](), Counter[int]()
    for fields, (mine, others) in zip(partitions, found, strict=True):
        own.update(fields.living(mine))
        around.update(fields.living(others))
    return {place: n for place in sorted({*own, *around}) if (n := own[place] or around[place])}


def _sharing(asked: Sequence[Asked], least: int) -> Rows:
    """The rows that have at least so many of the words themselves, ascending."""
    rows = np.concatenate([_NOTHING[0], *(a.own[0] for a in asked)])
    if least < 2:
        return _distinct(rows)
    rows.sort()
    return _distinct(rows[least - 1 :][rows[least - 1 :] == rows[: 1 - least]])


def _scored(
    fields: Fields, asked: Sequence[Asked], means: Sequence[float], among: Rows | None
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


def _score_own(fields: Fields, asked: Sequence[Asked], mean: float) -> Scored:
    """The rows that score where there are no words around, and their scores."""
    rows = np.concatenate([_NOTHING[0], *(a.own[0] for a in asked)])
    frequency = np.concatenate([_NOTHING[1], *(a.own[1] for a in asked)]) * _inverse_norm(
        fields.own_length[rows], mean, 1.0
    )
    weights = np.repeat(
        np.array([a.weight for a in asked], np.float32), [len(a.own[0]) for a in asked]
    )
    apart = _distinct(rows)
    scores = np.zeros(len(apart), np.float32)
    np.add.at(scores, apart.searchsorted(rows), weights * frequency / (frequency + np.float32(K1)))
    return apart, scores


def _distinct(rows: Rows) -> Rows:
    """The rows in ascending order, each once."""
    ordered = np.sort(rows)
    return ordered[_changes(ordered)]


def _touched(fields: Fields, asked: Sequence[Asked]) -> Rows:
    """The rows that can score."""
    rows = [a.own[0] for a in asked]
    if fields.linked:
        rows += [link.take(own) for own in rows for link in (fields.before, fields.after)]
    together = _distinct(np.concatenate([_NOTHING[0], *rows, *(a.around[0] for a in asked)]))
    return together[together >= 0]


def _score_some(
    fields: Fields, rows: Rows, asked: Sequence[Asked], means: Sequence[float]
) -> Scored:
    """Those of some rows that score, and their scores."""
    if not len(rows):
        return _NOTHING
    own_norm = _inverse_norm(fields.own_length[rows], means[0], 1.0)
    around_norm = _inverse_norm(fields.around_length[rows], means[1], AROUND)
    links = (fields.before[rows], fields.after[rows]) if fields.linked else ()
    scores = np.zeros(len(rows), np.float32)
    for word in asked:
        frequency = _counts(word.own, rows) * own_norm
        near = sum((_counts(word.own, link) for link in links), start=_counts(word.around, rows))
        frequency += near * around_norm
        scores += word.weight * frequency / (frequency + np.float32(K1))
    some = np.flatnonzero(scores)
    return rows[some], scores[some]


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

    All arrays have one place more than there are rows: the neighbour -1 falls into it, and counts
    0.
    """

    def __init__(self, fields: Fields, means: Sequence[float]) -> None:
        self._fields = fields
        self._own = np.append(_inverse_norm(fields.own_length, means[0], 1.0), np.float32(0))
        self._around = np.append(
            _inverse_norm(fields.around_length, means[1], AROUND), np.float32(0)
        )
        self._held, self._near, self._scores = np.zeros((3, len(self._own)), np.float32)

    def all(self, asked: Sequence[Asked]) -> Scored:
        """The rows that score, and their scores."""
        for word in asked:
            if self._fields.linked or len(word.around[0]):
                self._add(word)
            else:
                rows, counts = word.own
                self._add_share(rows, counts * self._own[rows], word.weight)
        rows = np.flatnonzero(self._scores[:-1]).astype(np.int32)
        return rows, self._scores[rows]

    def _add(self, word: Asked) -> None:
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
        self._add_share(
            touched,
            held[touched] * self._own[touched] + near[touched] * self._around[touched],
            word.weight,
        )
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
