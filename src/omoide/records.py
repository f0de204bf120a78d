"""Every noun as a frozen record. Nothing here knows a database, a model or a clock."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import NewType, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.errors import InvalidScope

ItemId = NewType("ItemId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)  # "<session id>#<position>"
EntityId = NewType("EntityId", str)
ChangeId = NewType("ChangeId", str)
Vector: TypeAlias = NDArray[np.float32]  # shape (d,), length 1
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Metadata: TypeAlias = Mapping[str, Json]
NO_METADATA: Metadata = MappingProxyType({})
ID_LIMIT, TEXT_LIMIT, TURN_LIMIT = (
    256,
    65_536,
    4_194_304,
)  # characters of an id, an item, a turn; more is refused, never cut
GLOBAL = "global"  # the context every other context also sees


class Category(StrEnum):
    """What sort of thing an item says. The last three are privileged: never written by
    extraction.
    """

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


_USERS = dict.fromkeys((Source.USER, Source.SYSTEM, Source.SEED), Tier.USER)
_DOCUMENTS = dict.fromkeys((Source.DISCOVERY, Source.IMPORT), Tier.DOCUMENT)
TIER: Mapping[Source, Tier] = (
    dict.fromkeys(Source, Tier.AGENT) | _USERS | _DOCUMENTS
)  # whose word it is, unless told


class Kind(StrEnum):
    """What a record is."""

    ITEM = "item"
    TURN = "turn"
    SESSION = "session"
    ENTITY = "entity"
    REFLECTION = "reflection"
    DIGEST = "digest"
    PROCEDURE = "procedure"
    ROUND = "round"  # of upkeep: what it did to many records at once
    PROPOSAL = "proposal"  # waits for a person's word


class Role(StrEnum):
    """Who speaks in a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a record lives and what an asker sees.

    A row is visible when its tenant is the asker's and each of its agent, user and session is
    either unset or the asker's. An asker without a user sees no user's rows. The session says where
    something happens; only what is marked as session-only stays within it. The context is where new
    rows go; it limits recall only where a query names contexts. InvalidScope is raised where an id
    is empty, over 256 characters, has control characters or outer spaces.
    """

    tenant: str = "default"
    agent: str | None = None
    user: str | None = None
    session: str | None = None
    context: str = GLOBAL

    def __post_init__(self) -> None:
        for name in ("tenant", "agent", "user", "session", "context"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, clean_id(value, name))


def clean_id(value: object, field: str) -> str:
    """The id in Unicode normal form C.

    Raises:
        InvalidScope: not text, empty, too long, or with control characters or outer spaces.
    """
    if not isinstance(value, str):
        raise InvalidScope(field, f"must be text, not {type(value).__name__}")
    text = unicodedata.normalize("NFC", value)
    if not text:
        raise InvalidScope(field, "must not be empty")
    if len(text) > ID_LIMIT:
        raise InvalidScope(field, f"{len(text)} characters, the limit is {ID_LIMIT}")
    if text != text.strip() or any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        raise InvalidScope(field, f"{text!r} has control characters or outer spaces")
    return text


@dataclass(frozen=True, kw_only=True, slots=True)
class Participant:
    """One who takes part in a session. user is the canonical id; assistants and strangers have
    none.
    """

    name: str
    user: str | None = None
    role: Role = Role.USER


@dataclass(frozen=True, kw_only=True, slots=True)
class Mask:
    """A secret masked at the door: what kind, and where its mark stands in the stored text."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message as a caller hands it in."""

    text: str
    role: Role = Role.USER
    speaker: str | None = None
    user: str | None = None  # canonical id of the speaker, if a user
    at: datetime | None = None  # aware, in the speaker's own zone; None: now
    key: str | None = None  # idempotency key within its session
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One message of a session. Append-only, verbatim but for masked secrets."""

    id: TurnId
    session: SessionId
    position: int  # from 0 within its session
    role: Role
    speaker: str
    user: str | None
    text: str
    at: datetime  # when it was said, with the original offset
    recorded_at: datetime  # when it was stored, UTC
    key: str | None = None
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)
    masks: tuple[Mask, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """A conversation: who takes part, where, and when."""

    id: SessionId
    scope: Scope  # names no user where several take part
    owner: str | None = None  # the user who began it
    title: str = ""
    channel: str = ""
    participants: tuple[Participant, ...] = ()
    private: bool = False
    started_at: datetime | None = None
    last_at: datetime | None = None
    turns: int = 0
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)

    @property
    def users(self) -> frozenset[str]:
        """The canonical users who take part."""
        return frozenset(p.user for p in self.participants if p.user)


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """A session with its messages, before it is stored."""

    id: str
    messages: tuple[Message, ...]
    title: str = ""
    channel: str = ""
    participants: tuple[Participant, ...] = ()
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)


@dataclass(frozen=True, kw_only=True, slots=True)
class Details:
    """What remember and correct may be told about an item besides its text, category, tags and
    entities.
    """

    domain: str | None = None
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)
    confidence: float | None = None  # 0 to 1; None: by source
    sensitive: bool = False
    source: Source = Source.TOOL  # Source.USER: what the user said, or typed
    tier: Tier | None = None  # whose word it is; None: by source
    quote: str | None = None
    source_turns: tuple[TurnId, ...] = ()
    bases: tuple[ItemId, ...] = ()  # items it is derived from or depends on
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    origin: str | None = None  # the document, page or import it came from, for forget by source
    session_only: bool = False  # known only within the scope's session


NO_DETAILS = Details()


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
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
    quote: str | None = None
    quote_span: tuple[int, int] | None = (
        None  # where the quote stands in the text of the last of its source turns
    )
    source_turns: tuple[TurnId, ...] = ()
    bases: tuple[ItemId, ...] = ()  # items it is derived from or depends on
    doubted_at: datetime | None = (
        None  # since when one of these no longer holds; not looked at while it is closed
    )
    masks: tuple[Mask, ...] = ()
    uses: int = 0
    last_used_at: datetime | None = None
    helpful: int = 0
    harmful: int = 0

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
        """Open, and so is all that it rests on."""
        return self.superseded_at is None and self.doubted_at is None

    def comes_from(self, turns: Container[str]) -> bool:
        """Whether nobody said it but these turns: a quoted item or a summary comes from all of its
        turns together, another from any.
        """
        held = [turn in turns for turn in self.source_turns]
        return bool(held) and (
            any(held) if self.quote_span or self.source is Source.CONSOLIDATION else all(held)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Entity:
    """A person, project or other thing that items speak of, such as ``person:ana``."""

    id: EntityId
    scope: Scope
    name: str  # "type:label"
    aliases: tuple[str, ...] = ()
    items: int = 0
    last_used_at: datetime | None = None


class Action(StrEnum):
    """What happened to a record."""

    LOG = "log"  # turns appended to a session
    ADD = "add"
    REINFORCE = "reinforce"
    SUPERSEDE = "supersede"
    RETRACT = "retract"
    REOPEN = "reopen"
    EDIT = "edit"
    FEEDBACK = "feedback"
    FORGET = "forget"
    MASK = "mask"
    DOUBT = "doubt"  # something it rests on no longer holds
    CLEAR = "clear"  # of doubt: all that it rests on holds again
    UNSAY = "unsay"  # what a forgotten source did to it is taken back
    DECAY = "decay"  # items went unused for long and are less sure
    RECONCILE = "reconcile"  # items were compared, and are surer or less sure
    ARCHIVE = "archive"  # pruned: out of recall, and erased at a stated time
    PROPOSE = "propose"  # something waits for a person's word
    REJECT = "reject"  # a proposal
    EXPIRE = "expire"  # a proposal that nobody looked at in its time
    MERGE = "merge"
    SPLIT = "split"
    UNDO = "undo"


@dataclass(frozen=True, kw_only=True, slots=True)
class Because:
    """Who wants a change, why, what caused it (an import, a job, another change), and whose word it
    is.
    """

    actor: str = "agent"
    reason: str = ""
    cause: str | None = None
    tier: Tier = (
        Tier.AGENT
    )  # of what is changed in place; what is remembered or corrected says so by its source


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One entry of the ledger. Holds ids and keyed hashes, never text."""

    seq: int  # from 1 within its tenant, without gaps
    id: ChangeId
    tenant: str
    at: datetime
    action: Action
    kind: Kind
    record: str
    user: str | None
    session: str | None
    actor: str
    reason: str
    cause: str | None
    content: str  # keyed hash of the record after the change; "" where there is none
    hash: str  # over this entry and the hash before it


