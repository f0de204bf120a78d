"""The commands of procedures: what a person does with the files and the list of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.cli import run
from omoide.errors import InvalidInput, ModelMissing, NotFound

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
def omoide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
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


def test_a_skill_file_is_taken_in_found_and_written_again(omoide: Callable[..., str], tmp_path: Path) -> None:
    """With the same text but for its version."""
    (tmp_path / "SKILL.md").write_text(SKILL, "utf-8")
    omoide("read-skill", str(tmp_path / "SKILL.md"))
    (listed,) = json.loads(omoide("procedures", "--json"))

    assert "1. Unlock it" in omoide("lessons", "export a report from the archive", "--least", "0.1")
    omoide("write-skill", listed["id"], str(tmp_path / "skills"))
    (written,) = (tmp_path / "skills").iterdir()
    assert written.name == "SKILL-t-17-unlock-first.md"
    assert written.read_text("utf-8").partition("# Unlock first")[2] == SKILL.partition("# Unlock first")[2]


def test_a_procedure_is_switched_off_and_on(omoide: Callable[..., str], tmp_path: Path) -> None:
    """What is off is listed with --all, and found by nobody."""
    (tmp_path / "SKILL.md").write_text(SKILL, "utf-8")
    omoide("read-skill", str(tmp_path / "SKILL.md"))
    (listed,) = json.loads(omoide("procedures", "--json"))

    assert "Unlock first (off)" in omoide("enable", listed["id"], "--off")
    assert "no procedures" in omoide("procedures")
    assert "Unlock first (off)" in omoide("procedures", "--all")
    assert "no procedure fits 'export a report'" in omoide("lessons", "export a report", "--least", "-1")
    assert "(off)" not in omoide("enable", listed["id"])


def test_what_is_wrong_is_said_with_its_exit_code(omoide: Callable[..., str], tmp_path: Path) -> None:
    """No such procedure, no such file, no model."""
    (tmp_path / "SKILL.md").write_text("# nothing", "utf-8")
    omoide("remember", "Ana likes tea")

    omoide("enable", "nothing", code=NotFound.exit_code)
    assert "is no SKILL.md" in omoide("read-skill", str(tmp_path / "SKILL.md"), code=InvalidInput.exit_code)
    assert "no language model" in omoide("lesson", "t-17", "--error", "it broke", code=ModelMissing.exit_code)
