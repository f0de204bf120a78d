"""What was found out lately, so that it need not be asked for again."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Generic, TypeVar

T = TypeVar("T")
KEPT_S = 3600.0
MOST = 1024


class Latest(Generic[T]):
    """Results by the texts that they came of, at most so many; the ones not used for longest go.
    Safe to use from several threads.

    Keys are hashes: no text is kept but what a result holds.
    """

    def __init__(self, most: int) -> None:
        self._most, self._cleared = most, 0
        self._rows: OrderedDict[bytes, T] = OrderedDict()
        self._lock = threading.Lock()

    def each(
        self, texts: Sequence[str], work: Callable[[list[str]], Iterable[T]], *of: str
    ) -> list[T]:
        """The result of each text, in its relation to ``of``; work gives those that are not kept.

        Two threads that miss a text at the same moment both work, and nobody waits for the other.
        """
        keys = [_key((*of, text)) for text in texts]
        with self._lock:
            found, cleared = (
                {key: self._rows[key] for key in keys if key in self._rows},
                self._cleared,
            )
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        found |= zip(missing, work(list(missing.values())), strict=True)
        with self._lock:
            if cleared == self._cleared:  # else these texts may have been erased meanwhile
                self._keep(found)
        return [found[key] for key in keys]

    def get(self, *texts: str) -> T | None:
        """What was put there for these texts; None if nothing was."""
        with self._lock:
            return self._rows.get(_key(texts))

    def put(self, result: T, *texts: str) -> None:
        """Keep a result for these texts."""
        with self._lock:
            self._keep({_key(texts): result})

    def _keep(self, used: dict[bytes, T]) -> None:
        for key, result in used.items():
            self._rows[key] = result
            self._rows.move_to_end(key)
        while len(self._rows) > self._most:
            self._rows.popitem(last=False)

    def clear(self) -> None:
        """Forget all of it, and what is being worked out at this moment."""
        with self._lock:
            self._rows.clear()
            self._cleared += 1

    def __len__(self) -> int:
        return len(self._rows)


class Lately(Generic[T]):
    """Results by the texts that they hang on, each kept for an hour; of too many, the oldest go."""

    def __init__(
        self, *, kept_s: float = KEPT_S, most: int = MOST, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._kept_s, self._now = kept_s, now
        self._rows: Latest[tuple[float, T]] = Latest(most)

    def get(self, *texts: str) -> T | None:
        """What was put there for these texts less than an hour ago; None if nothing was."""
        at, result = self._rows.get(*texts) or (0.0, None)
        return result if result is not None and self._now() - at < self._kept_s else None

    def put(self, result: T, *texts: str) -> None:
        """Keep a result for these texts."""
        self._rows.put((self._now(), result), *texts)


def _key(texts: tuple[str, ...]) -> bytes:
    whole = "\0".join(f"{len(text)} {text}" for text in texts)
    return sha256(whole.encode("utf-8", "surrogatepass")).digest()
