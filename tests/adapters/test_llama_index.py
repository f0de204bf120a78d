"""LlamaIndex' own memory and chat engine with a block over a memory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import InsertMethod
from llama_index.core.memory import Memory as ChatMemory

from omoide import Memory
from omoide.adapters.llama_index import OmoideMemoryBlock
from tests.adapters.kit import in_another_process, run_page

READ = """
    import asyncio, json, sys
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import Memory as ChatMemory
    from omoide import Memory
    from omoide.adapters.llama_index import OmoideMemoryBlock

    async def prompt(memory, user):
        block = OmoideMemoryBlock(memory=memory.at(user=user))
        chat = ChatMemory.from_defaults(session_id="new", memory_blocks=[block])
        await chat.aput(ChatMessage(role="user", content="What can't I eat?"))
        return "\\n".join(str(message.content) for message in await chat.aget())

    with Memory.open(sys.argv[1]) as memory:
        print(json.dumps({user: asyncio.run(prompt(memory, user)) for user in ("ana", "ben")}))
"""


def chat_of(memory: Memory, session: str = "chat", **more: Any) -> ChatMemory:
    """A memory of LlamaIndex that keeps little, so that the block gets the rest."""
    small: dict[str, Any] = {
        "token_limit": 60,
        "chat_history_token_ratio": 0.2,
        "token_flush_size": 10,
    }
    block = OmoideMemoryBlock(memory=memory)
    return ChatMemory.from_defaults(session_id=session, memory_blocks=[block], **(small | more))


def test_a_chat_engine_remembers_across_processes(unbound: Memory, memory_file: Path) -> None:
    """What leaves the short-term memory is logged; another process has it in its prompt, for the
    same user alone.
    """
    for user, text in (("ana", "I can't eat peanuts"), ("ben", "I like stout")):
        engine = SimpleChatEngine.from_defaults(
            llm=MockLLM(max_tokens=30), memory=chat_of(unbound.at(user=user))
        )
        for said in (text, "Tell me about the weather in Porto this week, please"):
            engine.chat(said)

    turns = unbound.at(user="ana").sessions.turns("chat")
    assert turns[0].text == "I can't eat peanuts"
    read = in_another_process(READ, memory_file)
    assert "I can't eat peanuts" in read["ana"]
    assert "peanuts" not in read["ben"]


@pytest.mark.parametrize("method", [InsertMethod.SYSTEM, InsertMethod.USER])
def test_the_block_stands_where_it_is_wanted(unbound: Memory, method: InsertMethod) -> None:
    """In the system's message or the user's; and shorter where it has to be, with its fence whole."""
    ana = unbound.at(user="ana")
    for number in range(40):
        ana.remember(f"Ana's jar number {number} is full of peanuts from Porto")
    block = OmoideMemoryBlock(memory=ana)

    async def prompt(limit: int) -> str:
        chat = ChatMemory.from_defaults(
            session_id=f"s{limit}", memory_blocks=[block], insert_method=method, token_limit=limit
        )
        await chat.aput(ChatMessage(role="user", content="Which jars are full of peanuts?"))
        first = (await chat.aget())[0]
        assert first.role.value == ("system" if method is InsertMethod.SYSTEM else "user")
        return str(first.content)

    long, short = asyncio.run(prompt(30_000)), asyncio.run(prompt(600))
    assert long.count("full of peanuts from Porto") > short.count("full of peanuts from Porto") > 0


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    assert "peanuts" in run_page("llama-index", tmp_path)["prompt"]
