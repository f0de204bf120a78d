"""The store protocol. All that differs between databases stays behind it.

A query is the *name* of one in ``sql/``; values are bound as its ``:name`` parameters. Times are
integer UTC microseconds, flags are 0 or 1, JSON is text, "no agent, user or session" is the empty
text: the table classes turn records into these and back. A vector is bound as a float32 array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from omoide.nouns.embedder import Vector
from omoide.nouns.errors import Deadlock, InvalidInput, StoreError
from omoide.nouns.match import Matches, Where
from omoide.text.words import QueryTerm

Row: TypeAlias = Mapping[str, Any]
Values: TypeAlias = Mapping[str, object]

T = TypeVar("T")

PATIENCE_S = 3.0  # that the searches of one transaction wait for what is not in memory yet
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
        patience_s: float | None = None,
    ) -> Matches:
        """The best documents by BM25 over the documents of the asker's partitions, best first.

        Scores are above 0. Equal scores: the newer document first. In a write transaction they are
        as that has written them, which costs a reading of the partitions after each write. With
        ``rarest`` only so many of the terms count: those that the fewest documents have, of equals
        the first. With ``least`` documents have at least so many of these in their own words, or
        all if there are fewer. Where more is to be read into memory than the patience allows, three
        seconds from a transaction's first search, the newest documents are searched and
        ``Matches.loading`` says so.
        """
        ...

    def match_vector(self, vector: Vector, model: int, where: Where, limit: int) -> Matches:
        """The documents nearest to a vector of that embedder, by cosine from -1 to 1, best first.

        Equal scores: the newer document first. In a write transaction they are as that has written
        them, as with words.
        """
        ...


class Store(Protocol):
    """A database of one engine, usable from any thread.

    A store inherits from this class, and gives at least ``transaction`` and ``close``. The other
    methods have defaults for a store that has no files of its own.
    """

    engine: str = "a store"  # its name in reports

    def transaction(
        self, *, tenant: str | None, write: bool = True, durable: bool = True
    ) -> AbstractContextManager[Transaction]:
        """A transaction of one tenant: all of the block or, when it raises, nothing.

        It runs queries about rows of that tenant, and about what all tenants share (embedders and
        the store's own settings). ``None`` is for work on the whole store, which only its owner
        does: doctor, migrations, backup, and looking for jobs of all tenants.

        With write, other writers wait, and leaving the block returns only once the commit is
        durable; with ``durable`` false it may return before that: a crash of the machine may undo
        what was committed last, but never what a durable commit came after. Without write, the
        block reads one snapshot and must be short.

        Raises:
            StoreBusy, StoreFull, StoreClosed: as their names say; nothing was changed.
            TenantMismatch: a query names another tenant, or is about all; nothing was changed.
        """
        ...

    @property
    def path(self) -> str:
        """Where it is, without a password; "" if it is nowhere in particular."""
        return ""

    def close(self) -> None:
        """Let go of all connections. Safe to call again."""
        ...

    def lasting(self, *, tenant: str | None) -> AbstractContextManager[Transaction]:
        """Read one snapshot of a tenant, or with None of the whole store, however long that
        takes.
        """
        return self.transaction(tenant=tenant, write=False)

    def checkpoint(self) -> bool:
        """Overwrite the pages that hold deleted rows; False while a reader still needs some."""
        return True

    def compact(self) -> list[str]:
        """Rewrite what holds the rows, so that nothing erased is left in it; what may be left
        elsewhere, in words. Empty where ``checkpoint`` does this already.

        Raises:
            StoreBusy, StoreError: it cannot be done now.
        """
        return []

    def scan(self, needles: Sequence[bytes]) -> dict[bytes, int] | None:
        """How often each of these byte strings stands in the store's files, without those that do
        not; None if the files cannot be read from here.
        """
        return None

    def set_aside(self, needles: Sequence[bytes] | None) -> list[Path]:
        """Copies beside the store that hold one of these byte strings or cannot be read; with None
        every copy.
        """
        return []

    def unread(self) -> list[str]:
        """Why parts of the search index could not be read into memory, which is tried again."""
        return []

    def integrity(self) -> list[str]:
        """What is wrong with the store's file; empty if it is sound."""
        return []

    def backup(self, target: Path | str) -> list[str]:
        """Copy the store to a new file while it is used, and prove the copy; what is wrong with
        the rows of both.

        Raises:
            StoreError: this kind of store is backed up with its server's own tools.
            Conflict: there is something at target.
        """
        raise StoreError(
            "this store is backed up with its server's own tools, such as pg_dump; or export it"
        )

    def rekey(self, passphrase: str | None) -> bool:
        """Encrypt the store with another passphrase, or with None not at all; False if it was not
        encrypted and stays so.

        Raises:
            InvalidInput: Omoide does not encrypt this kind of store.
        """
        raise InvalidInput("store", "only a SQLite file is encrypted by Omoide")


def read_only(store: Store, tenant: str | None) -> AbstractContextManager[Transaction]:
    """A transaction that only reads, of a tenant; with None of the whole store."""
    return store.transaction(tenant=tenant, write=False)


def committed(store: Store, body: Callable[[Transaction], T], *, tenant: str | None) -> T:
    """What a body gives, in a write transaction of a tenant; it is run anew where that and
    another's waited for each other.

    So the body leaves nothing behind but in the transaction, and asks no model.

    Raises:
        Deadlock: it happened five times in a row.
    """
    for _ in range(TRIES - 1):
        try:
            with store.transaction(tenant=tenant) as tx:
                return body(tx)
        # at once: the other has what it waited for, and this one waits for the other's end
        except Deadlock:
            continue
    with store.transaction(tenant=tenant) as tx:
        return body(tx)
