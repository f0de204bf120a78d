"""The long words of a partition, to be found by how they begin and how they end.

The index knows words by their hashes alone, which tell nothing of their letters. Languages that
write words together need these: *Schlüssel* is looked for in *Haustürschlüssel*. So the long native
stems of all documents are kept, each once, and the long words of documents without native stems
that are too short to tell their language. They stand in arrays sorted by their letters, and by
their letters from the end. Of longer English texts nothing is kept.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from omoide.text.compounds import LONG, LONGEST, may_hold
from omoide.text.words import NATIVE

MOST = 20  # longer words that a word is found in: the shortest, of which it is the greatest part
_REACH = 40  # words that are looked at for them, of those that begin so, and of those that end so
_LETTERS = rf"[a-z\xdf-\u024f]{{{LONG},{LONGEST}}}"
_NATIVE_STEM, _WORD = re.compile(rf"{NATIVE}{_LETTERS}(?![^ ])"), re.compile(_LETTERS)
_FEW = 12  # terms: a text of more tells its language
_BYTES = 32  # of a word with its mark; longer ones are left out
_TAIL = 256  # words not yet sorted that a question goes through
_MANY = 4096  # words not yet sorted that are kept without a question
_AFTER = b"\xff"  # greater than every byte of a letter


@dataclass(frozen=True, slots=True)
class _Ordered:
    """Words in order, each once, and how many bytes each has."""

    words: NDArray[np.bytes_] = field(default_factory=lambda: np.empty(0, f"S{_BYTES}"))
    sizes: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.words.nbytes + self.sizes.nbytes

    def with_new(self, words: Iterable[bytes]) -> _Ordered:
        """With those of some words that are not in it yet."""
        added = np.array(sorted(words), f"S{_BYTES}")
        places = self.words.searchsorted(added)
        if len(self.words):
            unknown = self.words.take(places, mode="clip") != added
            added, places = added[unknown], places[unknown]
        sizes = np.fromiter(map(len, added.tolist()), np.uint8, len(added))
        return _Ordered(np.insert(self.words, places, added), np.insert(self.sizes, places, sizes))

    def beginning(self, part: bytes, others: Iterable[bytes]) -> list[bytes]:
        """Those of its words and of others that begin so, the shortest first, of equals in order;
        no more than are looked at.
        """
        start, end = self.words.searchsorted(np.array([part, part + _AFTER]))
        shortest = np.argsort(self.sizes[start:end], kind="stable")[:_REACH]
        found = {
            *self.words[start + shortest].tolist(),
            *(word for word in others if word.startswith(part)),
        }
        return sorted(found, key=shortest_first)[:_REACH]


class LongWords:
    """The long words of some documents, native stems marked. They are only added to, so a reader
    may find some that are gone.

    What is found hangs on which words there are, not on when they came.
    Safe to use from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._new = set[bytes]()
        self._forwards = _Ordered()
        self._backwards: _Ordered | None = None  # made by the first question that needs it

    @property
    def nbytes(self) -> int:
        """Memory it takes, estimated for what is not sorted yet."""
        return (
            self._forwards.nbytes
            + (self._backwards.nbytes if self._backwards else 0)
            + 100 * len(self._new)
        )

    def add(self, texts: Iterable[str]) -> None:
        """Add the long words of space-joined texts."""
        words = {word for text in texts for word in _long_words(text)}
        found = [word for word in map(str.encode, words) if len(word) <= _BYTES]
        if not found:
            return
        with self._lock:
            self._new.update(found)
            if len(self._new) > max(_MANY, len(self._forwards.words) // 4):
                self._sort()

    def holding(self, term: str) -> list[str]:
        """The longer terms that may be written together of a term and another word, the shortest
        first.

        Of a native stem they are native stems.
        """
        stem = term.removeprefix(NATIVE)
        mark = term[: len(term) - len(stem)]
        around = sorted(self._around(mark.encode(), stem.encode()), key=shortest_first)
        return list(
            islice(
                (
                    word
                    for word in around
                    if word.startswith(NATIVE) == bool(mark) and may_hold(word, term)
                ),
                MOST,
            )
        )

    def _around(self, mark: bytes, part: bytes) -> set[str]:
        """Words that begin or end so."""
        with self._lock:
            if len(self._new) > _TAIL:
                self._sort()
            if self._backwards is None:
                self._backwards = _Ordered().with_new(
                    word[::-1] for word in self._forwards.words.tolist()
                )
            beginning = self._forwards.beginning(mark + part, self._new)
            ending = self._backwards.beginning(
                part[::-1], [word[::-1] for word in self._new if word.endswith(part)]
            )
        return {word.decode() for word in (*beginning, *(word[::-1] for word in ending))}

    def _sort(self) -> None:
        self._forwards = self._forwards.with_new(self._new)
        if self._backwards is not None:
            self._backwards = self._backwards.with_new(word[::-1] for word in self._new)
        self._new.clear()


def shortest_first(word: str | bytes) -> tuple[int, str | bytes]:
    """The place of a word in the order in which longer words are taken."""
    return len(word), word


def _long_words(text: str) -> list[str]:
    if NATIVE in text:
        return _NATIVE_STEM.findall(text)
    return (
        [word for word in text.split(" ") if len(word) >= LONG and _WORD.fullmatch(word)]
        if text.count(" ") < _FEW
        else []
    )
