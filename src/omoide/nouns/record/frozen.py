"""Records: what is known of one thing, told once and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def frozen_record(kind: type[T]) -> type[T]:
    """Make a class a record: a frozen dataclass with slots, whose fields are given by name."""
    return dataclass(frozen=True, kw_only=True, slots=True)(kind)
