"""Memories of a Hindsight bank, as its API lists them: JSON with ``items``.

A bank is one user's; import each with its own ``--user``. Layout: ``ListMemoryUnitsResponse`` of
the API, described at hindsight.vectorize.io and in the package ``hindsight-client``.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from omoide.exchange.shape import array, record, words

KEPT = ("fact_type", "context", "document_id", "chunk_id", "occurred_end", "proof_count")


def fits(shape: JsonShape) -> bool:
    """Whether a file of that shape is such a list."""
    return shape.keys >= {"id", "text", "fact_type"}


def read(export: OpenExport, files: Mapping[str, JsonShape]) -> ProductFindings:
    """Every memory that is valid."""
    for name, shape in files.items():
        yield from accounted(each_object(export.source, name, shape.field), _memory)


def _memory(place: str, row: dict[str, Any]) -> ForeignStatement | Omission | Problem:
    text, id = words(row.get("text")), row.get("id")
    if row.get("state") == "invalidated":
        return Omission("invalidated memories", 1, place)
    if not text.strip() or not isinstance(id, str):
        return Problem(place, "a memory without text or id")
    held = row.get("entities")
    entities = held.split(",") if isinstance(held, str) else array(held)
    at = moment_of(row, "occurred_start", "date", "mentioned_at")
    told = details(at, None, record(row.get("metadata")), **kept(row, KEPT))
    said = statement(text, tags=array(row.get("tags")), entities=entities, details=told)
    return ForeignStatement(id=id, place=place, said=said)
