"""SynthOrg's backend of a session, and the one that routes memories by their namespace to others.
By the signatures that its design gives.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field, replace
from typing import TypeVar

from omoide import Memory
from omoide.adapters.synthorg import (
    AgentMemoryError,
    MemoryBackend,
    MemoryCategory,
    MemoryConfigError,
    MemoryConnectionError,
    MemoryEntry,
    MemoryQuery,
    MemoryRetrievalError,
    MemoryStoreRequest,
    OmoideMemoryBackend,
)
from omoide.nouns.record.frozen import frozen_record
from omoide.telemetry.logs import get_logger

MARK = ":"  # between the name of a backend and the id of a memory in it
log = get_logger(__name__)
T = TypeVar("T")


class InMemoryBackend(OmoideMemoryBackend):
    """A ``MemoryBackend`` for one session: its store is in memory, and gone with ``disconnect``."""

    def __init__(self) -> None:
        super().__init__(Memory.open(":memory:", background=False))

    @property
    def backend_name(self) -> str:
        """Its name."""
        return "inmemory"

    async def disconnect(self) -> None:
        """Disconnect, and drop what was stored."""
        await super().disconnect()
        self.memory.close()


@frozen_record
class CompositeBackendConfig:
    """Which backend has which namespace, by names; ``default`` has all others."""

    routes: Mapping[str, str] = field(default_factory=dict)
    default: str = "inmemory"


class CompositeBackend:
    """A ``MemoryBackend`` over others, each of which has some namespaces. The id of a memory begins
    with the name of its backend.

    Raises:
        MemoryConfigError: a route names no backend, or a backend has no usable name.
    """

    def __init__(
        self, *, children: Mapping[str, MemoryBackend], config: CompositeBackendConfig
    ) -> None:
        if unknown := {config.default, *config.routes.values()} - children.keys():
            known = ", ".join(children)
            raise MemoryConfigError(f"composite: no backend {min(unknown)!r}; known: {known}")
        if wrong := [name for name in children if MARK in name or not name.strip()]:
            raise MemoryConfigError(f"composite: a backend cannot be named {wrong[0]!r}")
        self._children, self._config = dict(children), config

    @property
    def is_connected(self) -> bool:
        """Whether all are connected."""
        return all(child.is_connected for child in self._children.values())

    @property
    def backend_name(self) -> str:
        """Its name."""
        return "composite"

    async def connect(self) -> None:
        """Connect all."""
        await asyncio.gather(*(child.connect() for child in self._children.values()))

    async def disconnect(self) -> None:
        """Disconnect all."""
        await asyncio.gather(*(child.disconnect() for child in self._children.values()))

    async def health_check(self) -> bool:
        """Tell whether all work."""
        return all(
            await asyncio.gather(*(child.health_check() for child in self._children.values()))
        )

    async def store(self, agent_id: str, request: MemoryStoreRequest) -> str:
        """Store a memory in the backend of its namespace; return its id."""
        name = self._named(request.namespace)
        return f"{name}{MARK}{await self._children[name].store(agent_id, request)}"

    async def retrieve(self, agent_id: str, query: MemoryQuery) -> tuple[MemoryEntry, ...]:
        """Return what answers a query in the backends of its namespaces, or in all, best first.

        A backend that fails is named in the log, and the others answer.

        Raises:
            MemoryConnectionError: none of them answers, the first for want of a connection.
            MemoryRetrievalError: none of them answers.
        """
        names = {self._named(one) for one in query.namespaces} or set(self._children)
        answers = await self._answers(sorted(names), agent_id, query)
        found = [
            replace(entry, id=f"{name}{MARK}{entry.id}")
            for name, entries in answers.items()
            for entry in entries
        ]
        if query.text:
            found.sort(key=lambda entry: -(entry.relevance_score or 0.0))
        else:
            found.sort(key=lambda entry: entry.created_at, reverse=True)
        return tuple(found[: query.limit])

    async def get(self, agent_id: str, memory_id: str) -> MemoryEntry | None:
        """Return a memory by its id."""
        child, id = self._owner(memory_id)
        entry = await child.get(agent_id, id)
        return entry and replace(entry, id=memory_id)

    async def delete(self, agent_id: str, memory_id: str) -> bool:
        """Delete a memory; tell whether there was one."""
        child, id = self._owner(memory_id)
        return await child.delete(agent_id, id)

    async def count(self, agent_id: str, *, category: MemoryCategory | None = None) -> int:
        """Return how many memories an agent has in all backends."""
        counts = (child.count(agent_id, category=category) for child in self._children.values())
        return sum(await asyncio.gather(*counts))

    def _named(self, namespace: str) -> str:
        return self._config.routes.get(namespace, self._config.default)

    def _owner(self, memory_id: str) -> tuple[MemoryBackend, str]:
        """
        Raises:
            MemoryRetrievalError: the id names no backend of these.
        """
        name, _, id = memory_id.partition(MARK)
        if name not in self._children:
            raise MemoryRetrievalError(f"memory {memory_id!r} is in no backend of these")
        return self._children[name], id

    async def _answers(
        self, names: list[str], agent_id: str, query: MemoryQuery
    ) -> dict[str, tuple[MemoryEntry, ...]]:
        told = await asyncio.gather(
            *(_tried(self._children[name].retrieve, agent_id, query) for name in names)
        )
        answers = dict(zip(names, told, strict=True))
        failed = {n: one for n, one in answers.items() if isinstance(one, AgentMemoryError)}
        for name, error in failed.items():
            log.warning("a backend does not answer", backend=name, error=str(error))
        if len(failed) == len(names):
            one = next(iter(failed.values()))
            is_lost = isinstance(one, MemoryConnectionError)
            kind = MemoryConnectionError if is_lost else MemoryRetrievalError
            raise kind(f"no backend answers: {one}") from one
        return {n: one for n, one in answers.items() if not isinstance(one, AgentMemoryError)}


async def _tried(
    call: Callable[[str, MemoryQuery], Awaitable[T]], agent_id: str, query: MemoryQuery
) -> T | AgentMemoryError:
    try:
        return await call(agent_id, query)
    except AgentMemoryError as error:
        return error


__all__ = ["CompositeBackend", "CompositeBackendConfig", "InMemoryBackend"]
