"""A reranker for the ``local`` extra: each token of the query against the nearest token of a text,
in context.

Source: Khattab and Zaharia, "ColBERT", SIGIR 2020, for the sum of maxima; here over the states of a
model that was not trained for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from omoide.models.base import RerankScores
from omoide.models.embedders.minilm import MODEL_SHA256, MiniLM
from omoide.models.embedders.static import load_table
from omoide.models.recent import Latest
from omoide.models.rerankers.maxsim import sum_of_maxima
from omoide.nouns.errors import ModelError

REMEMBERED = 4_096  # texts
FIRST = 64  # tokens of each text
WIDTH = 384  # of a state
_TOKEN = 2 + WIDTH  # bytes
_SCALE = 127


def id_of(most: int = FIRST) -> str:
    """The id of one that reads so many tokens of each text."""
    return f"minilm-maxsim@{MODEL_SHA256[:12]}/{most}"


class MiniLMMaxSim:
    """The mean, over the query's tokens, of the cosine to the nearest of a text's first tokens.

    Tokens weigh as in ``StaticMaxSim``. Scores lie between -1 and 1. A text takes some 12 ms to
    read (docs/howto/rerankers.md), so it is read ahead where a store keeps what came of it, and the
    latest that were read are remembered.
    """

    reach = 200  # texts; as of ``StaticMaxSim``

    def __init__(self, *, threads: int = 1, most: int = FIRST) -> None:
        """threads: processor threads for one call. most: tokens of each text.

        Raises:
            MissingExtra: the runtime or the model's data package is not installed.
            ModelError: the model file is not the expected one.
        """
        self._model = MiniLM(threads=threads)
        self._table = load_table()
        self._read: Latest[bytes] = Latest(REMEMBERED)
        self._most = most
        self.id = id_of(most)

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        """As the protocol says."""
        return self.score_read(query, self.read(texts))

    def read(self, texts: Sequence[str]) -> list[bytes]:
        """The first tokens of each text, 2 bytes each, and their states, 384 bytes each: up to 25
        kB.
        """
        return self._read.each(texts, self._unread)

    def _unread(self, texts: list[str]) -> Iterator[bytes]:
        return (_packed(*read) for read in self._model.states(texts, self._most))

    def score_read(self, query: str, readings: Sequence[bytes]) -> RerankScores:
        """As the protocol says."""
        if not readings:
            return np.empty(0, np.float32)
        asked, states = self._model.states([query])[0]
        tokens, rows = zip(*map(_unpacked, readings), strict=True)
        there: NDArray[np.float32] = np.concatenate(rows).astype(np.float32) / np.float32(_SCALE)
        cosines = states @ there.T
        held = np.concatenate([*map(np.unique, tokens)])
        lengths = self._table.lengths(asked)
        return sum_of_maxima(cosines, [*map(len, tokens)], held, asked, lengths)

    def clear(self) -> None:
        """Forget every text that was read."""
        self._read.clear()


def _packed(ids: NDArray[np.int64], rows: NDArray[np.float32]) -> bytes:
    return ids.astype("<u2").tobytes() + np.rint(rows * _SCALE).astype(np.int8).tobytes()


def _unpacked(reading: bytes) -> tuple[NDArray[np.uint16], NDArray[np.int8]]:
    count, rest = divmod(len(reading), _TOKEN)
    if rest or not count:
        raise ModelError(f"a reading of {len(reading)} bytes; run omoide doctor")
    states = np.frombuffer(reading, np.int8, offset=2 * count)
    return np.frombuffer(reading, "<u2", count), states.reshape(count, WIDTH)
