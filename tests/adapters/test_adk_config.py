"""The configuration of a personal agent on ADK: what each key does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omoide import Forbidden, InvalidInput, Memory, UnknownName
from omoide.adapters.adk_config import (
    Component,
    MemoryConfig,
    SessionsConfig,
    open_memory,
)
from omoide.models.base import read_options


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    return tmp_path


def opened(home: Path, config: MemoryConfig, sessions: SessionsConfig | None = None) -> Memory:
    """The memory of a configuration."""
    return open_memory(config, sessions, home / "memory.db")


def talk(memory: Memory) -> list[str]:
    """The jobs of learning that talk puts in line."""
    memory.at(user="ana", session="s").ingest([{"role": "user", "content": "I moved to Porto"}])
    return [job.kind for job in memory.at(user="ana").jobs.list() if job.kind == "extract"]


@pytest.mark.covers("AD-36")
def test_the_configuration_has_the_names_and_defaults_of_the_design() -> None:
    """But for models, which are those of the settings: nothing is sent anywhere unless asked."""
    config = MemoryConfig()
    assert (config.enabled, config.auto_ingest, config.preload) == (True, True, True)
    assert (config.recall_limit, config.preload_limit, config.extraction_instructions) == (
        5,
        20,
        "",
    )
    assert (config.llm.name, config.embedder.name) == (None, None)
    read = MemoryConfig.read(
        {
            "recall_limit": 3,
            "llm": {"provider": "gemini", "model": "gemini-2.5-flash", "thinking": "off"},
            "embedder": {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"},
            "vector_store": "chroma",
        }
    )
    assert read.recall_limit == 3
    assert read.llm.name == "google:gemini-2.5-flash?thinking=off"
    assert read.embedder.name == "openai:m?base_url=http://127.0.0.1:9/v1"
    assert read.vector_store == Component(provider="chroma")


def test_an_option_reaches_the_model_as_it_is_written() -> None:
    """Also one with signs that join options."""
    options = {"base_url": "http://127.0.0.1:9/v1", "key": "a&b=c+d e%"}
    name = Component(provider="openai", model="m", options=options).name

    assert name is not None
    assert read_options(name.partition("?")[2], "embedder") == options


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ({"recal_limit": 3}, UnknownName),
        ({"recall_limit": 0}, InvalidInput),
        ({"preload_limit": 0}, InvalidInput),
        ({"vector_store": "floppy"}, UnknownName),
    ],
)
def test_what_cannot_be_is_refused(table: dict[str, Any], error: type[Exception]) -> None:
    """With the names that there are."""
    with pytest.raises(error):
        MemoryConfig.read(table)


@pytest.mark.covers("AD-36", "AD-37")
def test_conversations_are_learnt_from_as_it_says(home: Path) -> None:
    """When they are idle; never without auto_ingest, though what is said by hand is kept."""
    with opened(home, MemoryConfig(), SessionsConfig(idle_consolidate_minutes=0.5)) as memory:
        assert talk(memory) == ["extract"]
        (job,) = (one for one in memory.at(user="ana").jobs.list() if one.kind == "extract")
        waits = job.run_at - memory.at(user="ana").sessions.turns("s")[0].at
        assert waits.total_seconds() == 30
    with open_memory(MemoryConfig(auto_ingest=False), None, home / "other.db") as memory:
        assert talk(memory) == []
        memory.at(user="ana").remember("Ana likes tea")
        assert memory.at(user="ana").recall("tea").hits


@pytest.mark.covers("AD-36")
def test_without_memory_nothing_is_kept_or_found(home: Path) -> None:
    """Talk is still logged, so sessions go on; a statement is refused."""
    with opened(home, MemoryConfig()) as memory:
        memory.at(user="ana").remember("Ana likes tea")
    with opened(home, MemoryConfig(enabled=False)) as memory:
        assert talk(memory) == []
        assert not memory.at(user="ana").recall("What does Ana like?").hits
        with pytest.raises(Forbidden, match="memory is off"):
            memory.at(user="ana").remember("Ana likes coffee")
