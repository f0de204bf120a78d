"""What models are told, a file for each purpose. Texts of people are put after them, never into
them.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def prompt(name: str) -> str:
    """The instructions of that name, without outer white space."""
    return resources.files(__name__).joinpath(f"{name}.md").read_text("utf-8").strip()


@cache
def schema(name: str) -> dict[str, Any]:
    """The JSON schema of the answer to what goes by that name; any object where there is none."""
    file = resources.files(__name__).joinpath(f"{name}.json")
    if not file.is_file():
        return {"type": "object"}
    value: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return value
