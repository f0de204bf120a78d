"""Where memory cannot work, a program is told by a code why, and a person by a sentence what to
do.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from omoide import Memory
from omoide.nouns.errors import (
    BadVector,
    Conflict,
    MemoryOff,
    MissingExtra,
    ModelMissing,
    ModelUnreachable,
    Off,
    OmoideError,
)
from omoide.settings.off import REMEDIES, off_message, why_off


@pytest.mark.covers("GM-48")
@pytest.mark.parametrize(
    ("error", "why", "said"),
    [
        (MemoryOff(), Off.DISABLED, "OMOIDE_LEVEL"),
        (ModelMissing("openai:embed-x: HTTP 404"), Off.MODEL_MISSING, "pull the model"),
        (MissingExtra("the MiniLM embedder", "local"), Off.MODEL_MISSING, "[local]'"),
        (
            ModelUnreachable("openai:embed-x: ConnectError, after 3 attempts"),
            Off.SERVICE_UNREACHABLE,
            "start the model's server",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, OmoideError) else None,
)
def test_each_reason_has_a_code_and_a_remedy(error: OmoideError, why: Off, said: str) -> None:
    """The message holds what went wrong and what to do, and the error is the same after a process
    hands it on.
    """
    assert why_off(error) is why
    assert len(set(REMEDIES.values())) == len(Off) == 3
    message = off_message(pickle.loads(pickle.dumps(error)))  # noqa: S301 - our own
    assert message.startswith("memory is off: ")
    assert str(error) in message
    assert said in message
    assert message.count(REMEDIES[why]) == 1


def test_other_errors_turn_nothing_off() -> None:
    """A call that was wrong, a race that was lost, a server that has no part in it."""
    for error in (
        Conflict("x"),
        BadVector("x"),
        MissingExtra("Postgres", "postgres"),
        OmoideError("x"),
    ):
        assert why_off(error) is None
    assert off_message(Conflict("somebody was first")) == "memory is off: somebody was first"


@pytest.mark.covers("GM-48")
def test_the_environment_turns_memory_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For one session of a program, whatever its settings file says; nothing is read or made."""
    monkeypatch.setenv("OMOIDE_LEVEL", "none")
    with pytest.raises(MemoryOff) as caught:
        Memory.open(str(tmp_path / "m.db"), user="ana")

    assert why_off(caught.value) is Off.DISABLED
    assert not (tmp_path / "m.db").exists()
