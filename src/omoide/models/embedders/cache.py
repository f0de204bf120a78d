"""Vectors of texts met before, so that the same text is not sent to a model twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from omoide.models.base import Embedder, Over, Vectors, checked
from omoide.models.recent import Latest
from omoide.nouns.embedder import Vector
from omoide.nouns.errors import InvalidInput


class CachedEmbedder(Over):
    """An embedder that keeps its latest vectors in memory, at most ``entries`` of them.

    Keys are hashes of model id, side and text; no text is kept. A vector can betray its text, so
    whoever erases texts calls :meth:`clear`. Calls may come from several threads; a text that two
    of them miss at the same moment is embedded twice, and nobody waits for anybody's model.
    """

    def __init__(self, inner: Embedder, entries: int = 4096) -> None:
        """entries: vectors kept, at least 1; the ones not used for longest go first."""
        if entries < 1:
            raise InvalidInput("cache", f"must hold at least 1 vector, not {entries}")
        super().__init__(inner)
        self._rows: Latest[Vector] = Latest(entries)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says. Only vectors proved usable are kept."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)

        def vectors(missing: list[str]) -> list[Vector]:
            # a view would keep its whole batch in memory
            return [row.copy() for row in checked(self._inner, missing, query=query)]

        return np.stack(self._rows.each(texts, vectors, self.id, f"{query:d}"))

    def clear(self) -> None:
        """Forget every vector, those being computed at this moment too."""
        self._rows.clear()

    def __len__(self) -> int:
        """How many vectors are kept."""
        return len(self._rows)
