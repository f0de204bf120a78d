"""Where documents are in memory, by their number."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.store.search.growing import Growing
from omoide.store.search.postings import RowNumbers

Ints: TypeAlias = NDArray[np.int64]

NO_ROW = -1


class Places:
    """Where documents are, by number. Never changes; what adding makes of it shares its room."""

    def __init__(self) -> None:
        self._room = (Growing(np.int64), Growing(np.int32))
        self.docs: Ints = np.empty(0, np.int64)  # ascending
        self._at: RowNumbers = np.empty(0, np.int32)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.docs.nbytes + self._at.nbytes

    def find(self, docs: Ints) -> RowNumbers:
        """The place of each document; -1 for those that are nowhere."""
        if not len(self.docs):
            return np.full(len(docs), NO_ROW, np.int32)
        near = self.docs.searchsorted(docs)
        near[near == len(self.docs)] = 0
        return np.where(self.docs[near] == docs, self._at[near], np.int32(NO_ROW))

    def updated(self, docs: Ints, at: RowNumbers, gone: Ints) -> Places:
        """With documents put in their places, and others taken out."""
        if len(docs) > 1:
            order = np.argsort(docs)
            docs, at = docs[order], at[order]
        if len(self.docs) and (len(gone) or (len(docs) and docs[0] <= self.docs[-1])):
            return self._inserted(docs, at, gone)
        changed = Places()
        changed._room = self._room
        changed.docs = self._room[0].extended(self.docs, docs)
        changed._at = self._room[1].extended(self._at, at)
        return changed

    def _inserted(self, docs: Ints, at: RowNumbers, gone: Ints) -> Places:
        stays = ~np.isin(self.docs, np.concatenate([docs, gone]))
        kept = self.docs[stays]
        before = kept.searchsorted(docs)
        changed = Places()
        changed.docs = np.insert(kept, before, docs)
        changed._at = np.insert(self._at[stays], before, at)
        return changed
