"""Records as JSON holds them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum
from typing import Any

from omoide.nouns.clock import local

DIGITS = 12  # of a number, so that sums of tenths look like tenths


def plain(value: Any) -> Any:
    """A record as JSON can hold it: every field, unset ones as null; times as ISO 8601, sets as
    sorted lists.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value))
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, datetime):
        return local(value).isoformat()
    return value.isoformat() if isinstance(value, date) else value
