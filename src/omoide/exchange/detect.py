"""Which product an export comes from, by its file names and the first keys of its JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from omoide.errors import ImportRefused
from omoide.exchange import chatgpt, claude_code, slack, telegram, whatsapp
from omoide.exchange.archives import Source, open_source
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.options import CHATGPT, CLAUDE_AI, CLAUDE_CODE, FORMATS, SLACK, TELEGRAM, WHATSAPP
from omoide.exchange.problems import BadRecord, BrokenFile

LOOKED_AT = 20  # records of a file whose keys are read

_KEYS = {"mapping": CHATGPT, "chat_messages": CLAUDE_AI, "loglines": CLAUDE_CODE, "chats": TELEGRAM, "messages": TELEGRAM}
_JSON = re.compile(r".*\.json", re.IGNORECASE)


def detect_format(path: Path) -> str:
    """The format of the export at path, one of ``FORMATS``.

    Raises:
        ImportRefused: hostile, missing, or of no format known here.
    """
    with open_source(path) as source:
        return detect(source)


def detect(source: Source) -> str:
    """The same for a source that is open."""
    if source.find(slack.LISTS, alone=False):
        return SLACK
    for pattern in (chatgpt.FILES, telegram.FILES):
        for name in source.find(pattern, alone=False):
            if found := _by_keys(source, name):
                return found
    if source.find(claude_code.FILES, alone=False):
        return CLAUDE_CODE
    if any(whatsapp.looks_like(source, name) for name in source.find(whatsapp.FILES, alone=False)):
        return WHATSAPP
    for name in source.find(_JSON, alone=False)[:LOOKED_AT]:
        if found := _by_keys(source, name):
            return found
    raise ImportRefused(source.label, f"no chat export known here; say which format it has: {', '.join(FORMATS)}")


def _by_keys(source: Source, name: str) -> str | None:
    """The format whose key one of the first records has."""
    with source.open(name) as file:
        try:
            return next((_KEYS[key] for key in _keys(JsonReader(file)) if key in _KEYS), None)
        except (BrokenFile, BadRecord):
            return None


def _keys(reader: JsonReader) -> Iterator[str]:
    """The keys of the object a file holds, or of the first objects in its array."""
    if reader.kind == "object":
        yield from reader.fields()
    for _ in islice(reader.items(), LOOKED_AT):
        yield from reader.fields()
