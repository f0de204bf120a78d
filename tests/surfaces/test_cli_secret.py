"""The command that takes keys of models' providers."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from omoide.cli import run
from omoide.settings.keys import FILE
from tests.fix_llm_server import LLMServer, openai_says

KEY = "sk-piped-4711-shown-to-nobody"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, on a system without a keyring."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OMOIDE_USER", "ana")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    return tmp_path / "home"


@pytest.mark.covers("AD-9")
def test_a_key_from_a_pipe_reaches_its_server_and_nothing_else(
    home: Path,
    llm_server: LLMServer,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A model is asked with it in a header; no question, log, output, setting, archive, backup or
    file but its own holds it.
    """
    pytest.importorskip("pydantic_ai")
    monkeypatch.setenv("OMOIDE_LLM", f"openai:m?base_url={llm_server.url}/v1&api_key_env=FAKE_KEY")
    monkeypatch.setenv("OMOIDE_LOG", "debug")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\n"))
    llm_server.says(openai_says())

    assert run(["secret", "FAKE_KEY"]) == 0
    for command in (
        ["doctor"],
        ["secret"],
        ["config"],
        ["stats"],
        ["admin", "export", str(home / "all.jsonl")],
        ["admin", "backup", str(home / "copy.db")],
    ):
        assert command[0] != "doctor" or run(["remember", "Ana likes tea"]) == 0
        run(command)

    out, err = capfd.readouterr()
    assert "FAKE_KEY is kept in the file" in out
    assert KEY not in out + err
    assert llm_server.seen
    assert all(
        KEY in "".join(seen.headers.values()) and KEY not in json.dumps(seen.body)
        for seen in llm_server.seen
    )
    assert (home / "copy.db").is_file()
    assert (home / "all.jsonl").is_file()
    assert [
        file.name
        for file in home.rglob("*")
        if file.is_file() and KEY.encode() in file.read_bytes()
    ] == [FILE]


@pytest.mark.covers("AD-9")
def test_a_key_that_is_typed_is_not_echoed(home: Path) -> None:
    """At a terminal it is asked for, and what is typed does not show."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "omoide", "secret", "MY_KEY"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        try:
            # its last blank comes when nothing is echoed any more
            shown = read_until(ours, b"MY_KEY: ")
            os.write(ours, KEY.encode() + b"\n")
            shown += read_until(ours, b"kept in")
            assert process.wait(60) == 0
        finally:
            process.kill()
    os.close(ours)

    assert KEY.encode() not in shown
    assert json.loads((home / FILE).read_text()) == {"MY_KEY": KEY}


def read_until(terminal: int, word: bytes) -> bytes:
    """What a terminal shows up to a word, or to its end."""
    shown = b""
    while word not in shown:
        try:
            shown += os.read(terminal, 1024)
        except OSError:  # whoever wrote to it has left
            break
    return shown


def test_keys_are_listed_and_removed_by_name(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Never shown; one that is not kept cannot be removed."""
    monkeypatch.setattr("sys.stdin", io.StringIO(KEY))
    run(["secret", "MY_KEY"])
    capsys.readouterr()

    run(["secret", "--json"])
    assert json.loads(capsys.readouterr().out) == {"MY_KEY": "file"}
    assert run(["secret", "MY_KEY", "--remove"]) == 0
    capsys.readouterr()
    assert run(["secret", "MY_KEY", "--remove"]) == 3
    assert (
        capsys.readouterr().err
        == "omoide: no secret 'MY_KEY' is kept; omoide secret shows which are\n"
    )
    assert KEY not in (home / FILE).read_text()
