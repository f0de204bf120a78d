"""Memories of mem0: its history database, and the JSON of its platform.

The history has every version of every memory, and no users. The JSON, as ``get_all`` and an export
of the platform give it, has users and the last version only. In a folder with both, the memories of
the history get the users of the JSON. Layout: ``mem0/memory/storage.py`` of the package ``mem0ai``,
and docs.mem0.ai.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path

import apsw

from omoide.exchange.databases import Row, open_database, rows, tables_of
from omoide.exchange.item_writer import ForeignStatement
from omoide.exchange.problems import Omission, Problem
from omoide.exchange.products.export import (
    JsonShape,
    OpenExport,
    ProductFinding,
    ProductFindings,
    accounted,
    each_object,
)
from omoide.exchange.products.words import details, kept, moment_of, statement
from omoide.exchange.shape import array, record, words

HISTORY = "history"
KEPT = ("agent_id", "app_id", "run_id", "actor_id", "role")  # in the metadata of an item
_DATABASES = re.compile(r".*\.(?:db|sqlite3?)", re.IGNORECASE)


def is_in(export: OpenExport) -> bool:
    """Whether an export is mem0's."""
    return bool(_histories(export)) or export.begins_with(_fits)


def _fits(shape: JsonShape) -> bool:
    return shape.keys >= {"id", "memory"}


def read(export: OpenExport) -> ProductFindings:
    """Every version of every memory that was not deleted."""
    files, histories = export.shaped(_fits), _histories(export)
    owners = _owners(export, files) if histories else {}
    told: set[str] = set()
    for path in histories:
        yield from _of_history(path, owners, told)
    for name, shape in files.items():
        yield from accounted(each_object(export.source, name, shape.field), partial(_of_json, told))
    if export.path.is_dir():
        read = [path.relative_to(export.path).as_posix() for path in histories]
        yield from export.others([*files, *read])


def _owners(export: OpenExport, files: Mapping[str, JsonShape]) -> dict[str, Row]:
    """The memories of the JSON files, by id."""
    found = (
        pair
        for name, shape in files.items()
        for pair in each_object(export.source, name, shape.field)
    )
    return {str(pair[1].get("id")): pair[1] for pair in found if not isinstance(pair, Problem)}


def _histories(export: OpenExport) -> list[Path]:
    """The history databases of an export; none within a zip."""
    if export.path.is_dir():
        found = export.source.find(_DATABASES, alone=False)
        paths = [export.path / name for name in found]
        return [path for path in paths if HISTORY in tables_of(path)]
    return [export.path] if HISTORY in export.tables else []


def _of_history(path: Path, owners: Mapping[str, Row], told: set[str]) -> ProductFindings:
    """The versions, oldest first; ``told`` collects the ids of their memories."""
    try:
        versions, messages = _history(path)
    except apsw.Error as error:
        yield Problem(path.name, f"cannot be read as mem0's history: {error}")
        return
    deleted = {row["memory_id"] for row in versions if row["event"] == "DELETE"}
    if deleted:
        yield Omission("deleted memories", len(deleted), path.name)
    if messages:
        yield Omission("recent messages", messages, path.name)
    for number, row in enumerate(versions, 1):
        if row["memory_id"] not in deleted and row["new_memory"]:
            told.add(row["memory_id"])
            place = f"{path.name}: version {number}"
            yield _version(row, owners.get(row["memory_id"], {}), place)


def _history(path: Path) -> tuple[list[Row], int]:
    """The versions of all memories, and how many messages there are."""
    with closing(open_database(path)) as db:
        has_messages = "messages" in tables_of(path)
        messages = next(rows(db, "mem0.messages"))["total"] if has_messages else 0
        return list(rows(db, "mem0.history")), messages


def _version(row: Row, owner: Row, place: str) -> ForeignStatement:
    about = kept(owner, KEPT) | {key: row[key] for key in KEPT if key in row}
    said = statement(row["new_memory"], details=details(_said_at(row), **about))
    return ForeignStatement(
        id=row["memory_id"], place=place, said=said, user=owner.get("user_id") or None
    )


def _said_at(row: Row) -> datetime | None:
    return moment_of(row, "updated_at", "created_at")


def _of_json(told: set[str], place: str, row: Row) -> ProductFinding | None:
    held = row.get("memory")
    text = words(held)
    if not text.strip():
        is_odd = bool(held) and not isinstance(held, str)
        kind = "memories without words"
        return Problem(place, kind) if is_odd else Omission(kind, 1, place)
    return None if str(row.get("id")) in told else _memory(row, text, place)


def _memory(row: Row, text: str, place: str) -> ForeignStatement:
    until, about = moment_of(row, "expiration_date"), record(row.get("metadata"))
    told = details(_said_at(row), until, about, **kept(row, KEPT))
    said = statement(text, tags=array(row.get("categories")), details=told)
    user = str(row.get("user_id") or "") or None
    return ForeignStatement(id=str(row.get("id")), place=place, said=said, user=user)
