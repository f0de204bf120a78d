"""What models are told, a file for each purpose. Texts of people are put after them, never into
them. A first line such as ``<!-- version 2 -->`` is the file's version, which no model sees.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from omoide.nouns.errors import InvalidInput

_VERSION = re.compile(r"<!-- version (\d+) -->\s*")
_FOLDER: ContextVar[Path | None] = ContextVar("prompts", default=None)


def prompt(name: str) -> str:
    """The instructions of that name, without outer white space and without their version."""
    return _VERSION.sub("", _instructions(name), count=1).strip()


def prompt_version(name: str) -> int:
    """The version of the instructions of that name; 1 where the file names none."""
    found = _VERSION.match(_instructions(name))
    return int(found[1]) if found else 1


def schema(name: str) -> dict[str, Any]:
    """The JSON schema of the answer to what goes by that name; any object where there is none."""
    value: dict[str, Any] = json.loads(_file(f"{name}.json", _FOLDER.get()) or '{"type": "object"}')
    return value


@contextmanager
def prompts_from(folder: Path) -> Iterator[None]:
    """Inside of it, files of a folder stand for those of the same name here. To compare versions.

    Raises:
        InvalidInput: the folder has no file of instructions that is known here.
    """
    ours = resources.files(__name__)
    if not any(ours.joinpath(file.name).is_file() for file in folder.glob("*.md")):
        raise InvalidInput("prompts", f"no file such as extract.md is in {folder}")
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def _instructions(name: str) -> str:
    text = _file(f"{name}.md", _FOLDER.get())
    if text is None:
        raise FileNotFoundError(f"{name}.md")
    return text


@cache
def _file(name: str, folder: Path | None) -> str | None:
    places = (resources.files(__name__), *([folder] if folder else []))
    found = [place.joinpath(name) for place in places if place.joinpath(name).is_file()]
    return found[-1].read_text("utf-8") if found else None
