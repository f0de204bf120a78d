"""Folders of basic-memory: Markdown notes with front matter, observations and relations.

Each observation and each relation becomes an item, and so does the text of a note besides them. A
note is known by its permalink, a line by its words. Layout: NOTE-FORMAT.md of
github.com/basicmachines-co/basic-memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import yaml

from omoide.exchange.item_writer import ForeignStatement, short_digest
from omoide.exchange.problems import Omission, Problem
from omoide.exchange.products.export import OpenExport, ProductFindings
from omoide.exchange.products.words import about, details, names, statement
from omoide.exchange.shape import iso
from omoide.nouns.item import Category

NOTES = re.compile(r".*\.md", re.IGNORECASE)
NOTES_LOOKED_AT = 20
NOTE_LIMIT = 2**20  # bytes of a note
_FRONT = re.compile(r"\A---\n(.*?)\n---(?:\n|\Z)", re.DOTALL)
_OBSERVATION = re.compile(r"\s*[-*+] \[(?![ xX-]\])([^\[\]()]*)\]\s+(\S.*)")
_TAGGED = re.compile(r"\s*[-*+] (?!\[)(.*(?:^|\s)#\S.*)")
_RELATION = re.compile(r"\s*[-*+] ([^\[\]]*)\[\[([^\[\]]+)\]\](?:\s*\((.*)\))?\s*")
_CONTEXT = re.compile(r"(.*\S)\s*\(([^()]*)\)\s*")
_TAG = re.compile(r"(?:^|\s)#([^\s#]+)")
_HEADING = re.compile(r"\s*#+ (?:Observations|Relations)\s*|\s*", re.IGNORECASE)
_LINK = re.compile(r"\[\[([^\[\]|]+)")
_FENCE = re.compile(r"\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class _BasicNote:
    """A note: its front matter, and what all of its items share."""

    id: str
    title: str
    kind: str
    tags: list[str]
    at: datetime | None
    place: str


def is_in(export: OpenExport) -> bool:
    """Whether the front matter of one of the first notes has a permalink and a type."""
    notes = export.source.find(NOTES, alone=False)[:NOTES_LOOKED_AT]
    return any({"permalink", "type"} <= _front(_text(export, name) or "").keys() for name in notes)


def read(export: OpenExport) -> ProductFindings:
    """Every observation, relation and text."""
    notes = export.source.find(NOTES, alone=False)
    for name in notes:
        text = _text(export, name)
        if text is None:
            yield Problem(name, f"over {NOTE_LIMIT // 2**20} MB")
        else:
            yield from _of_note(_note(export, name, _front(text)), _FRONT.sub("", text))
    yield from export.others(notes)


def _text(export: OpenExport, name: str) -> str | None:
    """The text of a note; None where it is too long."""
    with export.source.open(name) as file:
        data = file.read(NOTE_LIMIT + 1)
    return None if len(data) > NOTE_LIMIT else data.decode(errors="replace").replace("\r\n", "\n")


def _front(text: str) -> dict[str, Any]:
    """The front matter; empty where there is none that can be read."""
    found = _FRONT.match(text)
    try:
        front = yaml.safe_load(found[1]) if found else {}
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return front if isinstance(front, dict) else {}


def _note(export: OpenExport, name: str, front: dict[str, Any]) -> _BasicNote:
    tags = front.get("tags") or ()
    tags = tags.split(",") if isinstance(tags, str) else tags if isinstance(tags, list) else ()
    told = (_time(front.get(key)) for key in ("modified", "updated", "created", "date"))
    stem = name.rpartition(".")[0]
    return _BasicNote(
        id=str(front.get("permalink") or stem),
        title=str(front.get("title") or stem.rpartition("/")[2]),
        kind=str(front.get("type") or "note"),
        tags=names(tag.lstrip("#") for tag in tags if isinstance(tag, str)),
        at=next(filter(None, told), None) or export.source.changed_at(name),
        place=name,
    )


def _time(value: object) -> datetime | None:
    return iso(value.isoformat() if isinstance(value, date) else str(value), UTC)


def _of_note(note: _BasicNote, body: str) -> ProductFindings:
    """The items of a note, line by line; lines in code are text."""
    rest: list[str] = []
    in_code = False
    for line in body.split("\n"):
        in_code ^= bool(_FENCE.match(line))
        record = None if in_code else _relation(note, line) or _observation(note, line)
        if record is not None:
            yield record
        elif in_code or not _HEADING.fullmatch(line):
            rest.append(line)
    yield from _prose(note, "\n".join(rest).strip())


def _relation(note: _BasicNote, line: str) -> ForeignStatement | None:
    found = _RELATION.fullmatch(line)
    if found is None:
        return None
    how, target = found[1].strip() or "relates_to", found[2].partition("|")[0].strip()
    text = f"{note.title} {how.replace('_', ' ')} {target}"
    told = details(note.at, relation=how, context=found[3], note=note.id)
    said = statement(text, tags=note.tags, entities=(note.title, target), details=told)
    return ForeignStatement(id=f"{note.id}>{how}>{target}", place=note.place, said=said)


def _observation(note: _BasicNote, line: str) -> ForeignStatement | None:
    if found := _OBSERVATION.fullmatch(line):
        category, told = found[1].strip(), found[2]
    elif tagged := _TAGGED.fullmatch(line):
        category, told = "", tagged[1]
    else:
        return None
    context = _CONTEXT.fullmatch(told)
    words, around = (context[1], context[2]) if context else (told.strip(), None)
    said = statement(
        about(note.title, words),
        category=category.lower(),
        tags=(*filter(None, [category]), *_TAG.findall(words), *note.tags),
        entities=(note.title,),
        details=details(note.at, context=around, note=note.id, note_type=note.kind),
    )
    return ForeignStatement(id=f"{note.id}#{short_digest(told)}", place=note.place, said=said)


def _prose(note: _BasicNote, text: str) -> Iterator[ForeignStatement | Omission]:
    """What a note says besides, whole."""
    if text in ("", f"# {note.title}"):
        return
    said = statement(
        about(note.title, text),
        category=Category.NOTE,
        tags=note.tags,
        entities=(note.title, *dict.fromkeys(_LINK.findall(text))),
        details=details(note.at, note=note.id, note_type=note.kind),
    )
    yield ForeignStatement(id=note.id, place=note.place, said=said)
