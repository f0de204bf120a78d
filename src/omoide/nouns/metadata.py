"""What callers hang on records: plain JSON values by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Metadata: TypeAlias = Mapping[str, Json]
NO_METADATA: Metadata = MappingProxyType({})
ALIASES = {"Json": Json}  # for whoever resolves the hints of a record that holds metadata
