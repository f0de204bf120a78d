"""Records: what is known of one thing, told once and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

from omoide.nouns.record.outline import outline

T = TypeVar("T")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def frozen_record(kind: type[T]) -> type[T]:
    """Make a class a record: a frozen dataclass with slots, whose fields are given by name. Its
    ``repr`` leaves out what is at its default, unless the class has one of its own.
    """
    made = dataclass(frozen=True, kw_only=True, slots=True, repr=False)(kind)
    if made.__repr__ is object.__repr__:
        made.__repr__ = outline  # type: ignore[method-assign]
    return made
