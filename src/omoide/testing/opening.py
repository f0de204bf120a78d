"""A memory that needs nothing, opened for a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from omoide.memory import Memory
from omoide.models.embedders.encoders import Named
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import Clock, FixedClock
from omoide.nouns.scope import Scope
from omoide.store.base import Store
from omoide.store.sqlite.engine import SqliteStore
from omoide.testing.rows import ANA


@contextmanager
def memory_for_tests(
    store: Store | None = None, *, clock: Clock | None = None, scope: Scope = ANA
) -> Iterator[Memory]:
    """A memory in no file, with a fake embedder, a clock that stands still, and no thread of its
    own.
    """
    opened = store or SqliteStore.open(":memory:")
    memory = Memory(
        opened,
        scope=scope,
        embedder=Named("fake", FakeEmbedder()),
        clock=clock or FixedClock(),
        background=False,
    )
    try:
        yield memory
    finally:
        memory.close()
