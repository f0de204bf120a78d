"""GAIA's own agent, with its own loop and client, over a memory of ours."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gaia.agents.base.agent")

from gaia.agents.base import memory_store as theirs
from gaia.agents.base.agent import Agent
from gaia.agents.base.tools import tool

from omoide import Memory
from omoide.adapters.gaia import MemoryMixin, MemoryStore
from omoide.exchange.gaia import is_gaia, take_in_gaia
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from tests.adapters.kit import in_another_process, run_page

READ = """
    import json, sys
    from omoide import Memory
    with Memory.open(sys.argv[1]) as memory:
        found = {}
        for user in ("ana", "ben"):
            mine = memory.at(user=user)
            found[user] = [i.text for i in mine.items.list()] + [h.text for h in mine.recall("tea")]
        print(json.dumps(found))
"""


class Server(ThreadingHTTPServer):
    """A model server as GAIA's client wants one, which says what it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.said: list[str] = []
        self.asked: list[dict[str, Any]] = []
        self.url = f"http://127.0.0.1:{self.server_port}/api/v1"


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of the client."""

    server: Server

    def do_GET(self) -> None:
        """Which models there are, and that all is well."""
        self._send({"status": "ok", "object": "list", "data": [{"id": "m"}], "model_loaded": "m"})

    def do_POST(self) -> None:
        """The next thing to say."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if "chat/completions" not in self.path:
            self._send({"status": "success"})
            return
        self.server.asked.append(body)
        message = {"role": "assistant", "content": self.server.said.pop(0)}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self._send(
            {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        )  # fmt: skip

    def _send(self, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A running server."""
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GAIA's files go here."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GAIA_HOME", str(tmp_path / "gaia"))
    # it would fetch the words of a tokenizer; without them it estimates
    monkeypatch.setitem(sys.modules, "tiktoken", None)


class Helper(MemoryMixin, Agent):
    """An agent as a user of GAIA writes it."""

    def __init__(self, path: Path, url: str, user: str = "ana", **given: Any) -> None:
        self.init_memory(path, user=user, **given)
        super().__init__(skip_lemonade=True, silent_mode=True, base_url=url, model_id="m")

    def _register_tools(self) -> None:
        self.register_memory_tools()

        @tool
        def print_labels(printer: str) -> dict[str, str]:
            """Print labels on a printer."""
            if printer == "broken":
                raise ValueError("that printer has no paper tray")
            return {"status": "success", "printed": printer}


def says(tool_name: str = "", answer: str = "", **arguments: Any) -> str:
    """What GAIA's models answer."""
    if tool_name:
        return json.dumps({"thought": "so", "tool": tool_name, "tool_args": arguments})
    return json.dumps({"answer": answer})


@pytest.mark.covers("GM-4", "GM-77", "GM-79", "GM-87")
def test_its_own_loop_remembers_and_another_process_recalls(server: Server, tmp_path: Path) -> None:
    """Through the real agent, its client and its registry; what is Ana's is not Ben's."""
    path = tmp_path / "memory.db"
    server.said = [says("remember", fact="Ana likes green tea"), says(answer="Noted.")]
    agent = Helper(path, server.url)
    done = agent.process_query("I like green tea")

    assert done["result"] == "Noted."
    first, second = server.asked
    assert "keep long-term memory with tools" in first["messages"][0]["content"]
    user = [m for m in first["messages"] if m["role"] == "user"][-1]["content"]
    assert "Now: " in user
    assert user.endswith("I like green tea")
    assert "stored" in json.dumps(second["messages"])
    assert agent.memory is not None
    turns = agent.memory.sessions.turns(agent.memory_session_id)
    assert [turn.text for turn in turns] == ["I like green tea", "Noted."]
    agent.memory.close()
    found = in_another_process(READ, path)
    assert "Ana likes green tea" in found["ana"]
    assert found["ben"] == []


@pytest.mark.covers("GM-78", "GM-80")
def test_calls_of_its_other_tools_are_on_record(server: Server, tmp_path: Path) -> None:
    """A lasting error is remembered, and goes once the tool works again."""
    agent = Helper(tmp_path / "memory.db", server.url)
    assert agent.memory is not None
    agent._execute_tool("print_labels", {"printer": "broken"})
    assert [
        "paper tray" in item.text for item in agent.memory.items.list(Listing(category="error"))
    ] == [True]
    agent._execute_tool("print_labels", {"printer": "new"})

    assert not agent.memory.items.list(Listing(category="error"))
    assert [call.success for call in agent.memory.tool_calls.list("print_labels")] == [True, False]
    agent.memory.close()


def test_the_wrong_order_is_refused() -> None:
    """With GAIA's agent too."""
    with pytest.raises(TypeError, match="must come before Agent"):

        class Wrong(Agent, MemoryMixin):
            """The agent first."""


@pytest.mark.covers("GM-71", "GM-81")
def test_prompts_follow_the_context(server: Server, tmp_path: Path) -> None:
    """A switch rebuilds the prompt that GAIA keeps."""
    agent = Helper(tmp_path / "memory.db", server.url)
    assert agent.memory is not None
    agent.memory.remember("Stand-up is at ten", Scope(context="work"))
    assert "Stand-up" not in agent.system_prompt
    agent.set_memory_context("work")

    assert "Stand-up" in agent.system_prompt
    agent.memory.close()


def test_our_store_has_the_methods_of_its_store() -> None:
    """Those that the requirements name are in the installed package too."""
    promised = [name for name in vars(MemoryStore) if not name.startswith("_")]

    assert len(promised) > 30
    assert [name for name in promised if not hasattr(theirs.MemoryStore, name)] == []


@pytest.mark.covers("GM-8")
def test_a_file_that_the_installed_package_writes_is_taken_in(tmp_path: Path) -> None:
    """Whatever version of its schema that is."""
    path = tmp_path / "theirs.db"
    store = theirs.MemoryStore(path)
    old = store.store("fact", "The office is in Lisbon", context="work")
    new = store.store("fact", "The office moved to Porto in the spring", context="work")
    store.update(old, superseded_by=new)
    store.store_turn("chat-1", "user", "We moved the office")
    store.close()

    assert is_gaia(path)
    with Memory.open(tmp_path / "ours.db") as memory:
        report = take_in_gaia(memory, path, Scope(user="ana"))
        assert (report.items, report.added, report.problems) == (2, 1, ())
        held = memory.at(user="ana").items.list()
        assert [item.text for item in held] == ["The office moved to Porto in the spring"]


def test_the_page_runs(tmp_path: Path) -> None:
    """Its code, twice."""
    assert run_page("gaia", tmp_path)
