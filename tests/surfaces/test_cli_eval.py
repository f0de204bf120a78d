"""``omoide eval`` measures, shows again, compares; ``omoide probe`` asks the memory in use."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide.cli import run
from omoide.evals import DATASETS

PROBES = (
    {"type": "message", "id": "m1", "case": "ida", "text": "The kitchen will be blue"},
    {"type": "message", "id": "m2", "case": "ida", "text": "The bathroom stays white"},
    {
        "type": "question",
        "id": "q1",
        "case": "ida",
        "text": "Which colour will the kitchen be?",
        "gold": ["m1"],
    },
    {
        "type": "question",
        "id": "q2",
        "case": "ida",
        "text": "Which room stays white?",
        "gold": ["m2"],
    },
    {"type": "message", "id": "m1", "case": "leo", "text": "The ferry leaves at noon"},
    {
        "type": "question",
        "id": "q1",
        "case": "leo",
        "text": "When does the ferry leave?",
        "gold": ["m1"],
    },
)


class Ran:
    """What a command did."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


Evaluate = Callable[..., Ran]
Omoide = Callable[..., Ran]


@pytest.fixture
def evaluate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Evaluate:
    """Runs ``omoide eval …`` in an empty folder with a file of probes in ``data``."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    work = tmp_path / "work"
    (work / "data").mkdir(parents=True)
    (work / "data" / "mine.jsonl").write_text("\n".join(map(json.dumps, PROBES)), "utf-8")
    monkeypatch.chdir(work)

    def call(*arguments: str) -> Ran:
        code = run(["eval", *arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


def told(path: str = "probes.eval.json") -> Any:
    """A file of results."""
    return json.loads(Path(path).read_text("utf-8"))


def test_a_run_shows_and_keeps_its_figures(evaluate: Evaluate, tmp_path: Path) -> None:
    """A table by system and category, costs, how it was run; the results beside, nothing half done,
    no store of the user's touched.
    """
    ran = evaluate("run", "probes", "--data", "data")

    assert ran.code == 0, ran.err
    assert "mean of categories" in ran.out
    assert "100.0 ±0.0" in ran.out
    assert "probes, by turn, 2 conversations, 3 questions, data " in ran.out
    assert "embedder static" in ran.out
    assert [path.name for path in Path().glob("*.json*")] == ["probes.eval.json"]
    assert told()["summaries"][0]["overall"]["metrics"]["R@1"]["value"] == 1
    assert not list((tmp_path / "home").glob("*.db*"))


def test_the_variable_names_the_data(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --data the folder comes from the environment, and its absence is said."""
    monkeypatch.delenv("OMOIDE_EVAL_DATA", raising=False)
    lost = evaluate("run", "probes")
    monkeypatch.setenv("OMOIDE_EVAL_DATA", "data")

    assert (lost.code, "OMOIDE_EVAL_DATA" in lost.err) == (2, True)
    assert evaluate("run", "probes").code == 0


def test_options_reach_the_run(evaluate: Evaluate) -> None:
    """Systems, baselines, a limit, questions asked elsewhere, another embedder and reranker than
    those set.
    """
    models = ("--embedder", "none", "--reranker", "none")
    assert (
        evaluate(
            "run",
            "probes",
            "--data",
            "data",
            "-s",
            "rrf",
            "--baselines",
            "-n",
            "3",
            "--elsewhere",
            *models,
        ).code
        == 0
    )

    setup = told()["setup"]
    assert setup["reranker"] == "none"
    assert {"rrf", "fts5", "text-alone"} <= set(setup["systems"])
    assert (setup["limit"], setup["elsewhere"], setup["embedder"], told()["questions"]) == (
        3,
        True,
        "none",
        6,
    )
    assert told()["summaries"][0]["calibrations"]["elsewhere"]["absent"] == 3


def test_every_dataset_is_named_in_help(evaluate: Evaluate) -> None:
    """No name has to be guessed."""
    said = evaluate("run", "--help").out.replace(",", " ").split()

    assert not [name for name in DATASETS if name not in said]


