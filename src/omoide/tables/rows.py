"""What tables have in common: rows of the caller's transaction, read as records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, TypeVar

from omoide.nouns.errors import DamagedRecord
from omoide.store.base import Row, Transaction
from omoide.tables.columns import damage_in
from omoide.telemetry.damage import leave_out

T = TypeVar("T")
PAGE = 500


class Rows:
    """A table, inside the caller's transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def _all(self, read: Callable[[Row], T], query: str, **values: Any) -> list[T]:
        """The records that a query finds, each as ``read`` makes it of a row."""
        return [read(row) for row in self._tx.rows(query, **values)]

    def _one(self, read: Callable[[Row], T], query: str, **values: Any) -> T | None:
        """The first record that a query finds."""
        rows = self._tx.rows(query, **values)
        return read(rows[0]) if rows else None

    def _column(self, name: str, query: str, **values: Any) -> list[Any]:
        """One column of the rows that a query finds."""
        return [row[name] for row in self._tx.rows(query, **values)]

    def _total(self, query: str, **values: Any) -> int:
        """What a query counts."""
        return int(self._tx.rows(query, **values)[0]["total"])


class SealedRows(Rows, Generic[T]):
    """A table of records whose rows have a checksum of their texts, by which damage is found."""

    def _read(self, rows: list[Row]) -> list[T]:
        raise NotImplementedError

    def _damage(self, row: Row) -> DamagedRecord | None:
        """What is wrong with the texts of a row; None if they are those that were stored."""
        raise NotImplementedError

    def _found(self, query: str, **values: Any) -> list[T]:
        """The records that a query finds, whatever is in them: for the write path."""
        return self._read(self._tx.rows(query, **values))

    def _first(self, query: str, **values: Any) -> T | None:
        return next(iter(self._found(query, **values)), None)

    def _shown(self, query: str, **values: Any) -> list[T]:
        """The records that a query finds, to be shown; a damaged one is left out."""
        return self._read(self._whole(self._tx.rows(query, **values)))

    def _one_shown(self, query: str, **values: Any) -> T | None:
        """The record that a query finds, to be shown.

        Raises:
            DamagedRecord: its text is damaged.
        """
        rows = self._tx.rows(query, **values)
        if damage := next(self._damages(rows), None):
            raise damage
        return next(iter(self._read(rows)), None)

    def _whole(self, rows: list[Row]) -> list[Row]:
        """The rows without damaged ones; of each of these a note is left."""
        whole = []
        for row in rows:
            if damage := self._damage(row):
                leave_out(damage.kind, damage.id)
            else:
                whole.append(row)
        return whole

    def _damages(self, rows: list[Row]) -> Iterator[DamagedRecord]:
        return filter(None, map(self._damage, rows))


class IdRows(SealedRows[T]):
    """A table of records that are found by their ids alone."""

    one_query: ClassVar[str]  # gives the row of a tenant with an id
    walk_query: ClassVar[str]  # gives the rows of a tenant whose ids follow one

    def find(self, tenant: str, id: str) -> T | None:
        """The record, whoever asks: for the write path."""
        return self._first(self.one_query, tenant=tenant, id=id)

    def after(self, tenant: str, id: str, limit: int) -> list[T]:
        """The records of a tenant whose ids follow one, in order: a walk through all of them."""
        return self._found(self.walk_query, tenant=tenant, after=id, limit=limit)

    def damaged(self, tenant: str) -> Iterator[str]:
        """The ids of a tenant's records whose texts are not those that were stored."""
        after = ""
        while rows := self._tx.rows(self.walk_query, tenant=tenant, after=after, limit=PAGE):
            yield from (damage.id for damage in self._damages(rows))
            after = rows[-1]["id"]


class LinkedRows(IdRows[T]):
    """A table of records that others are linked to, read with the links of all of them at once."""

    kind: ClassVar[str]

    def salt(self, tenant: str, id: str) -> bytes:
        """What keys the record's hashes in the ledger."""
        return bytes(self._column("salt", self.one_query, tenant=tenant, id=id)[0])

    def _damage(self, row: Row) -> DamagedRecord | None:
        return damage_in(self.kind, row["id"], row)

    def _links(self, query: str, rows: list[Row], by: str) -> dict[str, list[Row]]:
        """The links of rows of one tenant, by the id of what they link."""
        links: dict[str, list[Row]] = {}
        ids = json.dumps([row["id"] for row in rows])
        for link in self._tx.rows(query, tenant=rows[0]["tenant"], ids=ids):
            links.setdefault(link[by], []).append(link)
        return links
