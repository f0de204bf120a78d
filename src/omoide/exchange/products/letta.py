"""Agent files of Letta (``.af``): the memory blocks of its agents.

Each block becomes an item with the tag ``block:LABEL``. Messages, tools and files are left out, and
archival memory is not in such a file. Known are the layout with lists of agents and blocks, and the
older one of a single agent with ``core_memory``. Layout: ``letta/schemas/agent_file.py`` and
``letta/serialize_schemas`` of github.com/letta-ai/letta.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from omoide.exchange.item_writer import ForeignStatement
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.problems import BadRecord, BrokenFile, Omission, Problem
from omoide.exchange.products.export import JsonShape, OpenExport, ProductFindings
from omoide.exchange.products.words import details, moment_of, statement
from omoide.exchange.shape import array
from omoide.nouns.item import Category

OTHERS = ("messages", "tools", "files", "sources", "groups", "mcp_servers", "skills")


def fits(shape: JsonShape) -> bool:
    """Whether a file of that shape is an agent file."""
    is_new = shape.field == "agents" and shape.keys >= {"id", "in_context_message_ids"}
    return is_new or ("agent_type" in shape.top and shape.field == "core_memory")


def read(export: OpenExport, files: Mapping[str, JsonShape]) -> ProductFindings:
    """Every memory block."""
    for name in files:
        try:
            found = _whole(export, name)
        except (BadRecord, BrokenFile) as broken:
            yield Problem(name, str(broken))
            continue
        yield from _blocks(found, name)
        yield from _omitted(found, name)


def _whole(export: OpenExport, name: str) -> dict[str, Any]:
    """An agent file; of a message only its role is read."""
    with export.source.open(name) as file:
        found = JsonReader(file, drop=frozenset({"content", "source_code"})).value()
    return found if isinstance(found, dict) else {}


def _blocks(found: Mapping[str, Any], name: str) -> ProductFindings:
    if "core_memory" in found:
        yield from _each(_objects(found, "core_memory"), found.get("name"), name)
        return
    agents = _objects(found, "agents")
    for block in _objects(found, "blocks"):
        owners = [a.get("name") for a in agents if block.get("id") in array(a.get("block_ids"))]
        yield from _each([block], ", ".join(map(str, owners)), name)
    for agent in agents:
        yield from _each(_objects(agent, "memory_blocks"), agent.get("name"), name)


def _each(blocks: list[dict[str, Any]], agent: Any, name: str) -> ProductFindings:
    agent = str(agent or "")
    for block in blocks:
        label, value = str(block.get("label") or "block"), block.get("value")
        place = f"{name}: block {label}"
        if not isinstance(value, str) or not value.strip():
            yield Omission("empty blocks", 1, place)
            continue
        about = {"agent": agent, "description": block.get("description")}
        about["read_only"] = block.get("read_only") or None
        told = details(moment_of(block, "updated_at", "created_at"), **about)
        said = statement(value, category=Category.NOTE, tags=(f"block:{label}",), details=told)
        yield ForeignStatement(id=f"{agent}/{label}", place=place, said=said)


def _omitted(found: Mapping[str, Any], name: str) -> Iterator[Omission]:
    """What an agent file has besides memory."""
    for kind in OTHERS:
        own = len(_objects(found, kind))
        count = own + sum(len(_objects(agent, kind)) for agent in _objects(found, "agents"))
        if count:
            yield Omission(kind.replace("_", " "), count, name)


def _objects(found: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    values = found.get(key)
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []
