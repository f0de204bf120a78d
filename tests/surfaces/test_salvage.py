"""A damaged store from the command line: a clear refusal, and a way on."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.cli import run
from omoide.memory import Memory
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.store.sqlite.engine import SqliteStore
from omoide.testing import memory_for_tests


def test_what_is_whole_of_a_damaged_store_is_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The damaged file is refused with the way on, stays as it is, and most of what was said is
    found in the new one.
    """
    path, target = tmp_path / "memory.db", tmp_path / "saved.db"
    with memory_for_tests(SqliteStore.open(path)) as memory:
        said = tuple(
            Message(text=f"house {n} has a garden with {n * 7} trees and a bench")
            for n in range(400)
        )
        memory.ingest(Conversation(id="houses", messages=said))
        memory.admin.tidy()
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    (tmp_path / "memory.db.open").touch()

    assert run(["--store", str(path), "-u", "ana", "salvage", str(target)]) == 0
    assert path.read_bytes() == data
    assert "turns" in capsys.readouterr().out
    with Memory(SqliteStore.open(target), scope=Scope(user="ana"), background=False) as saved:
        assert saved.stats().log.turns > 300  # a page of turns may be lost with what was on it
        assert saved.recall("garden with trees").hits
        assert saved.admin.doctor() == []


def test_saving_a_store_asks_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may cost money, and its server may be away with the disk."""
    path, target = tmp_path / "memory.db", tmp_path / "saved.db"
    with memory_for_tests(SqliteStore.open(path)) as memory:
        memory.remember("the house has a garden")
    monkeypatch.setenv("OMOIDE_LLM", f"cassette:{tmp_path / 'away'}")
    monkeypatch.setenv("OMOIDE_LLM_SLOW", f"cassette:{tmp_path / 'away'}")

    assert run(["--store", str(path), "-u", "ana", "salvage", str(target)]) == 0
    with Memory(SqliteStore.open(target), background=False) as saved:
        assert saved.stats().models == ()
