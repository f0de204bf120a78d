"""GAIA's memory, a SQLite file ``memory.db``: its statements become items, its conversations turns.

Known are the schema versions 2 to 7. A statement keeps its time, context, entity, due date, source
and confidence, and what superseded it. The file is only read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from pathlib import Path

import apsw

from omoide.exchange.databases import Row, open_database, rows, tables_of
from omoide.exchange.item_writer import ForeignStatement, ItemWriter
from omoide.exchange.jsonstream import loads
from omoide.exchange.problems import BadRecord, Omission, Problem
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import parse_time
from omoide.nouns.errors import ImportRefused, InvalidInput, OmoideError
from omoide.nouns.item import CONFIDENCE, TIER, Category, Details, Source
from omoide.nouns.metadata import Json
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import GLOBAL, Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Role
from omoide.write.remember import Statement

GAIA, VERSIONS = "gaia", range(2, 8)
TABLES = frozenset({"schema_version", "knowledge", "conversations"})


@frozen_record
class GaiaIntake:
    """What became of a memory of GAIA's. id names the import, for undo."""

    id: str
    version: int
    items: int
    conversations: int
    added: int  # turns
    repeated: int  # items and turns that were there already
    problems: tuple[Problem, ...] = ()
    left_out: tuple[Omission, ...] = ()


def is_gaia(path: Path) -> bool:
    """Whether a file is a memory of GAIA's."""
    return tables_of(path) >= TABLES


def take_in_gaia(
    memory: Memory, path: Path, scope: Scope, tell: Callable[[int], None] = lambda done: None
) -> GaiaIntake:
    """Take in a memory of GAIA's. A second time adds nothing twice.

    Raises:
        ImportRefused: the file is damaged, or of a version that is not known.
    """
    id = memory.clock.new_id()
    importing = memory.acting(Because(actor="import", cause=id))
    found = _read(path)
    items = ItemWriter(importing, scope, f"{GAIA}:{path.name}")
    items.take(_records(found.knowledge), tell)
    counts, problems = _logged(importing, scope, found.turns, tell)
    return GaiaIntake(
        id=id,
        version=found.version,
        items=items.added,
        conversations=counts["conversations"],
        added=counts["added"],
        repeated=items.repeated + counts["repeated"],
        problems=(*items.problems, *problems),
        left_out=found.left_out,
    )


@frozen_record
class _Database:
    """What a memory of GAIA's holds."""

    version: int
    knowledge: list[Row]
    turns: list[Row]
    left_out: tuple[Omission, ...]


def _read(path: Path) -> _Database:
    try:
        with closing(open_database(path)) as db:
            return _Database(
                version=_version(db, path),
                knowledge=list(rows(db, "gaia.knowledge")),
                turns=list(rows(db, "gaia.conversations")),
                left_out=tuple(_omitted(db, tables_of(path), path.name)),
            )
    except apsw.Error as error:
        raise ImportRefused(str(path), f"cannot be read as GAIA's memory: {error}") from None


def _records(statements: list[Row]) -> Iterator[ForeignStatement]:
    """The statements in the order in which they were made."""
    before: dict[str, list[str]] = {}
    for row in statements:
        if row["superseded_by"]:
            before.setdefault(row["superseded_by"], []).append(row["id"])
    for row in statements:
        yield ForeignStatement(
            id=str(row["id"]),
            place=f"knowledge {row['id']}",
            said=_statement(row),
            context=row["context"] or None,
            replaces=tuple(before.get(row["id"], ())),
            reminded_at=_time(row["reminded_at"]),
        )


def _statement(row: Row) -> Statement:
    return Statement(
        text=row["content"],
        category=_category(row["category"]),
        entities=[row["entity"]] if row["entity"] else [],
        due_at=_time(row["due_at"]),
        details=_details(row),
    )


def _details(row: Row) -> Details:
    source = Source(row["source"]) if row["source"] in tuple(Source) else Source.IMPORT
    told, sure = _metadata(row["metadata"]), row["confidence"]
    return Details(
        domain=row["domain"] or None,
        metadata=told if isinstance(told, dict) else {"metadata": told},
        confidence=min(max(sure, 0.0), 1.0)
        if isinstance(sure, int | float)
        else CONFIDENCE[source],
        sensitive=bool(row["sensitive"]),
        source=source,
        tier=TIER[source],
        valid_from=_time(row["created_at"]),
    )


def _metadata(held: object) -> Json:
    """What JSON a statement holds beside its text; what is no JSON, as it is."""
    try:
        return loads(str(held).encode()) if held else {}
    except BadRecord:
        return str(held)


def _logged(
    memory: Memory, scope: Scope, logged_turns: list[Row], tell: Callable[[int], None]
) -> tuple[Counter[str], list[Problem]]:
    """Log the conversations, each as a session of its own."""
    counts: Counter[str] = Counter()
    problems: list[Problem] = []
    for session, turns in groupby(logged_turns, key=lambda row: str(row["session_id"])):
        said = list(turns)
        messages, place = tuple(map(_message, said)), said[0]["context"] or GLOBAL
        talk = Conversation(id=f"{GAIA}:{session}", messages=messages, channel=GAIA)
        try:
            logged = memory.ingest(talk, replace(scope, session=None, context=place))
        except OmoideError as error:
            problems.append(Problem(f"conversation {session}", str(error)))
            continue
        counts.update(conversations=1, added=logged.added, repeated=logged.repeated)
        tell(len(said))
    return counts, problems


def _message(row: Row) -> Message:
    return Message(
        text=row["content"],
        role=Role.USER if row["role"] == "user" else Role.ASSISTANT,
        at=_time(row["timestamp"]),
        key=f"{GAIA}:{row['id']}",
    )


def _omitted(db: apsw.Connection, tables: frozenset[str], place: str) -> Iterator[Omission]:
    """What is not imported: calls of tools, and procedures."""
    for table, query, what in (
        ("tool_history", "gaia.tool_calls", "tool calls"),
        ("procedures", "gaia.procedures", "procedures"),
    ):
        total = next(rows(db, query))["total"] if table in tables else 0
        if total:
            yield Omission(what, total, place)


def _version(db: apsw.Connection, path: Path) -> int:
    """
    Raises:
        ImportRefused: the version is none that is known.
    """
    version = next(rows(db, "gaia.version"))["version"]
    if version not in VERSIONS:
        known = f"{VERSIONS[0]} to {VERSIONS[-1]}"
        raise ImportRefused(str(path), f"GAIA's memory of version {version}; known are {known}")
    return int(version)


def _category(name: str) -> str:
    return name if name in tuple(Category) else Category.NOTE.value


def _time(text: str | None) -> datetime | None:
    """A time of the file; one that cannot be read is none."""
    try:
        return parse_time(text) if text else None
    except InvalidInput:
        return None
