"""The commands of procedures: what a person does with the files and the list of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.cli import run
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput, ModelMissing, NotFound
from omoide.nouns.procedure import Failed

SKILL = """---
name: "unlock-first"
description: "Unlock the archive before a report is exported."
trigger: "exporting a report"
confidence: 0.8
tags: ["export"]
tools: ["open"]
source: "failure:t-17"
version: 1
---

# Unlock first

## When to use

exporting a report from the archive

## What to do and why

Unlock the archive, because a locked one gives empty files.

## Steps

1. Unlock it
2. Export the report
"""


@pytest.fixture
def omoide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Runs a command in a home of its own, with an exit code; what it prints."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    monkeypatch.setenv("OMOIDE_USER", "ana")

    def call(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert run(list(arguments)) == code
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return out + err

    return call


def test_a_skill_file_is_taken_in_found_and_written_again(
    omoide: Callable[..., str], tmp_path: Path
) -> None:
    """With the same text but for its version."""
    (tmp_path / "SKILL.md").write_text(SKILL, "utf-8")
    omoide("procedures", "read-skill", str(tmp_path / "SKILL.md"))
    (listed,) = json.loads(omoide("procedures", "list", "--json"))

    assert "1. Unlock it" in omoide(
        "procedures", "match", "export a report from the archive", "--least", "0.1"
    )
    omoide("procedures", "write-skill", listed["id"], str(tmp_path / "skills"))
    (written,) = (tmp_path / "skills").iterdir()
    assert written.name == "SKILL-t-17-unlock-first.md"
    assert (
        written.read_text("utf-8").partition("# Unlock first")[2]
        == SKILL.partition("# Unlock first")[2]
    )


@pytest.mark.parametrize("when", ["exporting a report", "When a report is exported"])
def test_when_to_use_one_is_told_once(
    omoide: Callable[..., str], tmp_path: Path, when: str
) -> None:
    """Whether or not its wording begins so."""
    (tmp_path / "SKILL.md").write_text(
        SKILL.replace("exporting a report from the archive", when), "utf-8"
    )

    assert (
        omoide("procedures", "read-skill", str(tmp_path / "SKILL.md")).lower().count("when ") == 1
    )


def test_a_procedure_is_switched_off_and_on(omoide: Callable[..., str], tmp_path: Path) -> None:
    """What is off is listed with --all, and found by nobody."""
    (tmp_path / "SKILL.md").write_text(SKILL, "utf-8")
    omoide("procedures", "read-skill", str(tmp_path / "SKILL.md"))
    (listed,) = json.loads(omoide("procedures", "list", "--json"))

    assert "Unlock first (off)" in omoide("procedures", "enable", listed["id"], "--off")
    assert "no procedures" in omoide("procedures", "list")
    assert "Unlock first (off)" in omoide("procedures", "list", "--all")
    assert "no procedure fits 'export a report'" in omoide(
        "procedures", "match", "export a report", "--least", "-1"
    )
    assert "(off)" not in omoide("procedures", "enable", listed["id"])


def test_what_is_wrong_is_said_with_its_exit_code(
    omoide: Callable[..., str], tmp_path: Path
) -> None:
    """No such procedure, no such file, no model."""
    (tmp_path / "SKILL.md").write_text("# nothing", "utf-8")
    omoide("remember", "Ana likes tea")

    omoide("procedures", "enable", "nothing", code=NotFound.exit_code)
    assert "is not a SKILL.md" in omoide(
        "procedures", "read-skill", str(tmp_path / "SKILL.md"), code=InvalidInput.exit_code
    )
    assert "no language model" in omoide(
        "procedures", "learn", "t-17", "--error", "it broke", code=ModelMissing.exit_code
    )


def test_what_a_model_made_is_reviewed(omoide: Callable[..., str], tmp_path: Path) -> None:
    """A lesson is shown as its SKILL.md with what sort of thing it is; worded anew as one,
    approved, and rejected again by undo.
    """
    advice = {
        "name": "Unlock first",
        "when_to_use": "exporting a report",
        "discovery": "Unlock it first.",
        "activation": "Unlock it, as it is locked. Then go on.",
        "steps": ["Unlock it"],
        "tags": [],
        "confidence": 0.9,
    }
    with Memory.open(
        user="ana", background=False, review="all", llm=lambda ask: json.dumps(advice)
    ) as memory:
        assert (
            memory.procedures.learn(
                Failed(task="t-1", title="Export a report", error="it is locked")
            )
            is None
        )
        assert memory.procedures.learn(Failed(task="t-2", title="Export a report")) is None

    listed = omoide("review")
    assert "add procedure: ---" in listed
    assert "1. Unlock it" in listed
    assert "document's word" in listed
    assert "agent's word" in listed
    first, second = json.loads(omoide("review", "--json"))
    (tmp_path / "SKILL.md").write_text(first["text"].replace("1. Unlock it", "1. Ask Ana"), "utf-8")
    assert "give the wording" in omoide(
        "review", "edit", first["proposal"]["id"], code=InvalidInput.exit_code
    )
    worded = json.loads(
        omoide(
            "review",
            "edit",
            first["proposal"]["id"],
            "--file",
            str(tmp_path / "SKILL.md"),
            "--json",
        )
    )
    assert "holds: Unlock first" in omoide(
        "review", "approve", first["proposal"]["id"], worded["seal"]
    )
    shown = omoide("procedures", "list")
    assert "1. Ask Ana" in shown
    assert "user's word" in shown
    omoide("review", "reject", second["proposal"]["id"])
    assert omoide("review").startswith("The review queue is empty;")
    omoide("undo", second["proposal"]["id"])
    assert (first["kind"], json.loads(omoide("review", "--json"))[0]["kind"]) == (
        "procedure",
        "procedure",
    )
    assert [one["proposal"]["id"] for one in json.loads(omoide("review", "--json"))] == [
        second["proposal"]["id"]
    ]


def test_a_file_that_is_taken_in_is_a_documents_word_or_ones_own(
    omoide: Callable[..., str], tmp_path: Path
) -> None:
    """As its reader says."""
    (tmp_path / "SKILL.md").write_text(SKILL, "utf-8")

    assert "document's word" in omoide("procedures", "read-skill", str(tmp_path / "SKILL.md"))
    assert "user's word" in omoide(
        "procedures", "read-skill", str(tmp_path / "SKILL.md"), "--as-mine"
    )
