"""GAIA's memory, a SQLite file ``memory.db``: its statements become items, its conversations turns.

Known are the schema versions 2 to 7. A statement keeps its time, context, entity, due date, source
and confidence, and what superseded it. The file is only read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any

import apsw

from omoide.exchange.problems import Omission, Problem
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import parse_time
from omoide.nouns.errors import ImportRefused, InvalidInput, OmoideError
from omoide.nouns.item import CONFIDENCE, TIER, Category, Details, Item, Source
from omoide.nouns.scope import GLOBAL, Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Role
from omoide.tables.items import Listing
from omoide.write.remember import Statement

GAIA, VERSIONS = "gaia", range(2, 8)
OWN_ID = "gaia_id"  # in the metadata of an item: its id in the file
MAGIC = b"SQLite format 3\0"
TABLES = frozenset({"schema_version", "knowledge", "conversations"})
PAGE = 1_000
Row = dict[str, Any]
_HEAD = re.compile(r"^-- (gaia\.\w+) --$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
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
    if not path.is_file():
        return False
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return False
    try:
        with closing(_opened(path)) as db:
            return {row["name"] for row in _rows(db, "gaia.kind")} >= TABLES
    except apsw.Error:
        return False


def take_in_gaia(
    memory: Memory, path: Path, scope: Scope, tell: Callable[[int], None] = lambda done: None
) -> GaiaIntake:
    """Take in a memory of GAIA's. A second time adds nothing twice.

    Raises:
        ImportRefused: the file is damaged, or of a version that is not known.
    """
    id = memory.clock.new_id()
    importing = memory.acting(Because(actor="import", cause=id))
    try:
        with closing(_opened(path)) as db:
            version = _version(db, path)
            tables = {row["name"] for row in _rows(db, "gaia.kind")}
            knowledge = list(_rows(db, "gaia.knowledge"))
            turns = list(_rows(db, "gaia.conversations"))
            omitted = tuple(_omitted(db, tables, path.name))
    except apsw.Error as error:
        raise ImportRefused(str(path), f"cannot be read as GAIA's memory: {error}") from None
    items = _Items(importing, scope, f"{GAIA}:{path.name}")
    items.take(knowledge, tell)
    counts, problems = _logged(importing, scope, turns, tell)
    return GaiaIntake(
        id=id,
        version=version,
        items=items.added,
        conversations=counts["conversations"],
        added=counts["added"],
        repeated=items.repeated + counts["repeated"],
        problems=(*items.problems, *problems),
        left_out=omitted,
    )


class _Items:
    """Statements on their way in."""

    def __init__(self, memory: Memory, scope: Scope, origin: str) -> None:
        self._memory, self._scope, self._origin = memory, replace(scope, session=None), origin
        self._made: dict[str, Item] = {}  # by the file's id
        self.added = self.repeated = 0
        self.problems: list[Problem] = []

    def take(self, rows: list[Row], tell: Callable[[int], None]) -> None:
        """Store the rows in the order in which they were made, each in the place of what it
        superseded.
        """
        known = self._known()
        before: dict[str, list[str]] = {}
        for row in rows:
            if row["superseded_by"]:
                before.setdefault(row["superseded_by"], []).append(row["id"])
        for row in rows:
            if row["id"] in known:
                self._made[row["id"]] = known[row["id"]]
                self.repeated += 1
                continue
            try:
                older = [self._made[id] for id in before.get(row["id"], ()) if id in self._made]
                self._made[row["id"]] = self._stored(row, older)
                self.added += 1
            except OmoideError as error:
                self.problems.append(Problem(f"knowledge {row['id']}", str(error)))
            tell(1)

    def _known(self) -> dict[str, Item]:
        """The items that an earlier import made, by the file's ids."""
        found: dict[str, Item] = {}
        for offset in range(0, 10**9, PAGE):
            page = self._memory.items.list(
                Listing(closed=True, sensitive=None, limit=PAGE, offset=offset), self._scope
            )
            found |= {str(i.metadata[OWN_ID]): i for i in page if OWN_ID in i.metadata}
            if len(page) < PAGE:
                return found
        return found

    def _stored(self, row: Row, older: list[Item]) -> Item:
        details = _details(row, self._origin)
        if older:
            return self._succeeded(row, older, details)
        said = Statement(
            text=row["content"],
            category=_category(row["category"]),
            entities=[row["entity"]] if row["entity"] else [],
            due_at=_time(row["due_at"]),
            details=details,
        )
        place = replace(self._scope, context=row["context"] or GLOBAL)
        (item,) = self._memory.items.add_many([said], place)
        return self._reminded(row, item)

    def _succeeded(self, row: Row, older: list[Item], details: Details) -> Item:
        """The statement in the place of those that it superseded."""
        at = _time(row["created_at"])
        first, *others = older
        told = replace(details, tier=max(old.tier for old in older), valid_from=None)
        item = self._memory.correct(first.id, row["content"], self._scope, at=at, details=told).item
        for old in others:
            self._memory.correct(old.id, row["content"], self._scope, at=at, details=told)
        return self._reminded(row, item)

    def _reminded(self, row: Row, item: Item) -> Item:
        at = _time(row["reminded_at"])
        if at is None:
            return item
        return self._memory.items.edit(item.id, self._scope, reminded_at=at)


