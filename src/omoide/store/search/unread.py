"""Reading the rows of a partition newest first, a step at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from omoide.store.base import FOREVER
from omoide.store.search.places import Ints

Tuples: TypeAlias = Callable[[str, dict[str, object]], Iterable[tuple[Any, ...]]]
Key: TypeAlias = tuple[str, str]  # tenant, user

ALL = FOREVER  # rows of a step that leaves none unread


@dataclass(frozen=True, slots=True)
class Unread:
    """Rows that are not here yet: those stamped after a counter, and before the last one that was
    read. Newer ones are here, and so are those up to the counter that did not change since.
    """

    since: int = 0
    seq: int = FOREVER  # of the last row that was read: its stamp
    doc: int = FOREVER  # and document

    def after(self, page: RowPage) -> Unread | None:
        """What is left after a page of it; None: nothing."""
        return Unread(self.since, *page.last) if page.is_full else None


class RowPage:
    """Rows of a query as they come, at most so many; document first, stamp last.

    Once all were taken it knows how many there were, and where the next page begins.
    """

    def __init__(self, rows: Iterable[tuple[Any, ...]], most: int) -> None:
        self._rows, self._most = rows, most
        self.count, self._last = 0, (0, 0)  # so many were taken

    def chunks(self, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """Its rows, so many at a time."""
        source = iter(self._rows)
        while chunk := list(islice(source, size)):
            self.count += len(chunk)
            self._last = (chunk[-1][-1], chunk[-1][0])
            yield chunk

    @property
    def is_full(self) -> bool:
        """There may be more."""
        return self.count >= self._most

    @property
    def last(self) -> tuple[int, int]:
        """Stamp and document of its last row."""
        return self._last


@dataclass(frozen=True, slots=True)
class PartitionRows:
    """The rows of one partition, as one snapshot has them."""

    tuples: Tuples
    key: Key

    def documents(self, unread: Unread, most: int) -> RowPage:
        """Documents that are not read yet, newest first."""
        return self._page("docs.changed", unread, most, {})

    def vectors(self, model: int, unread: Unread, most: int) -> RowPage:
        """Vectors of an embedder that are not read yet, newest first."""
        return self._page("vectors.changed", unread, most, {"model": model})

    def erased(self, since: int) -> Ints:
        """Documents erased, or hidden, after a counter."""
        return self._docs("docs.erased", since)

    def stamped(self, since: int) -> Ints:
        """Documents altered after a counter, hidden or not."""
        return self._docs("docs.stamped", since)

    def counter(self) -> int:
        """Where the partition's counter stands; 0 while it is empty."""
        return next((int(seq) for (seq,) in self.tuples("partitions.seq", self._bound)), 0)

    @property
    def _bound(self) -> dict[str, object]:
        return {"tenant": self.key[0], "user": self.key[1]}

    def _docs(self, query: str, since: int) -> Ints:
        rows = self.tuples(query, {**self._bound, "since": since})
        return np.array(sorted({doc for (doc,) in rows}), np.int64)

    def _page(self, query: str, unread: Unread, most: int, more: dict[str, object]) -> RowPage:
        bound = {"since": unread.since, "until": unread.seq, "before": unread.doc, "most": most}
        return RowPage(self.tuples(query, {**self._bound, **more, **bound}), most)
