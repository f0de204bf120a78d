"""A memory store of Strands Agents over a memory."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from omoide import Details, InvalidInput, Memory, MissingExtra, Role
from omoide.adapters.talk import ROLES, Said, SessionTalk, words_in
from omoide.adapters.worker import SerialWorker

try:
    from strands.memory import ExtractionConfig, InvocationTrigger, MemoryEntry, MemoryStore
    from strands.types.tools import AgentTool
except ModuleNotFoundError as error:
    raise MissingExtra("omoide.adapters.strands", "strands") from error

KIND = "strands"


class OmoideMemoryStore(MemoryStore):
    """Long-term memory of an agent:
    ``Agent(memory_manager=MemoryManager(stores=[OmoideMemoryStore(memory.at(user="ana"))]))``.

    After each invocation the messages are logged in ``session``, from which the memory learns. The
    manager's tool ``add_memory`` remembers statements word for word.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        name: str = "omoide",
        description: str | None = "What the user said before, and what is known about them.",
        session: str | None = None,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: ExtractionConfig | bool | None = True,
    ) -> None:
        self.name, self.description, self.writable = name, description, writable
        self.max_search_results = max_search_results
        logs = ExtractionConfig(trigger=InvocationTrigger())
        self.extraction = (logs if extraction is True else extraction) if writable else None
        self._run = memory.clock.new_id()  # tells the messages of this run from those of others
        self._memory, self._talk = memory, SessionTalk(memory, KIND, session or self._run)
        self._worker = SerialWorker()

    async def search(self, query: str, options: Any = None) -> list[MemoryEntry]:
        """Return what answers a query, best first."""
        limit = (options or {}).get("max_search_results")
        if limit is not None and limit < 1:
            raise InvalidInput("max_search_results", f"must be at least 1; got {limit}")
        limit = limit or self.max_search_results or 10
        hits = await self._worker(self._memory.recall, query, limit=limit)
        return [
            MemoryEntry(
                content=hit.text,
                metadata={
                    "id": hit.id,
                    "kind": str(hit.kind),
                    "score": hit.score,
                    "at": hit.at.isoformat(timespec="seconds"),
                },
            )
            for hit in hits
        ]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> str:
        """Remember a statement, word for word; return the item's id."""
        details = Details(metadata=metadata or {})
        done = await self._worker(self._memory.remember, content, details=details)
        return done.id

    async def add_messages(self, messages: list[Any], context: Any = None) -> int:
        """Log messages that are not logged yet; return how many were given."""
        numbers = (context and context.sequence_numbers) or [None] * len(messages)
        said = [_said(m, self._run, n) for m, n in zip(messages, numbers, strict=True)]
        await self._worker(self._talk.add, said)
        return len(said)

    async def initialize(self) -> None:
        """Do nothing: the memory is open."""

    def get_tools(self) -> list[AgentTool]:
        """Return no tools: the manager's own do."""
        return []


def _said(message: Any, run: str, number: int | None) -> Said:
    text = words_in(message["content"])
    digest = blake2b(text.encode(), digest_size=8).hexdigest()
    key = None if number is None else f"{run}:{number}:{digest}"
    role = ROLES.get(message["role"], Role.ASSISTANT)
    plain = {"role": message["role"], "text": text}
    return Said(payload=plain, text=text, role=role, key=key)


__all__ = ["OmoideMemoryStore"]
