"""The members of a zip, and of the zips inside it, as streams.

A zip is refused whole when its directory shows what no chat export has: names that leave the
folder, links and devices, passwords, duplicates, overlaps, far more members than bytes for them, or
sizes that promise more than ``RATIO_LIMIT`` times what is stored. Its directory is measured before
it is parsed.
"""

from __future__ import annotations

import io
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import IO, Protocol

from omoide.exchange.streams import File
from omoide.nouns.errors import ImportRefused

MEMBER_LIMIT = 30_000  # members of any zip, with those of zips inside it
# members of a large zip, which has so many bytes for each: one a day and channel
MEMBER_MOST, MEMBER_BYTES = 1_000_000, 160
DIRECTORY_LIMIT = 6 * 2**20  # bytes of any zip's directory
# bytes of a large zip's directory, which is at most a third of it
DIRECTORY_MOST, DIRECTORY_SHARE = 128 * 2**20, 3
NAME_LIMIT = 1_024  # characters of a member's name
RATIO_LIMIT = 100  # uncompressed to compressed, once over RATIO_FREE bytes
RATIO_FREE = 16 * 2**20
INNER_LIMIT = 16 * 2**20  # bytes of a compressed zip inside a zip; a stored one may have any size
LOCAL_HEADER = 30  # bytes in front of a member's name
SIGNATURE = b"PK\1\2"  # starts each entry of a zip's directory
PARTS = re.compile(r"(?:.*/)?conversations[^/]*\.zip", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:")
# what zipfile raises of a zip that is not whole
_DAMAGES = (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError)


class Seekable(Protocol):
    """What a zip is read from."""

    def seek(self, offset: int, whence: int = ..., /) -> int:
        """Move to offset."""
        ...

    def read(self, size: int = ..., /) -> bytes:
        """At most size bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Zip:
    """A zip while its members are looked at: its bytes and how many, what errors call it, what
    stands before the names of its members, and whether it is inside another.
    """

    file: Seekable
    size: int
    place: str
    prefix: str = ""
    is_inner: bool = False


def add_zip(files: dict[str, File], found: Zip, stack: ExitStack) -> None:
    """Every file of a zip, and of the parts inside it.

    Raises:
        ImportRefused: hostile, damaged, or zips nested deeper than once.
    """
    archive = stack.enter_context(_open_zip(found))
    members = archive.infolist()
    _check_sizes(found.place, members, found.size)
    seen: set[str] = set()
    for member in members:
        _check_member(found.place, member, seen)
        if member.is_dir():
            continue
        if PARTS.fullmatch(member.filename):
            add_zip(files, _inner_zip(found, archive, member), stack)
        else:
            opened = partial(_open_member, archive, member)
            name = found.prefix + member.filename
            files[name] = File(opened, member.file_size, _stamp(member))
    if found.is_inner and len(files) > MEMBER_LIMIT:
        raise ImportRefused(found.place, f"more than {MEMBER_LIMIT} members")


def _open_zip(found: Zip) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(_FileStretch(found.place, found.file, 0, found.size))
    except (*_DAMAGES, zlib.error) as error:
        raise ImportRefused(found.place, f"not a readable zip: {error}") from error


def _check_sizes(place: str, members: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse members that overlap or that promise far more than is stored."""
    total = sum(member.file_size for member in members)
    stored = sum(member.compress_size for member in members)
    if promise := _promise(stored, total):
        raise ImportRefused(place, promise)
    ordered = sorted(members, key=lambda member: member.header_offset)
    ends = [*(member.header_offset for member in ordered[1:]), size]
    for member, end in zip(ordered, ends, strict=True):
        if (
            member.header_offset < 0
            or member.header_offset + LOCAL_HEADER + member.compress_size > end
        ):
            raise ImportRefused(place, f"{member.filename!r} overlaps another member or the end")


def _check_member(place: str, member: zipfile.ZipInfo, seen: set[str]) -> None:
    """Refuse a member that no export has."""
    name = unicodedata.normalize("NFC", member.orig_filename)
    problem = "two members have this name" if name in seen else _problem(name, member)
    if problem:
        raise ImportRefused(place, f"{name[:100]!r}: {problem}")
    seen.add(name)


def _problem(name: str, member: zipfile.ZipInfo) -> str:
    """Why no export has such a member; empty where one may."""
    size, stored = member.file_size, member.compress_size
    if not _is_plain(name):
        return "the name leaves the folder or cannot be a file's"
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "a link or device"
    if member.flag_bits & (0x1 | 0x40 | 0x2000):
        return "needs a password; unlock it first"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"compression method {member.compress_type} is not read"
    return _promise(stored, size)


def _promise(stored: int, size: int) -> str:
    """The problem of bytes that promise far more than there are."""
    is_free = size <= max(RATIO_FREE, RATIO_LIMIT * stored)
    return "" if is_free else f"{stored} bytes promise {size}: over {RATIO_LIMIT} times"


def _is_plain(name: str) -> bool:
    """A relative name that stays below its folder on any system."""
    if not name or len(name) > NAME_LIMIT or "\\" in name or _DRIVE.match(name):
        return False
    if any(part in ("", ".", "..") for part in name.removesuffix("/").split("/")):
        return False
    return not _CONTROL.search(name)


def _inner_zip(outer: Zip, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Zip:
    """A zip inside a zip: a window where it is stored, else in memory.

    Raises:
        ImportRefused: a third one, or damaged, or too large to be unpacked.
    """
    place, prefix = f"{outer.place}/{member.filename}", f"{outer.prefix}{member.filename}/"
    if outer.is_inner:
        raise ImportRefused(place, "a zip in a zip in a zip")
    if member.compress_type == zipfile.ZIP_STORED:
        start, size = _start_of(outer.file, member), member.compress_size
        return Zip(_FileStretch(outer.place, outer.file, start, size), size, place, prefix, True)
    if member.file_size > INNER_LIMIT:
        told = f"a compressed zip of over {INNER_LIMIT} bytes in a zip; unpack the outer one"
        raise ImportRefused(place, told)
    with _open_member(archive, member) as stream:
        try:
            data = io.BytesIO(stream.read(member.file_size))
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ImportRefused(place, f"damaged: {error}") from error
    return Zip(data, member.file_size, place, prefix, True)


def _start_of(file: Seekable, member: zipfile.ZipInfo) -> int:
    """Where the bytes of a stored member begin."""
    file.seek(member.header_offset)
    header = file.read(LOCAL_HEADER)
    lengths = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
    return member.header_offset + len(header) + sum(lengths)


def _open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return archive.open(member)
    except (*_DAMAGES, RuntimeError) as error:
        raise ImportRefused(member.filename, f"damaged: {error}") from error


def _stamp(member: zipfile.ZipInfo) -> datetime | None:
    """When a member was changed, in a zone that a zip does not tell."""
    try:
        return datetime(*member.date_time, tzinfo=UTC)
    except ValueError:
        return None


class _FileStretch(io.RawIOBase):
    """A stretch of a file as a file of its own, which refuses to hand out a hostile zip directory.

    A zip reader takes the directory in one read and makes a record of every signature in it, so
    that is where its size and its number of members are still cheap to measure.
    """

    def __init__(self, place: str, file: Seekable, start: int, size: int) -> None:
        self._place, self._file, self._start, self._size = place, file, start, size
        self._at = 0
        # what is kept of a member takes no more memory than a few times what the zip has on disk
        # for it
        self._members = max(MEMBER_LIMIT, min(MEMBER_MOST, size // MEMBER_BYTES))
        self._directory = max(DIRECTORY_LIMIT, min(DIRECTORY_MOST, size // DIRECTORY_SHARE))

    def seekable(self) -> bool:
        """True."""
        return True

    def readable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """The position, from the start of the stretch."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to offset.

        Raises:
            OSError: before the start.
        """
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("seek before the start")
        self._at = base + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """At most size bytes, to the end where it is negative or None.

        Raises:
            ImportRefused: more bytes, or more directory entries, at once than a zip of this size
                has.
        """
        left = max(0, self._size - self._at)
        wanted = left if size is None or size < 0 else min(size, left)
        if wanted > self._directory:
            raise ImportRefused(
                self._place,
                f"its directory has {wanted} bytes, over {self._directory}; unpack it and import"
                " the folder",
            )
        self._file.seek(self._start + self._at)
        data = self._file.read(wanted)
        self._at += len(data)
        if data.count(SIGNATURE) > self._members:
            raise ImportRefused(
                self._place, f"more than {self._members} members; unpack it and import the folder"
            )
        return data
