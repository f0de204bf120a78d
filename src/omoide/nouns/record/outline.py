"""How a record looks in a debugger, a notebook and a failed test: what it says, and no more."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any


def outline(record: Any) -> str:
    """The record's class with the fields that are not at their default; times as ISO 8601, members
    of an enumeration by their value.
    """
    told = (
        f"{field.name}={_shown(getattr(record, field.name))}"
        for field in dataclasses.fields(record)
        if field.repr and not _is_default(field, getattr(record, field.name))
    )
    return f"{type(record).__qualname__}({', '.join(told)})"


def _is_default(field: dataclasses.Field[Any], value: Any) -> bool:
    made = field.default_factory
    default = field.default if made is dataclasses.MISSING else made()
    alike = isinstance(value, Mapping) or type(value) is type(default)
    return value is default or (alike and bool(value == default))


def _shown(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return repr(value.value)
    if type(value) is tuple:
        return f"({', '.join(map(_shown, value))}{',' * (len(value) == 1)})"
    return repr(value)
