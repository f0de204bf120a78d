"""A memory for a story that is told anew: its clock shows the story's time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from omoide.learning.teaching import NO_TEACHING, Teaching
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.base import Reranker
from omoide.models.embedders.encoders import Named
from omoide.nouns.clock import StoryClock
from omoide.store import open_store


def named(embedder: str, **options: int) -> Named:
    """The embedder of that name."""
    return Named(embedder, load_embedder(embedder, **options))


@contextmanager
def story_memory(
    embedder: Named,
    store: str = "",
    *,
    reranker: Reranker | None = None,
    teaching: Teaching = NO_TEACHING,
) -> Iterator[tuple[Memory, StoryClock]]:
    """An empty memory and its clock; in a store of that address, else in a file that is gone
    afterwards.
    """
    clock = StoryClock()
    with (
        TemporaryDirectory(prefix="omoide-eval-") as folder,
        Memory(
            open_store(store or str(Path(folder) / "memory.db")),
            embedder=embedder,
            reranker=reranker,
            clock=clock,
            background=False,
            teaching=teaching,
        ) as memory,
    ):
        yield memory, clock
