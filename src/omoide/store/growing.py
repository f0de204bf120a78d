"""Room that grows at its end, for what is mostly added to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Growing:
    """Room for an array. Its part in use is handed out as a view, which later additions leave as it is."""

    def __init__(self, dtype: Any) -> None:
        self._room = np.empty(0, dtype)

    def extended(self, values: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
        """The values followed by more. Values that this room handed out are not copied, unless it has become too small.

        Whatever an addition that was given up wrote behind the values is written over.
        """
        length, end = len(values), len(values) + len(more)
        if end > len(self._room) or values.base is not self._room:
            room = np.empty(end + length // 4, self._room.dtype)
            room[:length] = values
            self._room = room
        self._room[length:end] = more
        return self._room[:end]
