"""Answers of verbs as plain values that two engines can be compared by."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from omoide.nouns.errors import OmoideError

# The ledger is salted, seals are keyed, a step takes its time, and what is left in a server's files
# is for the server to tell.
OWN = {
    ("Change", "content"),
    ("Change", "hash"),
    ("Head", "hash"),
    ("Step", "ms"),
    ("ForReview", "seal"),
    ("ModelUse", "mean_seconds"),
} | {("Receipt", name) for name in ("pending", "residue", "searched")}
# Drawn at random, so that nobody can tell who was forgotten.
NAMELESS = re.compile(r"forgotten-[0-9a-f]{16}")


def plain(value: Any) -> Any:
    """An answer as lists and mappings, without what is an engine's own."""
    if isinstance(value, BaseException):
        kind = type(value).__name__
        return {"": kind, "message": plain(str(value)), "is_ours": isinstance(value, OmoideError)}
    if is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__
        return {"": name} | {
            f.name: plain(getattr(value, f.name))
            for f in fields(value)
            if (name, f.name) not in OWN
        }
    if isinstance(value, Mapping):
        return {plain(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(map(plain, value))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(inner) for inner in value]
    if isinstance(value, Path):
        return value.name
    return NAMELESS.sub("forgotten", value) if isinstance(value, str) else value


def difference(one: Any, other: Any, place: str = "answer") -> str | None:
    """Where two plain answers differ first, numbers beyond a millionth; None if nowhere."""
    if isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            return f"{place}: {list(one)} != {list(other)}"
        return next(
            (found for key in one if (found := difference(one[key], other[key], f"{place}.{key}"))),
            None,
        )
    if isinstance(one, list) and isinstance(other, list):
        inner = (
            found
            for n, (a, b) in enumerate(zip(one, other, strict=False))
            if (found := difference(a, b, f"{place}[{n}]"))
        )
        return next(inner, None) or (
            f"{place}: {len(one)} != {len(other)}: {one} {other}"
            if len(one) != len(other)
            else None
        )
    if isinstance(one, float) and isinstance(other, float):
        return None if abs(one - other) <= 1e-6 else f"{place}: {one!r} != {other!r}"
    return None if type(one) is type(other) and one == other else f"{place}: {one!r} != {other!r}"
