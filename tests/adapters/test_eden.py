"""Eden's memory service and backend, by the signatures of its design."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.adapters.eden import Memory2Backend, MemoryService
from tests.adapters.kit import in_another_process

READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.eden import MemoryService

    async def main(memory):
        service = MemoryService("agent-1", memory=memory)
        users = {}
        for user in ("ana", "ben"):
            users[user] = [turn.text for turn in memory.at(agent="agent-1", user=user).recall("Porto")
                           if turn.turn]
            users[user + " context"] = await service.get_memory_context("s2", user)
        print(json.dumps({u: v if isinstance(v, str) else v for u, v in users.items()}))

    with Memory.open(sys.argv[1]) as memory:
        asyncio.run(main(memory))
"""


@dataclass
class Session:
    """A session as Eden has one."""

    id: str
    user_id: str | None = None
    messages: list[dict[str, str]] = field(default_factory=list)


@dataclass
class Agent:
    id: str


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.mark.covers("ED-45")
def test_the_service_forms_what_another_process_is_told(unbound: Memory, memory_file: Path) -> None:
    """Messages of a session are logged; facts stand in the XML of other sessions, for one user."""
    service = MemoryService("agent-1", memory=unbound)

    async def go() -> None:
        session = Session("s1")
        await service.on_session_start(session, "ana")
        await service.maybe_form_memories(session, said("I moved to Porto"), "ana")
        await service.on_session_end(session, said("Bye"), "ana")
        await service.maybe_form_memories(session, said("I stay in Lyon"), "ben")

    asyncio.run(go())
    ana = unbound.at(agent="agent-1", user="ana")
    ana.remember("Ana lives in Porto")
    read = in_another_process(READ, memory_file)
    assert "I moved to Porto" in read["ana"]
    assert "<MemoryContext>" in read["ana context"]
    assert "Ana lives in Porto" in read["ana context"]
    assert "Porto" not in str(read["ben"]) + read["ben context"]
    assert [turn.text for turn in ana.sessions.turns("s1")] == ["I moved to Porto", "Bye"]


@pytest.mark.covers("ED-27")
def test_the_master_switch_keeps_memory_out_of_prompts(unbound: Memory) -> None:
    """Nothing is in context then; what is said is logged, and can be searched."""
    service = MemoryService("agent-1", memory=unbound, always_in_context=False)

    async def go() -> str:
        session = Session("s1")
        await service.maybe_form_memories(session, said("I moved to Porto"), "ana")
        return await service.on_session_start(Session("s2"), "ana")

    assert asyncio.run(go()) == ""
    assert unbound.at(agent="agent-1", user="ana").recall("Where did I move?").hits


@pytest.mark.covers("ED-46")
def test_the_backend_assembles_and_forms(unbound: Memory) -> None:
    """By sessions, agents and users as objects; refreshed where forced, and after messages."""
    backend = Memory2Backend(unbound)
    session, agent = Session("s1", "ana"), Agent("agent-1")

    async def context(user: str = "ana", **how: Any) -> str:
        return await backend.assemble_memory_context(session, agent, user, **how)

    async def go() -> None:
        await context()
        unbound.at(agent="agent-1", user="ana").remember("Ana plays the viola")
        assert "viola" not in await context()
        assert "viola" in await context(force_refresh=True)
        assert "viola" not in await context("ben")
        unbound.at(agent="agent-1", user="ana").remember("Ana likes rain")
        session.messages = said("Hello")
        assert isinstance(await backend.maybe_form_memories("agent-1", session, agent), bool)
        assert "rain" in await context()

    asyncio.run(go())


@pytest.mark.covers("ED-45")
def test_figures_of_each_scope(unbound: Memory) -> None:
    """Statistics and the state of consolidation, for session, user and agent."""
    service = MemoryService("agent-1", memory=unbound)

    async def go() -> None:
        await service.maybe_form_memories("s1", said("I moved to Porto"), "ana")
        unbound.at(agent="agent-1", user="ana").remember("Ana lives in Porto")
        stats = await service.get_memory_stats("s1", "ana")
        assert stats["facts"] == 1
        assert stats["scopes"].keys() == {"session", "user", "agent"}
        assert stats["scopes"]["user"]["reflections"] == 0
        status = await service.get_consolidation_status("s1", "ana")
        assert status.keys() == {"session", "user", "agent"}
        assert status["user"]["needs_consolidation"] is False
        assert status["user"]["buffer_size"] == 0
        assert await service.force_form_memories("s1", "ana") is False  # no model is configured
        assert await service.process_cold_session("s1", "ana") is False
        assert await service.consolidate_all("s1", "ana") == 0

    asyncio.run(go())


def test_the_names_are_those_of_the_design() -> None:
    """Coroutines with their parameters."""
    names = {
        "get_memory_context": ["session", "user_id"],
        "maybe_form_memories": ["session", "messages", "user_id"],
        "on_session_start": ["session", "user_id"],
        "on_session_end": ["session", "messages", "user_id"],
        "process_cold_session": ["session", "user_id"],
    }
    for name, parameters in names.items():
        method = getattr(MemoryService, name)
        assert inspect.iscoroutinefunction(method)
        assert list(inspect.signature(method).parameters)[1 : len(parameters) + 1] == parameters
    assemble = inspect.signature(Memory2Backend.assemble_memory_context).parameters
    assert list(assemble)[1:] == ["session", "agent", "user", "force_refresh"]
    form = inspect.signature(Memory2Backend.maybe_form_memories).parameters
    assert list(form)[1:] == ["agent_id", "session", "agent"]
