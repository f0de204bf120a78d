"""The knowledge graph of the MCP reference memory server: JSON lines of entities and relations.

Each observation of an entity becomes an item, and so does each relation. The file has no times, no
users and no ids: a record is known by its words. Layout: ``src/memory`` of
github.com/modelcontextprotocol/servers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omoide.exchange.item_writer import ForeignStatement, short_digest
from omoide.exchange.jsonstream import parsed
from omoide.exchange.problems import BadRecord, Omission, Problem
from omoide.exchange.products.export import JsonShape, OpenExport, ProductFindings
from omoide.exchange.products.words import about, details, statement
from omoide.nouns.metadata import Json

ENTITY, RELATION = frozenset({"name", "entityType"}), frozenset({"from", "to", "relationType"})


def fits(shape: JsonShape) -> bool:
    """Whether a file of that shape is such a graph."""
    return "type" in shape.top and (shape.top >= ENTITY or shape.top >= RELATION)


def read(export: OpenExport, files: Mapping[str, JsonShape]) -> ProductFindings:
    """Every observation and relation."""
    for name in files:
        for number, line in export.source.lines(name):
            place = f"{name}: line {number}"
            try:
                yield from _of_line(parsed(line), place)
            except BadRecord as bad:
                yield Problem(place, str(bad))


def _of_line(found: Json, place: str) -> ProductFindings:
    match found:
        case {"type": "entity", "name": str(name), "observations": list(observations), **others}:
            yield from _observations(others.get("entityType"), name, observations, place)
        case {"type": "relation", "from": str(one), "to": str(other), "relationType": str(how)}:
            yield _relation(one, how, other, place)
        case {"type": "entity" | "relation"}:
            yield Problem(place, "an entity or relation without its fields")
        case _:
            yield Omission("other lines", 1, place)


def _relation(one: str, how: str, other: str, place: str) -> ForeignStatement:
    text = f"{one} {how.replace('_', ' ')} {other}"
    said = statement(text, entities=(one, other), details=details(relation=how))
    return ForeignStatement(id=f"{one}>{how}>{other}", place=place, said=said)


def _observations(kind: object, name: str, observations: list[Any], place: str) -> ProductFindings:
    if not observations:
        yield Omission("entities without observations", 1, place)
    for text in observations:
        if not isinstance(text, str) or not text.strip():
            yield Problem(place, "an observation without words")
            continue
        told = details(entity_type=kind)
        said = statement(about(name, text), entities=(name,), details=told)
        yield ForeignStatement(id=f"{name}#{short_digest(text)}", place=place, said=said)