def test_results_are_shown_again(evaluate: Evaluate) -> None:
    """The same table; as JSON, the same figures."""
    ran = evaluate("run", "probes", "--data", "data", "--elsewhere", "-o", "r.json")

    assert evaluate("show", "r.json").out == ran.out
    assert json.loads(evaluate("show", "r.json", "--json").out)[0]["system"] == "default"
    assert "AUROC" in ran.out


def test_two_systems_are_compared(evaluate: Evaluate) -> None:
    """Metric by metric, with the interval and the chance; of one file or of two."""
    evaluate("run", "probes", "--data", "data", "-s", "fts5", "-s", "default", "-o", "r.json")
    shown = evaluate("compare", "r.json", "r.json", "--against", "default")

    assert shown.code == 0, shown.err
    assert "NDCG@10" in shown.out
    assert "3 questions" in shown.out
    found = json.loads(evaluate("compare", "r.json", "r.json", "--system", "default", "--json").out)
    assert {(d["difference"], d["p"]) for d in found} == {(0.0, 1.0)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "nonesuch", "--data", "data"), "unknown 'nonesuch'"),
        (("run", "locomo-turns", "--data", "data"), "has none of"),
        (("run", "probes", "--data", "data", "-s", "nonesuch"), "unknown 'nonesuch'"),
        (("run", "probes", "--data", "data", "--reranker", "nonesuch"), "unknown 'nonesuch'"),
        (("run", "probes", "--data", "data", "--out", "data"), "data: is a folder"),
        (("run", "probes", "--data", "data", "--out", "nowhere/r.json"), "nowhere: does not exist"),
        (("show", "data/mine.jsonl"), "report"),
        (("compare", "none.json", "none.json"), "report"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    evaluate: Evaluate, arguments: tuple[str, ...], said: str
) -> None:
    """No traceback, the exit code of a wrong call."""
    ran = evaluate(*arguments)

    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert said in ran.err


@pytest.mark.parametrize("command", ["run", "show", "compare"])
def test_each_command_says_what_it_does(evaluate: Evaluate, command: str) -> None:
    """``--help`` succeeds."""
    assert evaluate(command, "--help").code == 0


@pytest.fixture
def omoide(evaluate: Evaluate, capsys: pytest.CaptureFixture[str]) -> Omoide:
    """Runs any command for Ana, whose memory holds a few things."""

    def call(*arguments: str) -> Ran:
        code = run(["--user", "ana", *arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    for place, colour in (
        ("kitchen", "azure"),
        ("attic", "olive"),
        ("cellar", "maroon"),
        ("studio", "indigo"),
    ):
        call("remember", f"the {place} door was painted {colour} before the {place} floor")
    return call


def test_ones_own_memory_is_asked(omoide: Omoide) -> None:
    """Questions are made for their owner alone; the results lie beside them, in the form of all
    results.
    """
    made = omoide("probe", "make", "-n", "10")
    ran = omoide("probe", "run", "-s", "default", "-s", "vector-alone")

    assert (made.code, ran.code) == (0, 0), made.err + ran.err
    assert "for your eyes only" in made.out
    assert stat.S_IMODE(Path("omoide.probes.jsonl").stat().st_mode) == 0o600
    assert [s["system"] for s in told("omoide.probes.eval.json")["summaries"]] == [
        "default",
        "vector-alone",
    ]
    assert omoide("eval", "show", "omoide.probes.eval.json").out == ran.out
    assert [
        record.get("uses", 0) for record in json.loads(omoide("list", "--json").out)["items"]
    ] == [0] * 4


def test_an_embedder_is_tried_beside(omoide: Omoide) -> None:
    """Its results replace no others and compare with them; what was tried is dropped when asked."""
    omoide("probe", "make", "mine.jsonl")
    omoide("probe", "run", "mine.jsonl")
    tried = omoide("probe", "run", "mine.jsonl", "--embedder", "static?dimension=32")

    assert tried.code == 0, tried.err
    assert told("mine.static-dimension-32.eval.json")["setup"]["embedder"] == "static?dimension=32"
    assert (
        omoide("eval", "compare", "mine.eval.json", "mine.static-dimension-32.eval.json").code == 0
    )
    assert json.loads(omoide("probe", "drop", "--json").out) == {"dropped": 4}
    assert "0 vectors" in omoide("probe", "drop").out


def test_what_is_gone_is_left_out_and_said(omoide: Omoide) -> None:
    """A question about what was forgotten is no failure of recall."""
    omoide("probe", "make", "mine.jsonl", "-n", "20")
    first = json.loads(omoide("list", "--json").out)["items"][0]["id"]
    omoide("forget", first, "--yes")

    assert " left out: made of what was forgotten" in omoide("probe", "run", "mine.jsonl").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("make", "nowhere/mine.jsonl"), "nowhere"),
        (("make", "data"), "data: is a folder"),
        (("run", "data/mine.jsonl", "--out", "nowhere/r.json"), "nowhere: does not exist"),
        (("run", "none.jsonl"), "none.jsonl: does not exist; omoide probe make makes it"),
        (("run", "data/mine.jsonl"), "omoide eval run"),
        (("run", "data/mine.jsonl", "--embedder", "nonesuch"), "unknown 'nonesuch'"),
    ],
)
def test_what_cannot_be_probed_is_said_in_a_line(
    omoide: Omoide, arguments: tuple[str, ...], said: str
) -> None:
    """No traceback, the exit code of a wrong call."""
    ran = omoide("probe", *arguments)

    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert said in ran.err


