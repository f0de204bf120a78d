"""Notes about what a read left out, on the result that a verb gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from typing import Any

from omoide.telemetry.damage import hand_on


def with_notes(result: Any, notes: Sequence[str]) -> Any:
    """A result with notes in ``degraded``; where it has no such field, they are handed on."""
    if not is_dataclass(result) or not hasattr(result, "degraded"):
        hand_on(notes)
        return result
    told = (*result.degraded, *notes)
    return replace(result, degraded=tuple(dict.fromkeys(told)))  # type: ignore[type-var]
