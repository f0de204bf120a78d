"""How far a long call has come, for whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Tell = Callable[[int], None]

_watcher: ContextVar[Tell | None] = ContextVar("omoide_progress", default=None)


@contextmanager
def watching(tell: Tell) -> Iterator[None]:
    """Tell how many records each step of a long call had, while it runs in this block."""
    token = _watcher.set(tell)
    try:
        yield
    finally:
        _watcher.reset(token)


def step(count: int) -> None:
    """Tell whoever watches that so many more records are done."""
    if (tell := _watcher.get()) is not None:
        tell(count)
