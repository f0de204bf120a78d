"""The store protocol: six methods. All that differs between databases stays behind it.

A query is the *name* of one in ``sql/``; values are bound as its ``:name`` parameters. Times are
integer UTC microseconds, flags are 0 or 1, JSON is text, "no agent, user or session" is the empty
text: the table classes turn records into these and back. A vector is bound as a float32 array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from omoide.nouns.embedder import Vector
from omoide.nouns.errors import Deadlock
from omoide.nouns.match import Matches, Where
from omoide.text.words import QueryTerm

Row: TypeAlias = Mapping[str, Any]
Values: TypeAlias = Mapping[str, object]

T = TypeVar("T")

TRIES = 5  # of a write that is undone each time
FOREVER = 2**63 - 1  # stands for "no end" where a time is compared with; in columns NULL does


class Transaction(Protocol):
    """One transaction. Nothing of it outlives its ``with`` block."""

    def run(self, query: str, /, many: Sequence[Values] | None = None, **values: object) -> int:
        """Run a named query; the number of rows changed. ``many`` runs it once for each set of
        values.
        """
        ...

    def rows(self, query: str, /, **values: object) -> list[Row]:
        """The rows of a named query, or of its RETURNING clause."""
        ...

    def match_text(
        self,
        terms: Sequence[QueryTerm],
        where: Where,
        limit: int,
        *,
        rarest: int | None = None,
        least: int = 1,
    ) -> Matches:
        """The best documents by BM25 over the documents of the asker's partitions, best first.

        Scores are above 0. Equal scores: the newer document first. In a write transaction they are
        as that has written them, which costs a reading of the partitions after each write. With
        ``rarest`` only so many of the terms count: those that the fewest documents have, of equals
        the first. With ``least`` documents have at least so many of these in their own words, or
        all if there are fewer.
        """
        ...

    def match_vector(self, vector: Vector, model: int, where: Where, limit: int) -> Matches:
        """The documents nearest to a vector of that embedder, by cosine from -1 to 1, best first.

        Equal scores: the newer document first. In a write transaction they are as that has written
        them, as with words.
        """
        ...


class Store(Protocol):
    """A database of one engine, usable from any thread."""

    def transaction(
        self, *, write: bool = True, durable: bool = True
    ) -> AbstractContextManager[Transaction]:
        """A transaction: all of the block or, when it raises, nothing.

        With write, other writers wait, and leaving the block returns only once the commit is
        durable; with ``durable`` false it may return before that: a crash of the machine may undo
        what was committed last, but never what a durable commit came after. Without write, the
        block reads one snapshot and must be short.

        Raises:
            StoreBusy, StoreFull, StoreClosed: as their names say; nothing was changed.
        """
        ...

    def close(self) -> None:
        """Let go of all connections. Safe to call again."""
        ...


@runtime_checkable
class Lasting(Protocol):
    """A store that ends a read which lasts, unless it is asked for one that may."""

    def lasting(self) -> AbstractContextManager[Transaction]:
        """A read of one moment, however long it takes."""
        ...


def lasting(store: Store) -> AbstractContextManager[Transaction]:
    """A read of one moment, however long it takes: for what goes through a whole store and has to
    be of one piece.
    """
    return store.lasting() if isinstance(store, Lasting) else store.transaction(write=False)


def committed(store: Store, body: Callable[[Transaction], T]) -> T:
    """What a body gives, in a write transaction of its own; it is run anew where that and another's
    waited for each other.

    So the body leaves nothing behind but in the transaction, and asks no model.

    Raises:
        Deadlock: it happened five times in a row.
    """
    for _ in range(TRIES - 1):
        try:
            with store.transaction() as tx:
                return body(tx)
        # at once: the other has what it waited for, and this one waits for the other's end
        except Deadlock:
            continue
    with store.transaction() as tx:
        return body(tx)
