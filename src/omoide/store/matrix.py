"""Vectors of one embedder in one partition: exact cosine by a scan, and a sketch beyond 200,000."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.records import Vector

Floats: TypeAlias = NDArray[np.float32]
Slots: TypeAlias = NDArray[np.int64]
Scores: TypeAlias = NDArray[np.float64]

_BLOCK_BYTES = 2**25  # from this size on the C library takes memory from the system and gives it back
_FIRST_BLOCK = 64  # vectors
_DOUBT = 1e-5  # far more than float32 sums over unit vectors can be off


@dataclass(frozen=True, slots=True)
class Matrix:
    """Vectors of length 1 in slots from 0, kept in blocks: adding fills the last block and makes new ones, and copies nothing."""

    dimension: int
    blocks: tuple[Floats, ...] = ()
    length: int = 0

    def __len__(self) -> int:
        return self.length

    @property
    def nbytes(self) -> int:
        """Memory it takes; room not yet written to takes none."""
        return 4 * self.length * self.dimension

    def extended(self, vectors: Floats) -> Matrix:
        """With more vectors, shape ``(n, dimension)``, in the next slots."""
        blocks, length, done = list(self.blocks), self.length, 0
        room = sum(map(len, blocks)) - length
        full = max(_FIRST_BLOCK, _BLOCK_BYTES // (4 * self.dimension))
        while done < len(vectors):
            if not room:
                room = min(full, max(_FIRST_BLOCK, length))
                blocks.append(np.empty((room, self.dimension), np.float32))
            some = vectors[done : done + room]
            start = len(blocks[-1]) - room
            blocks[-1][start : start + len(some)] = some
            room, done, length = room - len(some), done + len(some), length + len(some)
        return Matrix(self.dimension, tuple(blocks), length)

    def nearest(self, vector: Vector, wanted: NDArray[np.bool_], limit: int) -> tuple[Slots, Scores]:
        """The slots of the wanted vectors with the greatest dot products, and these; unordered.

        wanted: one flag a slot. There are at least ``limit`` slots if so many are wanted, and more
        when others are too close to the last of them to tell by the scan.
        """
        near = self._scan(vector)
        near[~wanted] = -np.inf
        if np.count_nonzero(wanted) > limit:
            least = np.partition(near, self.length - limit)[self.length - limit]
            slots = np.flatnonzero(near >= least - np.float32(_DOUBT))
        else:
            slots = np.flatnonzero(wanted)
        return slots, self.exact(slots, vector)

    def exact(self, slots: Slots, vector: Vector) -> Scores:
        """The dot products of some slots, in ascending order, to the last bit the same wherever a vector lies."""
        starts = np.cumsum([0, *map(len, self.blocks)])
        cuts = np.searchsorted(slots, starts)
        parts = [
            (block[slots[low:high] - start] * vector.astype(np.float64)).sum(axis=1)
            for block, start, low, high in zip(self.blocks, starts[:-1], cuts[:-1], cuts[1:], strict=True)
            if low < high
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def _scan(self, vector: Vector) -> Floats:
        near = np.empty(self.length, np.float32)
        start = 0
        for block in self.blocks:
            some = near[start : start + len(block)]
            # a dot product for each row: a third of the time of a matrix product, which is no faster on two threads
            np.vecdot(block[: len(some)], vector, out=some)
            start += len(block)
        return near
