"""SynthOrg's memory backend over a memory, by the signatures that its design gives: there is no
package of it.

Names are SynthOrg's own. ``MemoryError`` of its design is ``AgentMemoryError`` here, as the other
would hide Python's own; it is there as an attribute of this module, but no star import brings it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from omoide import (
    Details,
    Item,
    Kind,
    Listing,
    Memory,
    NotFound,
    OmoideError,
    Query,
    Statement,
    StoreError,
    Tier,
)
from omoide.adapters.records import every_item
from omoide.adapters.worker import SerialWorker, in_worker
from omoide.nouns.record.frozen import frozen_record
from omoide.telemetry.logs import get_logger

KIND = "synthorg"
# the tag of what an agent cannot find by looking around: decisions and their reasons, conventions
NON_INFERABLE = "non-inferable"
NAMESPACE = "default"
log = get_logger(__name__)

Json = dict[str, Any]


class AgentMemoryError(Exception):
    """Base of the errors of a memory backend."""


class MemoryConnectionError(AgentMemoryError):
    """The backend is not connected, or its store cannot be reached."""


class MemoryStoreError(AgentMemoryError):
    """A memory could not be stored or deleted."""


class MemoryRetrievalError(AgentMemoryError):
    """Memories could not be read."""


class MemoryNotFoundError(AgentMemoryError):
    """There is no such memory."""


class MemoryConfigError(AgentMemoryError):
    """The configuration is wrong."""


class MemoryCapabilityError(AgentMemoryError):
    """The backend cannot do this."""


MemoryError = AgentMemoryError


class MemoryCategory(StrEnum):
    """What sort of memory it is."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    SOCIAL = "social"


# as Omoide files them; working memory is what stands in a prompt, and stored nowhere
CATEGORIES = {
    MemoryCategory.EPISODIC: "note",
    MemoryCategory.SEMANTIC: "fact",
    MemoryCategory.PROCEDURAL: "skill",
    MemoryCategory.SOCIAL: "fact",
}


@frozen_record
class MemoryMetadata:
    """Where a memory comes from, and how sure it is. Tags are kept once, in order."""

    source: str | None = None
    confidence: float = 1.0
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence must be from 0 to 1; got {self.confidence}")
        object.__setattr__(self, "tags", tuple(dict.fromkeys(self.tags)))


@frozen_record
class MemoryStoreRequest:
    """A memory to be stored."""

    category: MemoryCategory
    content: str
    metadata: MemoryMetadata = field(default_factory=MemoryMetadata)
    expires_at: datetime | None = None
    namespace: str = NAMESPACE

    def __post_init__(self) -> None:
        for name in ("content", "namespace"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name} must not be blank")


@frozen_record
class MemoryEntry:
    """A stored memory. No time is before its creation."""

    id: str
    agent_id: str
    category: MemoryCategory
    content: str
    created_at: datetime
    metadata: MemoryMetadata = field(default_factory=MemoryMetadata)
    updated_at: datetime | None = None
    expires_at: datetime | None = None
    relevance_score: float | None = None  # 0 to 1
    namespace: str = NAMESPACE

    def __post_init__(self) -> None:
        for name in ("updated_at", "expires_at"):
            at = getattr(self, name)
            if at is not None and at < self.created_at:
                raise ValueError(f"{name} must not be before created_at")
        if self.relevance_score is not None and not 0 <= self.relevance_score <= 1:
            raise ValueError(f"relevance_score must be from 0 to 1; got {self.relevance_score}")


@frozen_record
class MemoryQuery:
    """A question with filters. Without a text it lists what passes them, latest first."""

    text: str | None = None
    categories: frozenset[MemoryCategory] | None = None
    tags: tuple[str, ...] = ()  # all of them
    min_relevance: float = 0.0
    limit: int = 10
    since: datetime | None = None
    until: datetime | None = None  # exclusive
    namespaces: frozenset[str] = frozenset()  # none: all

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= 1000:
            raise ValueError(f"limit must be from 1 to 1000; got {self.limit}")
        if not 0 <= self.min_relevance <= 1:
            raise ValueError(f"min_relevance must be from 0 to 1; got {self.min_relevance}")
        if self.since and self.until and self.since >= self.until:
            raise ValueError("since must be before until")


@frozen_record
class MemoryCapabilities:
    """What a backend can do."""

    supported_categories: frozenset[MemoryCategory]
    supports_graph: bool
    supports_temporal: bool
    supports_vector_search: bool
    supports_shared_access: bool
    max_memories_per_agent: int | None


