"""How alike two texts are by the words they share."""

from __future__ import annotations

from collections.abc import Set


def overlap(one: Set[str], other: Set[str]) -> float:
    """Shared words as a share of the smaller set, from 0 to 1; 0 when either is empty.

    Source: the overlap coefficient of Szymkiewicz and Simpson.
    """
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
