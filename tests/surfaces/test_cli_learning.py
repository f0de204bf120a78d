"""Learning on the command line: what would be learnt and why, learning itself, and what waits for a
model.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Purpose
from omoide.models.chat.cassette import Recorder
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.scope import Scope
from tests.fix_memory import turn_of
from tests.fix_teaching import note, says
from tests.surfaces.test_cli import Omoide, home, omoide

__all__ = ["home", "omoide"]  # fixtures

SAID = (
    '{"role": "user", "content": "I can\'t eat peanuts", "name": "Ana", "at":'
    ' "2026-01-05T09:00:00+00:00"}\n'
)
NOTES = (
    note("Ana can't eat peanuts", "I can't eat peanuts"),
    note("Ana can't eat 7 peanuts", "I can't eat peanuts"),
)


@pytest.fixture
def said(omoide: Omoide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Omoide:
    """The commands, with something said in a session, and a recorded model's answer to it."""
    (tmp_path / "said.jsonl").write_text(SAID, "utf-8")
    script = ScriptedModel(
        {Purpose.EXTRACT: [says(*NOTES)], Purpose.DECIDE: lambda ask: {"decisions": []}}
    )
    model = Recorder(script, tmp_path / "tape.jsonl")
    with Memory.open(str(tmp_path / "other.db"), user="ana", llm=model, background=False) as memory:
        message = {
            "role": "user",
            "content": "I can't eat peanuts",
            "name": "Ana",
            "at": "2026-01-05T09:00:00+00:00",
        }
        memory.ingest([message], Scope(user="ana", session="talk"))
        memory.sessions.extract("talk", preview=True)
    assert omoide("--session", "talk", "ingest", str(tmp_path / "said.jsonl")).code == 0
    monkeypatch.setenv("OMOIDE_LLM", f"cassette:{tmp_path / 'tape.jsonl'}")
    return omoide


def test_a_preview_shows_what_would_be_learnt_and_why(said: Omoide) -> None:
    """Each suggestion with what would become of it, the words it quotes and the reason; nothing is
    written.
    """
    shown = said("sessions", "extract", "talk", "--preview")

    assert shown.code == 0
    assert "added      Ana can't eat peanuts" in shown.out
    assert f"quoted from {turn_of('talk', 0)}: “I can't eat peanuts”" in shown.out
    assert "because: a number that was not said" in shown.out
    assert "nothing was written" in shown.out
    assert said("list", "--json").json["total"] == 0


def test_extract_learns_and_says_how_to_take_it_back(said: Omoide) -> None:
    """Once; then there is nothing left."""
    shown = said("sessions", "extract", "talk")

    assert "2 suggestions from 1 turn" in shown.out
    held = said("list", "--json").json["items"]
    assert {item["text"]: bool(item["unconfirmed"]) for item in held} == {
        "Ana can't eat peanuts": False,
        "Ana can't eat 7 peanuts": True,
    }
    assert "--again" in said("sessions", "extract", "talk").out
    undo = shown.out.partition("omoide ")[2].split("\n")[0]
    assert said(*undo.split()).code == 0
    assert said("list", "--json").json["total"] == 0


def test_stats_say_what_waits_for_a_model(said: Omoide, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where none is set."""
    assert "wait" not in said("stats").out.splitlines()[-1]

    monkeypatch.delenv("OMOIDE_LLM")

    assert "1 session waits for a language model" in said("stats").out
    missing = said("sessions", "extract", "talk")
    assert missing.code != 0
    assert "omoide config llm" in missing.err


def test_what_was_learnt_from_by_hand_waits_for_nothing(
    said: Omoide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither jobs nor stats name it, with a model or without."""
    assert "extract:talk" in said("jobs", "list").out
    said("sessions", "extract", "talk")

    monkeypatch.delenv("OMOIDE_LLM")

    assert "extract:talk" not in said("jobs", "list").out
    assert "1 session waits" not in said("stats").out


def test_end_queues_a_session(said: Omoide) -> None:
    """And says so; a session that is not there is an error."""
    assert "queued for extraction" in said("sessions", "end", "talk").out
    assert said("sessions", "end", "nothing").code == 3


def test_usage_is_looked_at_and_what_comes_of_it_waits_with_why(
    omoide: Omoide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A preview needs no model and shows all that one would see; a proposal is shown with the
    counts that it rests on.
    """
    finding = {"fact": "ana works with search", "rationale": "search was called twice"}
    model = Recorder(ScriptedModel([{"proposals": [finding]}]), tmp_path / "tape.jsonl")
    with Memory.open(str(tmp_path / "other.db"), user="ana", llm=model, background=False) as memory:
        memory.tool_calls.record("search")
        memory.tool_calls.record("search")
        shown = memory.tool_calls.analyse().shown
    assert omoide("tool-calls", "record", "search", "--args", '{"q": "zebulon"}').code == 0
    assert omoide("tool-calls", "record", "search").code == 0

    assert omoide("tool-calls", "analyse", "--preview").out.split() == shown.split()
    assert "omoide config llm" in omoide("tool-calls", "analyse").err
    monkeypatch.setenv("OMOIDE_LLM", f"cassette:{tmp_path / 'tape.jsonl'}")
    assert "1 proposal for omoide review" in omoide("tool-calls", "analyse").out

    review = omoide("review").out
    assert "from usage · agent's word" in review
    assert "since search was called twice" in review
    assert "no tool was called" in omoide("--agent", "cook", "tool-calls", "analyse").out
