"""Saves what can be saved of a damaged SQLite store into a new one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import apsw

from omoide.nouns.errors import Conflict, StoreError, StoreRefused
from omoide.store.migrate import load_migrations
from omoide.store.queries import load_queries, own_queries
from omoide.store.sqlite.connections import ConnectionSettings, connected, settings_of, typed
from omoide.store.sqlite.files import read_chunks
from omoide.store.sqlite.guard import exists
from omoide.store.sqlite.opening import make
from omoide.store.sqlite.pages import (
    INTERIOR,
    KEYED_INTERIOR,
    KEYED_LEAF,
    LEAF,
    Pages,
    SqlValue,
)

_CLASSES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "BIGINT": (int,),
    "TEXT": (str,),
    "REAL": (int, float),
    "BLOB": (bytes,),
}
_CHUNK = 5_000  # rows put in at a time


@dataclass(frozen=True, slots=True)
class _NewTable:
    """A table of a new store: its columns, and how a record becomes a row."""

    name: str
    types: tuple[str, ...]
    # of each column in a record: where rows are kept by key, the key comes first
    places: tuple[int, ...]
    alias: int | None  # the column that is the row number
    is_keyed: bool

    def row(self, number: int, record: Sequence[SqlValue]) -> list[SqlValue] | None:
        """A record as a row of this table, or None if it cannot be one."""
        if len(record) != len(self.types):
            return None
        row = [record[place] for place in self.places]
        if self.alias is not None and row[self.alias] is None:
            row[self.alias] = number
        for index, (value, kind) in enumerate(zip(row, self.types, strict=True)):
            if value is not None and not isinstance(value, _CLASSES[kind]):
                return None
            if kind == "REAL" and isinstance(value, int):
                row[index] = float(value)  # whole numbers are stored short
        return row


def salvage(
    source: Path | str, target: Path | str, *, passphrase: str | None = None
) -> dict[str, int]:
    """Make a new store at target of every row that is still whole in a damaged one; rows saved by
    table.

    The damaged file is only read. Vectors are not saved: they can be made anew. Where the search
    index lost documents, rebuild it.

    Raises:
        InvalidInput: source or target cannot be a path.
        Conflict: there is something at target.
        StoreRefused: nothing can be read, or the file is encrypted and not with this passphrase.
    """
    origin, place = settings_of(source, target, passphrase)
    if exists(place.path):
        raise Conflict(f"{place.path} exists; a salvaged store never overwrites anything")
    _check_regular(origin.path)
    saved = _saved(Pages(_bytes_of(origin)), place)
    if not saved:
        os.unlink(place.path)
        raise StoreRefused(
            origin.path, "nothing in it can be read", "restore a backup with omoide admin restore"
        )
    return saved


def _check_regular(path: str) -> None:
    if not exists(path):
        raise StoreRefused(path, "does not exist", "name the damaged file")
    if not os.path.isfile(path):
        raise StoreRefused(path, "is not a regular file", "name the damaged file")


def _saved(pages: Pages, place: ConnectionSettings) -> dict[str, int]:
    """Make a store of every row in some pages; how many each table has, if any."""
    make(place, load_migrations("sqlite"))
    queries = load_queries("sqlite")
    with connected(place, writes=True) as connection:
        tables = _tables(connection)
        _insert(connection, _rows(pages, tables))
        connection.execute(queries["partitions.catch_up"])
        counts: dict[str, int] = dict(connection.execute(own_queries("sqlite")["tables.count"]))
    return {table.name: counts[table.name] for table in tables if counts[table.name]}


def _bytes_of(settings: ConnectionSettings) -> bytes:
    """The file with its log, decrypted, as far as SQLite can read it; or else its bare bytes."""
    with suppress(StoreError), connected(settings) as connection:
        return connection.serialize("main") or b""
    try:
        return b"".join(read_chunks(Path(settings.path)))
    except apsw.Error as error:
        raise typed(error, settings.path) from error


def _tables(connection: apsw.Connection) -> list[_NewTable]:
    """The tables of a new store whose rows have a key to be put in by."""
    found = []
    for schema, name, kind, _, is_keyed, _ in connection.pragma("table_list"):
        columns = (
            connection.pragma("table_info", name) if schema == "main" and kind == "table" else []
        )
        keys = tuple(column[5] for column in columns)
        if not any(keys) or name in ("sqlite_schema", "schema_versions"):
            continue
        stored = (
            sorted(range(len(keys)), key=lambda index: keys[index] or len(keys) + index)
            if is_keyed
            else range(len(keys))
        )
        places = tuple(list(stored).index(index) for index in range(len(keys)))
        alias = (
            keys.index(1)
            if not is_keyed and sum(map(bool, keys)) == 1 and columns[keys.index(1)][2] == "INTEGER"
            else None
        )
        found.append(
            _NewTable(name, tuple(column[2] for column in columns), places, alias, bool(is_keyed))
        )
    return found


def _rows(pages: Pages, tables: Sequence[_NewTable]) -> Iterator[tuple[str, list[SqlValue]]]:
    """Every row that can be made out, with its table: by the tree its page belongs to, or else by
    its form.
    """
    owners = _owners(pages, {table.name: table for table in tables})
    for page in range(1, pages.count + 1):
        kind, owner = pages.kind(page), owners.get(page)
        if kind == LEAF:
            possible = [owner] if owner else [table for table in tables if not table.is_keyed]
        elif kind in (KEYED_LEAF, KEYED_INTERIOR) and owner:
            possible = [owner]
        else:
            continue
        for number, record in pages.rows(page):
            rows = [(table.name, row) for table in possible if (row := table.row(number, record))]
            if len(rows) == 1:
                yield rows[0]


def _owners(pages: Pages, tables: Mapping[str, _NewTable]) -> dict[int, _NewTable]:
    """The table of each page that can still be reached from the schema."""
    found: dict[int, _NewTable] = {}
    for page in _tree(pages, 1, {1}):
        for _, record in pages.rows(page):
            if (
                len(record) == 5
                and record[0] == "table"
                and record[1] in tables
                and isinstance(record[3], int)
            ):
                table = tables[str(record[1])]
                found |= dict.fromkeys(_tree(pages, record[3], set(found)), table)
    return found


def _tree(pages: Pages, root: int, seen: set[int]) -> Iterator[int]:
    """The pages of a tree that hold records, each once."""
    waiting = [root]
    while waiting:
        page = waiting.pop()
        if not 1 <= page <= pages.count or (page in seen and page != root):
            continue
        seen.add(page)
        if pages.kind(page) in (INTERIOR, KEYED_INTERIOR):
            waiting += pages.children(page)
        if pages.kind(page) != INTERIOR:
            yield page


def _insert(connection: apsw.Connection, rows: Iterator[tuple[str, list[SqlValue]]]) -> None:
    """Put rows in; one whose key is taken, or that breaks a rule of its table, is left out."""
    while chunk := list(islice(rows, _CHUNK)):
        builder = apsw.ChangesetBuilder()  # type: ignore[no-untyped-call]  # puts rows into any table, without a statement for each
        builder.schema(connection, "main")
        for table, row in chunk:
            with suppress(apsw.Error):  # a row without its key
                builder.add_insert(table, False, tuple(row))
        apsw.Changeset.apply(
            builder.output(), connection, conflict=lambda reason, change: apsw.SQLITE_CHANGESET_OMIT
        )
        builder.close()
