"""SynthOrg's configuration of memory, and the backends that it makes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from omoide.adapters.synthorg import (
    MemoryCategory,
    MemoryConfigError,
    MemoryQuery,
    MemoryStoreRequest,
    OmoideMemoryBackend,
)
from omoide.adapters.synthorg_config import (
    CompanyMemoryConfig,
    Mem0EmbedderConfig,
    MemoryLevel,
    MemoryOptionsConfig,
    MemoryStorageConfig,
    create_memory_backend,
)


async def told(backend: OmoideMemoryBackend, content: str | None = None) -> list[str]:
    """What an agent finds, after it stored something."""
    await backend.connect()
    if content is not None:
        request = MemoryStoreRequest(category=MemoryCategory.SEMANTIC, content=content)
        await backend.store("ann", request)
    return [one.content for one in await backend.retrieve("ann", MemoryQuery(text="rate limit"))]


def company(name: str, folder: Path, **more: Any) -> CompanyMemoryConfig:
    """The configuration of a company whose memory lies in a folder."""
    storage = MemoryStorageConfig(data_dir=str(folder))
    return CompanyMemoryConfig(company=name, storage=storage, level=MemoryLevel.PERSISTENT, **more)


@pytest.mark.covers("SO-11")
def test_each_company_has_a_backend_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one stores the other does not find, and it is there again later."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    first = create_memory_backend(company("acme", tmp_path))
    second = create_memory_backend(company("other", tmp_path))
    try:
        assert asyncio.run(told(first, "The rate limit is 100")) == ["The rate limit is 100"]
        assert asyncio.run(told(second)) == []
    finally:
        first.memory.close()
        second.memory.close()

    again = create_memory_backend(company("acme", tmp_path))
    assert asyncio.run(told(again)) == ["The rate limit is 100"]
    again.memory.close()


@pytest.mark.covers("SO-11")
def test_mem0_asks_for_an_embedder_and_off_for_no_backend(tmp_path: Path) -> None:
    """Both are told as what is wrong with the configuration."""
    with pytest.raises(MemoryConfigError, match="embedder"):
        create_memory_backend(company("acme", tmp_path, backend="mem0"))
    for backend in ("omoide", "inmemory"):
        with pytest.raises(MemoryConfigError, match="none"):
            create_memory_backend(CompanyMemoryConfig(backend=backend, level=MemoryLevel.NONE))
    assert Mem0EmbedderConfig(provider="openai", model="small").dims == 1536


@pytest.mark.covers("SO-11")
def test_configurations_are_frozen() -> None:
    """Nothing changes them once they are made."""
    config: Any = CompanyMemoryConfig()
    with pytest.raises(FrozenInstanceError):
        config.company = "other"


@pytest.mark.covers("SO-12")
@pytest.mark.parametrize(
    "make",
    [
        lambda: MemoryStorageConfig(data_dir="/data/../etc"),
        lambda: MemoryStorageConfig(data_dir="C:\\data"),
        lambda: MemoryStorageConfig(data_dir="data\\..\\etc"),
        lambda: CompanyMemoryConfig(company=".."),
        lambda: CompanyMemoryConfig(company="a/b"),
        lambda: CompanyMemoryConfig(backend="graphiti"),
        lambda: MemoryOptionsConfig(retention_days=float("nan")),
        lambda: MemoryOptionsConfig(retention_days=float("inf")),
        lambda: MemoryOptionsConfig(max_memories_per_agent=0),
        lambda: Mem0EmbedderConfig(provider="", model="small"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], Any]) -> None:
    """Paths upwards or of Windows, names of two parts, and numbers that are not finite."""
    with pytest.raises(MemoryConfigError):
        make()
