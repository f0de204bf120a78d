"""What a search may see, what it finds, and what the index knows of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from omoide.records import Category, Kind, Scope

ASKS, ASSISTANT = "?", "!"  # marks that may stand, in this order, before the words around a document; no word is like them


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """Which documents a search may see. Bound as columns, never joined into text."""

    scope: Scope
    as_of: datetime | None  # None: now, and no earlier than anything was recorded, whoever's clock was ahead
    known_at: datetime | None  # None: all that is recorded is known
    now: datetime
    kinds: frozenset[Kind] = frozenset({Kind.ITEM, Kind.TURN})
    categories: frozenset[Category] | None = None
    contexts: frozenset[str] | None = None
    since: datetime | None = None
    until: datetime | None = None  # exclusive
    include_sensitive: bool = False
    include_muted: bool = False
    without_session: str | None = None
    only: frozenset[int] | None = None  # documents that passed the other filters


class Signs(NamedTuple):
    """What the index knows of a document besides how well a search finds it.

    The last three are of the words asked for, and unset where none were.
    """

    session: str = ""  # of a turn
    words: int = 0
    asks: bool = False  # it holds a question
    after_question: bool = False  # the turn before it does
    assistant: bool = False  # an assistant speaks
    assisted: bool = False  # an assistant speaks in it, right before it or right after
    own: float = 0.0  # its score by its own words alone
    share: float = 0.0  # of the words asked for, weighted: what stands in it or around it; 0 to 1
    spoken: bool = False  # one of them names its speaker or its day


class Match(NamedTuple):
    """One document a search found. Higher scores are better; the scale is the search's own."""

    doc: int
    kind: Kind
    ref: str
    part: int
    score: float
    signs: Signs = Signs()
