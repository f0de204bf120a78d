"""A reranker that needs no model run: each token of the query against the nearest token of a text.

Source: Khattab and Zaharia, "ColBERT", SIGIR 2020, for the sum of maxima; here over static token
vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omoide.models.base import RerankScores
from omoide.models.embedders.static import ROWS_SHA256, load_table


class StaticMaxSim:
    """The mean, over the query's tokens, of the cosine to the nearest token of the text.

    Rare tokens count more: a token's weight is ``log(1 + n / (1 + texts that hold it))`` among the
    n texts of the call, times the length of its vector, which is less for common words. Scores lie
    between -1 and 1.
    """

    reach = 200  # texts; among fewer, all of which were found by the rare words, no word seems rare
    at_once = True  # needs nobody's answer

    def __init__(self) -> None:
        self._table = load_table()
        self.id = f"static-maxsim@{ROWS_SHA256[:12]}"

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        """As the protocol says."""
        if not texts:
            return np.empty(0, np.float32)
        asked = np.array(self._table.tokens(query))
        by_text = [np.unique(self._table.tokens(text)) for text in texts]
        held = np.concatenate(by_text)
        tokens, places = np.unique(held, return_inverse=True)
        rows, lengths = self._unit(asked)
        cosines = rows @ self._unit(tokens)[0].T
        return sum_of_maxima(cosines[:, places], [*map(len, by_text)], held, asked, lengths)

    def _unit(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The tokens' vectors brought to length 1, and the lengths that they had."""
        rows = self._table.take(numbers)
        lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1)
        return rows / lengths[:, None], lengths


def sum_of_maxima(
    cosines: NDArray[np.float32],
    sizes: Sequence[int],
    held: NDArray[Any],
    asked: NDArray[np.int64],
    lengths: NDArray[np.float32],
) -> RerankScores:
    """The score of each text, as ``StaticMaxSim`` says it.

    cosines: of each token of the query to all tokens of the texts, one text after the other. sizes:
    how many tokens each text has. held: the tokens of all texts, each once a text. asked: those of
    the query, and the lengths of their vectors.
    """
    starts = np.cumsum([0, *sizes[:-1]])
    nearest = np.maximum.reduceat(cosines, starts, axis=1)
    frequency = np.bincount(held, minlength=int(asked.max()) + 1)[asked]
    weights = np.log1p(len(sizes) / (1 + frequency)).astype(np.float32) * lengths
    scores: RerankScores = (weights / weights.sum()) @ nearest
    return scores
