"""A folder of Markdown files, written from a memory and read back into it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from omoide.exchange.files.layout import FileEntry, Plan, entries_in, mark_of, page_of, plan_of
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput, NotFound
from omoide.nouns.item import Category, Details, Item, Source
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.settings.whole_file import whole_file
from omoide.tables.listing import Listing

NOTES = ".omoide.json"  # what was written: ids, and how each file was
_PAGE = 1_000
NAMES = tuple(f"{category}.md" for category in Category)


@frozen_record
class Synced:
    """How many items a folder added, corrected and removed."""

    added: int
    corrected: int
    forgotten: int


def write_files(
    memory: Memory, folder: Path, scope: Scope, *, sensitive: bool = False, force: bool = False
) -> int:
    """Write the open items of a scope, one file a category; return how many.

    Raises:
        InvalidInput: it is no folder, or holds edits that were not read and force is not set.
    """
    _check_folder(folder)
    if not force and _pages(folder) != _notes(folder)["files"]:
        raise InvalidInput(
            str(folder),
            "holds edits that were not read; run omoide files read, or write with --force, which"
            " drops them",
        )
    items = list(_open(memory, scope, sensitive=None if sensitive else False))
    _put_pages(folder, items)
    notes = {
        "user": scope.user,
        "sensitive": sensitive,
        "files": _pages(folder),
        "items": sorted(item.id for item in items),
    }
    with whole_file(folder / NOTES) as out:
        json.dump(notes, out, indent=1)
    return len(items)


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(str(folder), "is not a folder")


def _put_pages(folder: Path, items: list[Item]) -> None:
    """Write the file of each category that has items, and remove that of any other."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for category in Category:
        path = folder / f"{category}.md"
        if found := [item for item in items if item.category is category]:
            with whole_file(path) as out:
                out.write(page_of(category, found))
        else:
            path.unlink(missing_ok=True)


def read_plan(memory: Memory, folder: Path, scope: Scope) -> Plan:
    """What the edits of a folder come to; nothing is changed.

    Raises:
        InvalidInput: the folder was not written, or for somebody else; or a file cannot be read.
    """
    _check_folder(folder)
    notes = _notes(folder)
    if not notes["items"] and not (folder / NOTES).exists():
        raise InvalidInput(str(folder), "was not written by omoide files write")
    if notes["user"] != scope.user:
        raise InvalidInput("user", f"the folder was written for {notes['user']}; name that user")
    entries = [entry for name in NAMES for entry in _entries(folder / name)]
    _check_marks(entries)
    return plan_of(entries, notes["items"], {one.id: one for one in _open(memory, scope)})


def _check_marks(entries: list[FileEntry]) -> None:
    """That no two entries have the same mark."""
    known: dict[str, str] = {}
    for entry in entries:
        if entry.id in known:
            raise InvalidInput(entry.place, f"has the mark of {known[entry.id]}; take one away")
        known |= {entry.id: entry.place} if entry.id else {}


def carry_out(
    memory: Memory, folder: Path, scope: Scope, plan: Plan, may_forget: Callable[[Item], bool]
) -> Synced:
    """Do what a plan without conflicts says, and write the folder anew.

    An item whose entry was removed is forgotten where ``may_forget`` says so, or else written
    again.
    """
    gone = [item for item in plan.removed if may_forget(item)]
    _store(memory, scope, plan)
    for item in gone:
        memory.forget(item.id, scope)
    write_files(memory, folder, scope, sensitive=_notes(folder)["sensitive"], force=True)
    return Synced(added=len(plan.added), corrected=len(plan.corrected), forgotten=len(gone))


def _store(memory: Memory, scope: Scope, plan: Plan) -> None:
    mine = Details(source=Source.USER)
    for entry in plan.corrected:
        memory.correct(entry.id, entry.text, scope, details=mine)
    for entry in plan.added:
        memory.remember(entry.text, scope, category=entry.category, details=mine)


def conflict_of(memory: Memory, scope: Scope, entry: FileEntry) -> str:
    """What happened to an item that was edited in a file and closed in the store; what to do."""
    item = _newest(memory, scope, entry.id)
    if item is None or not item.is_open:
        return (
            f"{entry.place}: item {entry.id} was closed since; remove the entry, or take its mark"
            " away to add it as new"
        )
    return (
        f"{entry.place}: item {entry.id} was changed since, to: {item.text}\n  to replace that by"
        f" your text, give the entry the mark {mark_of(item)}"
    )


def _newest(memory: Memory, scope: Scope, id: str) -> Item | None:
    """What an item became; None where it is gone."""
    try:
        item = memory.get(id, scope)
    except NotFound:
        return None
    if not isinstance(item, Item):
        return None
    return _newest(memory, scope, item.superseded_by) if item.superseded_by else item


def _open(memory: Memory, scope: Scope, *, sensitive: bool | None = None) -> Iterator[Item]:
    """The open items of a scope."""
    listing = Listing(sensitive=sensitive, sort="created_at", descending=False, limit=_PAGE)
    while True:
        page = memory.items.list(listing, scope)
        yield from page.items
        if page.is_last:
            return
        listing = replace(listing, offset=listing.offset + _PAGE)


def _entries(path: Path) -> Iterator[FileEntry]:
    if path.exists():
        try:
            page = path.read_bytes().decode()
        except ValueError:
            raise InvalidInput(str(path), "must be UTF-8") from None
        yield from entries_in(path.name, page)


def _pages(folder: Path) -> dict[str, str]:
    """A hash of each file that is there."""
    found = (folder / name for name in NAMES)
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in found if path.exists()}


def _notes(folder: Path) -> dict[str, Any]:
    """What was written into a folder; nothing where that was never done."""
    empty: dict[str, Any] = {"user": None, "sensitive": False, "files": {}, "items": []}
    try:
        return empty | dict(parse_json((folder / NOTES).read_bytes()))
    except FileNotFoundError:
        return empty
    except (ValueError, TypeError):
        raise InvalidInput(str(folder / NOTES), "is damaged; write with --force") from None
