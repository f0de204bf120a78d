"""SynthOrg's shared knowledge over a memory: what one agent publishes, every agent of the company
finds. By the signatures that its design gives.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from omoide import Item, Memory, NotFound
from omoide.adapters.synthorg import (
    KIND,
    MemoryEntry,
    MemoryQuery,
    MemoryStoreRequest,
    answers_to,
    entry_of,
    statement_of,
)
from omoide.adapters.worker import SerialWorker, in_worker


@runtime_checkable
class SharedKnowledgeStore(Protocol):
    """What agents of one company let each other know."""

    async def publish(self, agent_id: str, request: MemoryStoreRequest) -> str:
        """Let every agent know something; return its id."""

    async def search_shared(
        self, query: MemoryQuery, *, exclude_agent: str | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Return what answers a query, best first."""

    async def retract(self, agent_id: str, memory_id: str) -> bool:
        """Take back what an agent published; tell whether there was such a thing."""


class OmoideSharedKnowledgeStore:
    """A ``SharedKnowledgeStore`` over an opened memory: ``OmoideSharedKnowledgeStore(memory)``.

    An entry's ``agent_id`` is the agent that published it, who alone can retract it.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory, self._worker = memory.at(shared=True), SerialWorker()

    @in_worker
    def publish(self, agent_id: str, request: MemoryStoreRequest) -> str:
        """Let every agent know something; return its id.

        Raises:
            MemoryStoreError: it is of the category working, which is never stored.
        """
        said = statement_of(request, agent=agent_id)
        return str(self._memory.items.add_many([said])[0].id)

    @in_worker
    def search_shared(
        self, query: MemoryQuery, *, exclude_agent: str | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Return what answers a query, best first; nothing that ``exclude_agent`` published."""
        others = {"$exists": True, "$nin": [exclude_agent] if exclude_agent else []}
        found = answers_to(self._memory, query, {f"{KIND}.agent": others})
        return tuple(entry_of(_publisher(item) or "", item, score) for item, score in found)

    @in_worker
    def retract(self, agent_id: str, memory_id: str) -> bool:
        """Forget what an agent published; tell whether there was such a thing."""
        try:
            item = self._memory.get(memory_id)
        except NotFound:
            return False
        if not isinstance(item, Item) or not item.is_open or _publisher(item) != agent_id:
            return False
        self._memory.forget(memory_id)
        return True


def _publisher(item: Item) -> str | None:
    """The agent that published an item."""
    about = item.metadata.get(KIND)
    return str(about["agent"]) if isinstance(about, dict) and "agent" in about else None


__all__ = ["OmoideSharedKnowledgeStore", "SharedKnowledgeStore"]
