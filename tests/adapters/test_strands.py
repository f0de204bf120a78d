"""Strands' own agents and memory manager over a memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands.memory")

from strands import Agent
from strands.memory import AddMessagesContext, MemoryManager
from strands.models.model import Model

from omoide import InvalidInput, Memory
from omoide.adapters.strands import OmoideMemoryStore
from tests.adapters.kit import in_another_process, run_page

READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.strands import OmoideMemoryStore
    with Memory.open(sys.argv[1]) as memory:
        found = {}
        for user in ("ana", "ben"):
            store = OmoideMemoryStore(memory.at(user=user))
            found[user] = [e.content for e in asyncio.run(store.search("What can't they eat?"))]
        print(json.dumps(found))
"""


class Scripted(Model):
    """A model that calls a tool where it is told to, and shows what it was given."""

    def __init__(self, *calls: dict[str, Any]) -> None:
        self.calls, self.given = list(calls), list[str]()

    def get_config(self) -> dict[str, Any]:
        return {}

    def update_config(self, **config: Any) -> None:
        pass

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        self.given.append(json.dumps(messages))
        yield {"messageStart": {"role": "assistant"}}
        if self.calls:
            call = self.calls.pop(0)
            start = {"toolUse": {"name": call["name"], "toolUseId": "t1"}}
            yield {"contentBlockStart": {"start": start}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": call["input"]}}}}
        else:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "Noted."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if "call" in locals() else "end_turn"}}


def talk(memory: Memory, model: Scripted, text: str) -> None:
    """A run of an agent with everything that the manager can do."""

    async def go() -> None:
        manager = MemoryManager(stores=[OmoideMemoryStore(memory)], add_tool_config=True)
        agent = Agent(model=model, memory_manager=manager, callback_handler=None)
        await agent.invoke_async(text)
        await manager.flush()

    asyncio.run(go())


def test_an_agent_remembers_across_processes(unbound: Memory, memory_file: Path) -> None:
    """What was said is logged, what the tool adds is remembered, both are injected: to one user."""
    add = {"name": "add_memory", "input": '{"entries": ["Ana is allergic to peanuts"]}'}
    talk(unbound.at(user="ana"), Scripted(add), "I can't eat peanuts")
    talk(unbound.at(user="ben"), Scripted(), "I like stout")

    read = in_another_process(READ, memory_file)
    assert {"I can't eat peanuts", "Ana is allergic to peanuts"} <= set(read["ana"])
    assert "peanuts" not in str(read["ben"])
    again, other = Scripted(), Scripted()
    talk(unbound.at(user="ana"), again, "May I have peanuts?")
    talk(unbound.at(user="ben"), other, "May I have peanuts?")
    assert "allergic to peanuts" in again.given[0]
    assert "allergic" not in other.given[0]


def test_messages_are_logged_once(unbound: Memory) -> None:
    """A batch that is tried again adds nothing; equal words said twice are two messages."""
    ana = unbound.at(user="ana")
    store = OmoideMemoryStore(ana, session="chat")
    messages = [{"role": "user", "content": [{"text": "ok"}]}] * 2
    numbered = AddMessagesContext(sequence_numbers=[3, 5])

    async def go() -> None:
        for _ in range(2):
            await store.add_messages(messages, numbered)

    asyncio.run(go())
    assert [turn.text for turn in ana.sessions.turns("chat")] == ["ok", "ok"]
    with pytest.raises(InvalidInput):
        asyncio.run(store.search("ok", {"max_search_results": 0}))


def test_a_store_may_be_for_reading_alone(unbound: Memory) -> None:
    """The manager then offers no tool that writes, and logs nothing."""
    ana = unbound.at(user="ana")
    ana.remember("Ana can't eat peanuts")
    store = OmoideMemoryStore(ana, writable=False, max_search_results=1)
    model = Scripted()
    Agent(model=model, memory_manager=MemoryManager(stores=[store]), callback_handler=None)(
        "Peanuts?"
    )

    assert "can't eat peanuts" in model.given[0]
    assert not ana.sessions.list()


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    assert "peanuts" in run_page("strands", tmp_path)["prompt"]
