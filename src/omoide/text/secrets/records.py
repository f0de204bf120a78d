"""Secrets in records: every field that its kind says holds words, masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from omoide.nouns.record_kind import kind_of
from omoide.text.secrets import mask_secrets
from omoide.text.secrets.fields import mask_json, mask_line

R = TypeVar("R")
# what fields of nested JSON are called that hold ids, which may look like keys
IDS = frozenset({"agent", "context", "session", "user"})


def without_secrets(record: R) -> R:
    """The record with the secrets in all its texts masked; equal to it where it has none."""
    return _masked(record, shown=False)


def as_shown(record: R) -> R:
    """The record as a person or program may see it: names of other records in it masked, too."""
    return _masked(record, shown=True)


def _masked(record: R, *, shown: bool) -> R:
    kind = kind_of(record)
    if kind is None:
        return record
    marked = _marked(record)
    fields = (*kind.texts, *kind.names) if shown else kind.texts
    values = {
        name: kind.masked_by.get(name, mask_value)(value)
        for name in fields
        # most fields of most records are empty
        if (value := getattr(record, name)) and name not in marked
    }
    return with_values(record, values | marked)


def _marked(record: Any) -> dict[str, Any]:
    """The text of a record that keeps where its marks stand, masked, with their places."""
    if not hasattr(record, "masks"):
        return {}
    masked = mask_secrets(record.text, known=record.masks)
    return {"text": masked.text, "masks": masked.masks}


def with_values(record: R, values: Mapping[str, Any]) -> R:
    """The record with these values: itself if it has them already, as nearly every one does."""
    if all(
        (held := getattr(record, name)) is value or held == value for name, value in values.items()
    ):
        return record
    return replace(record, **values)  # type: ignore[type-var]


def mask_value(value: Any) -> Any:
    """A text, several texts, or nested JSON with the secrets masked; anything else as it is."""
    if not value:
        return value
    match value:
        case str():
            return mask_line(value)
        case tuple():
            return mask_lines(value)
        case Mapping():
            return mask_json(dict(value))
        case _:
            return as_shown(value)


def mask_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Texts with their secrets masked; of those that are equal then, one."""
    given = tuple(lines)
    masked = tuple(map(mask_line, given))
    return given if masked == given else tuple(dict.fromkeys(masked))
