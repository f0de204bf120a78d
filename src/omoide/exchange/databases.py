"""SQLite files of other programs, only read. Their queries stand in the ``.sql`` files here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import apsw

Row = dict[str, Any]
MAGIC = b"SQLite format 3\0"
_FILES = ("databases.sql", "gaia.sql")
_HEAD = re.compile(r"^-- (\w+\.\w+) --$", re.MULTILINE)


def open_database(path: Path) -> apsw.Connection:
    """The SQLite file at path, for reading.

    Raises:
        apsw.Error: it cannot be opened.
    """
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)


def tables_of(path: Path) -> frozenset[str]:
    """The names of the tables of a SQLite file; none where it is another file or damaged."""
    if not path.is_file():
        return frozenset()
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return frozenset()
    try:
        with closing(open_database(path)) as db:
            return frozenset(row["name"] for row in rows(db, "any.tables"))
    except apsw.Error:
        return frozenset()


def rows(db: apsw.Connection, query: str) -> Iterator[Row]:
    """The rows of a named query, by column; bytes, which any column may hold, as text.

    Raises:
        apsw.Error: the file is damaged, or a text in it is not UTF-8.
    """
    cursor = db.execute(_queries()[query])
    try:
        for values in cursor:
            names = [column[0] for column in cursor.description]
            yield dict(zip(names, map(_value, values), strict=True))
    except UnicodeDecodeError as error:
        raise apsw.CorruptError(f"a text is not UTF-8: {error.reason}") from None


def _value(value: apsw.SQLiteValue) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


@cache
def _queries() -> Mapping[str, str]:
    here = resources.files(__package__)
    text = "\n".join(here.joinpath(name).read_text("utf-8") for name in _FILES)
    parts = _HEAD.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))
