"""A memory that cannot learn says so when it is opened."""

from __future__ import annotations

import socket
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

from omoide import LearningUnavailable, Memory, ModelError, ModelMissing, ModelUnreachable
from tests.fix_llm_server import LLMServer

KEYED = "openai:m?base_url={}/v1&api_key_env=FAKE_KEY"


@pytest.fixture
def closed_port() -> str:
    """An address on this machine at which nothing listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{held.getsockname()[1]}"


@pytest.fixture
def place(tmp_path: Path) -> dict[str, Any]:
    """What a memory is opened with, for tests."""
    return {
        "store": str(tmp_path / "m.db"),
        "home": tmp_path,
        "embedder": "none",
        "background": False,
    }


def test_a_model_without_a_key_is_told(place: dict[str, Any]) -> None:
    """With the variable that should hold it; the line that opened the memory is blamed."""
    with (
        pytest.warns(LearningUnavailable, match=r"no key in .*FAKE_KEY.*OMOIDE_LLM") as told,
        Memory.open(user="ana", llm=KEYED.format("http://127.0.0.1:1"), **place) as memory,
    ):
        memory.remember("Ana likes tea")

    assert [warning.filename for warning in told] == [__file__]


def test_a_server_that_is_not_there_is_told(place: dict[str, Any], closed_port: str) -> None:
    """With its address, and what to do."""
    spec = f"ollama:m?base_url=http://{closed_port}/v1"
    with pytest.warns(LearningUnavailable, match=rf"{closed_port}.*start it"):
        Memory.open(llm=spec, **place).close()
    with pytest.raises(ModelUnreachable, match=closed_port):
        Memory.open(llm=spec, strict=True, **place)


def test_a_setting_that_names_no_model_is_told(
    place: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the environment names it; with strict no store is made."""
    monkeypatch.setenv("OMOIDE_LLM", "nobody:x")
    with pytest.raises(ModelMissing, match="nobody"):
        Memory.open(strict=True, **place)
    assert not Path(place["store"]).exists()

    with pytest.warns(LearningUnavailable, match="language models are off.*nobody"):
        Memory.open(**place).close()


def test_a_model_whose_server_is_there_is_fine(
    place: dict[str, Any], llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is told, and it was not asked anything."""
    monkeypatch.setenv("FAKE_KEY", "fake")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Memory.open(llm=KEYED.format(llm_server.url), strict=True, **place).close()
        Memory.open(llm=lambda ask: "{}", strict=True, **place).close()
        Memory.open(strict=True, **place).close()

    assert not llm_server.seen


def test_nothing_leaves_the_machine(place: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A server elsewhere is not looked for, and no name is looked up."""
    monkeypatch.setattr(socket, "create_connection", lambda *args: pytest.fail("connected"))
    Memory.open(llm="ollama:m?base_url=http://llm.example/v1", strict=True, **place).close()


def test_a_server_that_hangs_is_waited_for_a_second(place: dict[str, Any]) -> None:
    """Its queue of connections is full, so that the next one is neither taken nor refused."""
    with socket.socket() as hanging, socket.socket() as first, socket.socket() as second:
        hanging.bind(("127.0.0.1", 0))
        hanging.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(hanging.getsockname())
        began = time.monotonic()
        spec = f"ollama:m?base_url=http://127.0.0.1:{hanging.getsockname()[1]}/v1"

        with pytest.raises(ModelError, match="no server takes connections"):
            Memory.open(llm=spec, strict=True, **place)

    assert time.monotonic() - began < 3
