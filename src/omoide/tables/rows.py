"""What tables have in common: rows of the caller's transaction, read as records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, TypeVar

from omoide.store.base import Row, Transaction
from omoide.tables.columns import check_whole
from omoide.telemetry.damage import is_whole, only_whole

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

    def _total(self, query: str, **values: Any) -> int:
        """What a query counts."""
        return int(self._tx.rows(query, **values)[0]["total"])


class SealedRows(Rows):
    """A table whose rows have a checksum of their texts, by which damage is found."""

    walk_query: ClassVar[str]  # gives the rows of a tenant whose ids follow one

    def _check(self, row: Row) -> None:
        """That no text of a row is damaged.

        Raises:
            DamagedRecord: one is.
        """
        raise NotImplementedError

    def _checked(self, query: str, **values: Any) -> list[Row]:
        """The rows that a query finds, to be shown.

        Raises:
            DamagedRecord: a text of one is damaged.
        """
        rows = self._tx.rows(query, **values)
        for row in rows:
            self._check(row)
        return rows

    def _whole(self, rows: list[Row]) -> list[Row]:
        """The rows without damaged ones."""
        return only_whole(self._check, rows)

    def _all_whole(self, query: str, **values: Any) -> bool:
        """Whether no row that a query finds is damaged."""
        return all(is_whole(self._check, row) for row in self._tx.rows(query, **values))

    def damaged(self, tenant: str) -> Iterator[str]:
        """The ids of a tenant's records whose texts are not those that were stored."""
        after = ""
        while rows := self._tx.rows(self.walk_query, tenant=tenant, after=after, limit=PAGE):
            yield from (row["id"] for row in rows if not is_whole(self._check, row))
            after = rows[-1]["id"]


class LinkedRows(SealedRows, Generic[T]):
    """A table of records that others are linked to, read with the links of all of them at once."""

    kind: ClassVar[str]

    def _read(self, rows: list[Row]) -> list[T]:
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
        return next(iter(self._read(self._checked(query, **values))), None)

    def _check(self, row: Row) -> None:
        check_whole(self.kind, row["id"], row)

    def _links(self, query: str, rows: list[Row], by: str) -> dict[str, list[Row]]:
        """The links of rows of one tenant, by the id of what they link."""
        links: dict[str, list[Row]] = {}
        ids = json.dumps([row["id"] for row in rows])
        for link in self._tx.rows(query, tenant=rows[0]["tenant"], ids=ids):
            links.setdefault(link[by], []).append(link)
        return links
