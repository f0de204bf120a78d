"""A reranker that needs no model run: each token of the query against the nearest token of a text.

Source: Khattab and Zaharia, "ColBERT", SIGIR 2020, for the sum of maxima; here over static token
vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from omoide.models.base import Scores
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

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """As the protocol says."""
        if not texts:
            return np.empty(0, np.float32)
        asked = np.array(self._table.tokens(query))
        held = [np.unique(self._table.tokens(text)) for text in texts]
        tokens, places = np.unique(np.concatenate(held), return_inverse=True)
        rows, lengths = self._unit(asked)
        cosines = rows @ self._unit(tokens)[0].T
        starts = np.cumsum([0, *(len(row) for row in held[:-1])])
        nearest = np.maximum.reduceat(cosines[:, places], starts, axis=1)
        frequency = np.bincount(np.concatenate(held), minlength=int(asked.max()) + 1)[asked]
        weights = np.log1p(len(texts) / (1 + frequency)).astype(np.float32) * lengths
        scores: Scores = (weights / weights.sum()) @ nearest
        return scores

    def _unit(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The tokens' vectors brought to length 1, and the lengths that they had."""
        rows = self._table.take(numbers)
        lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1)
        return rows / lengths[:, None], lengths
