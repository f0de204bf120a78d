"""Room that grows at its end, for what is mostly added to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Growing:
    """Room for an array, or for several of one length: shape ``(n,)`` or ``(count, n)``.

    Its part in use is handed out as a view, which later additions leave as it is.
    """

    def __init__(self, dtype: Any, count: int | None = None) -> None:
        self._room = np.empty(0 if count is None else (count, 0), dtype)

    @property
    def nothing(self) -> NDArray[Any]:
        """What it hands out at first: no values."""
        return self._room[..., :0]

    def extended(self, values: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
        """The values followed by more. Values that this room handed out are not copied, unless it
        has become too small.

        Whatever an addition that was given up wrote behind the values is written over.
        """
        room, length = self._room, values.shape[-1]
        end = length + more.shape[-1]
        if end > room.shape[-1] or values.base is not room:
            room = np.empty((*room.shape[:-1], end + length // 4), room.dtype)
            room[..., :length] = values
            self._room = room
        room[..., length:end] = more
        return room[..., :end]
