"""The configuration of a personal agent's memory on Google's Agent Development Kit, by the names
that its design gives, and what is made of it: the memory, its service, and the profile in prompts.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from omoide import InvalidInput, Item, Memory, NotFound, UnknownName
from omoide.adapters.worker import SerialWorker
from omoide.nouns.record.frozen import frozen_record
from omoide.telemetry.logs import get_logger

if TYPE_CHECKING:
    from google.adk.agents.readonly_context import ReadonlyContext

    from omoide.adapters.adk import OmoideMemoryService

    Instruction = Callable[[ReadonlyContext], Awaitable[str]]

ALIASES = {"gemini": "google"}  # providers that Omoide knows by another name
FILES = ("", "chroma", "qdrant", "sqlite")  # vector stores on this machine: here one file
SERVERS = ("pgvector", "postgres")
SESSIONS = 1_024  # whose profiles are kept, the latest

_log = get_logger(__name__)


@frozen_record
class Component:
    """A model or a store by its provider. Without one it is what Omoide's settings say; options are
    passed on as they are.
    """

    provider: str = ""
    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str | None:
        """It as a setting of Omoide names it, such as ``google:MODEL?base_url=…``."""
        if not self.provider:
            return None
        parts = (ALIASES.get(self.provider, self.provider), self.model)
        options = urlencode(self.options, safe=":/")
        return ":".join(filter(None, parts)) + (f"?{options}" if options else "")


@frozen_record
class MemoryConfig:
    """How memory works: ``MemoryConfig.read(table)`` makes one of a table of a configuration file.

    Without ``enabled`` nothing is recalled or remembered; without ``auto_ingest`` conversations
    teach nothing; without ``preload`` prompts have no profile.
    """

    enabled: bool = True
    auto_ingest: bool = True
    recall_limit: int = 5
    preload: bool = True
    preload_limit: int = 20
    extraction_instructions: str = ""
    llm: Component = field(default_factory=Component)
    embedder: Component = field(default_factory=Component)
    vector_store: Component = field(default_factory=Component)

    def __post_init__(self) -> None:
        for name in ("recall_limit", "preload_limit"):
            if getattr(self, name) < 1:
                raise InvalidInput(name, f"must be at least 1; got {getattr(self, name)}")
        if self.vector_store.provider not in (*FILES, *SERVERS):
            known = tuple(filter(None, (*FILES, *SERVERS)))
            raise UnknownName("vector_store", self.vector_store.provider, known)

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> MemoryConfig:
        """The configuration of a table; keys of a component beside ``provider`` and ``model`` are
        its options.

        Raises:
            UnknownName: the table has a key that is none of these.
            InvalidInput: a number is below 1.
        """
        names = tuple(one.name for one in fields(cls))
        for name in table:
            if name not in names:
                raise UnknownName("memory", name, names)
        parts = {name: _component(table[name]) for name in _COMPONENTS if name in table}
        return cls(**{**table, **parts})


@frozen_record
class SessionsConfig:
    """How many turns a model sees again, and when an idle session is learnt from."""

    window_turns: int = 30
    idle_consolidate_minutes: float = 30.0


_COMPONENTS = ("llm", "embedder", "vector_store")


def open_memory(
    config: MemoryConfig, sessions: SessionsConfig | None = None, store: str | Path | None = None
) -> Memory:
    """Open the memory of a configuration, at a path or where the settings say. A vector store that
    is a server is named by its option ``url``.

    Raises:
        OmoideError: the store or a model cannot be opened.
    """
    minutes = (sessions or SessionsConfig()).idle_consolidate_minutes
    learns = config.enabled and config.auto_ingest
    settings: dict[str, Any] = {
        "capture": f"idle={round(minutes * 60)}s" if learns else "hand",
        "catch_up": "2d" if learns else "hand",
        "user_memory": ("learn" if learns else "hand") if config.enabled else "off",
        "agent_memory": "hand" if config.enabled else "off",
        "profile_limit": config.preload_limit,
        "steering": config.extraction_instructions,
        "llm": config.llm.name,
        "embedder": config.embedder.name,
    }
    if config.vector_store.provider in SERVERS:
        store = config.vector_store.options.get("url")
    return Memory.open(store, **{name: v for name, v in settings.items() if v not in (None, "")})


def memory_service(config: MemoryConfig, memory: Memory) -> OmoideMemoryService:
    """The memory service of a configuration, for ``Runner(memory_service=…)``."""
    from omoide.adapters.adk import OmoideMemoryService

    return OmoideMemoryService(memory, limit=config.recall_limit)


def with_profile(config: MemoryConfig, memory: Memory, instruction: str) -> Instruction:
    """An agent's instruction with what is known about the user behind it, read once a session:
    ``LlmAgent(instruction=with_profile(…))``. Of ``preload_limit`` lines the most important come
    first; together they take at most 40 tokens a line.

    Within a session the profile is read again only if an item behind it was forgotten, closed,
    hidden or edited.
    """
    worker, told = SerialWorker(), dict[tuple[str, str, str], _Preloaded]()

    async def instruct(context: ReadonlyContext) -> str:
        session = context.session
        key = (session.app_name, session.user_id, session.id)
        bound = memory.at(agent=session.app_name, user=session.user_id)
        told[key] = known = await worker(_preloaded, config, bound, told.get(key))
        while len(told) > SESSIONS:
            told.pop(next(iter(told)))  # of the session that began first
        return "\n\n".join(filter(None, (instruction, known.text)))

    return instruct


@frozen_record
class _Preloaded:
    """A profile as a session's prompts have it, and the items behind it as they were told."""

    text: str = ""
    items: Mapping[str, tuple[object, ...]] = field(default_factory=dict)

    def is_told_by(self, memory: Memory) -> bool:
        """Whether all of these items still are what they were; nothing told of is none."""
        return all(was and _told_of(memory, id) == was for id, was in self.items.items())


def _preloaded(config: MemoryConfig, memory: Memory, known: _Preloaded | None) -> _Preloaded:
    """What is known already while it holds, else the profile of a memory's user as it is now."""
    if known is not None and known.is_told_by(memory):
        return known
    if not (config.enabled and config.preload):
        return _Preloaded()
    made = memory.context("", budget=f"{config.preload_limit} bullets", strategy="profile")
    for what in made.degraded:
        _log.warning("profile_degraded", what=what)
    if made.is_off:
        return _Preloaded()
    return _Preloaded(text=made.text, items={id: _told_of(memory, id) for id in made.ids})


def _told_of(memory: Memory, id: str) -> tuple[object, ...]:
    """What a prompt hangs on of an item; nothing where it is gone."""
    try:
        item = memory.get(id)
    except NotFound:
        return ()
    if not isinstance(item, Item):
        return ()
    return (item.text, item.is_open, item.unconfirmed, item.muted, item.sensitive)


def _component(given: Any) -> Component:
    if isinstance(given, Component):
        return given
    table = {"provider": given} if isinstance(given, str) else dict(given)
    known = {name: str(table.pop(name)) for name in ("provider", "model") if name in table}
    return Component(**known, options=table)


__all__ = [
    "Component",
    "MemoryConfig",
    "SessionsConfig",
    "memory_service",
    "open_memory",
    "with_profile",
]
