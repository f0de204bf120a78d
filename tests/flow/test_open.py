"""How a memory is opened."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import AsyncMemory, Memory
from omoide.clock import FixedClock
from omoide.errors import InvalidInput, UnknownName


def test_a_memory_is_opened_with_a_clock(tmp_path: Path) -> None:
    """Times and ids are the clock's, so that a program that keeps reminders can be tested without waiting."""
    clock = FixedClock()
    with Memory.open(str(tmp_path / "m.db"), clock=clock, embedder="none", background=False) as memory:
        item = memory.remember("Call the vet", category="reminder", due_at=clock.now() + timedelta(days=30)).item
        assert item.recorded_at == clock.now()
        assert memory.due() == []

        clock.move(days=29)
        assert [due.id for due in memory.due()] == [item.id]


def test_an_async_memory_is_opened_with_a_clock(tmp_path: Path) -> None:
    """It is handed on."""
    clock = FixedClock()

    async def opened() -> AsyncMemory:
        async with await AsyncMemory.open(str(tmp_path / "m.db"), clock=clock, embedder="none", background=False) as memory:
            return memory

    assert asyncio.run(opened()).memory.clock is clock


def test_none_is_an_embedder_by_name(tmp_path: Path) -> None:
    """``embedder=None`` asks for none, as ``"none"`` does; it is not the same as saying nothing."""
    with Memory.open(str(tmp_path / "memory.db"), embedder=None) as memory:
        assert not memory.capabilities.vectors


@pytest.mark.parametrize("setting", [{"llm": "nobody:x"}, {"llm": "none:x"}, {"llm_for": "condense=ollama:x"}, {"upkeep": "61 * * * *"}])
def test_a_setting_of_learning_that_is_wrong_makes_no_store(setting: dict[str, Any], tmp_path: Path) -> None:
    """It is read before anything is opened, so nothing is left open either."""
    with pytest.raises((InvalidInput, UnknownName), match=next(iter(setting))):
        Memory.open(str(tmp_path / "memory.db"), embedder="none", **setting)

    assert list(tmp_path.glob("memory.db*")) == []
