"""SynthOrg's shared knowledge and its strategies of injection over a memory."""

from __future__ import annotations

import asyncio
import inspect
import io
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.adapters.synthorg import (
    NON_INFERABLE,
    MemoryCategory,
    MemoryConfigError,
    MemoryMetadata,
    MemoryQuery,
    MemoryStoreError,
    MemoryStoreRequest,
    OmoideMemoryBackend,
)
from omoide.adapters.synthorg_injection import (
    STRATEGIES,
    MemoryInjectionStrategy,
    OmoideInjectionStrategy,
)
from omoide.adapters.synthorg_shared import OmoideSharedKnowledgeStore, SharedKnowledgeStore
from omoide.adapters.synthorg_tools import (
    RecallMemoryTool,
    SearchMemoryTool,
    ToolCategory,
    registry_with_memory_tools,
)
from omoide.agent import Agent, ToolRegistry
from omoide.models.chat.scripted import ScriptedModel
from tests.adapters.kit import in_another_process
from tests.agent.talk import answers, calls

READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.synthorg import MemoryQuery
    from omoide.adapters.synthorg_shared import OmoideSharedKnowledgeStore
    with Memory.open(sys.argv[1]) as memory:
        found = asyncio.run(OmoideSharedKnowledgeStore(memory).search_shared(MemoryQuery(text="ADR")))
        print(json.dumps([[one.agent_id, one.content] for one in found]))
"""
RULE = "ADR 7: we use Postgres, because of its row locks"


def request(content: str, category: MemoryCategory = MemoryCategory.SEMANTIC) -> MemoryStoreRequest:
    """What an agent stores."""
    metadata = MemoryMetadata(tags=(NON_INFERABLE,))
    return MemoryStoreRequest(category=category, content=content, metadata=metadata)


@pytest.mark.covers("SO-8")
def test_what_one_agent_publishes_the_others_find(unbound: Memory, memory_file: Path) -> None:
    """Also in another process; its publisher alone can retract it, and can be left out."""
    shared = OmoideSharedKnowledgeStore(unbound)

    async def go() -> None:
        kept = await shared.publish("ann", request(RULE))
        gone = await shared.publish("bob", request("ADR 8: we use tabs"))
        assert await shared.retract("ann", gone) is False
        assert await shared.retract("bob", gone) is True
        assert await shared.retract("bob", gone) is False
        query = MemoryQuery(text="Which ADR is about Postgres?")
        assert [one.id for one in await shared.search_shared(query)] == [kept]
        assert await shared.search_shared(query, exclude_agent="ann") == ()
        assert [one.agent_id for one in await shared.search_shared(query, exclude_agent="bob")] == [
            "ann"
        ]
        with pytest.raises(MemoryStoreError):
            await shared.publish("ann", request("now", MemoryCategory.WORKING))

    asyncio.run(go())
    assert isinstance(shared, SharedKnowledgeStore)
    assert in_another_process(READ, memory_file) == [["ann", RULE]]


def test_what_an_agent_stores_for_itself_is_not_shared(unbound: Memory) -> None:
    """Nor is what somebody else made everybody's, which no agent published."""
    backend, shared = OmoideMemoryBackend(unbound), OmoideSharedKnowledgeStore(unbound)

    async def go() -> None:
        await backend.connect()
        await backend.store("ann", request(RULE))
        unbound.at(shared=True).remember("ADR 9: the office closes at six")
        assert await shared.search_shared(MemoryQuery(text="ADR")) == ()

    asyncio.run(go())


@pytest.mark.covers("SO-65", "CX-33")
def test_each_strategy_prepares_its_messages_and_tools(unbound: Memory) -> None:
    """Of one agent and of everybody, within the budget; the other agents' memories stay theirs."""
    unbound.at(agent="ann").remember("The database runs on port 5432")
    unbound.at(agent="bob").remember("The database password rotates weekly")
    unbound.at(shared=True).remember("Every database is backed up at night")
    offered = {}
    for name in STRATEGIES:
        strategy = OmoideInjectionStrategy(unbound, name)
        assert isinstance(strategy, MemoryInjectionStrategy)
        told = asyncio.run(strategy.prepare_messages("ann", "Where is the database?", 500))
        text = " ".join(message.content for message in told)
        assert "password" not in text
        assert ("5432" in text and "backed up" in text) == (name == "context")
        offered[strategy.strategy_name] = [
            tool["function"]["name"] for tool in strategy.get_tool_definitions("ann")
        ]
    assert offered["context"] == []
    assert offered["tool_based"] == ["search_memory", "get_memory"]
    assert "edit_block" in offered["self_editing"]
    parameters = inspect.signature(OmoideInjectionStrategy.prepare_messages).parameters
    assert list(parameters)[1:] == ["agent_id", "query_text", "token_budget"]
    with pytest.raises(MemoryConfigError, match="self_editing"):
        OmoideInjectionStrategy(unbound, "magic")


