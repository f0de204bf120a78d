"""Which product an export comes from, by its file names and the first keys of its JSON."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from omoide.exchange.archives import Source, open_source
from omoide.exchange.formats import chatgpt, claude_code, slack, telegram, whatsapp
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.options import (
    CHATGPT,
    CLAUDE_AI,
    CLAUDE_CODE,
    FORMATS,
    SLACK,
    TELEGRAM,
    WHATSAPP,
)
from omoide.exchange.problems import BadRecord, BrokenFile
from omoide.exchange.takers import taker_of, taker_of_file
from omoide.nouns.errors import ImportRefused

LOOKED_AT = 20  # records of a file whose keys are read
FILES_LOOKED_AT = 1_000  # JSON files whose names say nothing


def _is_there(reader: JsonReader) -> bool:
    return reader.kind != "scalar"


def _has_list(reader: JsonReader) -> bool:
    return any(key == "list" for key in reader.fields())


def _has_dates(reader: JsonReader) -> bool:
    """One of the first records in the array has a type and a date, as Telegram's messages have."""
    for _ in islice(reader.items(), LOOKED_AT):
        missing = {"type", "date"}
        for key in reader.fields():
            missing.discard("date" if key == "date_unixtime" else key)
            if not missing:
                return True
    return False


_KEYS: dict[str, tuple[str, Callable[[JsonReader], bool]]] = {
    "mapping": (CHATGPT, _is_there),
    "chat_messages": (CLAUDE_AI, _is_there),
    "loglines": (CLAUDE_CODE, _is_there),
    "chats": (TELEGRAM, _has_list),
    "messages": (TELEGRAM, _has_dates),
}  # by a key of a first record: the format, and whether what stands there is of it
_JSON = re.compile(r".*\.json", re.IGNORECASE)


def detect_format(path: Path) -> str:
    """The format of the export at path, one of ``FORMATS``.

    Raises:
        ImportRefused: hostile, missing, or of no format known here.
    """
    with open_source(path) as source:
        return detect(source)


def detect(source: Source) -> str:
    """The same for a source that is open. Where there are exports of several formats, the one that
    is easiest to tell.
    """
    if taker := taker_of(source):
        raise ImportRefused(source.file, f"no chat export, but {taker}")
    found = next(_told(source), None)
    if found is None:
        known = (
            f"known are {', '.join(FORMATS)}; if it is one of these, name it, as in --format"
            f" {WHATSAPP} (in a program format=)"
        )
        raise ImportRefused(
            source.file, f"{_broken(source) or 'no chat export known here'}; {known}"
        )
    return found[1]


def formats_of(source: Source) -> dict[str, str]:
    """The format of each file that shows one; none where one file is all there is."""
    told: dict[str, str] = {}
    for name, format in _told(source) if len(source.names) > 1 else ():
        told.setdefault(name, format)
    return told


def _told(source: Source) -> Iterator[tuple[str, str]]:
    """Files that show which product they come from, each with its format; the surest signs
    first.
    """
    yield from ((name, SLACK) for name in source.find(slack.LISTS, alone=False))
    named = [
        name
        for pattern in (chatgpt.FILES, telegram.FILES)
        for name in source.find(pattern, alone=False)
    ]
    yield from _told_by_keys(source, named)
    yield from (
        (name, CLAUDE_CODE)
        for name in source.find(claude_code.FILES, alone=False)
        if not taker_of_file(source, name) and claude_code.looks_like(source, name)
    )
    yield from (
        (name, WHATSAPP)
        for name in source.find(whatsapp.FILES, alone=False)
        if whatsapp.looks_like(source, name)
    )
    others = [
        name
        for name in source.find(_JSON, alone=False)[: FILES_LOOKED_AT + len(named)]
        if name not in named
    ]
    yield from _told_by_keys(source, others[:FILES_LOOKED_AT])


def _told_by_keys(source: Source, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        if found := _by_keys(source, name):
            yield name, found


def _by_keys(source: Source, name: str) -> str | None:
    """The format whose key one of the first records has."""
    with source.open(name) as file:
        try:
            reader = JsonReader(file)
            for key in _keys(reader):
                format, fits = _KEYS.get(key, ("", None))
                if fits and fits(reader):
                    return format
            return None
        except (BrokenFile, BadRecord):
            return None


def _broken(source: Source) -> str:
    """Why the first file that should be JSON cannot be read; empty where all can."""
    for name in source.find(_JSON, alone=False)[:LOOKED_AT]:
        with source.open(name) as file:
            try:
                deque(_keys(JsonReader(file)), maxlen=0)
            except (BrokenFile, BadRecord) as problem:
                return f"no whole JSON{f' in {name}' if len(source.names) > 1 else ''}: {problem}"
    return ""


def _keys(reader: JsonReader) -> Iterator[str]:
    """The keys of the object a file holds, or of the first objects in its array."""
    if reader.kind == "object":
        yield from reader.fields()
    for _ in islice(reader.items(), LOOKED_AT):
        yield from reader.fields()
