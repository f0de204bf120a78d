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


class Utf8Stream(io.RawIOBase):
    """A byte stream as UTF-8 without a byte order mark; tells how many bytes were read of it, and
    notes the first that had to be replaced.
    """

    def __init__(
        self, name: str, raw: IO[bytes], notes: list[Problem], tell: Callable[[int], None]
    ) -> None:
        self._name, self._raw, self._notes, self._tell = name, raw, notes, tell
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
