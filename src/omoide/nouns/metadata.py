"""What callers hang on records: plain JSON values by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Metadata: TypeAlias = Mapping[str, Json]
NO_METADATA: Metadata = MappingProxyType({})
ALIASES = {"Json": Json}  # for whoever resolves the hints of a record that holds metadata


def parse_json(
    text: str | bytes, object_hook: Callable[[dict[str, Any]], Any] | None = None
) -> Any:
    """The value that a JSON text of somebody else holds; object_hook: what objects become.

    Raises:
        ValueError: it is not JSON, or nested too deeply.
    """
    try:
        return json.loads(text, object_hook=object_hook)
    except RecursionError:
        raise ValueError("nested too deeply") from None
