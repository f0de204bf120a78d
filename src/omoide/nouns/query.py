"""Queries: questions with their filters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import date, datetime
from enum import StrEnum
from typing import Literal

from omoide.nouns.item import Category, ItemFilters
from omoide.nouns.kind import Kind
from omoide.nouns.record.frozen import frozen_record

PresetName = Literal["fast", "default", "best", "thorough", "keyword", "rrf"]


class Arm(StrEnum):
    """The searches that recall fuses."""

    TEXT = "text"
    VECTOR = "vector"
    ENTITY = "entity"
    TIME = "time"


@frozen_record
class Query(ItemFilters):
    """A question with its filters. since and until are of when it was true or said; known_at is of
    when it was learnt. A time is aware; until is exclusive. A day is a date or text, and since and
    until take the whole of it in.
    """

    text: str = ""
    kinds: frozenset[Kind] = frozenset({Kind.ITEM, Kind.TURN})
    categories: frozenset[Category] | None = None
    contexts: frozenset[str] | None = None
    since: datetime | date | str | None = None
    until: datetime | date | str | None = None
    as_of: datetime | date | str | None = None
    known_at: datetime | date | str | None = None
    include_sensitive: bool = False
    include_muted: bool = False
    confirmed_only: bool = False  # leaves out unconfirmed items
    without_session: str | None = None
    # least score an arm's find must have, on the arm's own scale
    floors: Mapping[Arm, float] = field(default_factory=dict)
    budget_tokens: int | None = None
    passage_tokens: int | None = 400  # what a hit shows of a long text at most; None: all of it
    # where the preset's reranker is not installed or fails: the hits of the preset default, and
    # degraded says so; else that is an error
    allow_degraded: bool = False
    preset: PresetName | str = "default"  # fast, default, best, thorough, keyword, rrf
