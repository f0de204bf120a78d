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

DEFAULTS = MemoryConfig()
LONG = " ".join(f"It was kettle number {n} of the whole collection." for n in range(60))


class Prompts:
    """The instruction of an agent as each call of a session of Ana's has it."""

    def __init__(self, memory: Memory, config: MemoryConfig = DEFAULTS) -> None:
        self._instruct = cast(Any, with_profile(config, memory, "Be brief."))

    def next(self, session: str = "s1") -> str:
        """The instruction of the session's next call."""
        where = SimpleNamespace(session=SimpleNamespace(app_name="app", user_id="ana", id=session))
        return str(asyncio.run(self._instruct(where)))


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
            told = Prompts(memory, MemoryConfig(preload_limit=10)).next()

    lines = [line for line in told.splitlines() if line.startswith("- ")]
    assert told.startswith("Be brief.")
    assert lines
    assert sum(map(count_tokens, lines)) <= 10 * 40
    assert "left out to fit the budget" in caplog.text


def test_a_short_profile_is_whole(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Ordinary lines all stand there, and nothing is logged."""
    with Memory.open(tmp_path / "memory.db", llm="none", embedder="none") as memory:
        for n in range(3):
            memory.at(agent="app", user="ana").remember(f"Ana likes tea number {n}")
        with caplog.at_level(logging.WARNING, logger="omoide"):
            told = Prompts(memory, MemoryConfig(preload_limit=3)).next()

    assert told.count("- Ana likes tea number") == 3
    assert "profile_degraded" not in caplog.text


def test_a_profile_stays_the_same_for_a_session(tmp_path: Path) -> None:
    """Byte for byte, whatever is learnt meanwhile: a later session begins with that."""
    with Memory.open(tmp_path / "memory.db", llm="none", embedder="none") as memory:
        ana, prompts = memory.at(agent="app", user="ana"), Prompts(memory)
        ana.remember("Ana likes green tea")
        first = prompts.next()
        ana.remember("Ana keeps bees")
        ana.recall("tea")

        assert prompts.next() == first
        assert "bees" not in first
        assert "bees" in prompts.next("s2")


def test_a_prompt_has_nothing_that_was_forgotten(tmp_path: Path) -> None:
    """The next call after it, not only the next session; what else is known stays."""
    with Memory.open(tmp_path / "memory.db", llm="none", embedder="none") as memory:
        ana, prompts = memory.at(agent="app", user="ana"), Prompts(memory)
        tea = ana.remember("Ana likes green tea")
        ana.remember("Ana keeps bees")
        assert "green tea" in prompts.next()

        ana.forget(tea.id)

        assert "green tea" not in prompts.next()
        assert "Ana keeps bees" in prompts.next()


@pytest.mark.parametrize("change", ["correct", "hide"])
def test_a_prompt_has_nothing_that_changed(tmp_path: Path, change: str) -> None:
    """A corrected item is told as it is now, and a sensitive one no more."""
    with Memory.open(tmp_path / "memory.db", llm="none", embedder="none") as memory:
        ana, prompts = memory.at(agent="app", user="ana"), Prompts(memory)
        tea = ana.remember("Ana likes green tea")
        assert "green tea" in prompts.next()

        if change == "correct":
            ana.correct(tea.id, "Ana likes black tea")
        else:
            ana.items.edit(tea.id, sensitive=True)

        assert "green tea" not in prompts.next()
        assert ("black tea" in prompts.next()) is (change != "hide")
