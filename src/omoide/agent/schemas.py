"""JSON schemas of the parameters of a function: those of plain types are made here, all others by
pydantic, where it is installed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from enum import Enum
from typing import Any, Literal, get_args, get_origin

Schema = dict[str, Any]
_TYPES: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schemas_of(hints: Mapping[str, Any]) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """The schema of each type by its name, and the definitions that they share. A type that has
    none allows all.
    """
    made = {name: _plain(hint) for name, hint in hints.items()}
    others, shared = _others({name: hints[name] for name, told in made.items() if told is None})
    return {name: told or others.get(name, {}) for name, told in made.items()}, shared


def default_of(value: Any) -> Schema:
    """The default of a parameter as its schema has it; empty where JSON has no such value."""
    try:
        return {"default": json.loads(json.dumps(value, default=_as_json, allow_nan=False))}
    except (TypeError, ValueError):
        return {}


def _plain(hint: Any) -> Schema | None:
    """The schema of a plain type, of a choice of plain values, or of a list of either."""
    if get_origin(hint) is Literal:
        kinds = {type(value) for value in get_args(hint)}
        one = _plain(kinds.pop()) if len(kinds) == 1 else None
        return None if one is None else {**one, "enum": list(get_args(hint))}
    if get_origin(hint) in (list, Sequence):
        items = _plain(get_args(hint)[0])
        return None if items is None else {"type": "array", "items": items}
    return {"type": _TYPES[hint]} if isinstance(hint, type) and hint in _TYPES else None


def _others(hints: Mapping[str, Any]) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """The schemas of types that are not plain, which are made together, so that two of one name
    stay apart.
    """
    if not hints:
        return {}, {}
    try:
        from pydantic import TypeAdapter
    except ImportError:
        return {}, {}
    adapters = ((name, _adapter(hint)) for name, hint in hints.items())
    made, shared = TypeAdapter.json_schemas(
        [(name, "validation", adapter) for name, adapter in adapters if adapter is not None]
    )
    return {name: told for (name, _), told in made.items()}, shared.get("$defs", {})


def _adapter(hint: Any) -> Any:
    """What reads a type for pydantic; None where JSON has no schema for it."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError

    try:
        adapter = TypeAdapter(hint)
        adapter.json_schema()
    except (PydanticUserError, PydanticUndefinedAnnotation):
        return None
    return adapter


def _as_json(value: Any) -> Any:
    """A member of an enumeration, a time or a set as JSON has it.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, set | frozenset):
        return sorted(value)  # the same in each process
    raise TypeError
