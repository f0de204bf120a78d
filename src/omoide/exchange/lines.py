"""Lines of a text of any size, each within a limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

LINE_LIMIT = 16 * 2**20  # bytes of a record that stands on one line


def each_line(file: IO[bytes], limit: int = LINE_LIMIT) -> Iterator[tuple[int, bytes | None]]:
    """Each line with its number from 1, without its ending; None where it is over limit bytes.

    Only a line feed, with or without a carriage return, ends a line: other separators occur inside
    messages.
    """
    number = 0
    while line := file.readline(limit + 1):
        number += 1
        if len(line) <= limit or line.endswith(b"\n"):
            yield number, line.rstrip(b"\n").removesuffix(b"\r")
            continue
        while (more := file.readline(limit)) and not more.endswith(b"\n"):
            pass
        yield number, None
