"""What was found out lately, so that it need not be asked for again."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Generic, TypeVar

T = TypeVar("T")
KEPT_S = 3600.0
MOST = 1024


class Lately(Generic[T]):
    """Results by the texts that they hang on, each kept for an hour; of too many, the oldest go.
    Safe to use from several threads.

    Keys are hashes: no text is kept but what a result holds.
    """

    def __init__(
        self, *, kept_s: float = KEPT_S, most: int = MOST, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._kept_s, self._most, self._now = kept_s, most, now
        self._rows: OrderedDict[bytes, tuple[float, T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, *texts: str) -> T | None:
        """What was put there for these texts less than an hour ago; None if nothing was."""
        with self._lock:
            at, result = self._rows.get(_key(texts), (0.0, None))
        return result if result is not None and self._now() - at < self._kept_s else None

    def put(self, result: T, *texts: str) -> None:
        """Keep a result for these texts."""
        with self._lock:
            self._rows[_key(texts)] = self._now(), result
            self._rows.move_to_end(_key(texts))
            while len(self._rows) > self._most:
                self._rows.popitem(last=False)

    def clear(self) -> None:
        """Forget all of it."""
        with self._lock:
            self._rows.clear()

    def __len__(self) -> int:
        return len(self._rows)


def _key(texts: tuple[str, ...]) -> bytes:
    whole = "\0".join(f"{len(text)} {text}" for text in texts)
    return sha256(whole.encode("utf-8", "surrogatepass")).digest()
