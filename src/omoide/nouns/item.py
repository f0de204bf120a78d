"""Items: single things known, with what they are and whose word they are."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import field, replace
from datetime import date, datetime
from enum import IntEnum, StrEnum
from typing import Literal

from omoide.nouns.ids import ItemId, TurnId
from omoide.nouns.metadata import NO_METADATA, Metadata
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import one_line
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Mask

TEXT_LIMIT = 65_536  # characters of an item; more is refused, never cut

CategoryName = Literal[
    "fact", "preference", "error", "skill", "note", "reminder", "system", "profile", "permission"
]


class Category(StrEnum):
    """What sort of thing an item says. Extraction never writes the last three (privileged)."""

    FACT = "fact"
    PREFERENCE = "preference"
    ERROR = "error"
    SKILL = "skill"
    NOTE = "note"
    REMINDER = "reminder"
    SYSTEM = "system"
    PROFILE = "profile"
    PERMISSION = "permission"


PRIVILEGED = frozenset({Category.SYSTEM, Category.PROFILE, Category.PERMISSION})
EXTRACTABLE = tuple(c for c in Category if c not in PRIVILEGED)


class Source(StrEnum):
    """How a record came to be."""

    USER = "user"
    TOOL = "tool"
    LLM_EXTRACT = "llm_extract"
    ERROR_AUTO = "error_auto"
    DISCOVERY = "discovery"
    CONSOLIDATION = "consolidation"
    SYSTEM = "system"
    INFERRED = "inferred"
    SEED = "seed"
    IMPORT = "import"


CONFIDENCE: Mapping[Source, float] = {
    Source.USER: 0.8,
    Source.TOOL: 0.5,
    Source.LLM_EXTRACT: 0.4,
    Source.ERROR_AUTO: 0.5,
    Source.DISCOVERY: 0.4,
    Source.CONSOLIDATION: 0.5,
    Source.SYSTEM: 1.0,
    Source.INFERRED: 0.7,
    Source.SEED: 0.7,
    Source.IMPORT: 0.5,
}
REMEMBER_CONFIDENCE = 0.7  # an explicit remember, whoever calls it


class Tier(IntEnum):
    """Whose word it is. A lower tier never supersedes, merges into or outranks a higher one."""

    DOCUMENT = 0  # tools, files, web pages
    AGENT = 1  # inferred by an agent
    USER = 2  # said by the user

    @classmethod
    def _missing_(cls, value: object) -> Tier | None:
        """The tier of a name such as "user"."""
        return cls.__members__.get(value.upper()) if isinstance(value, str) else None


# what counting and time move the confidence of an item between: no number of them makes a
# document's word the user's, or takes the user's from them
BANDS: Mapping[Tier, tuple[float, float]] = {
    Tier.USER: (0.6, 1.0),
    Tier.AGENT: (0.3, 0.8),
    Tier.DOCUMENT: (0.1, 0.5),
}
UNCONFIRMED_MOST = 0.3  # the confidence of an unconfirmed item is at most this


class Unconfirmed(StrEnum):
    """Why an item is unconfirmed."""

    NEVER = "never confirmed"  # learnt, and nobody could say that the talk means it
    BASIS_CLOSED = "basis closed"  # something that it rests on no longer holds
    EDITED = "source edited"  # what it was learnt from says something else now


@frozen_record
class Meant:
    """What an unconfirmed item does once it is confirmed: it takes the place of another, or closes
    it.

    Attributes:
        op: ``update``: it takes the other's place; ``delete``: the other is closed.
        ref: The other item.
        was: Its words that no longer hold.
        text: What the model wanted to say instead.
    """

    op: Literal["update", "delete"]
    ref: ItemId
    was: str = ""
    text: str = ""


def within_band(
    confidence: float, wanted: float, tier: Tier, *, unconfirmed: bool = False
) -> float:
    """What a confidence becomes that is to move to another: it stops at the end of its tier's band.

    One that was given beyond the band stays where it is, and moves back in only.
    """
    low, high = BANDS[tier]
    if wanted >= confidence:
        return max(confidence, min(wanted, UNCONFIRMED_MOST if unconfirmed else high))
    return min(confidence, max(wanted, low))


_USERS = dict.fromkeys((Source.USER, Source.SYSTEM, Source.SEED), Tier.USER)
_DOCUMENTS = dict.fromkeys((Source.DISCOVERY, Source.IMPORT), Tier.DOCUMENT)
# whose word it is, unless told
TIER: Mapping[Source, Tier] = dict.fromkeys(Source, Tier.AGENT) | _USERS | _DOCUMENTS


@frozen_record
class Details(Record):
    """What remember and correct take besides an item's text, category, tags and entities."""

    domain: str | None = None
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)
    confidence: float | None = None  # 0 to 1; None: by source
    sensitive: bool = False
    source: Source = Source.TOOL  # Source.USER: what the user said, or typed
    tier: Tier | None = None  # whose word it is; None: by source
    quote: str | None = None
    source_turns: tuple[TurnId, ...] = ()
    bases: tuple[ItemId, ...] = ()  # items it is derived from or depends on
    valid_from: datetime | date | str | None = None
    valid_until: datetime | date | str | None = None
    expires_at: datetime | date | str | None = None
    origin: str | None = None  # the document, page or import it came from, for forget by source
    session_only: bool = False  # known only within the scope's session


