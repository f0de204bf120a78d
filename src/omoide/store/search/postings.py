"""Which documents hold which words, as numpy arrays.

Documents are numbered by *row*: the place they take in memory, from 0. Rows are only ever added,
so everything here can be shared between threads: what is published never changes. Most postings are
in sorted segments, the few latest in dictionaries, so that one more document costs little.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.text.letters import Memo

Floats: TypeAlias = NDArray[np.float32]
RowNumbers: TypeAlias = NDArray[np.int32]
Hashes: TypeAlias = NDArray[np.uint64]
# rows, ascending, each once, and how often each holds the word
Posting: TypeAlias = tuple[RowNumbers, Floats]
# a posting as a stretch of longer arrays: where it starts and ends
PostingsPart: TypeAlias = tuple[RowNumbers, Floats, int, int]

_ODD = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1
_INVERSE = pow(_ODD, -1, 2**64)
_REMEMBERED = 65_536  # words whose hashes are
_FEW_LETTERS = 1_000  # of texts whose words are hashed one by one
_MERGE_FACTOR = (
    8  # a segment is at least this many times the next one: few segments, little merging
)
_TAIL_WORDS = 2048  # not yet in a segment
_TAIL_BATCH = 256  # words; what comes in larger batches is made a segment at once
_TAIL_BYTES = 160  # that one of these words takes, about
NOTHING: Posting = (np.empty(0, np.int32), np.empty(0, np.float32))


def hash_words(texts: Sequence[str]) -> tuple[Hashes, RowNumbers]:
    """The hashes of the words of space-joined texts, one text after the other, and the number of
    words of each.

    A word is known by this hash alone: the sum of its UTF-8 bytes, each times a power of a fixed
    odd number, modulo 2**64. Among a million words, two share a hash once in some 10**7
    vocabularies; they would then be found as one.
    """
    if sum(map(len, texts)) <= _FEW_LETTERS:  # arrays would cost more than the words
        words = [list(filter(None, text.split(" "))) for text in texts]
        hashes = [_HASHES[word] for some in words for word in some]
        return np.array(hashes, np.uint64), np.array([*map(len, words)], np.int32)
    joined_texts = "\n".join(["", *texts, ""]).encode("utf-8", "surrogatepass")
    text = np.frombuffer(joined_texts, np.uint8)
    starts, ends = _word_edges(text)
    breaks = np.searchsorted(starts, np.flatnonzero(text == ord("\n")))
    return _hashes(text, starts, ends), np.diff(breaks).astype(np.int32)


def _hash(word: str) -> int:
    value = 0
    for byte in reversed(word.encode("utf-8", "surrogatepass")):
        value = (value * _ODD + byte) & _MASK
    return value


_HASHES = Memo(_hash, _REMEMBERED)


def _word_edges(text: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the words of a text start and end."""
    is_space = text <= ord(" ")
    edges = np.flatnonzero(is_space[1:] != is_space[:-1]) + 1
    return edges[::2], edges[1::2]


def _hashes(text: NDArray[np.uint8], starts: NDArray[np.intp], ends: NDArray[np.intp]) -> Hashes:
    sums = np.zeros(len(text) + 1, np.uint64)
    table = 1 << len(text).bit_length()
    np.cumsum(text * _powers(_ODD, table)[: len(text)], out=sums[1:])
    hashes: Hashes = (sums[ends] - sums[starts]) * _powers(_INVERSE, table)[starts]
    return hashes


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
    rows: RowNumbers  # ascending within a word
    counts: Floats

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.words.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes

    def find(self, words: Hashes) -> Iterator[tuple[int, PostingsPart]]:
        """The postings of those words that it has, each with the word's place among them."""
        at = self.words.searchsorted(words)
        places = (self.words.take(at, mode="clip") == words).nonzero()[0]
        at = at[places]
        for place, start, end in zip(
            places.tolist(), self.starts[at].tolist(), self.starts[at + 1].tolist(), strict=True
        ):
            yield place, (self.rows, self.counts, start, end)


def make_segment(words: Hashes, rows: RowNumbers) -> Segment:
    """The segment of documents given by all their words and the row of each; rows ascend."""
    order = np.argsort(words, kind="stable")  # so rows stay ascending within a word
    words, rows = words[order], rows[order]
    del order
    heads = np.flatnonzero(changes(words) | changes(rows))
    counts = np.diff(heads, append=len(words)).astype(np.float32)
    return _segment(words[heads], rows[heads], counts)


