"""Room that grows at its end, for what is only ever added to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Growing:
    """Room for an array. Its part in use is handed out as a view, which later additions leave as it is."""

    def __init__(self, dtype: Any) -> None:
        self._room = np.empty(0, dtype)

    def extended(self, length: int, values: NDArray[Any]) -> NDArray[Any]:
        """The first length places followed by the values; whatever an abandoned addition wrote there is written over."""
        end = length + len(values)
        if end > len(self._room):
            room = np.empty(end + length // 4, self._room.dtype)
            room[:length] = self._room[:length]
            self._room = room
        self._room[length:end] = values
        return self._room[:end]
