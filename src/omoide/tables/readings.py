"""The readings table: what rerankers made of texts before any question came."""

from __future__ import annotations

import json
from collections.abc import Iterable

from omoide.nouns.kind import Kind
from omoide.tables.documents import DocumentPart, part_of
from omoide.tables.rows import Rows


class Readings(Rows):
    """Readings as rows, inside the caller's transaction."""

    def add(self, tenant: str, doc: int, reader: str, reading: bytes) -> int:
        """Keep what a reranker made of a document's record, unless that is there; how many rows."""
        return self._tx.run("readings.add", tenant=tenant, doc=doc, reader=reader, reading=reading)

    def of(self, tenant: str, reader: str, refs: Iterable[str]) -> dict[tuple[Kind, str], bytes]:
        """What a reranker made of some records, as far as it has read them."""
        rows = self._tx.rows(
            "readings.of_refs", tenant=tenant, reader=reader, refs=json.dumps(list(refs))
        )
        return {(Kind(row["kind"]), row["ref"]): bytes(row["reading"]) for row in rows}

    def unread(self, tenant: str, reader: str, after: int, limit: int) -> list[DocumentPart]:
        """The first documents, beyond a number, of records that a reranker has not read."""
        return self._all(
            part_of, "readings.unread", tenant=tenant, reader=reader, after=after, limit=limit
        )

    def orphans(self, tenant: str, limit: int) -> list[int]:
        """Documents that are gone, and were read."""
        return self._column("doc", "readings.orphans", tenant=tenant, limit=limit)

    def drop(self, tenant: str, doc: int) -> None:
        """Erase what rerankers made of a document."""
        self._tx.run("readings.drop", tenant=tenant, doc=doc)

    def drop_others(self, tenant: str, reader: str) -> int:
        """Erase what other rerankers than one made of a tenant's records; how many rows."""
        return self._tx.run("readings.drop_others", tenant=tenant, reader=reader)
