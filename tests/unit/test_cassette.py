"""A cassette answers what was recorded, in order, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.cassette import Cassette, Recorder
from omoide.models.chat.registry import load_chat
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.errors import InvalidInput, ModelMissing


def ask(text: str, *, system: str = "Be brief.", purpose: Purpose = Purpose.EXTRACT) -> Ask:
    """A question."""
    return Ask(purpose=purpose, system=system, text=text, schema={"type": "object"})


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """A recording of three answers, two of them to the same question."""
    recorder = Recorder(ScriptedModel(["one", "two 🦊", "three \ud800"]), tmp_path / "tape.jsonl")
    for text in ("a", "b", "a"):
        recorder.answer(ask(text))
    return tmp_path / "tape.jsonl"


def test_the_same_question_gets_its_answers_in_their_order(tape: Path) -> None:
    """And the last of them from then on."""
    model = load_chat(f"cassette:{tape}")
    assert model is not None

    assert [model.answer(ask(text)).text for text in ("a", "b", "a", "a")] == [
        "one",
        "two 🦊",
        "three \ud800",
        "three \ud800",
    ]


@pytest.mark.parametrize(
    "other", [ask("c"), ask("a", system="Be long."), ask("a", purpose=Purpose.DECIDE)]
)
def test_a_question_that_was_never_asked_is_an_error(tape: Path, other: Ask) -> None:
    """It says for which purpose, and what to do; never the question."""
    with pytest.raises(ModelMissing, match=f"to {other.purpose.value}.*record it again"):
        Cassette(tape).answer(other)


@pytest.mark.parametrize("content", ["{", '{"purpose": "extract"}', "[]"])
def test_what_is_no_cassette_is_refused(tmp_path: Path, content: str) -> None:
    """When it is opened, not when it is asked."""
    (tmp_path / "x").write_text(content)

    with pytest.raises(InvalidInput, match="cassette"):
        Cassette(tmp_path / "x")
    with pytest.raises(InvalidInput, match="cassette"):
        Cassette(tmp_path / "nothing")
