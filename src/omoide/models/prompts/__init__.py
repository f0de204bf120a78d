"""What models are told, a file for each purpose. Texts of people are put after them, never into
them. A first line such as ``<!-- version 2 -->`` is the file's version, which no model sees.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from typing import Any

_VERSION = re.compile(r"<!-- version (\d+) -->\s*")


@cache
def prompt(name: str) -> str:
    """The instructions of that name, without outer white space and without their version."""
    return _VERSION.sub("", _file(name), count=1).strip()


@cache
def prompt_version(name: str) -> int:
    """The version of the instructions of that name; 1 where the file names none."""
    found = _VERSION.match(_file(name))
    return int(found[1]) if found else 1


def _file(name: str) -> str:
    return resources.files(__name__).joinpath(f"{name}.md").read_text("utf-8")


@cache
def schema(name: str) -> dict[str, Any]:
    """The JSON schema of the answer to what goes by that name; any object where there is none."""
    file = resources.files(__name__).joinpath(f"{name}.json")
    if not file.is_file():
        return {"type": "object"}
    value: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return value
