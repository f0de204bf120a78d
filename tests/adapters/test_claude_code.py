"""Claude Code's hooks by their contract on standard input, the plug-in folder, and the Claude Agent
SDK's objects with its own conformance kit.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.adapters.claude_code import EVENTS, OmoideSessionStore, answer, hooks
from tests.adapters.kit import in_another_process, run_page
from tests.fix_llm_server import LLMServer, anthropic_streams
from tests.source_tree import ROOT, SRC

PLUGIN = ROOT / "plugins" / "claude-code"
READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.claude_code import OmoideSessionStore
    key = {"project_key": "p", "session_id": "s"}
    with Memory.open(sys.argv[1]) as memory:
        users = {user: memory.at(user=user) for user in ("ana", "ben")}
        print(json.dumps({u: asyncio.run(OmoideSessionStore(m).load(key)) for u, m in users.items()}))
"""


def hook(event: dict[str, Any], memory_file: Path, user: str) -> dict[str, Any]:
    """What ``omoide hook`` prints for an event, run as Claude Code runs it."""
    told = os.environ | {"PYTHONPATH": str(SRC.parent), "OMOIDE_STORE": str(memory_file)}
    ran = subprocess.run(
        [sys.executable, "-m", "omoide", "--user", user, "hook"],
        input=json.dumps({"session_id": "s1", "cwd": "/x", "transcript_path": "", **event}),
        env=told,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    printed: dict[str, Any] = json.loads(ran.stdout)
    return printed


def test_hooks_remember_across_processes(memory_file: Path) -> None:
    """Each event is a process: what was said in one session is told in another, to one user."""
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "I deploy with the script ship.sh"}
    hook(prompt, memory_file, "ana")
    stop = {"hook_event_name": "Stop", "stop_hook_active": False}
    hook(stop | {"last_assistant_message": "Noted: ship.sh."}, memory_file, "ana")
    hook({"hook_event_name": "SessionEnd", "reason": "other"}, memory_file, "ana")

    asked = {"session_id": "s2", "hook_event_name": "UserPromptSubmit"}
    asked["prompt"] = "Which script do I deploy with?"
    told = hook(asked, memory_file, "ana")["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit"
    assert "I deploy with the script ship.sh" in told["additionalContext"]
    assert "ship.sh" not in json.dumps(hook(asked, memory_file, "ben"))
    with Memory.open(memory_file, user="ana", background=False) as memory:
        turns = memory.sessions.turns("s1")
        assert [turn.text for turn in turns] == [prompt["prompt"], "Noted: ship.sh."]


def test_a_session_starts_with_what_always_holds(unbound: Memory) -> None:
    """The stable part of the context; unknown events and empty prompts change nothing."""
    ana = unbound.at(user="ana")
    ana.remember("Always answer in metric units", category="preference")
    start = {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}

    told = answer(ana, start)["hookSpecificOutput"]["additionalContext"]
    assert "metric units" in told
    for event in ({"hook_event_name": "Notification"}, {"hook_event_name": "Stop"}, {}):
        assert answer(ana, {"session_id": "s1", **event}) == {}
    assert not ana.sessions.list()


def test_the_answer_is_read_from_the_transcript(unbound: Memory, tmp_path: Path) -> None:
    """Where the event does not tell the last answer, the last text of the assistant counts; once."""
    ana, path = unbound.at(user="ana"), tmp_path / "t.jsonl"
    text = {"type": "text", "text": "Done, 3 files."}
    use = {"type": "tool_use", "name": "Edit", "input": {}}
    lines = [
        {"type": "assistant", "message": {"role": "assistant", "content": [text]}},
        {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
        {"type": "summary"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n{cut", encoding="utf-8")
    stop = {"hook_event_name": "Stop", "session_id": "s1", "prompt_id": "p1"}
    for _ in range(2):
        answer(ana, stop | {"transcript_path": str(path)})

    assert [turn.text for turn in ana.sessions.turns("s1")] == ["Done, 3 files."]


def test_a_hook_never_blocks(memory_file: Path) -> None:
    """Where memory cannot work, a message says so, and Claude goes on."""
    memory_file.write_bytes(b"no store at all " * 100)
    told = hook({"hook_event_name": "UserPromptSubmit", "prompt": "Hi"}, memory_file, "ana")

    assert told["systemMessage"].startswith("omoide: memory is off: ")


def test_the_plugin_folder_is_whole() -> None:
    """Its manifest has the fields that are needed; each hook runs the command, in time."""
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    declared = json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    skill = (PLUGIN / "skills" / "omoide-memory" / "SKILL.md").read_text("utf-8")

    assert manifest["name"] == "omoide"
    assert manifest["version"]
    assert declared.keys() == set(EVENTS)
    commands = [one for groups in declared.values() for group in groups for one in group["hooks"]]
    assert len(commands) == len(EVENTS)
    assert all("omoide hook" in one["command"] and one["timeout"] for one in commands)
    assert skill.startswith("---\nname: omoide-memory\ndescription: ")


def test_the_sdks_hooks_remember(unbound: Memory) -> None:
    """The matchers' callbacks take the SDK's inputs, and answer in its shape."""
    sdk = pytest.importorskip("claude_agent_sdk")
    ana = unbound.at(user="ana")
    options = sdk.ClaudeAgentOptions(hooks=hooks(ana))

    async def submit(session: str, prompt: str) -> Any:
        event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": prompt}
        return await options.hooks["UserPromptSubmit"][0].hooks[0](event, None, {"signal": None})

    async def go() -> Any:
        await submit("s1", "My linter is ruff")
        return await submit("s2", "Which linter is mine?")

    told = asyncio.run(go())
    assert "My linter is ruff" in told["hookSpecificOutput"]["additionalContext"]


def test_the_store_passes_the_sdks_conformance_kit(tmp_path: Path) -> None:
    """All contracts of the SDK for session stores, each with a store of its own."""
    testing = pytest.importorskip("claude_agent_sdk.testing")
    opened: list[Memory] = []

    def make() -> OmoideSessionStore:
        opened.append(Memory.open(tmp_path / f"{len(opened)}.db", background=False))
        return OmoideSessionStore(opened[-1].at(user="ana"))

    asyncio.run(testing.run_session_store_conformance(make))
    for memory in opened:
        memory.close()
    assert len(opened) > 10


def test_transcripts_are_there_in_another_process(unbound: Memory, memory_file: Path) -> None:
    """Entries come back equal, an entry with a known uuid is kept once, users are apart."""
    pytest.importorskip("claude_agent_sdk")
    key = {"project_key": "p", "session_id": "s"}
    blocks = [{"type": "tool_result", "content": [{"type": "text", "text": "found " * 4_000}]}]
    entries = [
        {"type": "user", "uuid": "1", "message": {"role": "user", "content": "Look"}},
        {"type": "user", "uuid": "2", "message": {"role": "user", "content": blocks}},
        {"type": "summary", "summary": "A look"},
    ]

    async def go() -> None:
        store = OmoideSessionStore(unbound.at(user="ana"))
        await store.append(key, entries[:2])
        await store.append(key, entries[1:])

    asyncio.run(go())
    assert in_another_process(READ, memory_file) == {"ana": entries, "ben": None}


SESSION = {"session_id": "s", "transcript_path": "/home/ana/.claude/projects/p/s.jsonl"}
KEY = {"project_key": "p", "session_id": "s"}


def told(prompt: str, number: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The events of a prompt and its answer, and the entries of both in the transcript."""
    asked = SESSION | {"hook_event_name": "UserPromptSubmit", "prompt": prompt}
    stop = SESSION | {"hook_event_name": "Stop", "last_assistant_message": f"Answer to {prompt}"}
    text = [{"type": "text", "text": f"Answer to {prompt}"}]
    id = f"prompt-{number}"
    return [asked | {"prompt_id": id}, stop | {"prompt_id": id}], [
        {
            "type": "user",
            "uuid": f"u{number}",
            "promptId": id,
            "message": {"role": "user", "content": prompt},
        },
        {"type": "attachment", "uuid": f"a{number}"},
        {
            "type": "assistant",
            "uuid": f"b{number}",
            "message": {"role": "assistant", "content": text},
        },
    ]


@pytest.mark.parametrize("order", ["hooks first", "store first", "answer first", "entry by entry"])
def test_hooks_and_store_log_a_message_once(unbound: Memory, order: str) -> None:
    """Whichever comes first, also where one prompt is typed twice: recall finds the words of each
    once, and the transcript comes back whole.
    """
    ana = unbound.at(user="ana")
    store, entries = OmoideSessionStore(ana), list[dict[str, Any]]()

    def append(*more: dict[str, Any]) -> None:
        entries.extend(more)
        asyncio.run(store.append(KEY, list(more)))

    for number, prompt in enumerate(("The ferry leaves at noon", "yes", "yes")):
        (asked, stop), (first, between, last) = told(prompt, number)
        match order:
            case "hooks first":
                answer(ana, asked), answer(ana, stop)
                append(first, between, last)
            case "store first":
                append(first, between, last)
                answer(ana, asked), answer(ana, stop)
            case "answer first":
                answer(ana, asked)
                append(first, between, last)
                answer(ana, stop)
            case _:
                answer(ana, asked)
                append(first)
                append(between)
                answer(ana, stop)
                append(last)

    said = [
        turn.text
        for one in ana.sessions.list()
        for turn in ana.sessions.turns(one.session.name)
        if not turn.text.startswith("[claude-transcripts]")
    ]
    words = ["The ferry leaves at noon", "yes", "yes"]
    assert sorted(said) == sorted(words + [f"Answer to {word}" for word in words])
    assert [h.text for h in ana.recall("When does the ferry leave?") if "ferry leaves" in h.text]
    assert asyncio.run(store.load(KEY)) == entries


def test_the_store_alone_keeps_all_words(unbound: Memory) -> None:
    """Without hooks, and of what hooks logged in another session."""
    ana = unbound.at(user="ana")
    (asked, _), entries = told("The ferry leaves at noon", 1)
    answer(ana, asked | {"session_id": "another"})
    asyncio.run(OmoideSessionStore(ana).append(KEY, entries))

    texts = [turn.text for turn in ana.sessions.turns("p:s")]
    assert texts[0] == "The ferry leaves at noon"
    assert texts[2] == "Answer to The ferry leaves at noon"


@pytest.fixture
def claude(llm_server: LLMServer, tmp_path: Path) -> dict[str, str]:
    """The environment in which Claude Code runs: its service is of this machine, and its hooks find
    the command ``omoide``.
    """
    streamed = {"Content-Type": "text/event-stream"}
    llm_server.says(anthropic_streams("Noted."), headers=streamed)
    command = tmp_path / "bin" / "omoide"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m omoide "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return {
        "PATH": f"{command.parent}:/usr/bin:/bin",
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(SRC.parent),
        "ANTHROPIC_BASE_URL": llm_server.url,
        "ANTHROPIC_API_KEY": "sk-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def program() -> str:
    """The program that the SDK brings."""
    sdk = pytest.importorskip("claude_agent_sdk")
    found = Path(sdk.__file__).parent / "_bundled" / "claude"
    if not found.exists():
        pytest.skip("this build of the SDK brings no program")
    return str(found)


def prompts(llm_server: LLMServer) -> list[str]:
    """What the model was asked, request by request."""
    return [
        json.dumps(seen.body["messages"]) for seen in llm_server.seen if "messages" in seen.body
    ]


@pytest.mark.timeout(600)
def test_claude_code_itself_remembers_with_the_plugin(
    llm_server: LLMServer, claude: dict[str, str], memory_file: Path, tmp_path: Path
) -> None:
    """The real program, loaded with the plug-in folder: a second session is told what was said in
    the first, another user is not, and each session is queued when it ends.
    """

    def say(user: str, prompt: str) -> None:
        whose = {"OMOIDE_STORE": str(memory_file), "OMOIDE_USER": user}
        told = subprocess.run(
            [program(), "--plugin-dir", str(PLUGIN), "-p", prompt],
            cwd=tmp_path,
            env=claude | whose,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.stdout.strip() == "Noted.", told
        assert not told.stderr.strip()

    say("ana", "I deploy with the script ship.sh. Always answer in metric units.")
    say("ana", "Which script do I deploy with?")
    say("ben", "Which script do I deploy with?")

    _, second, other = prompts(llm_server)
    assert "ana: I deploy with the script ship.sh" in second
    assert "] Always answer in metric units." in second
    assert "ship.sh" not in other
    with Memory.open(memory_file, user="ana", background=False) as memory:
        turns = [
            turn.text
            for session in memory.sessions.list()
            for turn in memory.sessions.turns(session.session.name)
        ]
        assert turns.count("Noted.") == 2
        for _ in range(300):  # the hook of a session's end runs on when the program is gone
            ended = [job for job in memory.jobs.list() if job.kind == "extract"]
            if len(ended) == 2 and all(job.run_at <= memory.clock.now() for job in ended):
                break
            time.sleep(0.1)
        else:
            pytest.fail(f"sessions were not queued: {ended}")


@pytest.mark.timeout(600)
def test_a_query_of_the_sdk_remembers(
    llm_server: LLMServer, claude: dict[str, str], unbound: Memory, tmp_path: Path
) -> None:
    """``query`` with our hooks and session store, against the program that it starts."""
    sdk, cli = pytest.importorskip("claude_agent_sdk"), program()

    async def say(user: str, prompt: str) -> str:
        bound = unbound.at(user=user)
        options = sdk.ClaudeAgentOptions(
            hooks=hooks(bound),
            session_store=OmoideSessionStore(bound),
            env=claude,
            cwd=tmp_path,
            cli_path=cli,
        )
        told = [one async for one in sdk.query(prompt=prompt, options=options)]
        return str(told[-1].result)

    assert asyncio.run(say("ana", "My linter is ruff")) == "Noted."
    asyncio.run(say("ana", "Which linter is mine?"))
    asyncio.run(say("ben", "Which linter is mine?"))

    _, second, other = prompts(llm_server)
    assert "ana: My linter is ruff" in second
    assert "ruff" not in other
    store = OmoideSessionStore(unbound.at(user="ana"))
    kept = asyncio.run(sdk.list_sessions_from_store(store, directory=str(tmp_path)))
    assert len(kept) == 2
    said = [
        turn.text
        for one in unbound.at(user="ana").sessions.list()
        for turn in unbound.at(user="ana").sessions.turns(one.session.name)
    ]
    assert said.count("My linter is ruff") == 1  # hooks and store together
    assert said.count("Noted.") == 2


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    pytest.importorskip("claude_agent_sdk")
    assert "ship.sh" in run_page("claude-agent-sdk", tmp_path)["told"]