def changes(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value differs from the one before it."""
    changes = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return changes


def _segment(words: Hashes, rows: RowNumbers, counts: Floats) -> Segment:
    heads = np.flatnonzero(changes(words))
    return Segment(words[heads], np.append(heads, len(words)), rows, counts)


def _merge(segments: Sequence[Segment]) -> Segment:
    words = np.concatenate([np.repeat(s.words, np.diff(s.starts)) for s in segments])
    order = np.argsort(words, kind="stable")
    rows = np.concatenate([s.rows for s in segments])
    counts = np.concatenate([s.counts for s in segments])
    return _segment(words[order], rows[order], counts[order])


class Tail:
    """The postings of the rows after the last segment. Only ever added to: who shares it reads up
    to a row of their own.
    """

    def __init__(self, chunks: Iterable[tuple[Hashes, RowNumbers]] = ()) -> None:
        # all words as they came, and the row of each
        self.chunks: list[tuple[Hashes, RowNumbers]] = []
        self.size = self.end = 0  # words; the row after the last
        # by word: rows, and how often each holds it
        self._held: dict[int, tuple[array[int], array[float]]] = {}
        for words, rows in chunks:
            self.add(words, rows)

    def add(self, words: Hashes, rows: RowNumbers) -> None:
        """Add documents given by all their words and the row of each; rows ascend."""
        self.chunks.append((words, rows))
        self.size += len(words)
        self.end = int(rows[-1]) + 1
        for (word, row), count in Counter(zip(words.tolist(), rows.tolist(), strict=True)).items():
            held = self._held.get(word)
            if held is None:
                held = self._held[word] = (array("i"), array("f"))
            held[0].append(row)
            held[1].append(count)

    def before(self, end: int) -> Tail:
        """One with what was added before a row alone."""
        return (
            self if self.end <= end else Tail(chunk for chunk in self.chunks if chunk[1][-1] < end)
        )

    def find(self, words: Hashes, end: int) -> Iterator[tuple[int, PostingsPart]]:
        """The postings before a row of those words that it has, each with the word's place among
        them.
        """
        for place, word in enumerate(words.tolist()):
            if (held := self._held.get(word)) is None:
                continue
            count = bisect_left(held[0], end)  # read first: another thread may add to both
            if count:
                rows, counts = (part[:count] for part in held)  # copies, which stay as they are
                yield (
                    place,
                    (
                        np.frombuffer(rows, np.int32),
                        np.frombuffer(counts, np.float32),
                        0,
                        count,
                    ),
                )


@dataclass(frozen=True, slots=True)
class Postings:
    """All postings of one field. Adding costs in proportion to what is added, and merging now and
    then a few times as much.
    """

    segments: tuple[Segment, ...] = ()
    tail: Tail = field(default_factory=Tail)
    end: int = 0  # the row up to which the tail counts

    @property
    def nbytes(self) -> int:
        """Memory it takes, estimated for the tail."""
        return sum(segment.nbytes for segment in self.segments) + _TAIL_BYTES * self.tail.size

    def extended(self, words: Hashes, lengths: RowNumbers, first_row: int) -> Postings:
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
        newest = make_segment(np.concatenate(all_words), np.concatenate(all_rows))
        return Postings((*self.segments, newest))

    def merged(self) -> Postings:
        """The same in segments of which each is several times all that follow it: the last ones are
        merged for that.
        """
        sizes = [len(segment.rows) for segment in self.segments]
        first, size = len(sizes) - 1, sum(sizes[-1:])
        while first > 0 and sizes[first - 1] < _MERGE_FACTOR * size:
            first, size = first - 1, size + sizes[first - 1]
        if first >= len(sizes) - 1:
            return self
        segments = (*self.segments[:first], _merge(self.segments[first:]))
        return Postings(segments, self.tail, self.end)

    def find(self, words: Hashes) -> dict[int, list[PostingsPart]]:
        """The postings of those words that somebody has, by the word's place among them: each in
        parts, one after the other.
        """
        found: dict[int, list[PostingsPart]] = {}
        for segment in self.segments:
            for place, part in segment.find(words):
                found.setdefault(place, []).append(part)
        for place, part in self.tail.find(words, self.end) if self.end else ():
            found.setdefault(place, []).append(part)
        return found


def joined(parts: Sequence[PostingsPart]) -> Posting:
    """A posting as a whole."""
    if len(parts) == 1:
        rows, counts, start, end = parts[0]
        return rows[start:end], counts[start:end]
    if not parts:
        return NOTHING
    return np.concatenate([p[0][p[2] : p[3]] for p in parts]), np.concatenate(
        [p[1][p[2] : p[3]] for p in parts]
    )
