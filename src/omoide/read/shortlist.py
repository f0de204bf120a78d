"""The shortlist: the records behind the documents that arms found, as hits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from omoide.nouns.hit import Hit
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read.ranking import Fused
from omoide.store.base import Transaction
from omoide.tables.items import Items
from omoide.tables.turns import Turns
from omoide.text.passages import PART_CHARS


@frozen_record
class Shortlist:
    """The candidates that are looked at, best first; by id the words that the best part of each is
    found by, and of a turn which part that is.
    """

    hits: list[Hit] = field(default_factory=list)
    words: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, int] = field(default_factory=dict)

    @property
    def whole(self) -> dict[str, str]:
        """By id the words of those that are one document, so that these are all they have."""
        return {hit.id: self.words[hit.id] for hit in self.hits if len(hit.text) <= PART_CHARS}


def fetch(tx: Transaction, scope: Scope, fused: Sequence[Fused]) -> Shortlist:
    """The records behind documents; several parts of one turn are one hit, at its best part's
    place.
    """
    docs = json.dumps([found.doc for found in fused])
    refs = {row["doc"]: row for row in tx.rows("docs.many", tenant=scope.tenant, docs=docs)}
    records = _records(tx, scope, refs)
    hits: dict[str, Hit] = {}
    words: dict[str, str] = {}
    parts: dict[str, int] = {}
    for found in fused:
        row = refs.get(found.doc, {"ref": ""})
        ref = row["ref"]
        if ref in records and ref not in hits:
            hits[ref], words[ref] = hit_of(records[ref], found), row["own"]
            if row["kind"] == Kind.TURN.value:
                parts[ref] = row["part"]
    return Shortlist(hits=list(hits.values()), words=words, parts=parts)


def _records(
    tx: Transaction, scope: Scope, refs: Mapping[int, Mapping[str, Any]]
) -> dict[str, Item | Turn]:
    """The records of documents, each once: parts of one long turn are many."""
    items, turns = (
        dict.fromkeys(row["ref"] for row in refs.values() if row["kind"] == kind.value)
        for kind in (Kind.ITEM, Kind.TURN)
    )
    records: dict[str, Item | Turn] = {}
    if items:
        records |= Items(tx).many(scope, items)
    if turns:
        records |= Turns(tx).many(scope, turns)
    return records


def hit_of(record: Item | Turn, found: Fused) -> Hit:
    """A record as a hit, with what the arms said of it; its tokens are counted once it is to be
    returned.
    """
    return Hit(
        kind=Kind.TURN if isinstance(record, Turn) else Kind.ITEM,
        id=record.id,
        text=record.text,
        score=found.score,
        at=record.at if isinstance(record, Turn) else record.created_at,
        item=None if isinstance(record, Turn) else record,
        turn=record if isinstance(record, Turn) else None,
        arms=found.arms,
        features=found.features,
    )
