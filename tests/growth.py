"""How the work grows with its text: told from two sizes, so that it holds on any machine, busy or
slow.
"""

from __future__ import annotations

import time
from collections.abc import Callable

NOISE_S = 0.003  # shorter work is not told apart from chance


def took(work: Callable[[str], object], text: str, times: int) -> float:
    """Seconds of processor time, the best of several."""
    durations = []
    for _ in range(times):
        started = time.process_time()
        work(text)
        durations.append(time.process_time() - started)
    return min(durations)


def is_linear(work: Callable[[str], object], text: str) -> bool:
    """Whether four times the text takes about four times as long, where quadratic work takes
    sixteen; asked up to three times.
    """
    for times in (1, 3, 9):
        quarter, whole = took(work, text[: len(text) // 4], times), took(work, text, times)
        if whole < 9 * max(quarter, NOISE_S / 9):
            return True
    return False
