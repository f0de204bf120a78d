"""Files that are there whole or not at all, for their owner alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from omoide.nouns.errors import InvalidInput


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A file to be written, which gets its name when it is complete; where that fails, nothing of
    it stays.

    Raises:
        InvalidInput: it cannot be written.
    """
    part = Path(f"{path}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)  # of a process of that number that was ended
        with open(part, "x", encoding="utf-8", newline="\n", opener=_private) as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, path)
    except BaseException as error:
        with suppress(OSError):  # why it cannot be written tells more
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            told = f"{str(path)!r} cannot be written: {error.strerror}"
            raise InvalidInput("path", told) from None
        raise


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
