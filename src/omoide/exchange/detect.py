"""Which product an export comes from, by its file names and the first keys of its JSON."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from omoide.exchange.archives import ExportFiles, open_source
from omoide.exchange.formats import (
    chatgpt,
    claude_code,
    codex,
    gemini_cli,
    mail,
    signal,
    slack,
    telegram,
    transcript,
    whatsapp,
)
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.options import FORMATS, MEMORIES
from omoide.exchange.problems import BadRecord, BrokenFile
from omoide.exchange.takers import taker_of, taker_of_file
from omoide.nouns.errors import ImportRefused

LOOKED_AT = 20  # records of a file whose keys are read
FILES_LOOKED_AT = 1_000  # JSON files whose names say nothing


def _of_chats(reader: JsonReader) -> str | None:
    """Telegram's, if the chats of an account stand there."""
    return "telegram" if any(key == "list" for key in reader.fields()) else None


def _of_messages(reader: JsonReader) -> str | None:
    """The format whose keys one of the first messages there has."""
    for _ in islice(reader.records(), LOOKED_AT):
        seen: set[str] = set()
        for key in reader.fields():
            seen.add(key)
            for keys, format in _MESSAGE_KEYS:
                if keys <= seen:
                    return format
    return None


_MESSAGE_KEYS = (
    (frozenset({"type", "date"}), "telegram"),
    (frozenset({"type", "date_unixtime"}), "telegram"),
    (frozenset({"type", "timestamp", "author", "content"}), "discord"),
    (frozenset({"sender_name", "timestamp_ms"}), "instagram"),
)
# by a key of a first record: which format it is, by what stands there
_KEYS: dict[str, Callable[[JsonReader], str | None]] = {
    "mapping": lambda reader: None if reader.kind == "scalar" else "chatgpt",
    "chat_messages": lambda reader: None if reader.kind == "scalar" else "claude_ai",
    "projectHash": lambda reader: "gemini_cli",
    "loglines": lambda reader: None if reader.kind == "scalar" else "claude_code",
    "chats": _of_chats,
    "messages": _of_messages,
}
_JSON = re.compile(r".*\.json", re.IGNORECASE)


def detect_format(path: Path) -> str:
    """The format of the export at path, one of ``FORMATS``.

    Raises:
        ImportRefused: hostile, missing, or of no format known here.
    """
    with open_source(path) as source:
        return detect(source)


def detect(source: ExportFiles) -> str:
    """The same for a source that is open. Where there are exports of several formats, the one that
    is easiest to tell.
    """
    if taker := taker_of(source):
        raise ImportRefused(source.file, f"not a chat export, but {taker}")
    found = next(_told(source), None)
    if found is None:
        known = (
            f"known are {', '.join(FORMATS)}, and memories of {', '.join(MEMORIES)}; if it is one"
            f" of these, name it, as in --format whatsapp (in a program format=); messages,"
            " statements and archives have omoide ingest, items add-many and admin load"
        )
        raise ImportRefused(
            source.file, f"{_broken(source) or 'not a chat export that Omoide can read'}; {known}"
        )
    return found[1]


def formats_of(source: ExportFiles) -> dict[str, str]:
    """The format of each file that shows one; none where one file is all there is."""
    told: dict[str, str] = {}
    for name, format in _told(source) if len(source.names) > 1 else ():
        told.setdefault(name, format)
    return told


def _told(source: ExportFiles) -> Iterator[tuple[str, str]]:
    """Files that show which product they come from, each with its format; the surest signs
    first.
    """
    yield from ((name, "slack") for name in _find(source, slack.LISTS))
    named = [*_find(source, chatgpt.FILES), *_find(source, telegram.FILES)]
    yield from _told_by_keys(source, named)
    lined = [n for n in _find(source, claude_code.FILES) if not taker_of_file(source, n)]
    yield from _told_by_looks(source, lined, _BY_LINES)
    for files, look in _BY_LOOKS:
        names = [name for name in _find(source, files) if name not in lined]
        yield from _told_by_looks(source, names, (look,))
    likely = _find(source, _JSON)[: FILES_LOOKED_AT + len(named)]
    others = [name for name in likely if name not in named]
    yield from _told_by_keys(source, others[:FILES_LOOKED_AT])
    texts = _find(source, transcript.FILES)
    yield from _told_by_looks(source, texts, (("transcript", transcript.looks_like),))


def _find(source: ExportFiles, files: re.Pattern[str]) -> tuple[str, ...]:
    return source.find(files, alone=False)


_BY_LOOKS = (
    (mail.FILES, ("mail", mail.looks_like)),
    (whatsapp.FILES, ("whatsapp", whatsapp.looks_like)),
    (signal.FILES, ("signal", signal.looks_like)),
)
_BY_LINES = (
    ("codex", codex.looks_like),
    ("gemini_cli", gemini_cli.looks_like),
    ("signal", signal.looks_like),
    ("claude_code", claude_code.looks_like),
)


def _told_by_looks(
    source: ExportFiles,
    names: Iterable[str],
    looks: Iterable[tuple[str, Callable[[ExportFiles, str], bool]]],
) -> Iterator[tuple[str, str]]:
    for name in names:
        found = next((format for format, looks_like in looks if looks_like(source, name)), None)
        if found:
            yield name, found


def _told_by_keys(source: ExportFiles, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        if found := _by_keys(source, name):
            yield name, found


def _by_keys(source: ExportFiles, name: str) -> str | None:
    """The format whose key one of the first records has."""
    with source.open(name) as file:
        try:
            reader = JsonReader(file)
            for key in _keys(reader):
                if key in _KEYS and (format := _KEYS[key](reader)):
                    return format
            return None
        except (BrokenFile, BadRecord):
            return None


def _broken(source: ExportFiles) -> str:
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
