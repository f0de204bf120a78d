"""What is no chat export but something that another command takes: messages, statements, an
archive, a store, a saved page.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import IO

from omoide.exchange.archives import ExportFiles
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.lines import each_line
from omoide.exchange.problems import BadRecord, BrokenFile
from omoide.nouns.metadata import parse_json

_LINE_LIMIT = 2**20  # bytes of a first line that is looked at
_STORE = b"SQLite format 3"
_PAGE = re.compile(r".*\.html?", re.IGNORECASE)
# by the keys of a first record that has no type, as records of exports have
_TAKERS = {
    frozenset({"role", "content"}): "messages: omoide ingest takes them",
    frozenset({"text", "category"}): "statements: omoide items add-many takes them",
    frozenset(
        {"omoide_archive"}
    ): "an archive that omoide admin export wrote: omoide admin load takes it",
}


def taker_of(source: ExportFiles) -> str:
    """What a source is, and the command that takes it; empty where it may be an export."""
    if source.names and all(_PAGE.fullmatch(name) for name in source.names):
        return (
            "web pages: export from Telegram as machine-readable JSON, and give the whole zip that"
            " ChatGPT sends"
        )
    return taker_of_file(source, source.names[0]) if len(source.names) == 1 else ""


def taker_of_file(source: ExportFiles, name: str) -> str:
    """The same of one of its files, by its first bytes or the keys of its first record."""
    with source.open(name) as file:
        try:
            head = file.peek(len(_STORE))
            if head.startswith(_STORE):
                return (
                    "a SQLite file: --store FILE before a command uses it, omoide admin restore"
                    " takes a backup of one"
                )
            keys = frozenset(_first_keys(file, head.lstrip()[:1]))
        except (BrokenFile, BadRecord):
            return ""
    return next((taker for own, taker in _TAKERS.items() if own <= keys and "type" not in keys), "")


def _first_keys(file: IO[bytes], mark: bytes) -> Collection[str]:
    """Of JSON lines the keys of the first, of an array those of its first record; mark is what the
    file begins with.
    """
    if mark == b"[":
        reader = JsonReader(file)
        return next((list(reader.fields()) for _ in reader.items()), ())
    if mark != b"{":
        return ()
    line = next(
        (data for _, data in each_line(file, _LINE_LIMIT) if data is None or data.strip()), None
    )
    try:
        found = parse_json(line or b"")
    except ValueError:
        return ()
    return found if isinstance(found, dict) else ()
