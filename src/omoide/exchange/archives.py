"""A file, a folder or a zip as one set of named streams.

Nothing is ever written or extracted: members are read as streams, their names are only labels.
Memory stays bounded: a zip's directory is measured before it is parsed, and streams are read in
pieces.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

from omoide.exchange.lines import each_line
from omoide.exchange.problems import Problem
from omoide.exchange.streams import CHUNK, File, Utf8Stream
from omoide.exchange.zips import PARTS, Zip, add_zip
from omoide.nouns.errors import ImportRefused
from omoide.nouns.ids import check_path

FOLDER_LIMIT = 1_000_000  # files below one folder
_JUNK = re.compile(r"(?:.*/)?(?:__MACOSX/|\.|Thumbs\.db$|desktop\.ini$)")
# files that have words, not pictures; by them it is told how far reading is
_TEXTS = re.compile(r"\.(?:jsonl?|txt|md|markdown|mbox|eml|csv)$", re.IGNORECASE)


class ExportFiles:
    """The sorted files of one export. file is its name on disk, label the same without ending."""

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
        self.start()

    def leave(self, names: Iterable[str]) -> None:
        """Let these files be found no more: they are no part of the export."""
        gone = frozenset(names)
        self.names = tuple(name for name in self.names if name not in gone)

    def start(self) -> None:
        """Count anew what is read: what was opened before was only looked at."""
        self._read.clear()
        texts = [name for name in self.names if _TEXTS.search(name)] or self.names
        self._sizes = {name: self._files[name].size for name in texts}
        self._total, self._done = sum(self._sizes.values()), 0

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
        return self._done / self._total if self._total else 0.0

    def find(self, pattern: re.Pattern[str], *, alone: bool = True) -> tuple[str, ...]:
        """The files whose last part matches, sorted; with alone, the only file whatever it is
        called, and where none matches, those that were seen to be of the format.
        """
        if alone and len(self.names) == 1:
            return self.names
        found = (name for name in self.names if pattern.fullmatch(name.rpartition("/")[2]))
        return tuple(found) or (self.seen if alone else ())

    def open(self, name: str, *, as_stored: bool = False) -> io.BufferedReader:
        """That file as UTF-8 without a byte order mark, whether it is stored as UTF-8 or UTF-16;
        its bytes are counted anew.

        Bytes that are neither are read as Windows-1252 and noted; with as_stored they stay as they
        are. Reading raises BrokenFile where the file is damaged.

        Raises:
            ImportRefused: a link, a device, or gone.
        """
        self._count(name, -self._read.get(name, 0))
        tell, raw = partial(self._count, name), self._files[name].open()
        stream = Utf8Stream(name, raw, self.notes, tell, as_stored=as_stored)
        return io.BufferedReader(stream, CHUNK)

    def lines(self, name: str) -> Iterator[tuple[int, bytes | None]]:
        """The lines of that file that are not blank, as ``each_line`` gives them."""
        with self.open(name) as file:
            for number, line in each_line(file):
                if line is None or line.strip():
                    yield number, line

    def _count(self, name: str, size: int) -> None:
        before, most = self._read.get(name, 0), self._sizes.get(name, 0)
        self._read[name] = before + size
        self._done += min(before + size, most) - min(before, most)

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
        add_zip(files, Zip(file, state.st_size, called), stack)
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
            try:
                found = _regular(full, partial(_open_listed, full, relative, notes))
            except OSError as error:  # gone since the folder was listed, or not to be looked at
                unreadable(error)
                continue
            if found is not None:
                yield relative, found
            elif not _JUNK.match(relative):
                notes.append(Problem(relative, "a link or device, not followed"))


def _regular(path: Path, opened: Callable[[], IO[bytes]]) -> File | None:
    """A regular file, and how to open it; None where it is anything else."""
    state = path.lstat()
    if not stat.S_ISREG(state.st_mode):
        return None
    return File(opened, state.st_size, _moment(state.st_mtime))


def _moment(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OSError, OverflowError):
        return None


def _open_listed(path: Path, name: str, notes: list[Problem]) -> IO[bytes]:
    """A file of a folder; without content, and noted, where it cannot be opened any more."""
    try:
        return _open_regular(path)
    except ImportRefused as refused:
        notes.append(Problem(name, f"not read: {refused.problem}"))
        return io.BytesIO()


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
    if not PARTS.fullmatch(name):
        files[name] = found
        return
    file = stack.enter_context(found.open())
    size = os.fstat(file.fileno()).st_size
    add_zip(files, Zip(file, size, name, f"{name}/"), stack)
