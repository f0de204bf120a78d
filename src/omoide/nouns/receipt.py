"""Receipts: what forget erased."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What forget erased, and what is still pending. Counts by kind of record."""

    id: str
    at: datetime
    erased: Mapping[str, int] = field(default_factory=dict)
    # erased texts that every byte of the store's files was searched for; short ones prove nothing
    searched: int = 0
    residue: int = 0  # places there where one of them was still found
    pending: tuple[str, ...] = ()
