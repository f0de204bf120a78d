"""Vectors of texts met before, so that the same text is not sent to a model twice."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from omoide.models.base import Embedder, Limited, Vectors, checked
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
        self._inner, self._entries = inner, entries
        self._rows: OrderedDict[bytes, Vector] = OrderedDict()
        self._cleared = 0
        self._lock = threading.Lock()
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
        keys = [self._key(text, query) for text in texts]
        found, cleared = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        rows = checked(self._inner, list(missing.values()), query=query)
        # a view would keep its whole batch in memory
        fresh = {key: row.copy() for key, row in zip(missing, rows, strict=True)}
        self._keep(fresh, cleared)
        found |= fresh
        return np.stack([found[key] for key in keys])

    def _known(self, keys: Sequence[bytes]) -> tuple[dict[bytes, Vector], int]:
        """The vectors that are kept, used now; and how often all were forgotten so far."""
        with self._lock:
            found = {key: self._rows[key] for key in keys if key in self._rows}
            for key in found:
                self._rows.move_to_end(key)
            return found, self._cleared

    def _keep(self, fresh: dict[bytes, Vector], cleared: int) -> None:
        with self._lock:
            if cleared == self._cleared:  # else these texts may have been erased meanwhile
                self._rows |= fresh
            while len(self._rows) > self._entries:
                self._rows.popitem(last=False)

    def clear(self) -> None:
        """Forget every vector, those being computed at this moment too."""
        with self._lock:
            self._rows.clear()
            self._cleared += 1

    def __len__(self) -> int:
        """How many vectors are kept."""
        return len(self._rows)

    def _key(self, text: str, query: bool) -> bytes:
        content = f"{self.id}\0{query:d}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=16).digest()
