"""Reads the rows of a SQLite file straight from its pages, so that damage elsewhere does not
matter.

Source: "Database File Format", sqlite.org/fileformat2.html, sections 1.3 (header), 1.5 to 1.6
(b-trees, cells and their overflow) and 2.1 (records).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TypeAlias

# of a store; seven vectors of the default embedder fit, where 4,096 hold three and waste a quarter
PAGE_BYTES = 8_192
SqlValue: TypeAlias = int | float | str | bytes | None

# kinds of pages: of tables, and of trees ordered by a key
LEAF, INTERIOR, KEYED_LEAF, KEYED_INTERIOR = 13, 5, 10, 2
_CONSTANTS: dict[int, SqlValue] = {0: None, 8: 0, 9: 1}
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class Damaged(Exception):
    """These bytes are no cell or record."""


class Pages:
    """The pages of a file, numbered from 1."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = _page_bytes(data)
        # encryption keeps 32 to itself
        self._usable = self.size - (data[20] if len(data) > 20 and data[20] in (0, 32) else 0)
        self.count = len(data) // self.size

    def kind(self, page: int) -> int:
        """The kind of a page; any other number where it belongs to no tree."""
        return self._data[self._start(page)]

    def children(self, page: int) -> list[int]:
        """The pages below an interior one, as far as they can be."""
        header = self._start(page)
        found = [int.from_bytes(self._data[cell : cell + 4]) for cell in self._cells(page)]
        found.append(int.from_bytes(self._data[header + 8 : header + 12]))
        return [child for child in found if 1 < child <= self.count]

    def rows(self, page: int) -> Iterator[tuple[int, list[SqlValue]]]:
        """The sound records of a page with their row numbers, 0 in a tree ordered by a key. Others
        are passed over.
        """
        kind = self.kind(page)
        for cell in self._cells(page):
            try:
                at = cell + 4 if kind == KEYED_INTERIOR else cell
                length, at = varint(self._data, at)
                row, at = varint(self._data, at) if kind == LEAF else (0, at)
                yield row, _record(self._payload(page, at, length, is_table=kind == LEAF))
            except (Damaged, IndexError, struct.error, UnicodeDecodeError):
                continue

    def _start(self, page: int) -> int:
        return (page - 1) * self.size + (100 if page == 1 else 0)

    def _cells(self, page: int) -> list[int]:
        """Where the cells of a page begin."""
        header, base = self._start(page), (page - 1) * self.size
        pointers = header + (12 if self.kind(page) in (INTERIOR, KEYED_INTERIOR) else 8)
        count = min(
            int.from_bytes(self._data[header + 3 : header + 5]), (base + self.size - pointers) // 2
        )
        places = (
            int.from_bytes(self._data[at : at + 2])
            for at in range(pointers, pointers + 2 * count, 2)
        )
        return [base + place for place in places if pointers - base <= place < self._usable]

    def _here(self, length: int, *, is_table: bool) -> int:
        """How many bytes of a cell are on its own page."""
        room = self._usable
        most = room - 35 if is_table else (room - 12) * 64 // 255 - 23
        if length <= most:
            return length
        least = (room - 12) * 32 // 255 - 23
        here = least + (length - least) % (room - 4)
        return here if here <= most else least

    def _payload(self, page: int, at: int, length: int, *, is_table: bool) -> bytes:
        """A cell's bytes, from its page and those it overflows to."""
        room, here = self._usable, self._here(length, is_table=is_table)
        if length > len(self._data) or at + here > page * self.size:
            raise Damaged
        found = bytearray(self._data[at : at + here])
        following = int.from_bytes(self._data[at + here : at + here + 4]) if here < length else 0
        while len(found) < length:
            if not 1 < following <= self.count:
                raise Damaged
            start = (following - 1) * self.size
            found += self._data[start + 4 : start + min(room, 4 + length - len(found))]
            following = int.from_bytes(self._data[start : start + 4])
        return bytes(found)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at a place, and the place after it: 7 bits a byte, and 8 in the
    ninth.
    """
    value = 0
    for index in range(8):
        byte = data[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _page_bytes(data: bytes) -> int:
    size = int.from_bytes(data[16:18])
    size = 65_536 if size == 1 else size
    return size if 512 <= size <= 65_536 and size.bit_count() == 1 else PAGE_BYTES


def _record(payload: bytes) -> list[SqlValue]:
    """The values of a record."""
    header, at = varint(payload, 0)
    types = []
    while at < header:
        kind, at = varint(payload, at)
        types.append(kind)
    values = []
    for kind in types:
        value, at = _value(payload, at, kind)
        values.append(value)
    if at != len(payload) or not types:
        raise Damaged
    return values


def _value(payload: bytes, at: int, kind: int) -> tuple[SqlValue, int]:
    if kind in _CONSTANTS:
        return _CONSTANTS[kind], at
    if kind == 7:
        return struct.unpack_from(">d", payload, at)[0], at + 8
    if size := _INTEGER_BYTES.get(kind):
        return int.from_bytes(payload[at : at + size], signed=True), at + size
    if kind < 12:
        raise Damaged
    size = (kind - 12) // 2
    data = payload[at : at + size]
    return data.decode() if kind % 2 else data, at + size
