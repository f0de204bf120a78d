"""An export of another product's memory: its files, and what they hold at a first look."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from omoide.exchange.accounts import unread_words
from omoide.exchange.archives import ExportFiles, open_source
from omoide.exchange.databases import Row, tables_of
from omoide.exchange.item_writer import ForeignStatement
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.problems import BadRecord, BrokenFile, Omission, Problem
from omoide.nouns.metadata import Json

ProductFinding: TypeAlias = ForeignStatement | Problem | Omission
ProductFindings: TypeAlias = Iterator[ProductFinding]
FILES_LOOKED_AT = 20
_JSON = re.compile(r".*\.(?:json|jsonl|af)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class JsonShape:
    """What a JSON file begins with.

    Attributes:
        top: The keys of its object, up to ``field``.
        field: The key of the first list of objects; empty where the file itself is that list.
        keys: The keys of the first object there.
    """

    top: frozenset[str]
    field: str = ""
    keys: frozenset[str] = frozenset()


class OpenExport:
    """An export that is open: a database with tables, or files."""

    def __init__(self, path: Path, source: ExportFiles) -> None:
        self.path, self.source = path, source
        self.tables = tables_of(path)

    @cached_property
    def shapes(self) -> dict[str, JsonShape]:
        """What the first JSON files begin with, by name; files that are not JSON are missing."""
        names = self.source.find(_JSON, alone=False)[:FILES_LOOKED_AT]
        found = {name: shape_of(self.source, name) for name in names if not self.tables}
        return {name: shape for name, shape in found.items() if shape is not None}

    def shaped(self, fits: Callable[[JsonShape], bool]) -> dict[str, JsonShape]:
        """The JSON files whose shape fits, each with its shape."""
        names = self.source.find(_JSON, alone=False) if not self.tables else ()
        shapes = {name: self.shapes.get(name) or shape_of(self.source, name) for name in names}
        return {name: shape for name, shape in shapes.items() if shape is not None and fits(shape)}

    def begins_with(self, fits: Callable[[JsonShape], bool]) -> bool:
        """Whether the shape of one of the first JSON files fits."""
        return any(fits(shape) for shape in self.shapes.values())

    def others(self, names: Iterable[str]) -> ProductFindings:
        """The files that are not read, as left out."""
        read = frozenset(names)
        yield from (Omission("files", 1, name) for name in self.source.names if name not in read)


@dataclass(frozen=True, slots=True)
class Product:
    """A product whose memory can be imported: whether an export is one of its own, and what the
    export holds.
    """

    is_in: Callable[[OpenExport], bool]
    read: Callable[[OpenExport], ProductFindings]


def of_json(
    fits: Callable[[JsonShape], bool],
    read: Callable[[OpenExport, Mapping[str, JsonShape]], ProductFindings],
) -> Product:
    """A product whose memory is in JSON files of a shape that fits; other files are left out."""

    def read_export(export: OpenExport) -> ProductFindings:
        files = export.shaped(fits)
        yield from read(export, files)
        yield from export.others(files)

    return Product(lambda export: export.begins_with(fits), read_export)


@contextmanager
def open_export(path: Path) -> Iterator[OpenExport]:
    """The export at path.

    Raises:
        ImportRefused: hostile or missing.
    """
    with open_source(path) as source:
        yield OpenExport(path, source)


def shape_of(source: ExportFiles, name: str) -> JsonShape | None:
    """What a JSON file begins with; None where it is not JSON."""
    top: set[str] = set()
    with source.open(name) as file:
        reader = JsonReader(file)
        try:
            if reader.kind == "array":
                return JsonShape(frozenset(), "", _first_keys(reader) or frozenset())
            for key in reader.fields():
                keys = _first_keys(reader)
                if keys is not None:
                    return JsonShape(frozenset(top), key, keys)
                top.add(key)
        except (BrokenFile, BadRecord):
            return JsonShape(frozenset(top)) if top else None
    return JsonShape(frozenset(top)) if top else None


def _first_keys(reader: JsonReader) -> frozenset[str] | None:
    """The keys of the first object of the list that stands next; None where there is none."""
    for _ in reader.items():
        return frozenset(reader.fields()) if reader.kind == "object" else None
    return None


def each_object(source: ExportFiles, name: str, field: str) -> Iterator[tuple[str, Any] | Problem]:
    """Each object of a list, with its place: of the list that a file holds, or of a field's."""
    with source.open(name) as file:
        reader = JsonReader(file)
        try:
            if not field:
                yield from _items(reader, name)
            else:
                for key in reader.fields():
                    if key == field:
                        yield from _items(reader, f"{name}: {field}")
        except (BrokenFile, BadRecord) as broken:
            yield Problem(name, f"not read further: {broken}")


def accounted(
    objects: Iterable[tuple[str, Row] | Problem], read: Callable[[str, Row], ProductFinding | None]
) -> ProductFindings:
    """What each object is read as, None where another tells the same; and its fields with words of
    which that tells nothing.
    """
    for found in objects:
        if isinstance(found, Problem):
            yield found
        elif (made := read(*found)) is not None:
            yield made
            yield from _unread(*found, made)


def _unread(place: str, row: Row, made: ProductFinding) -> Iterator[Omission]:
    """The words of an object that are neither in its statement nor left out with all of it."""
    if isinstance(made, ForeignStatement):
        said = made.said
        told: list[Json] = [said.text, *said.tags, *said.entities, dict(said.details.metadata)]
        yield from unread_words(row, place, *told)
    elif isinstance(made, Problem):
        yield from unread_words(row, place)


def _items(reader: JsonReader, place: str) -> Iterator[tuple[str, Any] | Problem]:
    for number in reader.items():
        try:
            value = reader.value()
        except BadRecord as bad:
            yield Problem(f"{place} {number}", str(bad))
            continue
        if isinstance(value, dict):
            yield f"{place} {number}", value
        else:
            yield Problem(f"{place} {number}", "no object")
