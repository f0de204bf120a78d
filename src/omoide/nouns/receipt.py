"""Receipts: what forget erased."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from omoide.nouns.session import Session


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """A session of which turns are erased: how many, how many that are seen stay, and whether the
    whole session goes.
    """

    session: Session
    turns: int
    left: int
    whole: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What forget erased, or in a preview would erase, and what is still pending. Counts by kind of
    record.
    """

    id: str
    at: datetime
    erased: Mapping[str, int] = field(default_factory=dict)
    # erased texts that every byte of the store's files was searched for; short ones prove nothing
    searched: int = 0
    residue: int = 0  # places there where one of them was still found
    pending: tuple[str, ...] = ()
    preview: bool = False  # nothing was erased
    sessions: tuple[Cut, ...] = ()  # in a preview, the sessions that turns are erased of
