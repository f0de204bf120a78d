"""The vectors of one embedder in one partition, and which documents they are of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.embedder import Vector
from omoide.nouns.errors import StoreRefused
from omoide.nouns.match import Where
from omoide.store.search.documents import PartitionDocuments
from omoide.store.search.growing import Growing
from omoide.store.search.matrix import Matrix
from omoide.store.search.places import NO_ROW, Ints, Places
from omoide.store.search.postings import Floats, RowNumbers
from omoide.store.search.unread import RowPage, Unread

_CHUNK = 512  # vectors read at once
_FEW = 8  # fewer than one vector of so many are compared one by one


@dataclass(frozen=True, slots=True)
class EmbedderVectors:
    """The vectors of one embedder. A vector that is replaced takes a new slot."""

    seq: int = 0
    matrix: Matrix | None = None
    slots: Places = field(default_factory=Places)
    # of each slot's document; -1: it is not here, or the slot is dead
    rows: RowNumbers = field(default_factory=lambda: np.empty(0, np.int32))
    room: Growing = field(default_factory=lambda: Growing(np.int32))  # for these rows
    unread: Unread | None = None

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return (0 if self.matrix is None else self.matrix.nbytes) + 4 * self.rows.nbytes

    @property
    def living(self) -> int:
        """How many belong to a document that is here."""
        return int(np.count_nonzero(self.rows >= 0))

    def moved(self, docs: Ints, documents: PartitionDocuments) -> EmbedderVectors:
        """With the rows of documents that were added, altered or erased brought up to date."""
        slots = self.slots.find(docs)
        held = slots >= 0
        if not held.any():
            return self
        rows = self.rows.copy()
        rows[slots[held]] = documents.places.find(docs[held])
        return replace(self, rows=rows)

    def extended(
        self, page: RowPage, documents: PartitionDocuments, whole: bool
    ) -> EmbedderVectors:
        """With rows of ``vectors.changed`` added, or put for older ones; where the documents are
        whole, without those of others.
        """
        matrix, new_docs = self.matrix, list[Ints]()
        for docs, vectors in _chunks(page, documents if whole else None):
            matrix = (matrix or Matrix(vectors.shape[1])).extended(_fitting(vectors, matrix))
            new_docs.append(docs)
        if not new_docs:
            return self
        return self._placed(matrix, np.concatenate(new_docs), documents)

    def _placed(
        self, matrix: Matrix | None, docs: Ints, documents: PartitionDocuments
    ) -> EmbedderVectors:
        """With the last vectors of a matrix as those of some documents."""
        rows, old = self.rows, self.slots.find(docs)
        if (old >= 0).any():
            rows = rows.copy()
            rows[old[old >= 0]] = NO_ROW
        start, rows = len(rows), self.room.extended(rows, documents.places.find(docs))
        slots = self.slots.updated(docs, np.arange(start, len(rows), dtype=np.int32), docs[:0])
        return replace(self, matrix=matrix, slots=slots, rows=rows)

    def nearest(
        self, vector: Vector, documents: PartitionDocuments, where: Where, limit: int
    ) -> tuple[RowNumbers, NDArray[Any]]:
        """The rows of the visible documents with the greatest cosines, and these: at least limit of
        them, if there are; unordered.
        """
        if self.matrix is None:
            return self.rows[:0], np.empty(0)
        among = documents.among(where)
        if among is None or _FEW * len(among) > len(self.rows):
            visible = np.append(documents.visible(where), False)
            slots, scores = self.matrix.nearest(vector, visible[self.rows], limit)
        else:
            slots, scores = self.matrix.nearest_of(self._slots(documents, among), vector, limit)
        return self.rows[slots], scores

    def _slots(self, documents: PartitionDocuments, among: RowNumbers) -> Ints:
        """The slots of some rows of documents, ascending."""
        found = self.slots.find(documents.docs[among])
        return np.sort(found[found >= 0]).astype(np.int64)


def _chunks(page: RowPage, among: PartitionDocuments | None) -> Iterator[tuple[Ints, Floats]]:
    """Documents and their vectors, some at a time; those among some documents, or all."""
    for chunk in page.chunks(_CHUNK):
        docs = np.fromiter((doc for doc, _, _ in chunk), np.int64, len(chunk))
        if among is not None:
            here = among.places.find(docs) >= 0
            docs, chunk = docs[here], list(compress(chunk, here))
        if chunk:
            yield docs, _floats([bytes(vector) for _, vector, _ in chunk])


def _fitting(vectors: Floats, matrix: Matrix | None) -> Floats:
    """Vectors of the dimension of those that are there.

    Raises:
        StoreRefused: they have another one.
    """
    if matrix is not None and vectors.shape[1] != matrix.dimension:
        raise _unlike(f"{matrix.dimension} and {vectors.shape[1]} dimensions")
    return vectors


def _floats(blobs: list[bytes]) -> Floats:
    sizes = {len(blob) for blob in blobs}
    if len(sizes) != 1:
        raise _unlike(f"{' and '.join(map(str, sorted(sizes)))} bytes")
    return (
        np.frombuffer(b"".join(blobs), "<f4").astype(np.float32, copy=False).reshape(len(blobs), -1)
    )


def _unlike(sizes: str) -> StoreRefused:
    return StoreRefused(
        "search index",
        f"damaged: vectors of one embedder have {sizes}",
        "mend it with omoide admin doctor",
    )
