"""The profile in an agent's instruction, without a runner: its size, and what is logged."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from omoide import Memory
from omoide.adapters.adk_config import MemoryConfig, with_profile
from omoide.text.tokens import count_tokens

LONG = " ".join(f"It was kettle number {n} of the whole collection." for n in range(60))


def instruction(memory: Memory, config: MemoryConfig, session: str) -> str:
    """What an agent of this memory is told when a session of Ana's begins."""
    where = SimpleNamespace(session=SimpleNamespace(app_name="app", user_id="ana", id=session))
    return asyncio.run(cast(Any, with_profile(config, memory, "Be brief.")(cast(Any, where))))


def test_a_session_begins_with_a_bounded_profile(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """However long the items are, so many lines take 40 tokens each at most; a warning says that
    there are more.
    """
    with Memory.open(tmp_path / "memory.db", llm="none", embedder="none") as memory:
        for n in range(20):
            memory.at(agent="app", user="ana").remember(f"Ana bought tea number {n}. {LONG}")
        with caplog.at_level(logging.WARNING, logger="omoide"):
            told = instruction(memory, MemoryConfig(preload_limit=10), "s1")

    lines = [line for line in told.splitlines() if line.startswith("- ")]
    assert told.startswith("Be brief.")
    assert lines
    assert sum(map(count_tokens, lines)) <= 10 * 40
    assert "do not fit the budget" in caplog.text


def test_a_short_profile_is_whole(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Ordinary lines all stand there, and nothing is logged."""
    with Memory.open(tmp_path / "memory.db", llm="none", embedder="none") as memory:
        for n in range(3):
            memory.at(agent="app", user="ana").remember(f"Ana likes tea number {n}")
        with caplog.at_level(logging.WARNING, logger="omoide"):
            told = instruction(memory, MemoryConfig(preload_limit=3), "s1")

    assert told.count("- Ana likes tea number") == 3
    assert "profile_degraded" not in caplog.text
