"""SynthOrg's backend protocol, by the signatures of its design."""

from __future__ import annotations

import asyncio
import builtins
import inspect
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from omoide import Memory
from omoide.adapters import synthorg
from omoide.adapters.synthorg import (
    AgentMemoryError,
    MemoryBackend,
    MemoryCategory,
    MemoryConnectionError,
    MemoryEntry,
    MemoryMetadata,
    MemoryQuery,
    MemoryRetrievalError,
    MemoryStoreError,
    MemoryStoreRequest,
    OmoideMemoryBackend,
)
from tests.adapters.kit import in_another_process

READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.synthorg import MemoryQuery, OmoideMemoryBackend

    async def main(backend):
        await backend.connect()
        found = {}
        for agent in ("ann", "bob"):
            entries = await backend.retrieve(agent, MemoryQuery(text="rate limit"))
            found[agent] = [[entry.content, entry.category] for entry in entries]
        print(json.dumps(found))

    with Memory.open(sys.argv[1]) as memory:
        asyncio.run(main(OmoideMemoryBackend(memory)))
"""
SEMANTIC, EPISODIC = MemoryCategory.SEMANTIC, MemoryCategory.EPISODIC


def request(
    content: str,
    category: MemoryCategory = SEMANTIC,
    *,
    namespace: str = "default",
    **more: object,
) -> MemoryStoreRequest:
    metadata = MemoryMetadata(**more)  # type: ignore[arg-type]
    return MemoryStoreRequest(
        category=category, content=content, metadata=metadata, namespace=namespace
    )


@pytest.mark.covers("SO-6")
def test_the_backend_stores_what_another_process_retrieves(
    unbound: Memory, memory_file: Path
) -> None:
    """Each agent's memories are its own; deleted ones are gone, and deleting again says so."""
    backend = OmoideMemoryBackend(unbound)

    async def go() -> None:
        await backend.connect()
        kept = await backend.store("ann", request("The rate limit is 100 a minute", source="docs"))
        gone = await backend.store("ann", request("The rate limit was 50", EPISODIC))
        await backend.store("bob", request("Nothing of rates"))
        assert await backend.count("ann") == 2
        assert await backend.count("ann", category=EPISODIC) == 1
        assert await backend.get("bob", kept) is None
        entry = await backend.get("ann", kept)
        assert entry is not None
        assert (entry.agent_id, entry.category, entry.metadata.source) == ("ann", SEMANTIC, "docs")
        assert await backend.delete("bob", gone) is False
        assert await backend.delete("ann", gone) is True
        assert await backend.delete("ann", gone) is False

    asyncio.run(go())
    assert isinstance(backend, MemoryBackend)
    read = in_another_process(READ, memory_file)
    assert read["ann"] == [["The rate limit is 100 a minute", "semantic"]]
    assert "rate limit" not in str(read["bob"])


@pytest.mark.covers("SO-6")
def test_the_protocol_has_the_names_of_the_design() -> None:
    """Coroutines and properties, with their parameters."""
    coroutines = {
        "connect": [],
        "disconnect": [],
        "health_check": [],
        "store": ["agent_id", "request"],
        "retrieve": ["agent_id", "query"],
        "get": ["agent_id", "memory_id"],
        "delete": ["agent_id", "memory_id"],
        "count": ["agent_id", "category"],
    }
    for kind in (MemoryBackend, OmoideMemoryBackend):
        for name, parameters in coroutines.items():
            method = getattr(kind, name)
            assert inspect.iscoroutinefunction(method)
            assert list(inspect.signature(method).parameters)[1:] == parameters
        for name in ("is_connected", "backend_name"):
            assert isinstance(inspect.getattr_static(kind, name), property)


