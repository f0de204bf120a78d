"""A small embedder for tests: deterministic, instant, and able to fail in every way a real one
does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from omoide.models.base import PROBE, Vectors
from omoide.models.embedders.wordpiece import words
from omoide.nouns.embedder import Vector
from omoide.nouns.errors import ModelUnreachable


class Fault(StrEnum):
    """What goes wrong."""

    DOWN = "down"  # cannot be reached
    NAN = "nan"
    ZERO = "zero"
    WIDTH = "width"  # one component too many
    COUNT = "count"  # one row too few


class FakeEmbedder:
    """The sum of one pseudo-random vector per word, so that texts with common words are near each
    other.

    The same on every machine and in every process. Another name is another vector space.
    """

    at_once = True

    def __init__(self, dimension: int = 64, *, name: str = "fake") -> None:
        """dimension: at least 8; under 32, texts without a common word may look alike."""
        self.id = f"{name}-{dimension}"
        self.asked: list[str] = []  # every text ever embedded, in order
        self.fault: Fault | None = None  # set it to make the next calls fail
        self._width = dimension
        self.dimension = self._rows([PROBE]).shape[1]

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says, but for the fault that is set."""
        self.asked += texts
        rows = self._rows(texts)
        match self.fault:
            case None:
                return rows
            case Fault.DOWN:
                raise ModelUnreachable(f"{self.id}: not reachable")
            case Fault.NAN:
                return rows * np.float32("nan")
            case Fault.ZERO:
                return rows * np.float32(0)
            case Fault.WIDTH:
                return np.pad(rows, ((0, 0), (0, 1)))
            case Fault.COUNT:
                return rows[:-1]

    def _rows(self, texts: Sequence[str]) -> Vectors:
        sums = [
            np.sum([self._word(word) for word in words(text) or [""]], axis=0) for text in texts
        ]
        rows: Vectors = np.array(sums, np.float32).reshape(len(texts), self._width)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def _word(self, word: str) -> Vector:
        digest = hashlib.shake_256(f"{self.id}\0{word}".encode()).digest(self._width)
        # odd, so never zero
        return np.frombuffer(digest, np.uint8) * np.float32(2) - np.float32(255)
