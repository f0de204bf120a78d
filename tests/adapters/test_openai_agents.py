"""The OpenAI Agents SDK's own runner over a session of a memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents.memory")

from agents import Agent, Runner, Session, SessionSettings, SQLiteSession, function_tool
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.run import RunConfig
from agents.usage import Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from omoide import Memory
from omoide.adapters.openai_agents import OmoideSession
from tests.adapters.kit import in_another_process, run_page

READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.openai_agents import OmoideSession
    with Memory.open(sys.argv[1]) as memory:
        users = {user: memory.at(user=user) for user in ("ana", "ben")}
        items = {u: asyncio.run(OmoideSession("chat", m).get_items()) for u, m in users.items()}
        found = {u: [hit.text for hit in m.recall("peanuts")] for u, m in users.items()}
        print(json.dumps({"items": items, "found": found}))
"""


class Scripted(Model):
    """A model that answers in order, and shows what it was given."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.given = list(answers), list[Any]()

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        self.given.append(kwargs.get("input", args[1] if len(args) > 1 else None))
        return ModelResponse(output=[self.answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def says(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="m1", content=[part], role="assistant", status="completed", type="message"
    )


def calls(name: str, arguments: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        call_id="c1", name=name, arguments=arguments, type="function_call", id="f1"
    )


@function_tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"It rains in {city}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory.open(path, background=False) as opened:
        yield opened


QUIET = RunConfig(tracing_disabled=True)


def test_a_runner_remembers_across_processes(memory: Memory, path: Path) -> None:
    """Runs with tools are logged item by item; another process goes on with them, each user with
    their own session of the same name.
    """
    model = Scripted(
        says("Noted."), calls("weather", '{"city": "Porto"}'), says("Rain."), says("Hi")
    )
    agent = Agent(name="helper", model=model, tools=[weather])

    async def go() -> None:
        ana = OmoideSession("chat", memory.at(user="ana"))
        assert isinstance(ana, Session)
        await Runner.run(agent, "I can't eat peanuts", session=ana, run_config=QUIET)
        await Runner.run(agent, "How is the weather?", session=ana, run_config=QUIET)
        ben = OmoideSession("chat", memory.at(user="ben"))
        await Runner.run(agent, "Hello", session=ben, run_config=QUIET)

    asyncio.run(go())
    assert "I can't eat peanuts" in str(model.given[1])
    assert "peanuts" not in str(model.given[3])
    read = in_another_process(READ, path)
    assert [item.get("type", item.get("role")) for item in read["items"]["ana"]] == [
        "user",
        "message",
        "user",
        "function_call",
        "function_call_output",
        "message",
    ]
    assert [item["content"] for item in read["items"]["ben"][:1]] == ["Hello"]
    assert "I can't eat peanuts" in read["found"]["ana"]
    assert "I can't eat peanuts" not in read["found"]["ben"]


def test_it_answers_as_the_sdks_own_session(memory: Memory, tmp_path: Path) -> None:
    """Limits, pops and clearing give what SQLiteSession gives."""
    items: list[Any] = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "two"}], "id": "m"},
        {"type": "reasoning", "id": "r", "summary": []},
        {"role": "user", "content": "one"},
        {"type": "function_call_output", "call_id": "c", "output": "x" * 30_000},
        {"role": "user", "content": ""},
    ]

    async def walk(session: Any) -> list[Any]:
        seen: list[Any] = [await session.pop_item(), await session.get_items()]
        await session.add_items([])
        await session.add_items(items[:2])
        await session.add_items(items[2:])
        for limit in (None, 2, 100, 0):
            seen.append(await session.get_items(limit) if limit != 0 else None)
        session.session_settings = SessionSettings(limit=3)
        seen.append(await session.get_items())
        seen.append([await session.pop_item(), await session.pop_item()])
        seen.append(await session.get_items(100))
        await session.clear_session()
        seen.append(await session.get_items())
        await session.add_items(items[:1])
        seen.append(await session.get_items())
        return seen

    own = asyncio.run(walk(SQLiteSession("s", tmp_path / "own.db")))
    assert asyncio.run(walk(OmoideSession("s", memory.at(user="ana")))) == own


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    names = run_page("openai-agents", tmp_path)
    assert "green tea" in str(names["known"])
