"""A file, a folder or a zip as one set of named streams.

Nothing is ever written or extracted: members are read as streams, their names are only labels. A
zip is refused whole when its directory shows what no chat export has: names that leave the folder,
links and devices, passwords, duplicates, overlaps, far more members than bytes for them, or sizes
that promise more than ``RATIO_LIMIT`` times what is stored. Memory stays bounded: a zip's directory
is measured before it is parsed, and streams are read in pieces.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from omoide.exchange.lines import LINE_LIMIT, each_line
from omoide.exchange.problems import BrokenFile, Problem
from omoide.nouns.errors import ImportRefused
from omoide.nouns.ids import check_path

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MEMBER_LIMIT = 30_000  # members of any zip, with those of zips inside it
MEMBER_MOST, MEMBER_BYTES = (
    1_000_000,
    160,
)  # members of a large zip, which has so many bytes for each: one a day and channel
FOLDER_LIMIT = 1_000_000  # files below one folder
DIRECTORY_LIMIT = 6 * 2**20  # bytes of any zip's directory
DIRECTORY_MOST, DIRECTORY_SHARE = (
    128 * 2**20,
    3,
)  # bytes of a large zip's directory, which is at most a third of it
NAME_LIMIT = 1_024  # characters of a member's name
RATIO_LIMIT = 100  # uncompressed to compressed, once over RATIO_FREE bytes
RATIO_FREE = 16 * 2**20
INNER_LIMIT = 16 * 2**20  # bytes of a compressed zip inside a zip; a stored one may have any size
LOCAL_HEADER = 30  # bytes in front of a member's name
SIGNATURE = b"PK\1\2"  # starts each entry of a zip's directory
CHUNK = 65_536
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PARTS = re.compile(r"(?:.*/)?conversations[^/]*\.zip", re.IGNORECASE)
_JUNK = re.compile(r"(?:.*/)?(?:__MACOSX/|\.|Thumbs\.db$|desktop\.ini$)")
# files that have words, not pictures; by them it is told how far reading is
_TEXTS = re.compile(r"\.(?:jsonl?|txt|md|markdown|mbox|eml|csv)$", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:")
# what zipfile raises of a zip that is not whole
_DAMAGES = (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class File:
    """One file of an export: how it is opened, how many bytes it has, and when it was changed."""

    open: Callable[[], IO[bytes]]
    size: int
    changed_at: datetime | None


class Seekable(Protocol):
    """What a zip is read from."""

    def seek(self, offset: int, whence: int = ..., /) -> int:
        """Move to offset."""
        ...

    def read(self, size: int = ..., /) -> bytes:
        """At most size bytes."""
        ...


class ExportFiles:
    """The files of one export by name, sorted. file is its name on the disk, label the same without
    ending.
    """

    def __init__(
        self,
        file: str,
        label: str,
        files: dict[str, File],
        notes: list[Problem],
        resources: ExitStack,
    ) -> None:
        self.file, self.label = file, label
        self.names = tuple(sorted(name for name in files if not _JUNK.match(name)))
        self.notes = notes  # grows while files are read
        self.seen: tuple[str, ...] = ()  # files that are of the format by what is in them
        self._files, self._resources = files, resources
        self._read: dict[str, int] = {}  # bytes by name

    def leave(self, names: Iterable[str]) -> None:
        """Let these files be found no more: they are no part of the export."""
        gone = frozenset(names)
        self.names = tuple(name for name in self.names if name not in gone)

    def start(self) -> None:
        """Count anew what is read: what was opened before was only looked at."""
        self._read.clear()

    def changed_at(self, name: str) -> datetime | None:
        """When that file was last changed; None where that is not told."""
        return self._files[name].changed_at

    @property
    def unread(self) -> tuple[str, ...]:
        """The files that were not opened since ``start``."""
        return tuple(name for name in self.names if name not in self._read)

    @property
    def share(self) -> float:
        """How much of the export has been read, from 0 to 1, by the bytes of its text files."""
        texts = [name for name in self.names if _TEXTS.search(name)] or self.names
        total = sum(self._files[name].size for name in texts)
        done = sum(min(self._read.get(name, 0), self._files[name].size) for name in texts)
        return done / total if total else 0.0

    def find(self, pattern: re.Pattern[str], *, alone: bool = True) -> tuple[str, ...]:
        """The files whose last part matches, sorted; with alone, the only file whatever it is
        called, and where none matches, those that were seen to be of the format.
        """
        if alone and len(self.names) == 1:
            return self.names
        found = (name for name in self.names if pattern.fullmatch(name.rpartition("/")[2]))
        return tuple(found) or (self.seen if alone else ())

    def open(self, name: str) -> io.BufferedReader:
        """That file as UTF-8 without a byte order mark, whether it is stored as UTF-8 or UTF-16;
        its bytes are counted anew.

        Bytes that are neither become U+FFFD and are noted. Reading raises BrokenFile where the file
        is damaged.

        Raises:
            ImportRefused: a link, a device, or gone.
        """
        self._read[name] = 0
        raw = _Counted(self._files[name].open(), partial(self._count, name))
        return io.BufferedReader(_Utf8(name, raw, self.notes), CHUNK)

    def lines(self, name: str, limit: int = LINE_LIMIT) -> Iterator[tuple[int, bytes | None]]:
        """The lines of that file that are not blank, as ``each_line`` gives them."""
        with self.open(name) as file:
            for number, line in each_line(file, limit):
                if line is None or line.strip():
                    yield number, line

    def _count(self, name: str, size: int) -> None:
        self._read[name] = self._read.get(name, 0) + size

    def close(self) -> None:
        """Let go of the zips."""
        self._resources.close()

    def __enter__(self) -> ExportFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_source(path: Path) -> ExportFiles:
    """The export at path.

    Raises:
        InvalidInput: it cannot be a path.
        ImportRefused: there is nothing, neither a file nor a folder, or a hostile zip.
    """
    path = Path(check_path(path))
    called = path.name or str(path)
    notes: list[Problem] = []
    files: dict[str, File] = {}
    with ExitStack() as stack:
        if os.path.isdir(path):  # also where its name is too long to ask
            label = path.resolve().name
            for name, found in _walk(path, notes):
                _add(files, name, found, stack)
        else:
            label = path.stem
            # a link the user names is followed, one in a folder is not
            _add_alone(files, path.resolve(), called, stack)
        return ExportFiles(called, label, files, notes, stack.pop_all())


def _add_alone(files: dict[str, File], path: Path, called: str, stack: ExitStack) -> None:
    """A file that is all of an export; of a zip its members."""
    file = _open_regular(path)
    state = os.fstat(file.fileno())
    if path.suffix.lower() == ".zip" or file.read(4) in (b"PK\3\4", b"PK\5\6"):
        stack.callback(file.close)
        _add_zip(files, _Zip(file, state.st_size, called), stack)
        return
    file.close()
    opened = partial(_open_regular, path)
    files[path.name] = File(opened, state.st_size, _moment(state.st_mtime))


def _walk(root: Path, notes: list[Problem]) -> Iterator[tuple[str, File]]:
    """Every regular file below root; links are noted and not followed."""

    def unreadable(error: OSError) -> None:
        place = os.path.relpath(error.filename or root, root)
        notes.append(Problem(place, f"not read: {error.strerror}"))

    count = 0
    for folder, subfolders, files in os.walk(root, onerror=unreadable):
        subfolders.sort()
        links = [name for name in subfolders if os.path.islink(os.path.join(folder, name))]
        for name in (*sorted(files), *links):
            count += 1
            if count > FOLDER_LIMIT:
                told = f"more than {FOLDER_LIMIT} files; import a smaller folder"
                raise ImportRefused(str(root), told)
            full = Path(folder, name)
            relative = full.relative_to(root).as_posix()
            if (found := _regular(full)) is not None:
                yield relative, found
            elif not _JUNK.match(relative):
                notes.append(Problem(relative, "a link or device, not followed"))


def _regular(path: Path) -> File | None:
    """A regular file; None where it is anything else."""
    state = path.lstat()
    if not stat.S_ISREG(state.st_mode):
        return None
    return File(partial(_open_regular, path), state.st_size, _moment(state.st_mtime))


def _moment(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OSError, OverflowError):
        return None


def _stamp(member: zipfile.ZipInfo) -> datetime | None:
    """When a member was changed, in a zone that a zip does not tell."""
    try:
        return datetime(*member.date_time, tzinfo=UTC)
    except ValueError:
        return None


def _open_regular(path: Path) -> IO[bytes]:
    """A regular file for reading; never a link, and never a device or pipe that would block."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # not every system has each
        flags |= getattr(os, name, 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        raise ImportRefused(path.name, error.strerror or "cannot be opened") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ImportRefused(path.name, "not a regular file")
    return os.fdopen(handle, "rb")


def _add(files: dict[str, File], name: str, found: File, stack: ExitStack) -> None:
    """A folder's file; a zip that is one part of an export is opened and its members added
    instead.
    """
    if not _PARTS.fullmatch(name):
        files[name] = found
        return
    file = stack.enter_context(found.open())
    size = os.fstat(file.fileno()).st_size
    _add_zip(files, _Zip(file, size, name, f"{name}/"), stack)


@dataclass(frozen=True, slots=True)
class _Zip:
    """A zip while its members are looked at: its bytes and how many, what errors call it, what
    stands before the names of its members, and whether it is inside another.
    """

    file: Seekable
    size: int
    place: str
    prefix: str = ""
    is_inner: bool = False


def _add_zip(files: dict[str, File], found: _Zip, stack: ExitStack) -> None:
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
        if _PARTS.fullmatch(member.filename):
            _add_zip(files, _inner_zip(found, archive, member), stack)
        else:
            opened = partial(_open_member, archive, member)
            name = found.prefix + member.filename
            files[name] = File(opened, member.file_size, _stamp(member))
    if found.is_inner and len(files) > MEMBER_LIMIT:
        raise ImportRefused(found.place, f"more than {MEMBER_LIMIT} members")


def _open_zip(found: _Zip) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(Window(found.place, found.file, 0, found.size))
    except (*_DAMAGES, zlib.error) as error:
        raise ImportRefused(found.place, f"not a readable zip: {error}") from error


def _check_sizes(place: str, members: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse members that overlap or that promise far more than is stored."""
    total = sum(member.file_size for member in members)
    stored = sum(member.compress_size for member in members)
    if total > max(RATIO_FREE, RATIO_LIMIT * stored):
        raise ImportRefused(place, f"{stored} bytes promise {total}: over {RATIO_LIMIT} times")
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
    if size > max(RATIO_FREE, RATIO_LIMIT * stored):
        return f"{stored} bytes promise {size}: over {RATIO_LIMIT} times"
    return ""


def _is_plain(name: str) -> bool:
    """A relative name that stays below its folder on any system."""
    if not name or len(name) > NAME_LIMIT or "\\" in name or _DRIVE.match(name):
        return False
    if any(part in ("", ".", "..") for part in name.removesuffix("/").split("/")):
        return False
    return not _CONTROL.search(name)


def _inner_zip(outer: _Zip, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> _Zip:
    """A zip inside a zip: a window where it is stored, else in memory.

    Raises:
        ImportRefused: a third one, or damaged, or too large to be unpacked.
    """
    place, prefix = f"{outer.place}/{member.filename}", f"{outer.prefix}{member.filename}/"
    if outer.is_inner:
        raise ImportRefused(place, "a zip in a zip in a zip")
    if member.compress_type == zipfile.ZIP_STORED:
        start, size = _start_of(outer.file, member), member.compress_size
        return _Zip(Window(outer.place, outer.file, start, size), size, place, prefix, True)
    if member.file_size > INNER_LIMIT:
        told = f"a compressed zip of over {INNER_LIMIT} bytes in a zip; unpack the outer one"
        raise ImportRefused(place, told)
    with _open_member(archive, member) as stream:
        try:
            data = io.BytesIO(stream.read(member.file_size))
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ImportRefused(place, f"damaged: {error}") from error
    return _Zip(data, member.file_size, place, prefix, True)


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


class Window(io.RawIOBase):
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


class _Counted(io.RawIOBase):
    """A byte stream that tells how many bytes were read of it."""

    def __init__(self, raw: IO[bytes], tell: Callable[[int], None]) -> None:
        self._raw, self._tell = raw, tell

    def readable(self) -> bool:
        """True."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """At most size bytes."""
        data = self._raw.read(size)
        self._tell(len(data))
        return data

    def close(self) -> None:
        """Close the stream below too."""
        self._raw.close()
        super().close()


class _Utf8(io.RawIOBase):
    """A byte stream as UTF-8 without a byte order mark. Notes the first bytes that had to be
    replaced.
    """

    def __init__(self, name: str, raw: io.RawIOBase, notes: list[Problem]) -> None:
        self._name, self._raw, self._notes = name, raw, notes
        self._noted = False
        self._pending = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._replacement = b""

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill buffer as far as one piece goes; 0 at the end.

        Raises:
            BrokenFile: a damaged zip member, or the disk failed.
        """
        while not self._pending:
            piece = self._take(CHUNK)
            self._pending = self._recode(piece)
            if not piece:
                break
        view = memoryview(buffer).cast("B")
        size = min(len(view), len(self._pending))
        view[:size], self._pending = self._pending[:size], self._pending[size:]
        return size

    def close(self) -> None:
        """Close the stream below too."""
        self._raw.close()
        super().close()

    def _take(self, size: int) -> bytes:
        try:
            return self._raw.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise BrokenFile(f"damaged: {error}") from error

    def _recode(self, piece: bytes) -> bytes:
        """The piece in UTF-8; an empty one ends the stream. The first one tells the encoding."""
        if self._decoder is None:
            encoding, mark = _sniff(piece[:4])
            self._replacement = "\ufffd".encode(encoding)
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
            if mark and len(piece) == mark:
                return b""
            piece = piece[mark:]
        text = self._decoder.decode(piece, final=not piece)
        if not self._noted and "\ufffd" in text and self._replacement not in piece:
            self._noted = True
            self._notes.append(
                Problem(self._name, "some bytes are not text; each was replaced by U+FFFD")
            )
        return text.encode()


def _sniff(head: bytes) -> tuple[str, int]:
    """The encoding that the first four bytes speak of, and the length of the byte order mark."""
    for mark, encoding in BOMS:
        if head.startswith(mark):
            return encoding, len(mark)
    zeros = tuple(byte == 0 for byte in head)
    if zeros == (False, True, False, True):
        return "utf-16-le", 0
    return ("utf-16-be", 0) if zeros == (True, False, True, False) else ("utf-8", 0)
