"""A copy of one partition as of one counter, and how it comes nearer to what the database holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from omoide.store.search.documents import PartitionDocuments
from omoide.store.search.places import Ints
from omoide.store.search.unread import ALL, PartitionRows, Unread
from omoide.store.search.vectors import EmbedderVectors

_WASTE = 1 / 4
_WASTE_PLACES = 256


@dataclass(frozen=True, slots=True)
class State:
    """The documents and vectors of a partition. Vectors may be behind, and older rows of either not
    yet read; what is here is as the counter's moment had it.
    """

    seq: int = 0
    documents: PartitionDocuments = field(default_factory=PartitionDocuments.none)
    vectors: Mapping[int, EmbedderVectors] = field(default_factory=dict)
    unread: Unread | None = None

    def is_whole(self, seq: int, model: int | None) -> bool:
        """Whether nothing is missing of what the database had at a counter."""
        if self.seq < seq or self.unread is not None:
            return False
        vectors = None if model is None else self.vectors.get(model, EmbedderVectors())
        return vectors is None or (vectors.seq >= seq and vectors.unread is None)

    @property
    def size(self) -> int:
        """Documents and vectors."""
        return len(self.documents) + sum(len(v.rows) for v in self.vectors.values())

    @property
    def nbytes(self) -> int:
        """Memory it takes, about."""
        return self.documents.nbytes + sum(v.nbytes for v in self.vectors.values())

    @property
    def wasted(self) -> bool:
        """So many places are dead that reading all afresh costs less than carrying them on."""
        documents = self.documents
        if self.unread is not None:
            return False
        return _is_wasteful(documents.fields.count, len(documents)) or any(
            _is_wasteful(v.living, len(v.rows)) for v in self.vectors.values() if not v.unread
        )

    def read(
        self, source: PartitionRows, seq: int, model: int | None, most: int, *, further: bool = True
    ) -> State:
        """One step nearer to what a snapshot with that counter holds: what changed since, and to go
        further at most so many of the rows that are not read yet, the newest first.

        An older snapshot than the state's gives nothing: rows that it holds may have changed since.
        """
        state = self._with_documents(source, seq, most, further)
        if model is None:
            return state
        before = state.vectors.get(model, EmbedderVectors())
        after = state._vectors_caught_up(before, source, seq, model, most)
        if further and before.unread is not None and seq >= before.seq:
            after = state._with_vectors(after, source, model, before.unread, most)
        return replace(state, vectors={**state.vectors, model: after})

    def _vectors_caught_up(
        self, vectors: EmbedderVectors, source: PartitionRows, seq: int, model: int, most: int
    ) -> EmbedderVectors:
        """With what changed since; as with documents."""
        if seq <= vectors.seq:
            return vectors
        unread, changed = vectors.unread, Unread(since=vectors.seq)
        after = self._with_vectors(vectors, source, model, changed, ALL if unread else most)
        return replace(after, seq=seq, unread=unread or after.unread)

    def _with_vectors(
        self, vectors: EmbedderVectors, source: PartitionRows, model: int, unread: Unread, most: int
    ) -> EmbedderVectors:
        """With a page of the vectors that are not read, without those of hidden documents where all
        documents are here.
        """
        page = source.vectors(model, unread, most)
        read = vectors.extended(page, self.documents, self.unread is None)
        return replace(read, unread=unread.after(page))

    def _with_documents(self, source: PartitionRows, seq: int, most: int, further: bool) -> State:
        state = self._caught_up(source, seq, most) if seq > self.seq else self
        if not further or self.unread is None or seq < self.seq:
            return state
        page = source.documents(self.unread, most)
        read = state.documents.extended(page)
        return state._settled(read, _NONE, self.unread.after(page))

    def _caught_up(self, source: PartitionRows, seq: int, most: int) -> State:
        """With what changed since. Where that is more than a step, the rest becomes unread, and
        what is here of it is taken out. While older rows are unread, all of it is read at once.
        """
        state = (
            self if self.seq else replace(self, documents=PartitionDocuments.none(source.key[1]))
        )
        unread, changed = state.unread, Unread(since=state.seq)
        page = source.documents(changed, ALL if unread else most)
        read, left = state.documents.extended(page), unread or changed.after(page)
        gone = _NONE
        if state.seq:
            gone = source.erased(state.seq)
            if left is not unread:
                gone = np.union1d(gone, source.stamped(state.seq))
        return replace(state._settled(read, gone, left), seq=seq)

    def _settled(self, read: PartitionDocuments, gone: Ints, unread: Unread | None) -> State:
        """With the documents that were read in their places, and others gone."""
        start = len(self.documents)
        documents = read.settled(start, gone)
        if unread is None:
            documents = documents.merged()
        changed = np.concatenate([documents.docs[start:], gone])
        vectors = {model: v.moved(changed, documents) for model, v in self.vectors.items()}
        return replace(self, documents=documents, vectors=vectors, unread=unread)


def _is_wasteful(alive: int, total: int) -> bool:
    return total - alive > max(_WASTE_PLACES, _WASTE * total)


_NONE: Ints = np.empty(0, np.int64)
