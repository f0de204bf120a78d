"""The files that belong to a SQLite store, and what can be found in their bytes."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

LOCK, PRESENCE, BALLAST = ".lock", ".open", ".ballast"
# being made; what a migration started from, by version; set aside by a restore
NEW, BACKUP, OLD = ".new", ".backup-v", ".old-"
LOG, SHARED, JOURNAL = "-wal", "-shm", "-journal"
_CHUNK = 2**20
_HEAD = 8  # bytes that searching begins with


def files_of(path: str) -> list[Path]:
    """The store's own file first, then every file beside it that Omoide or SQLite made for it."""
    known = [
        path + end
        for end in ("", LOG, SHARED, JOURNAL, LOCK, PRESENCE, BALLAST, NEW, NEW + JOURNAL)
    ]
    return [Path(file) for file in known if os.path.exists(file)] + copies_of(path)


def copies_of(path: str) -> list[Path]:
    """Copies of the store that a migration or a restore set aside beside it, and their logs."""
    folder, name = os.path.split(path)
    return sorted(
        file for end in (BACKUP, OLD) for file in Path(folder).glob(f"{glob.escape(name)}{end}*")
    )


def copies_with(path: str, needles: Sequence[bytes]) -> list[Path]:
    """The copies set aside in which one of these byte strings stands, or that cannot be read, such
    as encrypted ones.
    """
    copies, ends = copies_of(path), (LOG, SHARED, JOURNAL)
    return [
        copy
        for copy in copies
        if not copy.name.endswith(ends) and _may_hold([copy, *_beside(copy, copies)], needles)
    ]


def _beside(copy: Path, copies: Sequence[Path]) -> list[Path]:
    return [file for file in copies if file.name in (copy.name + LOG, copy.name + JOURNAL)]


def _may_hold(parts: Sequence[Path], needles: Sequence[bytes]) -> bool:
    try:
        is_plain = next(read_chunks(parts[0]), b"").startswith(b"SQLite format 3\0")
        return not is_plain or any(count_in(read_chunks(part), needles) for part in parts)
    except apsw.Error:
        return True


def holds_something(path: str) -> bool:
    """There is such a file, and it is not empty."""
    return os.path.exists(path) and os.path.getsize(path) > 0


def size_of(path: str) -> int:
    """Bytes of these files, less the ballast."""
    return sum(_size(file) for file in files_of(path) if not file.name.endswith(BALLAST))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # another process has just closed the store
        return 0


def count_in_files(path: str, needles: Sequence[bytes]) -> dict[bytes, int]:
    """How often each of these byte strings stands in the files, as they are on disk; those that do
    not are left out.

    The shared-memory file is left out: it holds page numbers, and closing it would drop SQLite's
    locks on it.
    """
    found, copies = Counter[bytes](), copies_of(path)
    for file in files_of(path):
        # copies_with names what cannot be read
        with suppress(*([apsw.Error] if file in copies else [])):
            if not file.name.endswith(SHARED):
                found += count_in(read_chunks(file), needles)
    return dict(found)


def count_in(chunks: Iterator[bytes], needles: Sequence[bytes]) -> Counter[bytes]:
    """How often each of the needles stands in a stream of bytes, also across its chunks.

    The time hardly depends on how many there are: places where a needle may begin are found for all
    of them at once, by their first eight bytes.
    """
    found: Counter[bytes] = Counter()
    short = [needle for needle in set(needles) if 0 < len(needle) < _HEAD]
    long = _by_head(needles)
    heads = np.array(sorted(long), np.uint64)
    keep = max((len(needle) for needle in needles), default=1) - 1
    tail = b""
    for chunk in chunks:
        data = tail + chunk
        for needle in short:
            found[needle] += data[max(0, len(tail) - len(needle) + 1) :].count(needle)
        for place in _places(data, heads):
            for needle in long[_head(data, place)]:
                # what ends within the tail was counted with the chunk before
                found[needle] += place + len(needle) > len(tail) and data.startswith(needle, place)
        tail = data[len(data) - keep :] if keep else b""
    return +found


def _by_head(needles: Sequence[bytes]) -> dict[int, list[bytes]]:
    """The needles of eight bytes and more, each once, by the first eight."""
    long: dict[int, list[bytes]] = {}
    for needle in {needle for needle in needles if len(needle) >= _HEAD}:
        long.setdefault(_head(needle, 0), []).append(needle)
    return long


def _head(data: bytes, place: int) -> int:
    return int.from_bytes(data[place : place + _HEAD], "little")


def _places(data: bytes, heads: NDArray[np.uint64]) -> list[int]:
    """Where eight bytes begin that are one of the heads, which are in ascending order."""
    places: list[int] = []
    for shift in range(_HEAD if len(heads) else 0):
        words = (
            np.frombuffer(data, np.uint64, max(0, len(data) - shift) // _HEAD, shift)
            if len(data) >= shift + _HEAD
            else heads[:0]
        )
        at = np.minimum(np.searchsorted(heads, words), len(heads) - 1)
        places += (np.flatnonzero(heads[at] == words) * _HEAD + shift).tolist()
    return sorted(places)


def read_chunks(file: Path) -> Iterator[bytes]:
    """A file's bytes."""
    try:
        raw = open_raw(str(file))
    except apsw.CantOpenError:
        if file.exists():
            raise
        return  # another process has just closed the store
    try:
        size, at = raw.xFileSize(), 0
        while at < size:
            chunk = raw.xRead(min(_CHUNK, size - at), at)
            yield chunk
            at += len(chunk)
            if not chunk:
                return
    finally:
        raw.xClose()


def open_raw(path: str) -> apsw.VFSFile:
    """A file's bytes as they are on disk.

    Opened through SQLite, which knows of its own locks: had this process the file open as a
    database, closing another descriptor of it would drop them.
    """
    return apsw.VFSFile("unix", path, [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0])


def make_empty(path: str) -> None:
    """An empty file that only its owner may read, in place of what an earlier attempt left."""
    for end in ("", JOURNAL, LOG, SHARED):  # SQLite would take an old journal for the new file's
        with suppress(FileNotFoundError):
            os.unlink(path + end)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def sync_file(path: str) -> None:
    """Make a file's content durable, or the names in a folder. No SQLite connection of this process
    may have it open.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def put_in_place(path: str, target: str) -> None:
    """Give a whole file its name, durably, in one step."""
    sync_file(path)
    os.replace(path, target)
    sync_file(os.path.dirname(target))