@runtime_checkable
class MemoryBackend(Protocol):
    """What SynthOrg asks of a backend."""

    @property
    def is_connected(self) -> bool:
        """Whether it is connected."""

    @property
    def backend_name(self) -> str:
        """Its name."""

    async def connect(self) -> None:
        """Connect."""

    async def disconnect(self) -> None:
        """Disconnect."""

    async def health_check(self) -> bool:
        """Tell whether it works."""

    async def store(self, agent_id: str, request: MemoryStoreRequest) -> str:
        """Store a memory; return its id."""

    async def retrieve(self, agent_id: str, query: MemoryQuery) -> tuple[MemoryEntry, ...]:
        """Return the memories that answer a query, best first."""

    async def get(self, agent_id: str, memory_id: str) -> MemoryEntry | None:
        """Return a memory by its id."""

    async def delete(self, agent_id: str, memory_id: str) -> bool:
        """Delete a memory; tell whether there was one."""

    async def count(self, agent_id: str, *, category: MemoryCategory | None = None) -> int:
        """Return how many memories an agent has."""


class OmoideMemoryBackend:
    """A ``MemoryBackend`` over an opened memory; each agent's memories are that agent's alone.

    One company is one memory: bind another tenant for the next, with ``memory.at(tenant=…)``.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory, self._worker, self._connected = memory, SerialWorker(), False

    @property
    def memory(self) -> Memory:
        """The memory that it is over."""
        return self._memory

    @property
    def is_connected(self) -> bool:
        """Whether it is connected."""
        return self._connected

    @property
    def backend_name(self) -> str:
        """Its name."""
        return "omoide"

    @property
    def capabilities(self) -> MemoryCapabilities:
        """What it can do as the memory is set up."""
        can = self._memory.capabilities
        return MemoryCapabilities(
            supported_categories=frozenset(CATEGORIES),
            supports_graph=can.relations,
            supports_temporal=can.temporal,
            supports_vector_search=can.vectors,
            supports_shared_access=can.shared,
            max_memories_per_agent=can.items_most,
        )

    async def connect(self) -> None:
        """Connect; the memory is open already."""
        await self._worker(self._memory.stats)
        self._connected = True

    async def disconnect(self) -> None:
        """Disconnect; whoever opened the memory closes it."""
        self._connected = False

    async def health_check(self) -> bool:
        """Tell whether it is connected and its store can be read."""
        if not self._connected:
            return False
        try:
            await self._worker(self._memory.stats)
        except OmoideError:
            return False
        return True

    @in_worker
    def store(self, agent_id: str, request: MemoryStoreRequest) -> str:
        """Store a memory as it is; return its id."""
        with self._using(MemoryStoreError):
            return str(self._of(agent_id).items.add_many([statement_of(request)])[0].id)

    @in_worker
    def retrieve(self, agent_id: str, query: MemoryQuery) -> tuple[MemoryEntry, ...]:
        """Return the memories that answer a query, best first; without a text latest first."""
        with self._using(MemoryRetrievalError):
            found = answers_to(self._of(agent_id), query, {})
            return tuple(entry_of(agent_id, item, score) for item, score in found)

    @in_worker
    def get(self, agent_id: str, memory_id: str) -> MemoryEntry | None:
        """Return a memory by its id."""
        with self._using(MemoryRetrievalError):
            return self._get(agent_id, memory_id)

    @in_worker
    def delete(self, agent_id: str, memory_id: str) -> bool:
        """Forget a memory with all its versions; tell whether there was one."""
        with self._using(MemoryStoreError):
            there = self._get(agent_id, memory_id) is not None
            if there:
                self._of(agent_id).forget(memory_id)
            return there

    @in_worker
    def count(self, agent_id: str, *, category: MemoryCategory | None = None) -> int:
        """Return how many memories an agent has, or of one category."""
        with self._using(MemoryRetrievalError):
            return self._count(agent_id, category)

    @contextmanager
    def _using(self, failed: type[AgentMemoryError]) -> Iterator[None]:
        """
        Raises:
            MemoryConnectionError: it is not connected, or the store cannot be used.
            AgentMemoryError: a call failed; which one is said by ``failed``.
        """
        if not self._connected:
            raise MemoryConnectionError("not connected; call connect() first")
        try:
            yield
        except StoreError as error:
            raise MemoryConnectionError(str(error)) from error
        except OmoideError as error:
            raise failed(str(error)) from error

    def _get(self, agent_id: str, memory_id: str) -> MemoryEntry | None:
        try:
            item = self._of(agent_id).get(memory_id)
        except NotFound:
            return None
        return entry_of(agent_id, item, None) if isinstance(item, Item) and item.is_open else None

    def _count(self, agent_id: str, category: MemoryCategory | None) -> int:
        items = every_item(self._of(agent_id), Listing(sensitive=None, limit=1_000))
        return sum(category in (None, _category(item)) for item in items)

    def _of(self, agent_id: str) -> Memory:
        return self._memory.at(agent=agent_id)


def statement_of(request: MemoryStoreRequest, **about: str) -> Statement:
    """What a request stores, with more about it in its metadata.

    Raises:
        MemoryStoreError: it is of the category working, which is never stored.
    """
    if request.category not in CATEGORIES:
        raise MemoryStoreError(f"category {request.category.value!r} is not stored")
    if NON_INFERABLE not in request.metadata.tags:
        log.warning("inferable", tag=NON_INFERABLE, category=request.category.value)
    told: Json = {"category": request.category.value, "source": request.metadata.source, **about}
    if request.namespace != NAMESPACE:
        told["namespace"] = request.namespace
    details = Details(
        metadata={KIND: told},
        confidence=request.metadata.confidence,
        expires_at=request.expires_at,
        tier=Tier.AGENT,
    )
    return Statement(
        text=request.content,
        category=CATEGORIES[request.category],
        tags=request.metadata.tags,
        details=details,
    )


def answers_to(
    memory: Memory, query: MemoryQuery, filters: Json
) -> Iterator[tuple[Item, float | None]]:
    """The items that answer a query and pass filters of their metadata, best first, each with its
    score; without a text they have none.
    """
    names = [str(name) for name in sorted(query.categories or CATEGORIES)]
    asked = Query(
        text=query.text or "",
        kinds=frozenset({Kind.ITEM}),
        tags=query.tags,
        metadata={f"{KIND}.category": {"$in": [*names]}, **filters, **_within(query.namespaces)},
        since=query.since,
        until=query.until,
        passage_tokens=None,
    )
    for hit in memory.recall(asked, limit=query.limit):
        if hit.item and (not query.text or hit.score >= query.min_relevance):
            yield hit.item, hit.score if query.text else None


def _within(namespaces: frozenset[str]) -> Json:
    """The filter for memories of some namespaces; none lets all pass."""
    name, others = f"{KIND}.namespace", sorted(namespaces - {NAMESPACE})
    if not namespaces:
        return {}
    if NAMESPACE not in namespaces:
        return {name: {"$in": others}}
    return {"$or": [{name: {"$exists": False}}, *({name: one} for one in others)]}


def _category(item: Item) -> MemoryCategory:
    about = item.metadata.get(KIND)
    if isinstance(about, dict):
        return MemoryCategory(str(about["category"]))
    return MemoryCategory.PROCEDURAL if item.category == "skill" else MemoryCategory.SEMANTIC


def entry_of(agent_id: str, item: Item, score: float | None) -> MemoryEntry:
    """An item as an entry of SynthOrg's."""
    about = item.metadata.get(KIND)
    told = about if isinstance(about, dict) else {"source": str(item.source)}
    source = told.get("source")
    return MemoryEntry(
        id=item.id,
        agent_id=agent_id,
        category=_category(item),
        content=item.text,
        metadata=MemoryMetadata(
            source=None if source is None else str(source),
            confidence=item.confidence,
            tags=item.tags,
        ),
        created_at=item.created_at,
        updated_at=item.updated_at,
        expires_at=item.expires_at,
        relevance_score=score,
        namespace=str(told.get("namespace", NAMESPACE)),
    )


__all__ = [
    "AgentMemoryError",
    "MemoryBackend",
    "MemoryCapabilities",
    "MemoryCapabilityError",
    "MemoryCategory",
    "MemoryConfigError",
    "MemoryConnectionError",
    "MemoryEntry",
    "MemoryMetadata",
    "MemoryNotFoundError",
    "MemoryQuery",
    "MemoryRetrievalError",
    "MemoryStoreError",
    "MemoryStoreRequest",
    "OmoideMemoryBackend",
]
