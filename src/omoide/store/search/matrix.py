"""Vectors of one embedder in one partition: exact cosine by a scan, and beyond 200,000 by way of a
sketch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.embedder import Vector
from omoide.nouns.match import Scores
from omoide.store.search.columns import RowMask
from omoide.store.search.greatest import nth_greatest
from omoide.store.search.growing import Growing
from omoide.store.search.postings import Floats

Slots: TypeAlias = NDArray[np.int64]

EXACT_UP_TO = 200_000  # vectors
# from this size on the C library takes memory from the system and gives it back
_BLOCK_BYTES = 2**25
_FIRST_BLOCK = 64  # vectors
_DOUBT = 1e-5  # far more than float32 sums over unit vectors can be off
_CANDIDATES = 4096  # of the nearest sketches, looked at exactly; more as there are more vectors
_CANDIDATE_SHARE = 256


@dataclass(frozen=True, slots=True)
class Sketch:
    """On which side of the mean each component lies: one bit, in which near vectors differ little.

    planes: one array of 64 components' bits for all vectors, then one of the next 64, and so on.
    """

    centre: Floats
    rooms: tuple[Growing, ...]
    planes: tuple[NDArray[np.uint64], ...]

    @classmethod
    def around(cls, centre: Floats) -> Sketch:
        """A sketch of no vectors yet."""
        rooms, nothing = (
            tuple(Growing(np.uint64) for _ in range(0, len(centre), 64)),
            np.empty(0, np.uint64),
        )
        return cls(centre, rooms, tuple(room.extended(nothing, nothing) for room in rooms))

    def extended(self, vectors: Floats) -> Sketch:
        """With more vectors."""
        words = self._words(vectors).T
        planes = zip(self.rooms, self.planes, words, strict=True)
        return replace(
            self, planes=tuple(room.extended(plane, word) for room, plane, word in planes)
        )

    def differences(self, vector: Vector) -> NDArray[np.uint16]:
        """In how many bits each vector differs from this one."""
        total = np.zeros(len(self.planes[0]), np.uint16)
        for plane, word in zip(self.planes, self._words(vector[None, :])[0], strict=True):
            total += np.bitwise_count(plane ^ word)
        return total

    def _words(self, vectors: Floats) -> NDArray[np.uint64]:
        bits = np.zeros((len(vectors), 64 * len(self.rooms)), bool)
        np.greater(vectors, self.centre, out=bits[:, : len(self.centre)])
        return np.packbits(bits, axis=1).view(np.uint64)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Vectors of length 1 in slots from 0, kept in blocks: adding fills the last block and makes
    new ones, and copies nothing.
    """

    dimension: int
    exact_up_to: int = EXACT_UP_TO
    blocks: tuple[Floats, ...] = ()
    length: int = 0
    sketch: Sketch | None = None

    def __len__(self) -> int:
        return self.length

    @property
    def nbytes(self) -> int:
        """Memory it takes; room not yet written to takes none."""
        return self.length * (
            4 * self.dimension + (8 * len(self.sketch.planes) if self.sketch else 0)
        )

    def extended(self, vectors: Floats) -> Matrix:
        """With more vectors, shape ``(n, dimension)``, in the next slots."""
        blocks, length = list(self.blocks), self.length
        room = sum(map(len, blocks)) - length
        while length < self.length + len(vectors):
            if not room:
                blocks.append(self._block(length))
                room = len(blocks[-1])
            some = vectors[length - self.length :][:room]
            start = len(blocks[-1]) - room
            blocks[-1][start : start + len(some)] = some
            room, length = room - len(some), length + len(some)
        return replace(self, blocks=tuple(blocks), length=length)._sketched(vectors)

    def _block(self, length: int) -> Floats:
        """Room for more, where there are so many: as much again, up to a full block."""
        full = max(_FIRST_BLOCK, _BLOCK_BYTES // (4 * self.dimension))
        return np.empty((min(full, max(_FIRST_BLOCK, length)), self.dimension), np.float32)

    def _sketched(self, new: Floats) -> Matrix:
        if self.sketch:
            return replace(self, sketch=self.sketch.extended(new))
        if self.length <= self.exact_up_to:
            return self
        parts = list(self._parts())
        sketch = Sketch.around(sum(part.sum(axis=0) for part in parts) / np.float32(self.length))
        for part in parts:
            sketch = sketch.extended(part)
        return replace(self, sketch=sketch)

    def nearest(self, vector: Vector, wanted: RowMask, limit: int) -> tuple[Slots, Scores]:
        """The slots of the wanted vectors with the greatest dot products, and these; unordered.

        wanted: one flag a slot. There are at least ``limit`` slots if so many are wanted, and more
        when others are too close to the last of them to tell at first sight. Up to ``exact_up_to``
        vectors none is missed; beyond, those are whose sketch is not among the nearest few
        thousand.
        """
        slots = (
            np.flatnonzero(wanted)
            if self.sketch is None
            else self._candidates(self.sketch, vector, wanted)
        )
        if len(slots) <= max(limit, self.length // 4):
            return self.nearest_of(slots, vector, limit)
        slots = _near_best(np.where(wanted, self._scan(vector), np.float32(-np.inf)), limit)
        return slots, self.exact(slots, vector)

    def nearest_of(self, slots: Slots, vector: Vector, limit: int) -> tuple[Slots, Scores]:
        """As nearest, of vectors given by their slots, ascending; none is missed."""
        if len(slots) > limit:
            slots = slots[_near_best(self._dots(slots, vector), limit)]
        return slots, self.exact(slots, vector)

    def exact(self, slots: Slots, vector: Vector) -> Scores:
        """The dot products of some slots, in ascending order, to the last bit the same wherever a
        vector lies.
        """
        wide = vector.astype(np.float64)
        sums = (np.einsum("ij,j->i", rows.astype(np.float64), wide) for rows in self._rows(slots))
        return np.concatenate([np.empty(0), *sums])

    def _candidates(self, sketch: Sketch, vector: Vector, wanted: RowMask) -> Slots:
        count = _CANDIDATES + self.length // _CANDIDATE_SHARE
        if np.count_nonzero(wanted) <= count:
            return np.flatnonzero(wanted)
        alike = np.where(
            wanted, -sketch.differences(vector).astype(np.int32), np.iinfo(np.int32).min
        )
        return np.flatnonzero(alike >= nth_greatest(alike, count))

    def _scan(self, vector: Vector) -> Floats:
        # a dot product for each row takes a third of the time of a product of matrix and vector
        return np.concatenate([np.vecdot(part, vector) for part in self._parts()])

    def _dots(self, slots: Slots, vector: Vector) -> Floats:
        return np.concatenate(
            [np.empty(0, np.float32), *(np.vecdot(rows, vector) for rows in self._rows(slots))]
        )

    def _parts(self) -> Iterator[Floats]:
        left = self.length
        for block in self.blocks:
            yield block[:left]
            left -= min(left, len(block))

    def _rows(self, slots: Slots) -> Iterator[Floats]:
        starts = np.cumsum([0, *map(len, self.blocks)])
        cuts = np.searchsorted(slots, starts)
        for block, start, low, high in zip(
            self.blocks, starts[:-1], cuts[:-1], cuts[1:], strict=True
        ):
            if low < high:
                yield block[slots[low:high] - start]


def _near_best(near: Floats, limit: int) -> Slots:
    """Where scores are among the best, or too close to the last of them to tell."""
    return np.flatnonzero(near >= nth_greatest(near, limit) - np.float32(_DOUBT))
