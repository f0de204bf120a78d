"""The search index as rows: one document per item and per part of a turn, and their vectors.

A partition is one tenant and user. Whoever writes to one first moves its counter on, which also
makes other writers of that partition wait, and stamps what it writes with the counter.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from omoide.nouns.clock import to_micros
from omoide.nouns.embedder import Vector
from omoide.nouns.item import Category, Item
from omoide.nouns.kind import Kind
from omoide.nouns.match import Where
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.store.base import FOREVER, Row
from omoide.tables.columns import asker, owner, partition, picked, unpack_vector
from omoide.tables.item_fields import filters_of
from omoide.tables.rows import Rows


@frozen_record
class Words:
    """How one document is found: its own words, those around it, and its vectors by embedder."""

    own: str
    around: str = ""
    vectors: tuple[tuple[int, Vector], ...] = ()


@frozen_record
class DocumentPart:
    """A document by its number, and the record, or part of one, that it stands for."""

    doc: int
    user: str
    kind: Kind
    ref: str
    part: int


class Documents(Rows):
    """Documents and vectors as rows, inside the caller's transaction."""

    def lock(self, tenant: str, user: str | None) -> int:
        """Move a partition's counter on; other writers to it wait until this transaction ends."""
        return int(self._column("seq", "partitions.advance", tenant=tenant, user=user or "")[0])

    def hold(self, tenant: str, parts: Sequence[DocumentPart]) -> dict[int, int]:
        """Lock the partitions of some documents; of those that were not forgotten meanwhile, the
        counter to stamp rows with.
        """
        seqs = {user: self.lock(tenant, user) for user in sorted({part.user for part in parts})}
        docs = json.dumps([part.doc for part in parts])
        there = {
            row["doc"]: (row["kind"], row["ref"])
            for row in self._tx.rows("docs.many", tenant=tenant, docs=docs)
        }
        return {
            part.doc: seqs[part.user]
            for part in parts
            if there.get(part.doc) == (part.kind.value, part.ref)
        }

    def counter(self, tenant: str, user: str | None) -> int:
        """Where a partition's counter stands."""
        rows = self._tx.rows("partitions.seq", tenant=tenant, user=user or "")
        return int(rows[0]["seq"]) if rows else 0

    def add_item(self, item: Item, seq: int, words: Words) -> int:
        """Index an item; its document's number."""
        doc = int(self._column("doc", "docs.add_one", **item_row(item, seq, words))[0])
        for model, vector in words.vectors:
            self.add_vector(item.scope.tenant, item.scope.user or "", model, seq, doc, vector)
        return doc

    def set_item(self, item: Item, seq: int, around: str | None = None) -> None:
        """Let searches filter by an item's present attributes and state, and find it by these words
        around it (None: as before).
        """
        self._tx.run(
            "docs.set",
            tenant=item.scope.tenant,
            ref=item.id,
            seq=seq,
            around=around,
            **_filters(item),
        )

    def add_turns(
        self,
        scope: Scope,
        seq: int,
        turns: Iterable[tuple[Turn, Sequence[Words]]],
        *,
        only_session: str,
    ) -> None:
        """Index turns, each as one or more parts, without vectors."""
        self._tx.run(
            "docs.add",
            many=[
                turn_row(scope, seq, t, n, w, only_session)
                for t, ws in turns
                for n, w in enumerate(ws)
            ],
        )

    def keep_to_session(self, tenant: str, user: str | None, session: str, seq: int) -> int:
        """Let the turns of a session that are in one partition be found from within it only; how
        many documents.
        """
        return self._tx.run(
            "docs.keep", tenant=tenant, user=user or "", session_id=session, seq=seq
        )

    def hide_turn(self, tenant: str, ref: str, seq: int, at: datetime | None) -> None:
        """Take a turn out of every search, or with no time bring it back; copies in memory drop it
        meanwhile.
        """
        hidden = None if at is None else 0
        self._tx.run(
            "docs.hide", tenant=tenant, ref=ref, seq=seq, superseded_at=hidden, closed_at=hidden
        )
        if at is None:
            self._tx.run("vectors.stamp", tenant=tenant, ref=ref, seq=seq)

    def of(self, tenant: str, kind: Kind, ref: str) -> list[Row]:
        """The documents of one record: doc, user_id, part, own, around."""
        return self._tx.rows("docs.of_ref", tenant=tenant, kind=kind.value, ref=ref)

    def words(self, tenant: str, docs: Sequence[int]) -> list[tuple[str, str]]:
        """Documents as the record they stand for, and their own words."""
        rows = (
            self._tx.rows("docs.many", tenant=tenant, docs=json.dumps(list(docs))) if docs else []
        )
        return [(row["ref"], row["own"]) for row in rows]

    def holds_any(self, tenant: str, user: str | None) -> bool:
        """Whether a partition has a document, be it hidden."""
        return bool(self._tx.rows("docs.one_of_partition", tenant=tenant, user=user or ""))

    def of_partition(self, tenant: str, user: str | None) -> list[Row]:
        """All documents of a partition in the order they were added, hidden ones too: kind, ref,
        part.
        """
        return self._tx.rows("docs.of_partition", tenant=tenant, user=user or "")

    def said_since(self, scope: Scope, category: Category, seq: int) -> list[tuple[str, str]]:
        """The items of a partition and category that changed after a counter, and their own
        words.
        """
        rows = self._tx.rows("docs.said", **partition(scope), category=category.value, since=seq)
        return [(row["ref"], row["own"]) for row in rows]

    def same(self, scope: Scope, category: Category, own: str) -> list[str]:
        """The latest items of a partition and category with the same words; it reads the rows."""
        values = {"category": category.value, "own": own}
        return self._column("ref", "docs.same", **partition(scope), **values)

    def forget(self, tenant: str, kind: Kind, ref: str, seqs: dict[str, int]) -> int:
        """Erase a record's documents and vectors, and note it for copies in memory; how many
        documents.
        """
        gone = self._tx.rows("docs.forget", tenant=tenant, kind=kind.value, ref=ref)
        for row in gone:
            doc, user = row["doc"], row["user_id"]
            for query in ("vectors.drop", "readings.drop"):
                self._tx.run(query, tenant=tenant, doc=doc)
            if user not in seqs:
                seqs[user] = self.lock(tenant, user)
            self._tx.run("erased.add", tenant=tenant, user=user, seq=seqs[user], doc=doc)
        return len(gone)

    def add_vector(
        self, tenant: str, user: str, model: int, seq: int, doc: int, vector: Vector
    ) -> int:
        """Store a document's vector of one embedder, unless it has one."""
        return self._tx.run(
            "vectors.add", tenant=tenant, user=user, model=model, seq=seq, doc=doc, vector=vector
        )

    def add_vectors(
        self,
        tenant: str,
        model: int,
        seqs: Mapping[int, int],
        vectors: Iterable[tuple[DocumentPart, Vector]],
    ) -> int:
        """Store vectors of one embedder, of documents that have a counter and no vector yet; how
        many.
        """
        common = {"tenant": tenant, "model": model}
        rows = [
            {**common, "user": part.user, "seq": seqs[part.doc], "doc": part.doc, "vector": vector}
            for part, vector in vectors
            if part.doc in seqs
        ]
        return self._tx.run("vectors.add", many=rows)

    def without_vector(self, tenant: str, model: int, after: int, limit: int) -> list[DocumentPart]:
        """Documents beyond a number that lack a vector of an embedder."""
        return self._all(
            part_of, "docs.without_vector", tenant=tenant, model=model, after=after, limit=limit
        )

    def with_vector(self, tenant: str, model: int, after: int, limit: int) -> list[DocumentPart]:
        """Documents beyond a number that have a vector of an embedder."""
        return self._all(
            part_of, "docs.with_vector", tenant=tenant, model=model, after=after, limit=limit
        )

    def waiting(self, scope: Scope, model: int) -> int:
        """How many of the asker's documents lack a vector of an embedder."""
        return self._total("docs.waiting", **asker(scope), model=model)

    def count(self, scope: Scope) -> int:
        """How many documents an asker may see."""
        return self._total("docs.count", **asker(scope))

    def between(
        self, where: Where, start: datetime | None, end: datetime | None, limit: int
    ) -> list[int]:
        """Documents that a question's filters let pass and whose time lies in an interval, latest
        first.
        """
        only = "" if where.only is None else json.dumps(sorted(where.only))
        return self._column(
            "doc",
            "docs.between",
            **_passes(where),
            docs=only,
            start=_start(start),
            end=_end(end),
            limit=limit,
        )

    def allowed(self, where: Where, docs: Iterable[int]) -> set[int]:
        """Those of some documents that a question's filters let pass."""
        wanted = sorted(where.only.intersection(docs) if where.only is not None else docs)
        values = _passes(where) | {"docs": json.dumps(wanted)}
        return set(self._column("doc", "docs.allowed", **values))

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a document; the row is item_row's or turn_row's."""
        self._tx.run("docs.add", **row)

    def alone(self, tenant: str, limit: int) -> list[Row]:
        """Documents whose record is gone: doc, kind, ref."""
        return self._tx.rows("docs.alone", tenant=tenant, limit=limit)

    def vectors(self, tenant: str, doc: int) -> dict[int, Vector]:
        """A document's vectors by embedder."""
        rows = self._tx.rows("vectors.of_doc", tenant=tenant, doc=doc)
        return {row["model"]: unpack_vector(row["vector"]) for row in rows}

    def drop_vectors(self, tenant: str, doc: int) -> None:
        """Erase a document's vectors; they are made again."""
        self._tx.run("vectors.drop", tenant=tenant, doc=doc)

    def orphans(self, tenant: str, limit: int) -> list[Row]:
        """Vectors whose document is gone: doc, user_id."""
        return self._tx.rows("vectors.orphans", tenant=tenant, limit=limit)

    def partitions(self, tenant: str) -> dict[str, int]:
        """The counters of a tenant's partitions, by user."""
        return {
            row["user_id"]: row["seq"]
            for row in self._tx.rows("partitions.of_tenant", tenant=tenant)
        }

    def restamp(self, tenant: str, user: str, seq: int) -> int:
        """Stamp what is stamped beyond a counter with it, so that copies in memory load it; how
        many rows.
        """
        rows = self._tx.run("docs.unseen", tenant=tenant, user=user, seq=seq)
        return rows + self._tx.run("vectors.unseen", tenant=tenant, user=user, seq=seq)

    def tenants(self) -> list[str]:
        """Every tenant with documents."""
        return self._column("tenant", "docs.tenants")


