"""The programs of the cookbook run, against clients' wire formats on this machine, and pages show
them as they are.
"""

from __future__ import annotations

import io
import json
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from omoide import Memory
from tests.fix_llm_server import LLMServer, Reply, anthropic_says, llm_server, openai_says
from tests.source_tree import ROOT

__all__ = ["llm_server"]

EXAMPLES = ROOT / "examples"
COOKBOOK = ROOT / "docs" / "cookbook"
Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs an example in an empty folder with arguments and lines typed in; what it printed."""

    def run_example(name: str, *arguments: str, typed: str) -> str:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run_example


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_a_cookbook_page_shows_the_program_that_runs(path: Path) -> None:
    """Each example stands word for word on the page of its name."""
    page = COOKBOOK / f"{path.stem.replace('_', '-')}.md"

    assert f"```python\n{path.read_text(encoding='utf-8')}```\n" in page.read_text(encoding="utf-8")


def test_each_cookbook_page_has_its_program() -> None:
    """There is no page whose code is run by nobody."""
    assert {page.stem.replace("-", "_") for page in COOKBOOK.glob("*.md")} == {
        path.stem for path in EXAMPLES.glob("*.py")
    }


def test_the_openai_loop_remembers_across_sessions(
    run: Run, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was said in the first session is in the prompt of the second, fenced and escaped."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{llm_server.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    llm_server.says(openai_says("Noted."))

    assert "Noted." in run("openai_chat.py", "ana", typed="I can't eat <b>peanuts</b>\n\n")
    run("openai_chat.py", "ana", typed="What can't I eat?\n\n")

    first, second = (seen.body["messages"] for seen in llm_server.seen)
    assert "peanuts" not in first[0]["content"]
    assert "- ana: I can't eat <b>peanuts</b>" in second[0]["content"]
    assert second[1:] == [{"role": "user", "content": "What can't I eat?"}]


def test_the_anthropic_loop_stores_what_its_tool_is_given(
    run: Run, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call of the tool becomes an item, which the next session has in its prompt."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", llm_server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    call = anthropic_says(finish="tool_use", tool={"text": "Ana can't eat peanuts"})
    call["content"][0]["name"] = "remember"
    replies = iter([call, anthropic_says("Noted."), anthropic_says("Peanuts.")])
    llm_server.respond = lambda seen: Reply(body=next(replies))

    assert "Noted." in run("anthropic_chat.py", "ana", typed="No peanuts for me\n\n")
    assert "Peanuts." in run("anthropic_chat.py", "ana", typed="What can't Ana eat?\n\n")

    result = llm_server.seen[1].body["messages"][-1]["content"][0]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "t1")
    assert "eat peanuts" in llm_server.seen[2].body["system"]


def test_the_web_app_keeps_users_apart(tmp_path: Path) -> None:
    """A user stores, finds and forgets; another user neither sees nor erases it; a stranger is sent
    away.
    """
    app_of = runpy.run_path(str(EXAMPLES / "web_app.py"))["App"]
    with Memory.open(tmp_path / "web.db") as memory:
        app = app_of(memory)
        status, stored = ask(app, "POST", "/items", "ana", {"text": "Ana likes tea"})
        assert status == "201 Created"

        assert [hit["text"] for hit in ask(app, "GET", "/items", "ana")[1]["hits"]] == [
            "Ana likes tea"
        ]
        assert ask(app, "GET", "/items", "ben")[1]["hits"] == []
        assert ask(app, "DELETE", f"/items/{stored['id']}", "ben")[0] == "404 Not Found"
        assert ask(app, "GET", "/items", "eve")[0] == "401 Unauthorized"
        assert ask(app, "POST", "/items", "ana", {})[0] == "400 Bad Request"
        assert ask(app, "GET", "/", "ana")[0] == "404 Not Found"
        assert ask(app, "DELETE", f"/items/{stored['id']}", "ana")[1]["erased"]["items"] == 1


def ask(app: Any, method: str, path: str, user: str, body: object = None) -> tuple[str, Any]:
    """A request to a WSGI application: the status, and what the JSON of the answer says."""
    data = json.dumps(body).encode()
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": "q=tea",
        "HTTP_AUTHORIZATION": f"Bearer token-of-{user}",
        "CONTENT_LENGTH": str(len(data)),
        "wsgi.input": io.BytesIO(data),
    }
    setup_testing_defaults(environ)
    statuses: list[str] = []
    answer = b"".join(app(environ, lambda status, headers: statuses.append(status)))
    return statuses[0], json.loads(answer)


def test_searching_exports_finds_what_a_friend_said(run: Run, tmp_path: Path) -> None:
    """An exported chat is imported once, however often, and a question finds the right message."""
    chat = tmp_path / "WhatsApp Chat with Bo.txt"
    chat.write_text(
        "13/01/24, 10:00 - ana: Where shall we eat on Tuesday?\n"
        "13/01/24, 10:02 - Bo: At the Tascardoso, at six\n",
        encoding="utf-8",
    )
    arguments = ("ana", "Europe/Lisbon", str(chat))

    assert "2 messages added" in run("search_exports.py", *arguments, typed="\n")
    told = run("search_exports.py", *arguments, typed="Where do we eat on Tuesday?\n\n")
    assert "0 messages added, 2 known already" in told
    assert "2024-01-13 Bo: At the Tascardoso, at six" in told


def test_exports_of_assistants_and_friends_are_taken_together(run: Run, tmp_path: Path) -> None:
    """One call takes an export of ChatGPT and one of WhatsApp."""
    chat = tmp_path / "WhatsApp Chat with Bo.txt"
    chat.write_text("13/01/24, 10:00 - ana: Shall we meet?\n", encoding="utf-8")
    talks = str(ROOT / "tests" / "exchange" / "fixtures" / "chatgpt" / "conversations.json")

    told = run("search_exports.py", "ana", "Europe/Lisbon", talks, str(chat), typed="\n")

    assert re.search(r"conversations\.json: [1-9]\d* messages added", told)
    assert f"{chat.name}: 1 messages added" in told