@pytest.mark.covers("SO-74")
def test_shared_memories_are_ranked_with_an_agents_own(unbound: Memory) -> None:
    """One search finds both, the better one first, whosever it is: an agent's own gets no bonus."""
    unbound.at(agent="ann").remember("The database was once discussed over lunch by the team")
    unbound.at(shared=True).remember("The database listens on port 5432")
    unbound.at(shared=True).remember("The office cat is called Byte")
    told = asyncio.run(
        OmoideInjectionStrategy(unbound).prepare_messages(
            "ann", "On which port does the database listen?", 500
        )
    )

    lines = [line for line in told[-1].content.splitlines() if line.startswith("- [")]
    assert "port 5432" in lines[0]
    assert "shared" in lines[0]
    assert any("over lunch" in line and "shared" not in line for line in lines[1:])


@pytest.mark.covers("SO-74")
def test_a_memory_scores_the_same_whether_it_is_an_agents_own_or_shared(unbound: Memory) -> None:
    """The same two, the one's own and the other shared, then the other way round."""
    texts = ("The database was discussed over lunch", "The database listens on port 5432")
    found = []
    for tenant, (own, shared) in {"a": texts, "b": texts[::-1]}.items():
        memory = unbound.at(tenant=tenant)
        memory.at(agent="ann").remember(own)
        memory.at(shared=True).remember(shared)
        hits = memory.at(agent="ann").recall("On which port does the database listen?")
        found.append([(hit.text, hit.score) for hit in hits])

    assert found[0] == found[1]
    assert {text for text, _ in found[0]} == set(texts)


@pytest.mark.covers("SO-76")
def test_memory_tools_go_through_the_agents_own_dispatch(
    unbound: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """They stand in its registry beside its other tools: what it checks and notes of a call holds
    for them too.
    """
    id = unbound.at(agent="ann").remember("The database runs on port 5432").id
    own = ToolRegistry()
    own.register(lambda: "noon", "clock")
    tools = registry_with_memory_tools(own, unbound, "ann")
    called: list[str] = []

    class Guarded(Agent):
        def _register_tools(self) -> None:
            self.tools = tools

        def _execute_tool(self, tool_name: str, tool_args: Any) -> Any:
            called.append(tool_name)
            if "secret" in str(tool_args):
                return {"status": "error", "error": "not allowed"}
            return super()._execute_tool(tool_name, tool_args)

    script = [
        calls("clock"),
        calls("search_memory", query="database port"),
        calls("recall_memory", memory_id=id),
        calls("search_memory", query="secret"),
        answers("5432."),
    ]
    steps = Guarded(ScriptedModel(script)).process_query("Which port?")["steps"]
    results = [str(step["result"]) for step in steps if "result" in step]

    assert called == ["clock", "search_memory", "recall_memory", "search_memory"]
    assert "5432" in results[1]
    assert "5432" in results[2]
    assert "not allowed" in results[3]
    assert list(own) == ["clock"]
    blocks = registry_with_memory_tools(
        own, unbound, "ann", memory_injection_strategy="self_editing"
    )
    assert "write_block" in blocks
    with pytest.raises(MemoryConfigError, match="magic"):
        registry_with_memory_tools(own, unbound, "ann", memory_injection_strategy="magic")


@pytest.mark.covers("SO-76")
def test_the_tools_have_the_names_of_the_design(unbound: Memory) -> None:
    """A category, a schema, and errors with a fixed beginning; each of its agent alone."""
    id = unbound.at(agent="ann").remember("The database runs on port 5432").id
    search, recall = SearchMemoryTool(unbound, "ann"), RecallMemoryTool(unbound, "ann")
    theirs = RecallMemoryTool(unbound, "bob")

    assert {search.category, recall.category} == {ToolCategory.MEMORY}
    assert search.parameters_schema["required"] == ["query"]
    found = asyncio.run(search.execute(arguments={"query": "database port"}))
    assert "5432" in found.content
    assert "5432" in asyncio.run(recall.execute(arguments={"memory_id": id})).content
    assert "5432" not in asyncio.run(theirs.execute(arguments={"memory_id": id})).content
    wrong = asyncio.run(recall.execute(arguments={"memory_id": "x" * 257}))
    assert wrong.is_error
    assert wrong.content.startswith("Error: ")
    assert not found.is_error


@pytest.mark.covers("SO-79")
def test_memory_is_called_in_the_process() -> None:
    """No module of MCP is loaded by the backend and its strategies."""
    program = """
        import json, sys
        import omoide.adapters.synthorg_injection, omoide.adapters.synthorg_shared
        print(json.dumps([name for name in sys.modules if name.split(".")[0] in ("mcp", "fastmcp")]))
    """
    assert in_another_process(program) == []


@pytest.mark.covers("SO-72")
def test_what_could_be_found_elsewhere_is_stored_with_a_warning(
    unbound: Memory, log: io.StringIO
) -> None:
    """Storing without the tag never blocks, and the prompt tells what qualifies."""
    backend = OmoideMemoryBackend(unbound)

    async def go() -> None:
        await backend.connect()
        plain = MemoryStoreRequest(category=MemoryCategory.SEMANTIC, content="Python has a GIL")
        assert await backend.store("ann", plain)
        assert await backend.store("ann", request(RULE))

    asyncio.run(go())
    assert log.getvalue().count("inferable") == 2  # one line, with the name of the tag
    told = asyncio.run(
        OmoideInjectionStrategy(unbound, "tool_based").prepare_messages("ann", "", 2_000)
    )
    assert "decisions and their reasons" in told[0].content
