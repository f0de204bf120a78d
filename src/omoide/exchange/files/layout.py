"""How items stand in a Markdown file: one list entry each, with the item's id and the version of
its text in a comment at its end. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Item
from omoide.nouns.record.frozen import frozen_record

_MARK = re.compile(r"(?<!\s)\s*<!-- omoide:(\S+) ([0-9a-f]{12}) -->\s*\Z")


@frozen_record
class FileEntry:
    """An entry of a file. id and version are empty where a person added it."""

    place: str  # file:line
    category: str
    text: str
    id: str = ""
    version: str = ""

    @property
    def is_edited(self) -> bool:
        """Whether the text is another than was written."""
        return bool(self.id) and version_of(self.text) != self.version


@frozen_record
class Plan:
    """What the edits of a folder come to. Nothing may be done while there are conflicts."""

    added: tuple[FileEntry, ...] = ()
    corrected: tuple[FileEntry, ...] = ()
    removed: tuple[Item, ...] = ()
    conflicts: tuple[FileEntry, ...] = ()  # edited here, and closed in the store since


def plan_of(entries: Iterable[FileEntry], written: Iterable[str], held: Mapping[str, Item]) -> Plan:
    """Compare the entries of a folder with the ids that were written, and with the open items."""
    entries = list(entries)
    edited = [entry for entry in entries if entry.is_edited]
    there = {entry.id for entry in entries}
    return Plan(
        added=tuple(entry for entry in entries if not entry.id),
        corrected=tuple(entry for entry in edited if _is_as_written(entry, held)),
        removed=tuple(held[id] for id in written if id in held and id not in there),
        conflicts=tuple(entry for entry in edited if not _is_as_written(entry, held)),
    )


def _is_as_written(entry: FileEntry, held: Mapping[str, Item]) -> bool:
    item = held.get(entry.id)
    return item is not None and version_of(item.text) == entry.version


def version_of(text: str) -> str:
    """What changes with a text, and not with the white space at the ends of its lines."""
    return sha256(_plain(text).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def mark_of(item: Item) -> str:
    """The comment that names an item and its version."""
    return f"<!-- omoide:{item.id} {version_of(item.text)} -->"


def page_of(category: str, items: Iterable[Item]) -> str:
    """The file of a category: a heading, and the items, oldest first."""
    ordered = sorted(items, key=lambda item: (item.created_at, item.id))
    entries = (f"- {_indented(item.text)} {mark_of(item)}\n" for item in ordered)
    return f"# {category}\n\n{''.join(entries)}"


def entries_in(name: str, page: str) -> Iterator[FileEntry]:
    """The entries of a file of this name, whose stem is the category.

    Raises:
        InvalidInput: a line belongs to no entry.
    """
    number, lines = 0, list[str]()
    for at, line in enumerate(page.split("\n"), start=1):
        if line.startswith(("- ", "* ")):
            yield from _entry(name, number, lines)
            number, lines = at, [line[2:]]
        elif lines and line.startswith(("  ", "\t")):
            lines.append(line.removeprefix("\t") if line[0] == "\t" else line[2:])
        elif not line.strip():
            lines += [""] * bool(lines)
        elif not line.startswith("#"):
            raise InvalidInput(
                f"{name}:{at}", "start an entry with '- ', and indent its next lines"
            )
    yield from _entry(name, number, lines)


def _entry(name: str, number: int, lines: list[str]) -> Iterator[FileEntry]:
    said = _plain("\n".join(lines))
    mark = _MARK.search(said)
    text = said[: mark.start()] if mark else said
    if text:  # an entry that was emptied counts as removed
        id, version = mark.groups() if mark else ("", "")
        category = name.removesuffix(".md")
        yield FileEntry(
            place=f"{name}:{number}", category=category, text=text, id=id, version=version
        )


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def _indented(text: str) -> str:
    first, *rest = _plain(text).split("\n")
    return "\n".join([first, *(f"  {line}" if line else "" for line in rest)])
