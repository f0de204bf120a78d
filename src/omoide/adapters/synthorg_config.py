"""SynthOrg's configuration of memory, by the names that its design gives, and the factory that
makes a company's backend of it.
"""

from __future__ import annotations

import math
from dataclasses import field, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath, PureWindowsPath

from omoide import Level, Memory
from omoide.adapters.synthorg import MemoryConfigError, OmoideMemoryBackend
from omoide.adapters.synthorg_composite import (
    CompositeBackend,
    CompositeBackendConfig,
    InMemoryBackend,
)
from omoide.nouns.record.frozen import frozen_record

FILE = "memory.db"  # in the folder of a company
COMPOSITE = "composite"
BACKENDS = ("omoide", "mem0", "inmemory", COMPOSITE)


class MemoryLevel(StrEnum):
    """How long what is remembered lasts."""

    PERSISTENT = "persistent"
    PROJECT = "project"
    SESSION = "session"
    NONE = "none"


class ConsolidationInterval(StrEnum):
    """How often memories are consolidated."""

    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    NEVER = "never"


@frozen_record
class MemoryStorageConfig:
    """Where a company's memory lies: a folder, also inside a container.

    Raises:
        MemoryConfigError: the path goes upwards, or is one of Windows.
    """

    data_dir: str = "/data/memory"
    vector_store: str = "sqlite"
    history_store: str = "sqlite"

    def __post_init__(self) -> None:
        _check_path(self.data_dir, "data_dir")


@frozen_record
class MemoryOptionsConfig:
    """How much is kept, for how long, and whether knowledge is shared.

    Raises:
        MemoryConfigError: a number is not above 0, or not finite.
    """

    retention_days: float | None = None
    max_memories_per_agent: int = 10_000
    consolidation_interval: ConsolidationInterval = ConsolidationInterval.DAILY
    shared_knowledge_base: bool = True

    def __post_init__(self) -> None:
        for name in ("retention_days", "max_memories_per_agent"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise MemoryConfigError(f"{name}: must be a finite number above 0, not {value!r}")


@frozen_record
class Mem0EmbedderConfig:
    """The embedder of a company's memory, such as provider ``openai``, model
    ``text-embedding-3-small``; ``dims`` are its dimensions.

    Raises:
        MemoryConfigError: a name is empty, or the dimensions are not above 0.
    """

    provider: str
    model: str
    dims: int = 1536

    def __post_init__(self) -> None:
        if not self.provider.strip() or not self.model.strip():
            raise MemoryConfigError("embedder: give a provider and a model")
        if self.dims < 1:
            raise MemoryConfigError(f"dims: must be above 0, not {self.dims}")


@frozen_record
class CompanyMemoryConfig:
    """The memory of a company. ``backend`` is ``omoide``; ``mem0``, which asks for an embedder and
    means the same store; ``inmemory``, a store that is gone with the session; or ``composite``,
    which routes by ``composite`` to these.

    Raises:
        MemoryConfigError: there is no such backend.
    """

    company: str = "default"
    backend: str = "omoide"
    level: MemoryLevel = MemoryLevel.SESSION
    storage: MemoryStorageConfig = field(default_factory=MemoryStorageConfig)
    options: MemoryOptionsConfig = field(default_factory=MemoryOptionsConfig)
    composite: CompositeBackendConfig = field(default_factory=CompositeBackendConfig)

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            known = ", ".join(BACKENDS)
            raise MemoryConfigError(f"backend: unknown {self.backend!r}; known: {known}")
        _check_path(self.company, "company")
        if "/" in self.company:
            raise MemoryConfigError("company: must be one name, without a slash")


def create_memory_backend(
    config: CompanyMemoryConfig, *, embedder: Mem0EmbedderConfig | None = None
) -> OmoideMemoryBackend:
    """Open a company's own store, in a folder of its name, and return its backend.

    ``disconnect`` leaves the store open; closing ``backend.memory`` closes it.

    Raises:
        MemoryConfigError: memory is off, the backend ``mem0`` is given no embedder, or it is
            ``composite``, which ``create_composite_backend`` makes.
        OmoideError: the store or the embedder cannot be opened.
    """
    if config.backend == COMPOSITE:
        raise MemoryConfigError("backend: create_composite_backend makes one that is composite")
    if config.level is MemoryLevel.NONE:
        raise MemoryConfigError("level: none keeps no memory, so there is no backend")
    if config.backend == "inmemory":
        return InMemoryBackend()
    if config.backend == "mem0" and embedder is None:
        raise MemoryConfigError("embedder: the backend mem0 needs one")
    folder = PurePosixPath(config.storage.data_dir) / config.company
    Path(folder).mkdir(parents=True, exist_ok=True)
    options = config.options
    return OmoideMemoryBackend(
        Memory.open(
            str(folder / FILE),
            level=Level(config.level.value),
            embedder=f"{embedder.provider}:{embedder.model}" if embedder else None,
            items_most=options.max_memories_per_agent,
            shared_memory=options.shared_knowledge_base,
            prune_after=f"{options.retention_days:g}d" if options.retention_days else None,
            upkeep=options.consolidation_interval.value,
        )
    )


def create_composite_backend(
    config: CompanyMemoryConfig, *, embedder: Mem0EmbedderConfig | None = None
) -> CompositeBackend:
    """Make the backends that a company's routes name, and the one that routes to them.

    Raises:
        MemoryConfigError: a route names no backend that there is.
        OmoideError: a store or the embedder cannot be opened.
    """
    routes = config.composite
    names = sorted({routes.default, *routes.routes.values()})
    parts = {name: replace(config, backend=name) for name in names}  # checked before any is opened
    children = {
        name: create_memory_backend(part, embedder=embedder) for name, part in parts.items()
    }
    return CompositeBackend(children=children, config=routes)


def _check_path(path: str, name: str) -> None:
    """Refuse a path that leads upwards, or that only Windows reads as one.

    Raises:
        MemoryConfigError: it does, or it is empty.
    """
    windows = PureWindowsPath(path)
    if not path.strip() or ".." in PurePosixPath(path).parts or ".." in windows.parts:
        raise MemoryConfigError(f"{name}: {path!r} is empty or leads upwards")
    if windows.drive or "\\" in path:
        raise MemoryConfigError(f"{name}: {path!r} is a path of Windows")