def part_of(row: Row) -> DocumentPart:
    """The document in a row: doc, user_id, kind, ref, part."""
    return DocumentPart(
        **picked(row, "doc", "ref", "part"), user=row["user_id"], kind=Kind(row["kind"])
    )


def _passes(where: Where) -> dict[str, Any]:
    return asker(where.scope) | {
        "kinds": _listed(where.kinds),
        "categories": _listed(where.categories),
        "contexts": _listed(where.contexts),
        "since": _start(where.since),
        "until": _end(where.until),
        "known_at": _end(where.known_at),
        "as_of": to_micros(where.as_of or where.now),
        "as_it_is": int(where.as_of is None),
        "now": to_micros(where.now),
        "with_sensitive": int(where.include_sensitive),
        "with_muted": int(where.include_muted),
        "confirmed_only": int(where.confirmed_only),
        "without_session": where.without_session or "",
        **{f"{whose}_off": int(whose in where.off) for whose in ("user", "agent", "shared")},
    }


def _listed(wanted: Collection[str] | None) -> str:
    """The column of what may stand in another; empty where anything may."""
    return "" if wanted is None else json.dumps(sorted(wanted))


def item_row(item: Item, seq: int, words: Words) -> dict[str, Any]:
    """The row that an item is indexed by."""
    session = item.scope.session or ""
    return {
        **owner(item.scope),
        "seq": seq,
        "kind": Kind.ITEM.value,
        "ref": item.id,
        "part": 0,
        "only_session": session,
        "session_id": session,
        "position": 0,
        "recorded_at": to_micros(item.recorded_at),
        "own": words.own,
        "around": words.around,
        **_filters(item),
    }


def _filters(item: Item) -> dict[str, Any]:
    return {"at": to_micros(item.valid_from)} | filters_of(item)


def _start(moment: datetime | None) -> int:
    return -FOREVER if moment is None else to_micros(moment)


def _end(moment: datetime | None) -> int:
    return FOREVER if moment is None else to_micros(moment)


def turn_row(
    scope: Scope, seq: int, turn: Turn, part: int, words: Words, only_session: str
) -> dict[str, Any]:
    """The row that a part of a turn is indexed by."""
    at, recorded_at = to_micros(turn.at), to_micros(turn.recorded_at)
    return {
        **owner(scope),
        "seq": seq,
        "kind": "turn",
        "ref": turn.id,
        "part": part,
        "only_session": only_session,
        "session_id": turn.session,
        "position": turn.position,
        "category": "",
        "context": scope.context,
        "sensitive": 0,
        "muted": 0,
        "unconfirmed": "",
        "at": at,
        "recorded_at": recorded_at,
        "valid_from": min(at, recorded_at),  # the speaker's clock may be ahead
        **_NEVER,
        "own": words.own,
        "around": words.around,
    }


_NEVER = dict.fromkeys(("valid_until", "closed_at", "superseded_at", "expires_at"))
