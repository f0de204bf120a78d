"""Memories of a Hindsight bank, as its API lists them: JSON with ``items``.

A bank is one user's; import each with its own ``--user``. Layout: ``ListMemoryUnitsResponse`` of
the API, described at hindsight.vectorize.io and in the package ``hindsight-client``.
"""

from __future__ import annotations

from typing import Any

from omoide.exchange.item_writer import ForeignStatement
from omoide.exchange.problems import Omission, Problem
from omoide.exchange.products.export import (
    JsonShape,
    OpenExport,
    ProductFindings,
    accounted,
    each_object,
)
from omoide.exchange.products.words import details, kept, moment_of, statement
from omoide.exchange.shape import record, words

KEPT = ("fact_type", "context", "document_id", "chunk_id", "occurred_end", "proof_count")


def is_in(export: OpenExport) -> bool:
    """Whether an export is such a list."""
    return export.begins_with(_fits)


def _fits(shape: JsonShape) -> bool:
    return shape.keys >= {"id", "text", "fact_type"}


def read(export: OpenExport) -> ProductFindings:
    """Every memory that is valid."""
    files = export.shaped(_fits)
    for name, shape in files.items():
        yield from accounted(each_object(export.source, name, shape.field), _memory)
    yield from export.others(files)


def _memory(place: str, row: dict[str, Any]) -> ForeignStatement | Omission | Problem:
    text, id = words(row.get("text")), row.get("id")
    if row.get("state") == "invalidated":
        return Omission("invalidated memories", 1, place)
    if not text.strip() or not isinstance(id, str):
        return Problem(place, "a memory without text or id")
    entities = row.get("entities") or ()
    entities = entities.split(",") if isinstance(entities, str) else entities
    at = moment_of(row, "occurred_start", "date", "mentioned_at")
    told = details(at, None, record(row.get("metadata")), **kept(row, KEPT))
    said = statement(text, tags=row.get("tags") or (), entities=entities, details=told)
    return ForeignStatement(id=id, place=place, said=said)
