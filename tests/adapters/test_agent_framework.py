"""Microsoft's Agent Framework: its own agents with providers over a memory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agent_framework")

from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Content, Message

from omoide import Memory
from omoide.adapters.agent_framework import OmoideContextProvider, OmoideHistoryProvider
from tests.adapters.kit import in_another_process, run_page

READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.agent_framework import OmoideHistoryProvider
    with Memory.open(sys.argv[1]) as memory:
        told, found = {}, {}
        for user in ("ana", "ben"):
            history = OmoideHistoryProvider(memory=memory.at(user=user))
            messages = asyncio.run(history.get_messages("chat"))
            told[user] = [[message.role, message.text] for message in messages]
            found[user] = [hit.text for hit in memory.at(user=user).recall("peanuts")]
        print(json.dumps({"told": told, "found": found}))
"""


class Scripted(BaseChatClient):
    """A client that answers always the same, and shows what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    async def _inner_get_response(
        self, *, messages: Any, stream: bool, options: Any, **kwargs: Any
    ) -> ChatResponse:
        texts = [message.text for message in messages]
        self.given.append("\n".join([str(options.get("instructions")), *texts]))
        return ChatResponse(messages=[Message("assistant", ["Noted."])])


def test_history_is_there_in_another_process(unbound: Memory, memory_file: Path) -> None:
    """An agent's sessions are logged; users who name a session alike have one each."""
    client = Scripted()

    async def go() -> None:
        for user, text in (("ana", "I can't eat peanuts"), ("ben", "I like stout")):
            history = OmoideHistoryProvider(memory=unbound.at(user=user))
            agent = Agent(client, context_providers=[history])
            await agent.run(text, session=AgentSession(session_id="chat"))
            await agent.run("Go on", session=AgentSession(session_id="chat"))

    asyncio.run(go())
    assert "I can't eat peanuts" in client.given[1]
    assert "peanuts" not in "".join(client.given[2:])
    read = in_another_process(READ, memory_file)
    assert read["told"]["ana"] == [
        ["user", "I can't eat peanuts"],
        ["assistant", "Noted."],
        ["user", "Go on"],
        ["assistant", "Noted."],
    ]
    assert read["told"]["ben"][0] == ["user", "I like stout"]
    assert "I can't eat peanuts" in read["found"]["ana"]
    assert "peanuts" not in str(read["found"]["ben"])


def test_context_reaches_other_sessions_of_the_user(unbound: Memory, memory_file: Path) -> None:
    """What a user said in one session is in the prompt of another, and in nobody else's."""
    client = Scripted()
    provider = OmoideContextProvider(memory=lambda session: unbound.at(user=session.state["user"]))
    agent = Agent(client, instructions="Be short.", context_providers=[provider])

    async def say(user: str, session: str, text: str) -> None:
        opened = AgentSession(session_id=session)
        opened.state["user"] = user
        await agent.run(text, session=opened)

    async def go() -> None:
        await say("ana", "one", "I can't eat peanuts")
        await say("ana", "two", "May I have a peanuts cookie?")
        await say("ben", "three", "May I have a peanuts cookie?")

    asyncio.run(go())
    assert "I can't eat peanuts" in client.given[1]
    assert "Be short." in client.given[1]
    assert "I can't eat peanuts" not in client.given[2]
    assert "I can't eat peanuts" in in_another_process(READ, memory_file)["found"]["ana"]


def test_messages_come_back_whole(unbound: Memory) -> None:
    """Calls of tools, their results, and clearing."""
    history = OmoideHistoryProvider(memory=unbound.at(user="ana"))
    call = Content.from_function_call(call_id="c", name="look", arguments={"q": [1, None]})
    result = Content.from_function_result(call_id="c", result="found " * 5_000)
    messages = [
        Message("user", ["Look", "here"], author_name="Ana"),
        Message("assistant", [call]),
        Message("tool", [result]),
        Message("assistant", []),
    ]

    async def go() -> list[Message]:
        await history.save_messages("chat", messages)
        kept = await history.get_messages("chat")
        await history.clear("chat")
        assert await history.get_messages("chat") == []
        return list(kept)

    assert [m.to_dict() for m in asyncio.run(go())] == [m.to_dict() for m in messages]


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    assert "peanuts" in run_page("agent-framework", tmp_path)["prompt"]