NO_DETAILS = Details()


@frozen_record
class ItemFilters(Record):
    """What a question lets pass by what stands about items; what is left out does not filter."""

    domain: str | None = None
    tags: tuple[str, ...] = ()  # all of them
    entities: tuple[str, ...] = ()  # any of them
    # {"key": value} or {"key": {"$gte": 3}}; {"$or": [filter, …]}, "$and" and "$not" join filters
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)


@frozen_record
class Item(Record):
    """One thing known. Its text is never edited: a new item supersedes it."""

    id: ItemId
    scope: Scope
    category: Category
    text: str
    created_at: datetime
    updated_at: datetime
    recorded_at: datetime  # when we came to know it
    valid_from: datetime  # since when it is true
    domain: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)
    source: Source = Source.TOOL
    tier: Tier = Tier.AGENT
    origin: str | None = None
    confidence: float = REMEMBER_CONFIDENCE
    sensitive: bool = False
    pinned: bool = False
    muted: bool = False
    due_at: datetime | None = None
    reminded_at: datetime | None = None
    expires_at: datetime | None = None
    valid_until: datetime | None = None  # until when it was said to be true
    closed_at: datetime | None = None  # when it stopped being true, learnt later
    superseded_at: datetime | None = None  # when we learnt that; None: still held
    superseded_by: ItemId | None = None
    supersedes: ItemId | None = None
    similar_to: ItemId | None = None  # the nearest open item when it was added, both kept
    quote: str | None = None
    quote_span: tuple[int, int] | None = (
        None  # where the quote stands in the text of the last of its source turns
    )
    source_turns: tuple[TurnId, ...] = ()  # those that said it again before those that did first
    said_again: tuple[TurnId, ...] = ()  # of these, those that said it again
    bases: tuple[ItemId, ...] = ()  # items it is derived from or depends on
    unconfirmed: Unconfirmed | None = None  # why it is, if it is; not looked at while it is closed
    unconfirmed_at: datetime | None = None  # since when
    confirmed_confidence: float | None = None  # its confidence once it is confirmed
    meant: Meant | None = None  # what it does once it is confirmed
    masks: tuple[Mask, ...] = ()
    uses: int = 0
    last_used_at: datetime | None = None
    helpful: int = 0
    harmful: int = 0

    def __str__(self) -> str:
        about = (self.category, *(["unconfirmed"] if self.is_unconfirmed else ()), self.id)
        return f"{one_line(self.text)} ({', '.join(about)})"

    @property
    def is_open(self) -> bool:
        """Still held to be true, as far as we know."""
        return self.superseded_at is None

    @property
    def is_private(self) -> bool:
        """Whether no language model is shown it of itself: it is sensitive, or of a privileged
        category.
        """
        return self.sensitive or self.category in PRIVILEGED

    @property
    def holds(self) -> bool:
        """Open and confirmed."""
        return self.superseded_at is None and self.unconfirmed is None

    @property
    def is_unconfirmed(self) -> bool:
        """Open and unconfirmed."""
        return self.superseded_at is None and self.unconfirmed is not None

    @property
    def own_turns(self) -> tuple[TurnId, ...]:
        """The turns that said it first."""
        return tuple(turn for turn in self.source_turns if turn not in self.said_again)

    def supported_by(self, turns: Iterable[TurnId]) -> Item:
        """The item as said again by exactly these turns, besides those that said it first."""
        own = self.own_turns
        again = tuple(dict.fromkeys(turn for turn in turns if turn not in own))
        return replace(self, source_turns=(*again, *own), said_again=again)

    def first_came_from(self, turns: Container[str]) -> bool:
        """Whether nobody said it first but these turns: a quoted item or a summary comes from all
        of its turns together, another from any.
        """
        held = [turn in turns for turn in self.own_turns]
        return bool(held) and (any(held) if self.is_made_of_turns else all(held))

    @property
    def is_made_of_turns(self) -> bool:
        """Whether its turns tell it only together, as those of a quote or a summary do."""
        return self.quote_span is not None or self.source is Source.CONSOLIDATION
