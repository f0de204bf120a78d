"""Agents as files: what each is told, and how much it sees, read anew when a file changes."""

from __future__ import annotations

import threading
import time
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from omoide.nouns.errors import InvalidInput, NotFound, UnknownName
from omoide.nouns.ids import clean_id
from omoide.nouns.record.frozen import frozen_record
from omoide.telemetry.logs import get_logger
from omoide.wire.arguments import check_record

SUFFIX = ".toml"
REST_S = 0.1  # that a changed file is left alone, as it may still be written
Stamp = tuple[int, int]  # when a file was changed, and its size

_log = get_logger(__name__)


@frozen_record
class Definition:
    """An agent as its file defines it: a snapshot, which a later edit does not change."""

    name: str
    instructions: str = ""
    model: str = ""  # such as openai:MODEL; empty: that of the settings
    max_steps: int = 10
    window_turns: int = 30
    context: str = "global"


class Definitions:
    """The agents of a folder, a file each. Safe to use from any thread.

    What is read is a snapshot and may be older than the file. A file that is being rewritten leaves
    the last definition in place: one that changed less than ``rest_s`` seconds ago, changes while
    it is read, is empty, or cannot be read. So no reader sees half of an edit. A program that edits
    one had best write another file and rename it.
    """

    def __init__(self, folder: Path | str, *, rest_s: float = REST_S) -> None:
        self._folder, self._rest_ns = Path(folder), int(rest_s * 1e9)
        self._read: dict[str, tuple[Stamp, Definition]] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The agents that there are, by name."""
        return sorted(path.stem for path in self._folder.glob(f"*{SUFFIX}"))

    def get(self, name: str) -> Definition:
        """An agent as its file is now; while the file cannot be read, as it was read last.

        Raises:
            NotFound: there is no such agent.
            InvalidInput: its file is wrong, and no earlier one was read.
        """
        with self._lock:
            known = self._read.get(name)
            path = self._path(name)
            try:
                stamp = _stamp(path)
                rests = time.time_ns() - stamp[0] >= self._rest_ns
                if known is None or (known[0] != stamp and rests):
                    read = _definition(name, path)
                    if known is None or _stamp(path) == stamp:
                        self._read[name] = (stamp, read)
            except FileNotFoundError:
                self._read.pop(name, None)
                raise NotFound("agent", name) from None
            except InvalidInput as error:
                if known is None:
                    raise
                _log.warning("an agent keeps its last definition", agent=name, error=str(error))
            return self._read[name][1]

    def _path(self, name: str) -> Path:
        """
        Raises:
            NotFound: the name leads out of the folder.
        """
        clean_id(name, "agent")
        if Path(name).name != name:
            raise NotFound("agent", name)
        return self._folder / f"{name}{SUFFIX}"


def _stamp(path: Path) -> Stamp:
    told = path.stat()
    return told.st_mtime_ns, told.st_size


def _definition(name: str, path: Path) -> Definition:
    """
    Raises:
        InvalidInput: the file is no TOML, or has keys or values that no definition has.
    """
    try:
        text = path.read_text("utf-8")
        if not text.strip():  # a writer has emptied it, and writes it now
            raise InvalidInput(path.name, "is empty")
        told: Mapping[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(path.name, f"cannot be read: {error}") from None
    known = tuple(field.name for field in fields(Definition) if field.name != "name")
    for key in told:
        if key not in known:
            raise UnknownName(path.name, key, known)
    return check_record(Definition, Definition(name=name, **told), path.name)
