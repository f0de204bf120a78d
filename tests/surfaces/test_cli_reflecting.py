"""The commands of reflections, digests and the profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from omoide.cli import run
from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.item import Details, Source
from omoide.nouns.scope import Scope

SAID = "Please keep answers short, I read them on my phone."
SHORT = "Ana reads answers on her phone: keep them short"
HERE = Scope(user="ana", session="talk")


def model(ask: Ask) -> str:
    """Says the same whatever it is asked."""
    told: dict[Purpose, dict[str, Any]] = {
        Purpose.REFLECT: {
            "reflections": [{"level": "user", "text": SHORT, "quote": SAID, "turn": 1}]
        },
        Purpose.CONDENSE: {"sections": [{"title": "PREFERENCES", "lines": [SHORT]}]},
        Purpose.JUDGE: {"verdicts": []},
    }
    return json.dumps(told[ask.purpose])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a memory in which something was said."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    with Memory.open(
        str(tmp_path / "memory.db"), user="ana", embedder="none", background=False
    ) as memory:
        memory.ingest([{"role": "user", "content": SAID, "name": "Ana"}], HERE)
        memory.remember("Ana rows on the lake", details=Details(source=Source.USER))
    return tmp_path


def out(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command that succeeds prints."""
    capsys.readouterr()
    assert run(["--user", "ana", *arguments]) == 0
    return capsys.readouterr().out


def test_what_was_formed_and_condensed_is_shown(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In words and as JSON; what changed what is told in the order it came about."""
    assert "no digests; omoide reflections condense" in out(capsys, "reflections", "digests")
    with Memory.open(
        str(home / "memory.db"), user="ana", embedder="none", background=False, llm=model
    ) as memory:
        memory.reflections.add("talk", HERE)
        waits = out(capsys, "reflections", "list")
        memory.reflections.condense()

    assert SHORT in waits
    assert "waits" in waits
    assert "condensed" in out(capsys, "reflections", "list")
    assert "version 1" in out(capsys, "reflections", "digests")
    (digest,) = json.loads(out(capsys, "reflections", "digests", "--history", "--json"))
    assert digest["text"] == f"[PREFERENCES]\n- {SHORT}"
    assert json.loads(out(capsys, "reflections", "list", "--waiting", "--json")) == []
    assert "1 reflection" in out(capsys, "stats")


def test_a_profile_needs_no_model(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is the items then; of a user of whom nothing is known there is none."""
    assert "- Ana rows on the lake" in out(capsys, "reflections", "profile")
    assert json.loads(out(capsys, "reflections", "profile", "--json"))["lines"] == [
        "Ana rows on the lake"
    ]
    capsys.readouterr()
    assert run(["--user", "ben", "reflections", "profile"]) == 0
    assert "nothing is known about this user" in capsys.readouterr().out


def test_reflecting_without_a_model_says_what_to_do(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the exit code of a missing model, with the setting's name."""
    assert run(["--user", "ana", "reflections", "add", "talk"]) == 7
    assert "omoide config llm" in capsys.readouterr().err