class ModelState(StrEnum):
    """What an embedder's vectors are for."""

    ACTIVE = "active"  # they serve
    BUILDING = "building"  # not all there yet; the active ones serve until they are
    RETIRED = (  # they neither serve nor are made; those that are there wait to be of use again
        "retired"
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """An embedder as the store knows it: number is what stands in vector rows."""

    number: int
    id: str
    spec: str
    dimension: int
    state: ModelState


class Arm(StrEnum):
    """The searches that recall fuses."""

    TEXT = "text"
    VECTOR = "vector"
    ENTITY = "entity"
    TIME = "time"


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """A question with its filters. Times are aware; until is exclusive."""

    text: str = ""
    kinds: frozenset[Kind] = frozenset({Kind.ITEM, Kind.TURN})
    categories: frozenset[Category] | None = None
    contexts: frozenset[str] | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()  # all of them
    entities: tuple[str, ...] = ()  # any of them
    metadata: Metadata = field(
        default_factory=lambda: NO_METADATA
    )  # {"key": value} or {"key": {"$gte": 3}}
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    include_sensitive: bool = False
    include_muted: bool = False
    without_session: str | None = None
    floors: Mapping[Arm, float] = field(
        default_factory=dict
    )  # least score an arm's find must have, on the arm's own scale
    budget_tokens: int | None = None
    preset: str = "default"  # fast, default, best, thorough, keyword, rrf


@dataclass(frozen=True, kw_only=True, slots=True)
class ArmRank:
    """How one arm ranked a hit: its place from 1, raw score and share of the fused score."""

    arm: Arm
    rank: int
    score: float
    share: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A recalled record. score is from 0 to 1; higher is better."""

    kind: Kind
    id: str
    text: str
    score: float
    at: datetime
    item: Item | None = None
    turn: Turn | None = None
    arms: tuple[ArmRank, ...] = ()
    tokens: int = 0

    @property
    def doubtful(self) -> bool:
        """Whether it rests on something that no longer holds; such hits come after all others."""
        return self.item is not None and self.item.is_open and self.item.doubted_at is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One step of a recall: what it did, how many candidates it left, how long it took."""

    name: str
    count: int
    ms: float
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """The answer to a query, best hit first.

    answerable is from 0 to 1: how sure it is that an answer is held at all. degraded names what did
    not take part, such as ``vector: 12 turns wait for their vectors``.
    """

    hits: tuple[Hit, ...]
    answerable: float
    trace: tuple[Step, ...] = ()
    degraded: tuple[str, ...] = ()


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
