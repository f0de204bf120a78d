"""Anthropic's memory tool: the SDK's own runner, and the texts of its reference tool."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anthropic.tools.memory")

from anthropic import Anthropic, AsyncAnthropic
from anthropic.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

from omoide import Memory
from omoide.adapters.anthropic_memory import AsyncOmoideMemoryTool, OmoideMemoryTool
from tests.adapters.kit import in_another_process, run_page
from tests.fix_llm_server import Body, LLMServer, Reply, Seen

READ = """
    import json, sys
    from omoide import Memory
    from omoide.adapters.anthropic_memory import OmoideMemoryTool
    with Memory.open(sys.argv[1]) as memory:
        view = {"command": "view", "path": "/memories"}
        tools = {user: OmoideMemoryTool(memory.at(user=user)) for user in ("ana", "ben")}
        print(json.dumps({user: tool.call(view) for user, tool in tools.items()}))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory.open(path, background=False) as opened:
        yield opened


def says(*blocks: Body) -> Body:
    """A message of the model."""
    reason = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": list(blocks),
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def notes_then_answers(seen: Seen) -> Reply:
    """A model that notes the user's words once, and then answers."""
    messages = seen.body["messages"]
    if messages[-1]["role"] == "user" and isinstance(messages[-1]["content"], str):
        note = {"command": "create", "path": "/memories/likes.md"}
        note["file_text"] = messages[-1]["content"]
        return Reply(body=says({"type": "tool_use", "id": "t", "name": "memory", "input": note}))
    return Reply(body=says({"type": "text", "text": "Noted."}))


