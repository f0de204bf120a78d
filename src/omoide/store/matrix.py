"""Vectors of one embedder in one partition: exact cosine by a scan, and a sketch beyond 200,000.

A vector takes the next free *slot*. Its components are kept as whole numbers of 24 bits times a
scale of its own: the upper 16 bits, which a scan reads, apart from the lower 8, which only the
few best need. That is as exact as float32 within a part in ten million, takes three quarters of
the memory, and a scan moves half the bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.records import Vector

Slots: TypeAlias = NDArray[np.int64]
Scores: TypeAlias = NDArray[np.float64]

_BLOCK_VALUES = 2048 * 256  # components of a full block; as float32 they fill a core's cache
_FIRST_BLOCK = 64
_GREATEST = 32767 * 256  # a component as a whole number is at most this


@dataclass(frozen=True, slots=True)
class _Block:
    high: NDArray[np.int16]
    low: NDArray[np.int8]
    scale: NDArray[np.float32]

    @classmethod
    def empty(cls, size: int, dimension: int) -> _Block:
        return cls(np.empty((size, dimension), np.int16), np.empty((size, dimension), np.int8), np.empty(size, np.float32))

    def write(self, start: int, vectors: NDArray[np.float32]) -> None:
        end = start + len(vectors)
        scale = np.maximum(np.abs(vectors).max(axis=1), np.float32(1e-30)) / np.float32(_GREATEST)
        whole = np.rint(vectors / scale[:, None]).astype(np.int32)
        np.clip(whole, -_GREATEST, _GREATEST, out=whole)
        high = (whole + 128) >> 8
        self.high[start:end], self.low[start:end], self.scale[start:end] = high, whole - (high << 8), scale

    def exact(self, places: Slots) -> NDArray[np.float64]:
        whole = self.high[places].astype(np.float64) * 256 + self.low[places]
        return whole * self.scale[places, None].astype(np.float64)

    @property
    def nbytes(self) -> int:
        return self.high.nbytes + self.low.nbytes + self.scale.nbytes


@dataclass(frozen=True, slots=True)
class Matrix:
    """Vectors in slots from 0. Adding fills the free room of the last block and makes new ones; nothing is copied."""

    dimension: int
    blocks: tuple[_Block, ...] = ()
    length: int = 0

    def __len__(self) -> int:
        return self.length

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return sum(block.nbytes for block in self.blocks)

    def extended(self, vectors: NDArray[np.float32]) -> Matrix:
        """With more vectors, shape ``(n, dimension)``, in the next slots."""
        blocks, length, done = list(self.blocks), self.length, 0
        room = sum(len(block.scale) for block in blocks)
        while done < len(vectors):
            if room == length:
                full = max(_FIRST_BLOCK, _BLOCK_VALUES // self.dimension)
                blocks.append(_Block.empty(min(full, max(_FIRST_BLOCK, length)), self.dimension))
                room += len(blocks[-1].scale)
            some = vectors[done : done + room - length]
            blocks[-1].write(len(blocks[-1].scale) - (room - length), some)
            done, length = done + len(some), length + len(some)
        return Matrix(self.dimension, tuple(blocks), length)

    def nearest(self, vector: Vector, wanted: NDArray[np.bool_], limit: int) -> tuple[Slots, Scores]:
        """The slots of the wanted vectors with the greatest dot products, and these; unordered.

        wanted: one flag a slot. There are at least ``limit`` slots if so many are wanted, and more
        when some are too close to the last to tell by the scan.
        """
        near = self._scan(vector)
        near[~wanted] = -np.inf
        count = int(np.count_nonzero(wanted))
        if count > limit:
            least = np.partition(near, self.length - limit)[self.length - limit]
            slots = np.flatnonzero(near >= least - 2 * self._doubt(vector))
        else:
            slots = np.flatnonzero(wanted)
        return slots, self.exact(slots, vector)

    def exact(self, slots: Slots, vector: Vector) -> Scores:
        """The dot products of some slots, the same wherever a vector lies."""
        scores = np.empty(len(slots))
        for start, end, block in self._spans():
            inside = (slots >= start) & (slots < end)
            if inside.any():
                # summed by numpy, whose order of adding does not depend on the other rows as that of a matrix product does
                scores[inside] = (block.exact(slots[inside] - start) * vector).sum(axis=1)
        return scores

    def _scan(self, vector: Vector) -> NDArray[np.float32]:
        near = np.empty(self.length, np.float32)
        floats = np.empty((max((len(b.scale) for b in self.blocks), default=0), self.dimension), np.float32)
        for start, end, block in self._spans():
            some = floats[: end - start]
            np.copyto(some, block.high[: end - start])
            np.dot(some, vector, out=near[start:end])
            near[start:end] *= block.scale[: end - start]
        near *= 256
        return near

    def _doubt(self, vector: Vector) -> float:
        """How far the scan may be off: half a unit of each component, and the rounding of float32 sums."""
        scale = max(float(block.scale[: end - start].max()) for start, end, block in self._spans())
        return 128 * scale * float(np.abs(vector).sum()) + 1e-6

    def _spans(self) -> Iterator[tuple[int, int, _Block]]:
        start = 0
        for block in self.blocks:
            end = min(start + len(block.scale), self.length)
            yield start, end, block
            start = end
