"""The embedded default: one learned vector per token, averaged. No model run, no dependency but
numpy.

The table in ``data/`` was distilled from all-MiniLM-L6-v2 by ``scripts/build_static_embedder.py``.
It is checked against its hash when it is first loaded and shared by everything in the process.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from omoide.models.base import PROBE, Vectors
from omoide.models.embedders.wordpiece import WordPiece
from omoide.nouns.errors import ModelError

ROWS_FILE = "static-minilm-256.npz"
ROWS_SHA256 = "9bab70deb073ccc7c2016820c870e59bfe988c2053f6cb39b726bda4068da16b"
VOCABULARY_FILE = "vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

_VERSION = 1  # raise it when the same file gives other vectors
_BEFORE_FIRST_WORD = 998  # ids up to here are marks and unused places; row 0 stands for all of them
_BUCKETS = 4096  # rows for words that tokens spell only by letters
_BUCKET_SCALE = 0.0025  # half the length of a usual token's row: a word has several runs
_TOKENS_AT_ONCE = 16_384  # 16 MB of float32 rows


def read_data(name: str, sha256: str) -> bytes:
    """A file of the package's own data, proved to be the one that was released.

    Raises:
        ModelError: missing, or not the released file.
    """
    try:
        content = files("omoide.models").joinpath("data", name).read_bytes()
    except OSError as problem:
        raise ModelError(f"{name}: {problem}; install omoide again") from problem
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ModelError(f"{name} is damaged or was changed; install omoide again")
    return content


@cache
def load_vocabulary() -> tuple[str, ...]:
    """The packaged vocabulary in the order of its ids."""
    return tuple(
        read_data(VOCABULARY_FILE, VOCABULARY_SHA256).decode("utf-8").removesuffix("\n").split("\n")
    )


class TokenTable:
    """One vector per token, and one per hash of three characters for words that tokens spell only
    by letters.

    The first come from the data file: int8 rows, each with a scale that also carries the token's
    weight. The second are pseudo-random, so that texts in scripts the model never learned are still
    told apart and found by the characters they share.
    """

    def __init__(
        self, rows: NDArray[np.int8], scales: NDArray[np.float32], vocabulary: Sequence[str]
    ) -> None:
        noise = np.frombuffer(
            hashlib.shake_256(b"omoide").digest(_BUCKETS * rows.shape[1]), np.int8
        ).reshape(_BUCKETS, -1)
        self._rows = np.concatenate([rows, noise])
        self._scales = np.concatenate([scales, np.full(_BUCKETS, _BUCKET_SCALE, np.float32)])[
            :, None
        ]
        self._wordpiece = WordPiece(
            vocabulary, lambda word: [len(vocabulary) + bucket for bucket in _buckets(word)]
        )

    def tokens(self, text: str) -> list[int]:
        """The row numbers of a text's tokens in order, or row 0 alone where there is none."""
        return [number - _BEFORE_FIRST_WORD for number in self._wordpiece.ids(text)] or [0]

    def lengths(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """How much the tokens of these ids of the vocabulary weigh: the lengths of their vectors,
        less for common ones.
        """
        numbers = np.maximum(ids - _BEFORE_FIRST_WORD, 0)
        lengths: NDArray[np.float32] = np.linalg.norm(self.take(numbers), axis=1)
        return lengths

    def take(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of these rows, weighted: float32, shape ``(len(numbers), 256)``."""
        rows: NDArray[np.float32] = self._rows[numbers] * self._scales[numbers]
        return rows


def _buckets(word: str) -> list[int]:
    """A hash for each three neighbouring characters of a word, or for the whole of a shorter
    one.
    """
    parts = [word[first : first + 3] for first in range(max(len(word) - 2, 1))]
    return [
        int.from_bytes(hashlib.blake2b(part.encode(), digest_size=4).digest(), "big") % _BUCKETS
        for part in parts
    ]


@cache
def load_table() -> TokenTable:
    """The packaged table, one for the process.

    Raises:
        ModelError: the data files are missing or were changed.
    """
    with np.load(io.BytesIO(read_data(ROWS_FILE, ROWS_SHA256)), allow_pickle=False) as data:
        return TokenTable(data["rows"], data["scales"], load_vocabulary())


class StaticEmbedder:
    """The weighted mean of a text's token vectors: 256 wide, English first, any length, the same on
    every processor.

    A word that tokens spell only by letters counts by its runs of three characters. A text without
    any word, an empty one too, gets the unknown token's vector: a direction like any other, shared
    by all such texts.
    """

    at_once = True  # needs nobody's answer

    def __init__(self) -> None:
        self._table = load_table()
        self.id = f"static-minilm-256.{_VERSION}@{ROWS_SHA256[:12]}"
        self.dimension = self.embed([PROBE]).shape[1]

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says. A text's vector does not depend on the texts beside it."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        tokens = [self._table.tokens(text) for text in texts]
        sums = np.concatenate([self._sums(group) for group in _groups(tokens)])
        sums /= np.linalg.norm(sums, axis=1, keepdims=True)
        return sums

    def _sums(self, group: Sequence[list[int]]) -> NDArray[np.float32]:
        """The summed token vectors of each text, one row per text."""
        # count first: a huge text repeats its tokens
        if len(group) == 1 and len(group[0]) > _TOKENS_AT_ONCE:
            numbers, counts = np.unique(np.array(group[0]), return_counts=True)
            rows, starts = self._table.take(numbers) * counts.astype(np.float32)[:, None], [0]
        else:
            rows = self._table.take(np.array(list(chain.from_iterable(group))))
            starts = [0, *accumulate(len(numbers) for numbers in group[:-1])]
        sums: NDArray[np.float32] = np.add.reduceat(rows, starts, axis=0)
        return sums


def _groups(tokens: Sequence[list[int]]) -> Iterator[list[list[int]]]:
    """Whole texts in order, as many at once as stay within the token limit; a longer text goes
    alone.
    """
    group: list[list[int]] = []
    held = 0
    for numbers in tokens:
        if group and held + len(numbers) > _TOKENS_AT_ONCE:
            yield group
            group, held = [], 0
        group.append(numbers)
        held += len(numbers)
    yield group
