"""A setting that names no language model that there is: what needs none goes on, and every place
that needs one says what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide.cli import run
from omoide.learning.unavailable import LearningUnavailable
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.chat.registry import load_chat
from omoide.nouns.errors import InvalidInput, ModelMissing, UnknownName
from tests.fix_logs import logged

WRONG = "llm: unknown 'nonsense'"
Omoide = Callable[..., tuple[int, str, str]]


@pytest.fixture
def omoide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Omoide:
    """Runs a command as Ana, who named a model that there is not."""
    for name, value in {
        "HOME": str(tmp_path),
        "USER": "ana",
        "UPKEEP": "hand",
        "LLM": "nonsense:x",
    }.items():
        monkeypatch.setenv(f"OMOIDE_{name}", value)

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(list(arguments))
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def talk(omoide: Omoide, tmp_path: Path) -> Path:
    """A talk of Ana's, logged."""
    messages = tmp_path / "messages.jsonl"
    messages.write_text('{"content": "I have a cat"}\n')
    assert omoide("--session", "s", "ingest", str(messages))[0] == 0
    return messages


@pytest.mark.parametrize(
    "command",
    [
        ("remember", "Ana drinks tea"),
        ("recall", "cat"),
        ("list",),
        (
            "sessions",
            "list",
        ),
        ("sessions", "turns", "s"),
        ("stats",),
        ("due",),
        (
            "admin",
            "verify",
        ),
        (
            "admin",
            "tidy",
        ),
        (
            "jobs",
            "list",
        ),
        ("sessions", "end", "s"),
        ("worker", "--until-idle"),
    ],
)
def test_what_needs_no_model_works(command: tuple[str, ...], omoide: Omoide, talk: Path) -> None:
    """Whatever the setting says; nothing of the note is in what is printed."""
    code, out, err = omoide(*command)

    assert (code, WRONG in out) == (0, False), err


def test_what_needs_a_model_says_what_is_wrong(omoide: Omoide, talk: Path) -> None:
    """And what is known, so that a slip is seen."""
    code, _, err = omoide("sessions", "extract", "s")

    assert code == ModelMissing.exit_code
    assert f"language models are off: {WRONG}" in err
    assert "openai" in err


@pytest.mark.parametrize(
    "command",
    [
        ("config",),
        ("config", "llm"),
        ("config", "llm_slow"),
        ("stats",),
        ("worker", "--until-idle"),
    ],
)
def test_settings_and_upkeep_note_what_is_wrong(
    command: tuple[str, ...], omoide: Omoide, talk: Path
) -> None:
    """On standard error; the command itself works."""
    code, _, err = omoide(*command)

    assert code == 0
    assert WRONG in err


def test_doctor_names_the_setting(omoide: Omoide, talk: Path) -> None:
    """As a finding."""
    code, out, _ = omoide("doctor", "--json")

    assert code == 1
    assert [(found["place"], WRONG in found["problem"]) for found in json.loads(out)] == [
        ("llm", True)
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [("llm", "nonsense:x"), ("llm", "openai"), ("llm_slow", "42"), ("llm_for", "condens=openai:x")],
)
def test_a_wrong_model_is_not_written_to_the_settings(
    name: str, value: str, omoide: Omoide, tmp_path: Path
) -> None:
    """It is tried out before, as other models are."""
    code, _, err = omoide("config", name, value)

    assert code == 2
    assert f"{name}: " in err or f"unknown {value!r}" in err
    assert not (tmp_path / "config.toml").exists()


def test_work_waits_until_the_setting_is_right(omoide: Omoide, talk: Path, tmp_path: Path) -> None:
    """No failure is counted meanwhile."""
    omoide("sessions", "end", "s")
    omoide("worker", "--until-idle")

    (job,) = json.loads(omoide("jobs", "list", "--json")[1])
    assert (job["kind"], job["state"], job["failures"]) == ("extract", "ready", 0)
    with Memory.open(
        str(tmp_path / "memory.db"), llm=lambda ask: '{"items": []}', background=False
    ) as memory:
        memory.upkeep.work()
        assert memory.jobs.list() == []


def test_a_program_is_told_in_its_log(omoide: Omoide, tmp_path: Path) -> None:
    """Once as it opens a memory; the memory works, and says that it learns nothing."""
    with logged("WARNING") as log:
        with pytest.warns(LearningUnavailable, match=WRONG):
            memory = Memory.open(str(tmp_path / "memory.db"), background=False)
        assert not memory.capabilities.learning
        with pytest.raises(ModelMissing, match=WRONG):
            memory.sessions.extract(memory.ingest([{"content": "I have a cat"}]).session)
        memory.close()

    assert log.getvalue().count(WRONG) == 1


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("nonsense:x", UnknownName),
        ("42", UnknownName),
        (42, InvalidInput),
        (["openai:x"], InvalidInput),
    ],
)
def test_a_model_that_a_program_names_itself_is_refused_at_once(
    given: Any, error: type[Exception], tmp_path: Path
) -> None:
    """The message names the setting and what it may be; no store is made."""
    with pytest.raises(error, match=r"^llm: .*openai"):
        Memory.open(str(tmp_path / "memory.db"), llm=given)

    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize(
    "pasted",
    ["sk-proj-aB3dE5fG7hJ9kL1mN2pQ4rS6tU8v", "openai:sk-proj-aB3dE5fG7hJ9kL1mN2pQ4rS6tU8v"],
)
@pytest.mark.parametrize(
    "command",
    [
        ("doctor",),
        ("stats",),
        ("config",),
        ("sessions", "extract", "s"),
        ("config", "llm", "{}"),
        ("config", "llm_for", "lesson={}"),
    ],
)
def test_a_pasted_key_is_shown_and_kept_nowhere(
    command: tuple[str, ...],
    pasted: str,
    omoide: Omoide,
    talk: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever takes the setting for the key's place is told where keys belong, without the key; no
    file has it.
    """
    if "{}" not in command[-1]:
        monkeypatch.setenv("OMOIDE_LLM", pasted)

    code, out, err = omoide(
        *(part.replace("{}", pasted).replace("={}", f"=openai:{pasted}") for part in command)
    )

    assert code == 2
    assert "omoide secret" in err
    assert "sk-proj" not in out + err
    assert not [
        path for path in tmp_path.rglob("*") if path.is_file() and b"sk-proj" in path.read_bytes()
    ]


def test_a_key_of_no_known_form_is_not_shown(
    omoide: Omoide, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the place of a provider's name it can be nothing that there is, and the message masks
    it.
    """
    key = "0123456789abcdef" * 2
    monkeypatch.setenv("OMOIDE_LLM", key)

    assert not [
        out
        for out in (omoide("doctor"), omoide("sessions", "extract", "s"))
        if key in "".join(out[1:])
    ]


@pytest.mark.parametrize("load", [load_chat, load_embedder])
def test_a_program_that_names_a_model_by_a_key_is_refused(load: Callable[[str], object]) -> None:
    """Without the key in the message."""
    with pytest.raises(InvalidInput, match="omoide secret") as caught:
        load("openai:sk-proj-aB3dE5fG7hJ9kL1mN2pQ4rS6tU8v")
    assert "sk-proj" not in str(caught.value)
