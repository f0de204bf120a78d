"""A memory of AutoGen's agents over a memory."""

from __future__ import annotations

import json
from typing import Any

from omoide import Details, Hit, InvalidInput, Listing, MissingExtra, Query
from omoide import Memory as Omoide
from omoide.adapters.records import every_item
from omoide.adapters.worker import SerialWorker, in_worker

try:
    from autogen_core.memory import (
        Memory,
        MemoryContent,
        MemoryMimeType,
        MemoryQueryResult,
        UpdateContextResult,
    )
    from autogen_core.models import SystemMessage, UserMessage
except ModuleNotFoundError as error:
    raise MissingExtra("omoide.adapters.autogen", "autogen") from error

KIND = "autogen"
PAGE = 1_000


class OmoideMemory(Memory):
    """What is known about the task, in an agent's context:
    ``AssistantAgent(…, memory=[OmoideMemory(memory.at(user="ana"))])``.

    ``add`` remembers a statement word for word. A query and the context find all that the memory
    holds of its owner, whoever stored it.
    """

    def __init__(self, memory: Omoide, *, budget: int = 2_000) -> None:
        self._memory, self._budget, self._worker = memory, budget, SerialWorker()

    async def update_context(self, model_context: Any) -> UpdateContextResult:
        """Add what is known about the last message of the user to the context."""
        messages = await model_context.get_messages()
        said = [m.content for m in messages if isinstance(m, UserMessage)]
        asked = said[-1] if said and isinstance(said[-1], str) else ""
        known = await self._worker(self._memory.context, asked, budget=self._budget)
        if known.ids:
            await model_context.add_message(SystemMessage(content=known.text))
        found = [
            MemoryContent(
                content=block.text,
                mime_type=MemoryMimeType.TEXT,
                metadata={"ids": list(block.ids)},
            )
            for block in known.blocks
            if block.ids
        ]
        return UpdateContextResult(memories=MemoryQueryResult(results=found))

    async def query(
        self, query: str | MemoryContent, cancellation_token: Any = None, **kwargs: Any
    ) -> MemoryQueryResult:
        """Return what answers a query, best first; ``limit`` may say how many, else ten."""
        asked = query if isinstance(query, str) else _text(query)
        limit = int(kwargs.pop("limit", 10))
        if kwargs:
            raise InvalidInput(next(iter(kwargs)), "is unknown here; a query takes limit alone")
        whole = Query(text=asked, passage_tokens=None)
        hits = await self._worker(self._memory.recall, whole, limit=limit)
        return MemoryQueryResult(results=[_content(hit) for hit in hits])

    async def add(self, content: MemoryContent, cancellation_token: Any = None) -> None:
        """Remember a text or JSON."""
        about = {"mime_type": _mime(content), "metadata": content.metadata}
        memory = self._memory.at(context=KIND)
        details = Details(metadata={KIND: about})
        await self._worker(memory.remember, _text(content), details=details)

    async def close(self) -> None:
        """Do nothing: whoever opened the memory closes it."""

    @in_worker
    def clear(self) -> None:
        """Forget all that was added here; nothing else that the memory holds."""
        memory, owner = self._memory.at(context=KIND), self._memory.scope
        listing = Listing(context=KIND, sensitive=None, limit=PAGE)
        own = [item for item in every_item(memory, listing) if KIND in item.metadata]
        for item in own:
            if (item.scope.user, item.scope.agent) == (owner.user, owner.agent):
                memory.forget(item.id)


def _mime(content: MemoryContent) -> str:
    kind = content.mime_type
    return kind.value if isinstance(kind, MemoryMimeType) else str(kind)


def _text(content: MemoryContent) -> str:
    """
    Raises:
        InvalidInput: it is neither text nor JSON.
    """
    if isinstance(content.content, str):
        return content.content
    if isinstance(content.content, dict):
        return json.dumps(content.content, ensure_ascii=False)
    raise InvalidInput("content", f"must be text or JSON, not {_mime(content)}")


def _content(hit: Hit) -> MemoryContent:
    about = hit.item.metadata.get(KIND) if hit.item else None
    kept: dict[str, Any] = dict(about) if isinstance(about, dict) else {}
    mime = kept.get("mime_type") or MemoryMimeType.TEXT.value
    content = json.loads(hit.text) if mime == MemoryMimeType.JSON.value else hit.text
    told = {"id": hit.id, "score": hit.score, "at": hit.at.isoformat(timespec="seconds")}
    return MemoryContent(
        content=content, mime_type=mime, metadata={**(kept.get("metadata") or {}), **told}
    )


__all__ = ["OmoideMemory"]