def _details(row: Row, origin: str) -> Details:
    source = row["source"] if row["source"] in tuple(Source) else Source.IMPORT
    told = json.loads(row["metadata"]) if row["metadata"] else {}
    metadata = told if isinstance(told, dict) else {"metadata": told}
    sure = row["confidence"]
    return Details(
        domain=row["domain"] or None,
        metadata=metadata | {OWN_ID: row["id"]},
        confidence=CONFIDENCE[Source(source)] if sure is None else min(max(sure, 0.0), 1.0),
        sensitive=bool(row["sensitive"]),
        source=Source(source),
        tier=TIER[Source(source)],
        valid_from=_time(row["created_at"]),
        origin=origin,
    )


def _logged(
    memory: Memory, scope: Scope, rows: list[Row], tell: Callable[[int], None]
) -> tuple[Counter[str], list[Problem]]:
    """Log the conversations, each as a session of its own."""
    counts: Counter[str] = Counter()
    problems: list[Problem] = []
    for session, turns in groupby(rows, key=lambda row: str(row["session_id"])):
        said = list(turns)
        talk = Conversation(
            id=f"{GAIA}:{session}", messages=tuple(map(_message, said)), channel=GAIA
        )
        place = replace(scope, session=None, context=said[0]["context"] or GLOBAL)
        try:
            logged = memory.ingest(talk, place)
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


def _omitted(db: apsw.Connection, tables: set[str], place: str) -> Iterator[Omission]:
    """What is not imported: calls of tools, and procedures."""
    for table, query, what in (
        ("tool_history", "gaia.tool_calls", "tool calls"),
        ("procedures", "gaia.procedures", "procedures"),
    ):
        total = next(_rows(db, query))["total"] if table in tables else 0
        if total:
            yield Omission(what, total, place)


def _version(db: apsw.Connection, path: Path) -> int:
    """
    Raises:
        ImportRefused: the version is none that is known.
    """
    version = next(_rows(db, "gaia.version"))["version"]
    if version not in VERSIONS:
        known = f"{VERSIONS[0]} to {VERSIONS[-1]}"
        raise ImportRefused(str(path), f"GAIA's memory of version {version}; known are {known}")
    return int(version)


def _opened(path: Path) -> apsw.Connection:
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)


def _rows(db: apsw.Connection, query: str) -> Iterator[Row]:
    cursor = db.execute(_queries()[query])
    for values in cursor:
        names = [column[0] for column in cursor.description]
        yield dict(zip(names, values, strict=True))


@cache
def _queries() -> Mapping[str, str]:
    text = resources.files(__package__).joinpath("gaia.sql").read_text("utf-8")
    parts = _HEAD.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _category(name: str) -> str:
    return name if name in tuple(Category) else Category.NOTE.value


def _time(text: str | None) -> datetime | None:
    """A time of the file; one that cannot be read is none."""
    try:
        return parse_time(text) if text else None
    except InvalidInput:
        return None
