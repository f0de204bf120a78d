"""How a memory is opened."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import AsyncMemory, Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput, StoreRefused, UnknownName


def test_a_memory_is_opened_with_a_clock(tmp_path: Path) -> None:
    """Times and ids are the clock's, so that a program that keeps reminders can be tested without
    waiting.
    """
    clock = FixedClock()
    with Memory.open(
        str(tmp_path / "m.db"), user="ana", clock=clock, embedder="none", background=False
    ) as memory:
        item = memory.remember(
            "Call the vet", category="reminder", due_at=clock.now() + timedelta(days=30)
        ).item
        assert item.recorded_at == clock.now()
        assert memory.due() == []

        clock.move(days=29)
        assert [due.id for due in memory.due()] == [item.id]


def test_an_async_memory_is_opened_with_a_clock(tmp_path: Path) -> None:
    """It is handed on."""
    clock = FixedClock()

    async def opened() -> AsyncMemory:
        async with await AsyncMemory.open(
            str(tmp_path / "m.db"), user="ana", clock=clock, embedder="none", background=False
        ) as memory:
            return memory

    assert asyncio.run(opened()).memory.clock is clock


def test_none_is_an_embedder_by_name(tmp_path: Path) -> None:
    """``embedder=None`` asks for none, as ``"none"`` does; it is not the same as saying nothing."""
    with Memory.open(str(tmp_path / "memory.db"), embedder=None) as memory:
        assert not memory.capabilities.vectors


@pytest.mark.parametrize(
    "setting",
    [
        {"llm": "nobody:x"},
        {"llm": "none:x"},
        {"llm_for": "condense=ollama:x"},
        {"upkeep": "61 * * * *"},
    ],
)
def test_a_setting_of_learning_that_is_wrong_makes_no_store(
    setting: dict[str, Any], tmp_path: Path
) -> None:
    """It is read before anything is opened, so nothing is left open either."""
    with pytest.raises((InvalidInput, UnknownName), match=next(iter(setting))):
        Memory.open(str(tmp_path / "memory.db"), embedder="none", **setting)

    assert list(tmp_path.glob("memory.db*")) == []


@pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="open files are listed by Linux alone"
)
def test_what_fails_after_the_store_was_opened_leaves_nothing_open(tmp_path: Path) -> None:
    """No file stays open, and the next to open the store need not wait."""

    class Stopped(FixedClock):
        def now(self) -> datetime:
            raise RuntimeError("no time")

    path = tmp_path / "memory.db"
    Memory.open(str(path), embedder="none").close()

    with pytest.raises(RuntimeError, match="no time"):
        Memory.open(
            str(path), embedder="none", clock=Stopped(), background=False, upkeep="0 3 * * *"
        )

    assert [
        fd for fd in Path("/proc/self/fd").iterdir() if str(tmp_path) in os.path.realpath(fd)
    ] == []
    with Memory.open(str(path), user="ana", embedder="none") as memory:
        memory.remember("Ana likes tea")


def test_a_file_on_a_network_filesystem_is_opened_only_where_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a setting, as by its variable; the refusal names it. The system's list of mounts says
    where the file lies.
    """
    read, mounts = Path.read_text, f"36 35 98:0 / {tmp_path} rw - nfs4 server:/home rw\n"
    monkeypatch.setattr(
        Path,
        "read_text",
        lambda self, *how: mounts if self.name == "mountinfo" else read(self, *how),
    )
    monkeypatch.setattr(
        Path, "exists", lambda self: self.name == "mountinfo" or os.path.exists(self)
    )  # Linux or not
    place = str(tmp_path / "memory.db")
    settings: dict[str, Any] = {"embedder": "none", "background": False}

    with pytest.raises(StoreRefused, match=r"nfs4.*OMOIDE_ALLOW_NETWORK"):
        Memory.open(place, **settings)
    assert not os.path.exists(place)
    monkeypatch.setenv("OMOIDE_ALLOW_NETWORK", "yes")
    with Memory.open(place, user="ana", **settings) as memory:
        assert memory.remember("Ana likes tea").item.text == "Ana likes tea"


def test_a_memory_says_which_store_and_scope_it_has(tmp_path: Path) -> None:
    """In a debugger or a log; a group of verbs does, too."""
    with Memory.open(tmp_path / "a.db", user="ana", background=False) as memory:
        place = repr(str(tmp_path / "a.db"))

        assert repr(memory) == f"Memory({place}, user='ana')"
        assert repr(memory.at(session="s").items) == f"ItemVerbs({place}, user='ana', session='s')"
