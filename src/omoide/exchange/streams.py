"""The files of an export as streams: of bytes, and of UTF-8 whatever they are stored as."""

from __future__ import annotations

import codecs
import io
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import IO, TYPE_CHECKING

from omoide.exchange.problems import BrokenFile, Problem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 65_536
OTHERWISE = "omoide.windows-1252"  # the name of how bytes that are not UTF-8 are read
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class File:
    """One file of an export: how it is opened, how many bytes it has, and when it was changed."""

    open: Callable[[], IO[bytes]]
    size: int
    changed_at: datetime | None


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """What bytes that are not UTF-8 mean in the encoding that most of such text is in."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", "replace"), error.end


codecs.register_error(OTHERWISE, _as_windows_1252)


class Utf8Stream(io.RawIOBase):
    """A byte stream as UTF-8 without a byte order mark; tells how many bytes were read of it, and
    notes that some were not UTF-8.
    """

    def __init__(
        self,
        name: str,
        raw: IO[bytes],
        notes: list[Problem],
        tell: Callable[[int], None],
        *,
        as_stored: bool = False,
    ) -> None:
        """as_stored: leave bytes that are not UTF-16 as they are."""
        self._name, self._raw, self._notes, self._tell = name, raw, notes, tell
        self._as_stored = as_stored
        self._pending = b""
        self._encoding = ""
        self._decoder: codecs.IncrementalDecoder | None = None

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill buffer as far as one piece goes; 0 at the end.

        Raises:
            BrokenFile: a damaged zip member, or the disk failed.
        """
        while not self._pending:
            piece = self._take()
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

    def _take(self) -> bytes:
        try:
            piece = self._raw.read(CHUNK)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise BrokenFile(f"damaged: {error}") from error
        self._tell(len(piece))
        return piece

    def _recode(self, piece: bytes) -> bytes:
        """The piece in UTF-8; an empty one ends the stream. The first one tells the encoding."""
        if self._decoder is None:
            self._encoding, mark = _sniff(piece[:4])
            self._decoder = codecs.getincrementaldecoder(self._encoding)()
            if mark and len(piece) == mark:
                return b""
            piece = piece[mark:]
        if self._as_stored and self._encoding == "utf-8":
            return piece
        held, _ = self._decoder.getstate()
        try:
            return self._decoder.decode(piece, final=not piece).encode()
        except UnicodeDecodeError:
            return self._otherwise(held + piece, final=not piece).encode()

    def _otherwise(self, piece: bytes, *, final: bool) -> str:
        """A piece, and by the same decoder all that follow, with bytes that are not UTF-8."""
        is_utf8 = self._encoding == "utf-8"
        self._decoder = codecs.getincrementaldecoder(self._encoding)(
            OTHERWISE if is_utf8 else "replace"
        )
        how = "read as Windows-1252" if is_utf8 else "replaced by U+FFFD"
        self._notes.append(
            Problem(self._name, f"some bytes are not {self._encoding.upper()}; each was {how}")
        )
        return self._decoder.decode(piece, final)


def _sniff(head: bytes) -> tuple[str, int]:
    """The encoding that the first four bytes speak of, and the length of the byte order mark."""
    for mark, encoding in BOMS:
        if head.startswith(mark):
            return encoding, len(mark)
    zeros = tuple(byte == 0 for byte in head)
    if zeros == (False, True, False, True):
        return "utf-16-le", 0
    return ("utf-16-be", 0) if zeros == (True, False, True, False) else ("utf-8", 0)
