"""Records as JSON and back: the fields' own names, times as ISO 8601 with offset, unset fields left
out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, NewType, TypeVar, Union, get_args, get_origin, get_type_hints

from omoide.nouns.clock import check_moment
from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import ALIASES

T = TypeVar("T")


def encode(value: Any) -> Any:
    """A record, or a value in one, as JSON can hold it. Fields that have their default are left
    out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        told = ((f, getattr(value, f.name)) for f in fields(value))
        return {f.name: encode(v) for f, v in told if f.default is MISSING or v != f.default}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):  # or a datetime, which is one
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: encode(v) for key, v in value.items()}
    return [encode(v) for v in value] if isinstance(value, list | tuple) else value


def decode(kind: type[T], value: Any) -> T:
    """The record of a class that encode told like this.

    Raises:
        InvalidInput: a field is missing, unknown or of the wrong kind.
    """
    try:
        return _decode(kind, value)  # type: ignore[no-any-return]
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InvalidInput(kind.__name__.lower(), f"cannot be read: {error}") from None


def _decode(kind: Any, value: Any) -> Any:
    if isinstance(kind, NewType):
        kind = kind.__supertype__
    if get_origin(kind) in (Union, UnionType):
        options = [option for option in get_args(kind) if option is not NoneType]
        return None if value is None else _decode(options[0], value)
    if get_origin(kind) is tuple and not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    if get_origin(kind) is tuple:
        return tuple(_decode(get_args(kind)[0], v) for v in value)
    if is_dataclass(kind):
        return _record(kind, value)
    if kind is datetime:
        check_moment(moment := datetime.fromisoformat(value), "time")
        return moment
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    plain = (int, float) if kind is float else kind
    if kind in (str, int, bool, float) and (
        not isinstance(value, plain) or isinstance(value, bool) is not (kind is bool)
    ):
        raise TypeError(f"{value!r} is not {kind.__name__}")
    return value


def _record(kind: Any, value: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    unknown = set(value) - set(hints)
    if unknown:
        raise ValueError(f"unknown field {min(unknown)!r}")
    return kind(**{name: _decode(hints[name], v) for name, v in value.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, localns=ALIASES)
