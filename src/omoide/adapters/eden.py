"""Eden's memory service and its backend for an agent's loop over a memory, by the signatures of its
design: there is no package of it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from omoide import Memory
from omoide.adapters.worker import SerialWorker

CACHED_S = 300.0  # for which a session's context is served again
BUDGET = 4_000  # tokens of a context
ALWAYS_IN_CONTEXT_ENABLED = True  # whether contexts are given at all; facts can be searched anyway
LEVELS = ("session", "user", "agent")
# of a level without reflections and digest
NO_WORDS = {
    "words": 0,
    "word_limit": None,
    "reflections": 0,
    "last_formed_at": None,
    "last_consolidated_at": None,
}
NOTHING_WAITS = {"buffer_size": 0, "threshold": None, "needs_consolidation": False}


class MemoryService:
    """Eden's facade for one agent: ``MemoryService("agent-1", memory=memory)``.

    Sessions are objects with an ``id``, or ids. ``memory`` is opened for no user in particular.
    """

    def __init__(
        self,
        agent_id: str,
        *,
        memory: Memory,
        always_in_context: bool = ALWAYS_IN_CONTEXT_ENABLED,
    ) -> None:
        self.agent_id, self._memory, self._worker = agent_id, memory, SerialWorker()
        self._is_shown = always_in_context
        self._cache: dict[tuple[str | None, str], tuple[float, str]] = {}

    async def get_memory_context(
        self, session: Any, user_id: str | None, *, force_refresh: bool = False
    ) -> str:
        """Return the context of a session as XML, served again for five minutes; nothing where
        the service is not always in context.

        The cache is of one user in one session: no other user's context comes from it.
        """
        if not self._is_shown:
            return ""
        key, now = (user_id, _id(session)), time.monotonic()
        kept = self._cache.get(key)
        if kept is None or force_refresh or now - kept[0] > CACHED_S:
            memory = self._at(session, user_id)
            context = await self._worker(memory.context, "", budget=BUDGET, strategy="xml")
            kept = self._cache[key] = (now, context.text)
        return kept[1]

    async def maybe_form_memories(
        self, session: Any, messages: Sequence[Any], user_id: str | None
    ) -> bool:
        """Log messages, and tell whether memories are due to be formed of them.

        A worker forms them where a language model is configured; the triggers are the memory's.
        """
        memory = self._at(session, user_id)
        if messages:
            await self._worker(memory.ingest, list(messages))
            self._cache.pop((user_id, _id(session)), None)
        waiting = await self._worker(memory.stats)
        return any(job.kind in ("extract", "reflect") for job in waiting.jobs)

    async def force_form_memories(self, session: Any, user_id: str | None) -> bool:
        """Learn now from what was logged; tell whether anything was considered."""
        memory = self._at(session, user_id)
        if not self._memory.capabilities.learning:
            return False
        done = await self._worker(memory.sessions.extract, _id(session))
        self._cache.pop((user_id, _id(session)), None)
        return any(part.considered for part in done)

    async def on_session_start(self, session: Any, user_id: str | None) -> str:
        """Load the context of a session that begins."""
        return await self.get_memory_context(session, user_id, force_refresh=True)

    async def on_session_end(
        self, session: Any, messages: Sequence[Any], user_id: str | None
    ) -> None:
        """Log the last messages, form memories, and condense what waits."""
        memory = self._at(session, user_id)
        if messages:
            await self._worker(memory.ingest, list(messages))
        await self._worker(memory.sessions.end, _id(session))
        if await self.force_form_memories(session, user_id):
            await self.consolidate_all(session, user_id)
        self._cache.pop((user_id, _id(session)), None)

    async def process_cold_session(self, session: Any, user_id: str | None) -> bool:
        """Form memories of a session that went idle; tell whether anything was considered."""
        memory = self._at(session, user_id)
        await self._worker(memory.sessions.end, _id(session))
        return await self.force_form_memories(session, user_id)

    async def consolidate_scope(self, scope: str, session: Any, user_id: str | None) -> int:
        """Condense the waiting reflections of a session, a user or the agent; return the number of
        new digests.
        """
        if not self._memory.capabilities.learning:
            return 0
        memory = self._at(session, user_id)
        made = await self._worker(memory.reflections.condense, kind=scope)
        self._cache.clear()
        return len(made)

    async def consolidate_all(self, session: Any, user_id: str | None) -> int:
        """Condense the waiting reflections of all three; return the number of new digests."""
        return sum([await self.consolidate_scope(level, session, user_id) for level in LEVELS])

    async def get_memory_stats(self, session: Any, user_id: str | None) -> dict[str, Any]:
        """Return words, reflections and times of each level, and the number of facts."""
        stats = await self._worker(self._at(session, user_id).stats)
        levels: dict[str, dict[str, Any]] = {level: dict(NO_WORDS) for level in LEVELS}
        levels |= {
            str(buffer.kind): {
                "words": buffer.words,
                "word_limit": buffer.word_limit,
                "reflections": buffer.reflections,
                "last_formed_at": buffer.formed_at and buffer.formed_at.isoformat(),
                "last_consolidated_at": buffer.made_at and buffer.made_at.isoformat(),
            }
            for buffer in stats.buffers
        }
        return {"facts": stats.items, "scopes": levels}

    async def get_consolidation_status(
        self, session: Any, user_id: str | None
    ) -> dict[str, dict[str, Any]]:
        """Return for each level how many reflections wait, of how many, and whether it is due."""
        stats = await self._worker(self._at(session, user_id).stats)
        return {level: dict(NOTHING_WAITS) for level in LEVELS} | {
            str(buffer.kind): {
                "buffer_size": buffer.waiting,
                "threshold": buffer.threshold,
                "needs_consolidation": buffer.is_due,
            }
            for buffer in stats.buffers
        }

    def _at(self, session: Any, user_id: str | None) -> Memory:
        return self._memory.at(agent=self.agent_id, session=_id(session), user=user_id)


class Memory2Backend:
    """Eden's ``memory2_backend`` for an agent's loop:
    ``memory2_backend = Memory2Backend(memory)``.

    Agents and users are objects with an ``id``, or ids. A session names its user, and may hold the
    messages that are new, in ``messages``.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._services: dict[str, MemoryService] = {}

    async def assemble_memory_context(
        self, session: Any, agent: Any, user: Any, force_refresh: bool = False
    ) -> str:
        """Return the context of a session as XML."""
        service, user_id = self._service(_id(agent)), user and _id(user)
        return await service.get_memory_context(session, user_id, force_refresh=force_refresh)

    async def maybe_form_memories(self, agent_id: str, session: Any, agent: Any) -> bool:
        """Log a session's messages, and tell whether memories are due to be formed of them."""
        messages = list(getattr(session, "messages", ()))
        user = getattr(session, "user_id", None)
        return await self._service(agent_id).maybe_form_memories(session, messages, user)

    def _service(self, agent_id: str) -> MemoryService:
        if agent_id not in self._services:
            self._services[agent_id] = MemoryService(agent_id, memory=self._memory)
        return self._services[agent_id]


def _id(thing: Any) -> str:
    """The id of an object of Eden's, or the id itself."""
    return str(thing if isinstance(thing, str) else getattr(thing, "id", thing))


__all__ = ["Memory2Backend", "MemoryService"]
