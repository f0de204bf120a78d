"""AutoGen's own agents with a memory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("autogen_core.memory")

from autogen_agentchat.agents import AssistantAgent
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.models import ChatCompletionClient, CreateResult, ModelInfo, RequestUsage

from omoide import InvalidInput, Memory
from omoide.adapters.autogen import OmoideMemory
from tests.adapters.kit import in_another_process, run_page

READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.autogen import OmoideMemory

    async def contents(memory):
        return [one.content for one in (await OmoideMemory(memory).query("peanuts")).results]

    with Memory.open(sys.argv[1]) as memory:
        print(json.dumps({u: asyncio.run(contents(memory.at(user=u))) for u in ("ana", "ben")}))
"""


class Scripted(ChatCompletionClient):
    """A client that answers always the same, and shows what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    async def create(self, messages: Any, **options: Any) -> CreateResult:
        self.given.append("\n".join(str(message.content) for message in messages))
        usage = RequestUsage(prompt_tokens=1, completion_tokens=1)
        return CreateResult(finish_reason="stop", content="Noted.", usage=usage, cached=False)

    def create_stream(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError

    async def close(self) -> None:
        pass

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(prompt_tokens=1, completion_tokens=1)

    total_usage = actual_usage

    def count_tokens(self, *args: Any, **options: Any) -> int:
        return 1

    remaining_tokens = count_tokens

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=False,
            json_output=False,
            family="unknown",
            structured_output=False,
        )


def text(content: str, **metadata: Any) -> MemoryContent:
    return MemoryContent(content=content, mime_type=MemoryMimeType.TEXT, metadata=metadata or None)


def test_an_agent_remembers_across_processes(unbound: Memory, memory_file: Path) -> None:
    """What is added for one user is in that user's prompts, and found by another process."""
    client = Scripted()

    async def run(user: str, task: str, *added: str) -> None:
        known = OmoideMemory(unbound.at(user=user))
        for one in added:
            await known.add(text(one))
        await AssistantAgent("helper", model_client=client, memory=[known]).run(task=task)

    asyncio.run(run("ana", "Any peanuts here?", "Ana can't eat peanuts"))
    asyncio.run(run("ben", "Any peanuts here?", "Ben likes stout"))

    assert "Ana can't eat peanuts" in client.given[0]
    assert "Ana can't eat peanuts" not in client.given[1]
    read = in_another_process(READ, memory_file)
    assert "Ana can't eat peanuts" in read["ana"]
    assert "Ana can't eat peanuts" not in read["ben"]


def test_contents_come_back_and_are_cleared(unbound: Memory) -> None:
    """Text, JSON and metadata; clearing leaves what others stored."""
    ana = unbound.at(user="ana")
    ana.remember("Ana sails on Sundays")
    known = OmoideMemory(ana)
    form = {"city": "Porto", "zip": [4000, None]}

    async def go() -> None:
        await known.add(text("Ana likes green tea", topic="drink"))
        await known.add(MemoryContent(content=form, mime_type=MemoryMimeType.JSON))
        (tea,) = (await known.query("What tea does she like?", limit=1)).results
        assert tea.content == "Ana likes green tea"
        assert tea.metadata is not None
        assert tea.metadata["topic"] == "drink"
        (city,) = (await known.query(text("Which city, Porto?"), limit=1)).results
        assert (city.content, city.mime_type) == (form, "application/json")
        with pytest.raises(InvalidInput):
            await known.query("tea", top=1)
        with pytest.raises(InvalidInput):
            await known.add(MemoryContent(content=b"x", mime_type=MemoryMimeType.BINARY))
        await known.clear()
        await known.close()
        left = [one.content for one in (await known.query("Ana tea sails Porto")).results]
        assert left == ["Ana sails on Sundays"]

    asyncio.run(go())


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    assert "peanuts" in run_page("autogen", tmp_path)["found"]
