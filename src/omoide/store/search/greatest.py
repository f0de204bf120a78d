"""Finding the best of many scores without sorting them all."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SHARE = 8


def nth_greatest(values: NDArray[Any], n: int) -> Any:
    """The n-th greatest of at least n values, counted from 1, equal ones each."""
    if len(values) >= 2 * _SHARE * n:
        # n values of a sample are at least as great as its n-th, so all that are less are out of
        # the question
        values = values[values >= nth_greatest(values[::_SHARE], n)]
    return np.partition(values, len(values) - n)[len(values) - n]