def test_the_sdks_runner_writes_what_another_process_reads(
    memory: Memory, path: Path, llm_server: LLMServer
) -> None:
    """Both clients run the tool for the model; each user has files of their own."""
    llm_server.respond = notes_then_answers
    how: dict[str, Any] = {"model": "claude", "max_tokens": 10}
    messages: list[Any] = [{"role": "user", "content": "I like green tea"}]
    client = Anthropic(base_url=llm_server.url, api_key="none")
    tool = OmoideMemoryTool(memory.at(user="ana"))
    client.beta.messages.tool_runner(tools=[tool], messages=messages, **how).until_done()

    async def go() -> None:
        tool = AsyncOmoideMemoryTool(memory.at(user="ben"))
        client = AsyncAnthropic(base_url=llm_server.url, api_key="none")
        await client.beta.messages.tool_runner(
            tools=[tool], messages=[{"role": "user", "content": "Stout"}], **how
        ).until_done()

    asyncio.run(go())
    assert llm_server.seen[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    told = llm_server.seen[1].body["messages"][-1]["content"][0]["content"]
    assert told == "File created successfully at: /memories/likes.md"
    read = in_another_process(READ, path)
    assert [read[user].splitlines()[1:] for user in ("ana", "ben")] == [
        ["16B\t/memories", "16B\t/memories/likes.md"],
        ["5B\t/memories", "5B\t/memories/likes.md"],
    ]
    assert memory.at(user="ana").recall("What does she like?")[0].text.startswith("I like green")


def command(name: str, **fields: Any) -> dict[str, Any]:
    return {"command": name, **fields}


FILE = "/memories/notes/tea.md"
WALK: list[dict[str, Any]] = [
    command("view", path="/memories/none.md"),
    command("create", path=FILE, file_text="green\nblack\nwhite\nred\ngreen tea\nlast\n"),
    command("create", path=FILE, file_text="again"),
    command("create", path="/memories/empty.md", file_text=""),
    command("create", path="/memories/long.md", file_text="A line of many words in all\n" * 400),
    command("view", path="/memories/long.md"),
    command("view", path=FILE),
    command("view", path=FILE, view_range=[2, 3]),
    command("view", path=FILE, view_range=[4, -1]),
    command("view", path="/memories/empty.md"),
    command("str_replace", path=FILE, old_str="white", new_str="oolong\nyellow"),
    command("str_replace", path=FILE, old_str="gone", new_str="x"),
    command("str_replace", path=FILE, old_str="green", new_str="x"),
    command("str_replace", path="/memories/notes", old_str="green", new_str="x"),
    command("str_replace", path="/memories/none", old_str="green", new_str="x"),
    command("insert", path=FILE, insert_line=0, insert_text="first\n"),
    command("insert", path=FILE, insert_line=8, insert_text="end"),
    command("insert", path=FILE, insert_line=99, insert_text="x"),
    command("insert", path="/memories/empty.md", insert_line=0, insert_text="now"),
    command("view", path=FILE),
    command("view", path="/memories/empty.md"),
    command("rename", old_path=FILE, new_path="/memories/empty.md"),
    command("rename", old_path="/memories/none", new_path="/memories/x"),
    command("rename", old_path="/memories/notes", new_path="/memories/drinks"),
    command("rename", old_path="/memories", new_path="/memories/x"),
    command("view", path="/memories/drinks/tea.md"),
    command("view", path="/memories/notes/tea.md"),
    command("delete", path="/memories"),
    command("delete", path="/memories/none"),
    command("delete", path="/memories/drinks"),
    command("view", path="/memories/drinks/tea.md"),
    command("view", path="/etc/passwd"),
    command("view", path="/memories/../etc"),
]


def answers(tool: Any) -> list[str]:
    """What a tool answers to each command; errors with their texts."""
    told = []
    for one in WALK:
        try:
            told.append(str(tool.call(one)))
        except ToolError as error:
            told.append(f"error: {error}")
    return told


def test_it_answers_in_the_words_of_the_sdks_own_tool(memory: Memory, tmp_path: Path) -> None:
    """Every success and every error, text by text."""
    mine = answers(OmoideMemoryTool(memory.at(user="ana")))
    own = answers(BetaLocalFilesystemMemoryTool(str(tmp_path)))

    assert len(mine) == len(WALK)
    assert mine == own


def test_folders_are_listed_two_levels_deep(memory: Memory) -> None:
    """With sizes, without hidden files; a folder's size is that of its files."""
    tool = OmoideMemoryTool(memory.at(user="ana"))
    for name in ("b.md", "a/x.md", "a/b/c/d.md", ".hidden"):
        tool.call(command("create", path=f"/memories/{name}", file_text="x" * 1536))

    assert str(tool.call(command("view", path="/memories"))).splitlines() == [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:",
        "4.5K\t/memories",
        "3K\t/memories/a/",
        "1.5K\t/memories/a/b/",
        "1.5K\t/memories/a/x.md",
        "1.5K\t/memories/b.md",
    ]
    assert tool.clear_all_memory() == "All memory cleared"
    assert str(tool.call(command("view", path="/memories"))).splitlines()[1:] == ["0B\t/memories"]


def test_nothing_is_left_of_a_deleted_file(memory: Memory, path: Path) -> None:
    """Not of its earlier versions either; a file that is too long is refused with the limit."""
    tool = OmoideMemoryTool(memory.at(user="ana"))
    tool.call(command("create", path="/memories/a.md", file_text="The tortoise is Ptolemy"))
    tool.call(command("str_replace", path="/memories/a.md", old_str="Ptolemy", new_str="Hypatia"))
    tool.call(command("delete", path="/memories/a.md"))
    with pytest.raises(ToolError, match="limit"):
        tool.call(command("create", path="/memories/long.md", file_text="word " * 20_000))
    memory.close()

    assert not [f for f in path.parent.glob("memory.db*") if b"Ptolemy" in f.read_bytes()]


def test_the_page_runs(
    tmp_path: Path,
    llm_server: LLMServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The how-to's program remembers across two runs."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", llm_server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    llm_server.respond = notes_then_answers

    run_page("anthropic", tmp_path)
    assert "/memories/likes.md" in capsys.readouterr().out
