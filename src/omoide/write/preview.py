"""A store as it would be after some writes, none of which lasts: what a preview of several steps
runs on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from omoide.store.base import Store, Transaction, committed

T = TypeVar("T")


class _EndOfPreview(Exception):
    """Ends a transaction, so that nothing of it lasts."""


class Supposed(Store):
    """A view of a store. Each of its transactions does again what is supposed, and is undone at its
    end.

    So what is supposed is a pure function of what it reads. Other writers wait for as long as a
    transaction lasts, as ever.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._writes: list[Callable[[Transaction], object]] = []

    def suppose(self, write: Callable[[Transaction], T], *, tenant: str) -> T:
        """What a write gives that comes after those supposed so far; all transactions after it see
        what it did.

        Raises:
            Deadlock: as committed does.
        """
        given = committed(self, write, tenant=tenant)
        self._writes.append(write)
        return given

    @contextmanager
    def transaction(
        self, *, tenant: str | None, write: bool = True, durable: bool = True
    ) -> Iterator[Transaction]:
        """As a store's, but that nothing lasts."""
        with (
            suppress(_EndOfPreview),
            self._store.transaction(
                tenant=tenant, write=write or bool(self._writes), durable=durable
            ) as tx,
        ):
            for one in self._writes:
                one(tx)
            yield tx
            raise _EndOfPreview

    def close(self) -> None:
        """Nothing: the store is somebody else's."""
