"""The n-th greatest of many values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from omoide.store.search.greatest import nth_greatest


@given(st.integers(1, 40), st.integers(0, 3000), st.integers(1, 50))
def test_it_is_the_one_that_sorting_gives(n: int, more: int, kinds: int) -> None:
    """Whatever their number, order and repetition, and also among minus infinities."""
    values = np.random.default_rng(n * more + kinds).integers(0, kinds, n + more).astype(np.float32)
    values[values == 0] = -np.inf

    assert nth_greatest(values, n) == np.sort(values)[::-1][n - 1]
