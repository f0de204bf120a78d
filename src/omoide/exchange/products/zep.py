"""Graphs of Zep, as its API lists them: JSON of edges, each a fact, and of nodes.

A fact keeps since when and until when it holds. A graph is one user's; import each with its own
``--user``. Layout: the types ``Edge`` and ``Node`` at help.getzep.com and in the package
``zep-cloud``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
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
from omoide.exchange.products.words import about, details, kept, moment_of, statement
from omoide.exchange.shape import array
from omoide.nouns.item import Category

FIELDS = ("edges", "nodes", "episodes", "items")
KEPT = ("graph_uuid", "user_uuid", "attributes")  # in the metadata of an item


def fits(shape: JsonShape) -> bool:
    """Whether a file of that shape is a list of such a graph."""
    is_edge = shape.keys >= {"uuid", "fact"}
    return is_edge or shape.keys >= {"uuid", "name", "labels"}


def read(export: OpenExport, files: Mapping[str, JsonShape]) -> ProductFindings:
    """Every fact, and what a summary says of a node."""
    called = {
        str(row.get("uuid")): str(row["name"])
        for found in _objects(export, files)
        if not isinstance(found, Problem) and "fact" not in (row := found[1]) and row.get("name")
    }
    yield from accounted(_objects(export, files), partial(_record, called))


def _objects(
    export: OpenExport, files: Mapping[str, JsonShape]
) -> Iterator[tuple[str, dict[str, Any]] | Problem]:
    for name, shape in files.items():
        for field in dict.fromkeys((*FIELDS, shape.field)) if shape.field else ("",):
            yield from each_object(export.source, name, field)


def _record(
    called: Mapping[str, str], place: str, row: dict[str, Any]
) -> ForeignStatement | Omission | Problem:
    if not isinstance(row.get("uuid"), str):
        return Problem(place, "no uuid")
    if isinstance(row.get("fact"), str) and row["fact"].strip():
        return _fact(place, row, called)
    if row.get("fact"):
        return Problem(place, "a fact without words")
    if isinstance(row.get("summary"), str) and row["summary"].strip():
        return _summary(place, row)
    return Omission("episodes" if "content" in row else "nodes without a summary", 1, place)


def _fact(place: str, row: dict[str, Any], called: Mapping[str, str]) -> ForeignStatement:
    since = moment_of(row, "valid_at", "created_at")
    until = moment_of(row, "invalid_at", "expired_at")
    ends = (
        row.get(f"{end}_node_name") or called.get(str(row.get(f"{end}_node_uuid")))
        for end in ("source", "target")
    )
    told = details(since, until, relation=row.get("name"), **kept(row, KEPT))
    return ForeignStatement(
        id=row["uuid"], place=place, said=statement(row["fact"], entities=ends, details=told)
    )


def _summary(place: str, row: dict[str, Any]) -> ForeignStatement:
    name, labels = str(row.get("name") or ""), array(row.get("labels"))
    told = details(moment_of(row, "created_at"), **kept(row, KEPT))
    text = about(name, row["summary"]) if name else row["summary"]
    said = statement(text, category=Category.NOTE, tags=labels, entities=(name,), details=told)
    return ForeignStatement(id=row["uuid"], place=place, said=said)
