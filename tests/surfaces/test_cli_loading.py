"""A command answers from all of a memory, however long that takes to be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from omoide import Memory
from omoide.cli import app


@pytest.mark.parametrize("command", ["recall", "context"])
def test_a_command_waits_until_a_large_memory_is_read(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first answer of a process that read only the newest is no command's answer."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    store = str(tmp_path / "m.db")
    with Memory.open(store, user="ana", embedder="none", background=False) as memory:
        for number in range(60):
            memory.remember(f"The wombat number {number} sleeps in the barn")
    monkeypatch.setattr("omoide.store.search.loading.STEP", 8)
    monkeypatch.setattr("omoide.store.engine_transaction.PATIENCE_S", 0.0)
    monkeypatch.setattr("omoide.cli.asking.READ_PAUSE_S", 0.05)

    words = ["--store", store, "--user", "ana", command, "wombat number 0", "--json"]
    done = CliRunner().invoke(app, words)

    assert done.exit_code == 0, done.output
    answer = json.loads(done.output)
    assert not [note for note in answer["degraded"] if note.startswith("loading")]
    assert "number 0 " in done.output
