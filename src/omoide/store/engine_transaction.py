"""What the transactions of both engines share: named queries, searches, and streams of rows."""

from __future__ import annotations

import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from omoide.nouns.embedder import Vector
from omoide.nouns.errors import StoreClosed, StoreError, TenantMismatch, UnknownName
from omoide.nouns.match import Matches, Where
from omoide.store.base import PATIENCE_S, Store, Values, read_only
from omoide.store.queries import reading_queries, store_wide_queries
from omoide.store.search.loading import ShortReads
from omoide.store.search.partition import Counters, Partitions, Shared, seen_once
from omoide.store.search.unread import Key, Tuples
from omoide.text.words import QueryTerm

S = TypeVar("S", str, bytes)  # a statement, as the driver of the engine takes it


class EngineTransaction(ABC, Generic[S]):
    """One transaction of an engine; each engine adds how it runs a statement.

    With a ``tenant`` it refuses every query that binds another one or is about all of them.
    ``partitions`` belong to read transactions. A search in a write transaction reads what it needs
    anew after each write, so that it sees the transaction's own rows.
    """

    def __init__(
        self,
        engine: str,
        statements: Mapping[str, S],
        place: str,
        tenant: str | None,
        partitions: Partitions | None,
    ) -> None:
        self._statements: Mapping[str, S] = statements
        self._tenant, self._store_wide = tenant, store_wide_queries(engine)
        self._place, self._partitions = place, partitions
        self._reading = reading_queries(engine)
        self._seen: dict[Key, Counters] = {}
        self._own = Partitions()  # as this transaction has written them
        self._shared = Shared()
        self._streams: list[Generator[tuple[Any, ...]]] = []
        self._over = ""  # why nothing runs any more

    @abstractmethod
    def tuples(self, query: str, values: dict[str, object]) -> Iterable[tuple[Any, ...]]:
        """The rows of a named query, without their names."""

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
        """The best documents by BM25, best first; as Transaction says."""
        self._check_tenant("match_text", where)
        self._wait(patience_s)
        return self._searchable().match_text(
            self._searched(), terms, where, limit, rarest, least, self._shared
        )

    def match_vector(self, vector: Vector, model: int, where: Where, limit: int) -> Matches:
        """The nearest documents by cosine, best first; as Transaction says."""
        self._check_tenant("match_vector", where)
        self._wait(None)
        return self._searchable().match_vector(
            self._searched(), vector, model, where, limit, self._shared.until
        )

    def _wait(self, patience_s: float | None) -> None:
        """Let its searches take what has been read so far, from some time after the first on."""
        if self._shared.until is None:
            patience_s = PATIENCE_S if patience_s is None else patience_s
            self._shared.until = time.monotonic() + patience_s

    def _statement(self, query: str, bound: Sequence[Values] = ()) -> S:
        """The statement of a query that is run with these values.

        Raises:
            UnknownName: there is no such query.
            TenantMismatch: it is not about this transaction's tenant.
        """
        statement = self._statements.get(query)
        if statement is None:
            raise UnknownName("query", query)
        tenant = self._tenant
        if tenant is not None:
            if query in self._store_wide:
                raise TenantMismatch(query, tenant, None)
            for values in bound:
                if values.get("tenant", tenant) != tenant:
                    raise TenantMismatch(query, tenant, str(values["tenant"]))
        if query not in self._reading:
            self._own.clear()
        return statement

    def _check_tenant(self, search: str, where: Where) -> None:
        if self._tenant is not None and where.scope.tenant != self._tenant:
            raise TenantMismatch(search, self._tenant, where.scope.tenant)

    def _end_streams(self) -> None:
        """A stream that was left in the middle would hold on to the connection."""
        while self._streams:
            self._streams.pop().close()

    def _check_open(self) -> None:
        if self._over:
            raise StoreError(f"{self._place}: this transaction is over: {self._over}")

    def _searched(self) -> Tuples:
        return self.tuples if self._partitions is None else seen_once(self.tuples, self._seen)

    def _searchable(self) -> Partitions:
        return self._own if self._partitions is None else self._partitions


def reading(store: Store) -> ShortReads:
    """Read transactions of a store, as what runs their queries; this keeps no store alive."""
    held = weakref.ref(store)

    @contextmanager
    def read(tenant: str) -> Iterator[Tuples]:
        store = held()
        if store is None:
            raise StoreClosed("this store is gone")
        with read_only(store, tenant) as tx:
            assert isinstance(tx, EngineTransaction)
            yield tx.tuples

    return read