def test_queries_filter(unbound: Memory) -> None:
    """By categories, tags, times and relevance; without a text, latest first."""
    backend = OmoideMemoryBackend(unbound)
    now = datetime.now(UTC)

    async def texts(**query: object) -> list[str]:
        found = await backend.retrieve("ann", MemoryQuery(**query))  # type: ignore[arg-type]
        return [entry.content for entry in found]

    async def go() -> None:
        await backend.connect()
        await backend.store("ann", request("Tea is green", tags=("drink", "drink", "leaf")))
        await backend.store("ann", request("Tea was served at nine", EPISODIC, tags=("drink",)))
        await backend.store("ann", request("Ships sail", tags=("sea",)))
        assert await texts() == ["Ships sail", "Tea was served at nine", "Tea is green"]
        assert await texts(limit=1) == ["Ships sail"]
        assert await texts(tags=("drink", "leaf")) == ["Tea is green"]
        assert await texts(categories=frozenset({EPISODIC})) == ["Tea was served at nine"]
        assert await texts(until=now - timedelta(days=1)) == []
        assert len(await texts(since=now - timedelta(days=1))) == 3
        found = await backend.retrieve("ann", MemoryQuery(text="When was tea served?"))
        assert found[0].content == "Tea was served at nine"
        assert found[0].relevance_score == 1.0
        assert await texts(text="When was tea served?", min_relevance=1.0) == [found[0].content]

    asyncio.run(go())


@pytest.mark.covers("SO-9", "LS-60")
def test_errors_are_one_family_beside_pythons_own(unbound: Memory) -> None:
    """Running out of memory is never caught with them; star imports hide no built-in."""
    names = [name for name in dir(synthorg) if name.startswith("Memory") and name.endswith("Error")]
    assert len(names) == 7
    assert all(issubclass(getattr(synthorg, name), AgentMemoryError) for name in names)
    assert synthorg.MemoryError is AgentMemoryError
    assert not issubclass(builtins.MemoryError, AgentMemoryError)
    assert "MemoryError" not in synthorg.__all__
    backend = OmoideMemoryBackend(unbound)

    async def go() -> None:
        assert await backend.health_check() is False
        with pytest.raises(MemoryConnectionError):
            await backend.count("ann")
        await backend.connect()
        assert (backend.is_connected, backend.backend_name) == (True, "omoide")
        assert await backend.health_check() is True
        with pytest.raises(MemoryStoreError):
            await backend.store("ann", request("now", MemoryCategory.WORKING))
        with pytest.raises(MemoryStoreError):
            await backend.store("ann", request("word " * 20_000))
        with pytest.raises(MemoryRetrievalError):
            await backend.retrieve("ann\n", MemoryQuery(text="x"))
        unbound.close()
        assert await backend.health_check() is False
        with pytest.raises(MemoryConnectionError):
            await backend.count("ann")
        await backend.disconnect()
        assert backend.is_connected is False

    asyncio.run(go())


@pytest.mark.covers("SO-10")
def test_records_are_frozen_and_checked() -> None:
    """Confidence, relevance, limits and times are within their bounds; tags are kept once."""
    now = datetime(2026, 1, 5, tzinfo=UTC)
    metadata = MemoryMetadata(tags=("b", "a", "b"))
    assert (metadata.tags, metadata.confidence) == (("b", "a"), 1.0)
    with pytest.raises(FrozenInstanceError):
        metadata.confidence = 0.5  # type: ignore[misc]
    entry = {"id": "1", "agent_id": "a", "category": SEMANTIC, "content": "x", "created_at": now}
    wrong: list[Callable[[], object]] = [
        lambda: MemoryMetadata(confidence=1.1),
        lambda: MemoryMetadata(confidence=float("nan")),
        lambda: request(" "),
        lambda: MemoryEntry(**entry, updated_at=now - timedelta(1)),  # type: ignore[arg-type]
        lambda: MemoryEntry(**entry, expires_at=now - timedelta(1)),  # type: ignore[arg-type]
        lambda: MemoryEntry(**entry, relevance_score=2.0),  # type: ignore[arg-type]
        lambda: MemoryQuery(limit=0),
        lambda: MemoryQuery(limit=1001),
        lambda: MemoryQuery(min_relevance=-0.1),
        lambda: MemoryQuery(since=now, until=now),
    ]
    for make in wrong:
        with pytest.raises(ValueError, match="must"):
            make()
    assert MemoryQuery().limit == 10


def test_capabilities_are_those_of_the_memory(unbound: Memory, tmp_path: Path) -> None:
    """Vectors only where there is an embedder; working memory is not stored."""
    can = OmoideMemoryBackend(unbound).capabilities
    assert can.supports_vector_search
    assert MemoryCategory.WORKING not in can.supported_categories
    assert len(can.supported_categories) == 4
    with Memory.open(tmp_path / "plain.db", embedder="none", background=False) as plain:
        assert not OmoideMemoryBackend(plain).capabilities.supports_vector_search
