"""pydantic-ai's own agents and its harness' notebook over a memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai_harness.memory")

from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai_harness.memory import (
    InMemoryStore,
    MemoryConflictError,
    MemoryOperation,
    MemoryOperationConflictError,
    MetadataMemoryStore,
    SearchableMemoryStore,
)
from pydantic_ai_harness.memory import Memory as Notebook

from omoide import Memory
from omoide.adapters.pydantic_ai import OmoideMemory, OmoideMemoryStore, memory_toolset
from tests.adapters.kit import in_another_process, run_page

READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.pydantic_ai import OmoideMemoryStore
    with Memory.open(sys.argv[1]) as memory:
        files, found = {}, {}
        for user in ("ana", "ben"):
            store = OmoideMemoryStore(memory.at(user=user))
            file = asyncio.run(store.read("main/MEMORY.md", max_chars=1000))
            files[user] = file and file.content
            found[user] = [hit.text for hit in memory.at(user=user).recall("peanuts")]
        print(json.dumps({"files": files, "found": found}))
"""


class Model:
    """A model that calls the tools it is told to, and shows what it was given."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.given = list(answers), list[str]()

    def __call__(self, messages: Any, info: Any) -> ModelResponse:
        self.given.append(f"{info.instructions}\n{messages}")
        return ModelResponse(parts=[self.answers.pop(0)])


def agent(model: Model, **more: Any) -> Agent[Any, str]:
    return Agent(FunctionModel(model), **more)


def test_a_notebook_is_there_in_another_process(unbound: Memory, memory_file: Path) -> None:
    """The harness' own tool writes the notebook; each user has their own, and recall finds it."""
    for user, text in (("ana", "- can't eat peanuts"), ("ben", "- likes stout")):
        model = Model(ToolCallPart("write_memory", {"content": text}), TextPart("Noted."))
        store = OmoideMemoryStore(unbound.at(user=user))
        assert agent(model, capabilities=[Notebook(store=store)]).run_sync("Hi").output == "Noted."

    read = in_another_process(READ, memory_file)
    assert {user: text.strip() for user, text in read["files"].items()} == {
        "ana": "- can't eat peanuts",
        "ben": "- likes stout",
    }
    assert "peanuts" in read["found"]["ana"][0]
    assert "peanuts" not in str(read["found"]["ben"])
    again = Model(TextPart("You can't eat peanuts."))
    store = OmoideMemoryStore(unbound.at(user="ana"))
    agent(again, capabilities=[Notebook(store=store)]).run_sync("What can't I eat?")
    assert "can't eat peanuts" in again.given[0]


def test_tools_and_capability_remember(unbound: Memory, memory_file: Path) -> None:
    """A model remembers by a tool; the next run, of the same user alone, has it in its prompt."""

    @dataclass
    class Deps:
        user: str

    first = Model(ToolCallPart("remember", {"fact": "Ana can't eat peanuts"}), TextPart("Noted."))
    toolset = memory_toolset(unbound.at(user="ana"))
    agent(first, toolsets=[toolset]).run_sync("I can't eat peanuts")
    assert "Ana can't eat peanuts" in in_another_process(READ, memory_file)["found"]["ana"]

    capability = OmoideMemory(lambda ctx: unbound.at(user=ctx.deps.user))
    model = Model(TextPart("No."), TextPart("I do not know."))
    helper = agent(model, capabilities=[capability], deps_type=Deps)
    helper.run_sync("May I have peanuts?", deps=Deps("ana"))
    helper.run_sync("May she have peanuts?", deps=Deps("ben"))
    assert "Ana can't eat peanuts" in model.given[0]
    assert "Ana can't eat peanuts" not in model.given[1]
    read = in_another_process(READ, memory_file)["found"]
    assert "May I have peanuts?" in read["ana"]
    assert "May she have peanuts?" in read["ben"]


def test_the_store_answers_as_the_harness_own(unbound: Memory) -> None:
    """Versions, conflicts, repeated operations, listings and searches: as InMemoryStore does."""

    async def walk(store: Any) -> list[Any]:
        assert isinstance(store, MetadataMemoryStore)
        assert isinstance(store, SearchableMemoryStore)
        seen: list[Any] = [await store.read("a/b.md", max_chars=10)]
        operation = MemoryOperation(id="o1", fingerprint="f1")
        made = await store.write("a/b.md", "green tea", expected_version=None, operation=operation)
        again = await store.write("a/b.md", "x", expected_version=None, operation=operation)
        seen += [made.existed, again.replayed, again.version == made.version]
        with pytest.raises(MemoryOperationConflictError):
            await store.get_operation(MemoryOperation(id="o1", fingerprint="f2"))
        seen.append(await store.get_operation(MemoryOperation(id="o2", fingerprint="f")))
        with pytest.raises(MemoryConflictError):
            await store.write("a/b.md", "y", expected_version="nonsense")
        read = await store.read("a/b.md", max_chars=5)
        seen += [read.content, read.truncated, read.operation_id, read.version == made.version]
        note = {"by": "agent"}
        more = await store.write_with_metadata(
            "a/b.md", "black tea", expected_version=read.version, metadata=note
        )
        read = await store.read("a/b.md", max_chars=50)
        seen += [more.existed, read.content, read.metadata, read.operation_id]
        for path in ("a/c.md", "a/d/e.md", "b/x.md"):
            await store.write(path, f"coffee {path}", expected_version=None)
        await store.write("a/empty.md", "", expected_version=None)
        seen.append((await store.read("a/empty.md", max_chars=5)).content)
        seen += [await store.list_paths(limit=10), await store.list_paths("a/", limit=2)]
        how = {"limit": 5, "max_files": 10, "max_chars": 100, "max_file_chars": 100}
        found = await store.search("a/", "coffee", **how)
        seen.append(found.matches[0].path)
        seen.append(found.matches[0].snippet)
        with pytest.raises(MemoryConflictError):
            await store.delete("a/b.md", expected_version="nonsense")
        gone = await store.delete("a/b.md", expected_version=read.version)
        seen += [gone.existed, gone.version, await store.read("a/b.md", max_chars=5)]
        for path in ("../x", "a//b", "./a"):
            with pytest.raises(ValueError, match="path"):
                await store.read(path, max_chars=1)
        return seen

    mine = asyncio.run(walk(OmoideMemoryStore(unbound.at(user="ana"))))
    assert mine == asyncio.run(walk(InMemoryStore()))


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    assert "peanuts" in run_page("pydantic-ai", tmp_path)["prompt"]
