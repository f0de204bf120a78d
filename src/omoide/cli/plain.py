"""What a command prints, as plain JSON and plain characters."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any


def plain(value: Any) -> Any:
    """A record as JSON can hold it: times as ISO 8601, sets as lists, unset fields left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value))
        return {name: plain(v) for name, v in shown if v is not None and v != ()}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    return value.isoformat() if isinstance(value, datetime) else value


def printable(text: str) -> str:
    """The text with what this output cannot print, such as lone surrogates, as escapes."""
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
