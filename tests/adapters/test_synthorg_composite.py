"""SynthOrg's backends by namespace: routes, fan-out, and what is gone with a session."""

from __future__ import annotations

import asyncio
import inspect
import logging
from pathlib import Path

import pytest

from omoide import Memory
from omoide.adapters.synthorg import (
    MemoryBackend,
    MemoryConfigError,
    MemoryConnectionError,
    MemoryEntry,
    MemoryQuery,
    MemoryRetrievalError,
    OmoideMemoryBackend,
)
from omoide.adapters.synthorg_composite import (
    CompositeBackend,
    CompositeBackendConfig,
    InMemoryBackend,
)
from omoide.adapters.synthorg_config import (
    CompanyMemoryConfig,
    create_composite_backend,
    create_memory_backend,
)
from tests.adapters.kit import in_another_process
from tests.adapters.test_synthorg import READ, request
from tests.adapters.test_synthorg_config import company

ROUTES = CompositeBackendConfig(routes={"memories": "omoide"}, default="inmemory")
RATE = MemoryQuery(text="rate limit")


def told(entries: tuple[MemoryEntry, ...]) -> list[tuple[str, str]]:
    """The backend and the namespace of each entry."""
    return [(entry.id.partition(":")[0], entry.namespace) for entry in entries]


@pytest.mark.covers("SO-13")
def test_memories_go_to_the_backend_of_their_namespace(unbound: Memory, memory_file: Path) -> None:
    """What is routed to the store is there in another process; what is not is gone with the
    session. Each is found, counted and deleted under the id that it was given.
    """
    children = {"omoide": OmoideMemoryBackend(unbound), "inmemory": InMemoryBackend()}
    backend = CompositeBackend(children=children, config=ROUTES)

    async def go() -> None:
        await backend.connect()
        kept = await backend.store("ann", request("The rate limit is 100", namespace="memories"))
        draft = await backend.store("ann", request("The rate limit may be 50"))
        assert (kept.partition(":")[0], draft.partition(":")[0]) == ("omoide", "inmemory")
        both = await backend.retrieve("ann", RATE)
        assert sorted(told(both)) == [("inmemory", "default"), ("omoide", "memories")]
        one = MemoryQuery(text="rate limit", namespaces=frozenset({"memories"}))
        assert told(await backend.retrieve("ann", one)) == [("omoide", "memories")]
        latest = await backend.retrieve("ann", MemoryQuery(limit=1))
        assert [entry.id for entry in latest] == [draft]
        assert await backend.count("ann") == 2
        found = await backend.get("ann", kept)
        assert found is not None
        assert (found.id, found.content) == (kept, "The rate limit is 100")
        assert await backend.retrieve("bob", RATE) == ()
        assert await backend.delete("ann", draft) is True
        assert await backend.get("ann", draft) is None
        assert await backend.health_check() is True
        await backend.disconnect()
        assert not backend.is_connected

    asyncio.run(go())
    assert isinstance(backend, MemoryBackend)
    assert in_another_process(READ, memory_file)["ann"] == [["The rate limit is 100", "semantic"]]


@pytest.mark.covers("SO-13")
def test_namespaces_of_one_backend_stay_apart(unbound: Memory) -> None:
    """A query names one, several, or none, which means all."""
    backend = OmoideMemoryBackend(unbound)

    async def found(*namespaces: str) -> set[str]:
        query = MemoryQuery(text="rate limit", namespaces=frozenset(namespaces))
        return {entry.namespace for entry in await backend.retrieve("ann", query)}

    async def go() -> None:
        await backend.connect()
        for namespace in ("default", "memories", "scratch"):
            await backend.store("ann", request(f"Rate limit of {namespace}", namespace=namespace))
        assert await found() == {"default", "memories", "scratch"}
        assert await found("scratch") == {"scratch"}
        assert await found("default") == {"default"}
        assert await found("default", "memories") == {"default", "memories"}
        assert await found("other") == set()

    asyncio.run(go())


@pytest.mark.covers("SO-13")
def test_a_session_backend_is_gone_with_it() -> None:
    """Its memories are nowhere else, and it cannot be used again."""
    first, second = InMemoryBackend(), InMemoryBackend()

    async def go() -> None:
        await first.connect()
        await second.connect()
        await first.store("ann", request("The rate limit is 100"))
        assert await second.retrieve("ann", RATE) == ()
        await first.disconnect()
        with pytest.raises(MemoryConnectionError):
            await first.retrieve("ann", RATE)
        await second.disconnect()

    asyncio.run(go())
    assert first.backend_name == "inmemory"


@pytest.mark.covers("SO-74")
def test_a_backend_that_fails_leaves_the_others(
    unbound: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """They answer, and the log names it; where none answers, that is an error."""
    children = {"omoide": OmoideMemoryBackend(unbound), "inmemory": InMemoryBackend()}
    backend = CompositeBackend(children=children, config=ROUTES)

    async def go() -> None:
        await backend.connect()
        await backend.store("ann", request("The rate limit is 100", namespace="memories"))
        await children["inmemory"].disconnect()
        with caplog.at_level(logging.WARNING):
            assert told(await backend.retrieve("ann", RATE)) == [("omoide", "memories")]
        assert "a backend does not answer" in caplog.text
        assert await backend.health_check() is False
        await children["omoide"].disconnect()
        with pytest.raises(MemoryConnectionError, match="no backend answers"):
            await backend.retrieve("ann", RATE)
        with pytest.raises(MemoryRetrievalError, match="no backend of these"):
            await backend.get("ann", "elsewhere:1")

    asyncio.run(go())


def test_the_configuration_makes_the_backends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each that a route names, once; unknown names are refused before anything is opened."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    config = company("acme", tmp_path, backend="composite", composite=ROUTES)
    backend = create_composite_backend(config)

    async def go() -> str:
        await backend.connect()
        return await backend.store("ann", request("The rate limit is 100", namespace="memories"))

    assert asyncio.run(go()).startswith("omoide:")
    assert (tmp_path / "acme" / "memory.db").exists()
    wrong = CompanyMemoryConfig(composite=CompositeBackendConfig(default="qdrant"))
    with pytest.raises(MemoryConfigError, match="qdrant"):
        create_composite_backend(wrong)
    with pytest.raises(MemoryConfigError, match="create_composite_backend"):
        create_memory_backend(config)
    with pytest.raises(MemoryConfigError, match="no backend 'b'"):
        CompositeBackend(children={}, config=CompositeBackendConfig(default="b"))


def test_the_composite_has_the_names_of_the_design() -> None:
    """Every coroutine and property of the protocol."""
    members = inspect.getmembers(MemoryBackend, inspect.isfunction)
    assert len(members) >= 8
    for name, member in members:
        if not name.startswith("_"):
            theirs = inspect.signature(member).parameters
            assert (
                inspect.signature(getattr(CompositeBackend, name)).parameters.keys()
                == theirs.keys()
            )
