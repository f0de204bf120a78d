"""Files that are there whole or not at all; for their owner alone, unless they are to be shared."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

from omoide.nouns.errors import InvalidInput


@contextmanager
def whole_file(path: Path, *, shared: bool = False) -> Iterator[TextIO]:
    """A file to be written, which gets its name when it is complete; where that fails, nothing of
    it stays. With ``shared`` others may read it, as far as the umask lets them.

    Raises:
        InvalidInput: it cannot be written.
    """
    mode = 0o666 if shared else 0o600
    part = Path(f"{path}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)  # of a process of that number that was ended
        out = open(part, "x", encoding="utf-8", newline="\n", opener=partial(_opened, mode))
    except (OSError, ValueError) as error:  # of a name that no file can have
        raise _unwritable(path, error) from None
    try:
        with out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _unwritable(path, error) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def home_file(path: Path) -> Iterator[TextIO]:
    """A whole file in Omoide's folder, which is made where it is missing.

    Raises:
        InvalidInput: the folder cannot be made, or the file cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from None
    with whole_file(path) as out:
        yield out


def _unwritable(path: Path, error: OSError | ValueError) -> InvalidInput:
    why = error.strerror if isinstance(error, OSError) else error
    denied = isinstance(error, PermissionError)
    advice = "; make its folder writable for this user" if denied else ""
    return InvalidInput("path", f"{str(path)!r} cannot be written: {why}{advice}")


def _opened(mode: int, name: str, flags: int) -> int:
    return os.open(name, flags, mode)
