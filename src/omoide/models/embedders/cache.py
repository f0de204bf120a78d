"""Vectors of texts met before, so that the same text is not sent to a model twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from omoide.models.base import Embedder, Limited, Vectors, checked
from omoide.models.recent import Latest
from omoide.nouns.embedder import Vector
from omoide.nouns.errors import InvalidInput


class CachedEmbedder:
    """An embedder that keeps its latest vectors in memory, at most ``entries`` of them.

    Keys are hashes of model id, side and text; no text is kept. A vector can betray its text, so
    whoever erases texts calls :meth:`clear`. Calls may come from several threads; a text that two
    of them miss at the same moment is embedded twice, and nobody waits for anybody's model.
    """

    def __init__(self, inner: Embedder, entries: int = 4096) -> None:
        """entries: vectors kept, at least 1; the ones not used for longest go first."""
        if entries < 1:
            raise InvalidInput("cache", f"must hold at least 1 vector, not {entries}")
        self._inner = inner
        self._rows: Latest[Vector] = Latest(entries)
        self.id, self.dimension = inner.id, inner.dimension
        self.at_once = bool(getattr(inner, "at_once", False))

    @property
    def input_bytes(self) -> int | None:
        """How much of a text the embedder's server takes at once, as far as it is known."""
        return self._inner.input_bytes if isinstance(self._inner, Limited) else None

    def limit(self, input_bytes: int) -> None:
        """Send no more at once than that many bytes; of an embedder without a server, nothing."""
        if isinstance(self._inner, Limited):
            self._inner.limit(input_bytes)

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