@pytest.mark.parametrize("command", ["make", "run", "drop"])
def test_each_command_of_probe_says_what_it_does(omoide: Omoide, command: str) -> None:
    """``--help`` succeeds."""
    assert omoide("probe", command, "--help").code == 0


def test_what_would_be_asked_is_counted_without_a_model(evaluate: Evaluate) -> None:
    """Nothing is learnt, so nothing is decided on."""
    path = Path(os.environ.get("OMOIDE_EVAL_DATA", "no-such-folder"))
    if not (path / "updates").exists():
        pytest.skip("OMOIDE_EVAL_DATA names no folder with updates")

    ran = evaluate("extract", "cri-telling", "--llm", "none", "--data", str(path), "--json")

    (told,) = json.loads(ran.out)
    assert told["asked_tokens"] == told["input_tokens"] > told["turn_tokens"] > 0
    assert (told["calls"], told["checked"]["items"], told["unchecked"]["items"]) == (
        told["sessions"],
        [],
        [],
    )


LOCOMO = {
    "sample_id": "boat",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "I bought a red boat!"}],
        "session_1_date_time": "1:05 pm on 2 March, 2026",
    },
    "qa": [],
    "observation": {"session_1_observation": {"Ana": [["Ana bought a red boat", "D1:1"]]}},
}


def test_two_versions_of_prompts_are_measured_side_by_side(evaluate: Evaluate) -> None:
    """Each with its version; what the folder lacks is the packaged prompt."""
    folder = Path("data") / "locomo"
    folder.mkdir()
    (folder / "one.json").write_text(json.dumps([LOCOMO]), "utf-8")
    Path("mine").mkdir()
    Path("mine/extract.md").write_text("<!-- version 7 -->\nNote it.", "utf-8")
    asked = ("extract", "locomo", "--llm", "none", "--data", "data", "--prompts", "mine")

    ours, mine = json.loads(evaluate(*asked, "--json").out)

    assert (ours["story"], mine["story"]) == ("boat", "boat")
    assert mine["prompts"].startswith("extract 7, ")
    assert mine["prompts"].partition(", ")[2] == ours["prompts"].partition(", ")[2]
    assert mine["input_tokens"] < ours["input_tokens"]
    assert "boat (extract 7, " in evaluate(*asked).out.replace("\n", " ")
