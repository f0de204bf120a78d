"""Runs: the product fills a memory by its verbs and answers by recall; figures are those of what it
found.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import omoide
from omoide.evals import (
    BASELINES,
    SYSTEMS,
    Case,
    Dataset,
    DocumentUnit,
    Probe,
    QuestionOutcome,
    Report,
    Setup,
    compare,
    load,
    run,
    save,
    summarise,
)
from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.write.remember import Statement

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


def talk(id: str, *texts: str, at: datetime = MONDAY) -> Conversation:
    """A session; its turns go by its id and their number."""
    return Conversation(
        id=id,
        messages=tuple(
            Message(text=t, speaker="Ana", at=at, key=f"{id}{n}") for n, t in enumerate(texts)
        ),
    )


def found(report: Report, system: str = "default") -> list[QuestionOutcome]:
    """The outcomes without what they cost."""
    return [replace(outcome, ms=0, cpu_ms=0) for outcome in report.run(system).outcomes]


def boats() -> Case:
    """Two sessions and an item; a blank message, a question about a day, one without an answer."""
    return Case(
        id="boats",
        talks=(
            talk("a", "The harbour fee is forty euros", "  ", "We sail with the red boat"),
            talk(
                "b",
                "My sister bakes bread",
                "The anchor chain is rusty",
                at=MONDAY + timedelta(days=3),
            ),
        ),
        statements=(("i", Statement(text="The mooring rope is green")),),
        probes=(
            Probe(
                id="1",
                text="How much is the harbour fee?",
                category="plain",
                gold=frozenset({"a0"}),
            ),
            Probe(id="2", text="mooring rope", category="plain", gold=frozenset({"i"})),
            Probe(
                id="3",
                text="What is rusty, the anchor chain or the boat?",
                category="many",
                gold=frozenset({"b1", "a2"}),
            ),
            Probe(
                id="4",
                text="Which dentist did Zoe choose?",
                category="absent",
                held=False,
                apart=True,
            ),
        ),
    )


def cats() -> Case:
    """Another memory altogether."""
    return Case(
        id="cats",
        talks=(talk("a", "The cat is called Miso", "Miso eats salmon"),),
        probes=(
            Probe(id="1", text="What does Miso eat?", category="plain", gold=frozenset({"a1"})),
        ),
    )


DATA = Dataset(name="pets", unit=DocumentUnit.TURN, cases=(boats(), cats()), hash="ab" * 32)


def places(report: Report, system: str = "default") -> list[tuple[int, ...]]:
    """Where each question's right documents stand."""
    return [outcome.places for outcome in report.run(system).outcomes]


def test_turns_and_items_are_found_by_recall() -> None:
    """Each right document has its place; blank messages leave no gap between the others."""
    report = run(DATA)

    assert [outcome.gold for outcome in report.run("default").outcomes] == [1, 1, 2, 0, 1]
    assert places(report) == [(1,), (1,), (1, 2), (), (1,)]
    assert (report.cases, report.questions, report.filling.documents) == (2, 5, 8)
    assert report.run("default").outcomes[0].found[0] == "a0"
    assert {"text", "vector", "fuse"} <= report.run("default").steps.keys()
    assert all(
        0 <= outcome.answerable <= 1
        for outcome in report.run("default").outcomes
        if outcome.answerable is not None
    )


def test_a_report_says_which_code_it_was() -> None:
    """The version, and what tells one state of unreleased code from another."""
    assert re.fullmatch(re.escape(omoide.__version__) + r"\+[0-9a-f]{8}", run(DATA).version)


def test_memories_do_not_mix() -> None:
    """A case finds documents of its own alone, though ids and sessions are called the same; in one
    shared store too.
    """
    shared = run(DATA, Setup(systems=("default",)), store=":memory:")

    assert {id for outcome in shared.run("default").outcomes[:4] for id in outcome.found} <= {
        "a0",
        "a2",
        "b0",
        "b1",
        "i",
    }
    assert set(shared.run("default").outcomes[4].found) == {"a0", "a1"}


def test_sessions_stand_where_their_best_turn_does() -> None:
    """By sessions every session stands once."""
    case = replace(
        boats(),
        statements=(),
        probes=(Probe(id="1", text="rusty anchor chain", category="x", gold=frozenset({"b"})),),
    )
    report = run(
        Dataset(name="s", unit=DocumentUnit.SESSION, cases=(case,), hash=""),
        Setup(systems=("default", "fts5", "fts5-stop")),
    )

    assert [places(report, system) for system in ("default", "fts5", "fts5-stop")] == [[(1,)]] * 3
    assert report.run("default").outcomes[0].found == ("b", "a")


def test_questions_are_asked_when_they_were() -> None:
    """A time in words means what it meant on the question's date, not today; without a date, the
    day after the last message.
    """
    asked = (
        Probe(id="1", text="three days ago", category="x", at=MONDAY + timedelta(days=6)),
        Probe(id="2", text="yesterday", category="x"),
        Probe(id="3", text="last week", category="x", at=MONDAY + timedelta(days=7)),
        Probe(
            id="4", text="today", category="x", at=MONDAY
        ),  # said to be asked before the last message: asked with it
    )
    case = Case(
        id="t",
        talks=(talk("a", "Rain"), talk("b", "Snow", at=MONDAY + timedelta(days=3))),
        probes=asked,
    )
    report = run(
        Dataset(name="t", unit=DocumentUnit.TURN, cases=(case,), hash=""),
        Setup(systems=("time-alone",)),
    )

    assert [set(outcome.found) for outcome in report.run("time-alone").outcomes] == [
        {"b0"},
        {"b0"},
        {"a0", "b0"},
        {"b0"},
    ]


def test_messages_without_a_date_are_older_than_the_questions() -> None:
    """Where only the questions say when they are asked, what was said is known by then, however
    long ago that is.
    """
    asked = (
        Probe(
            id="1",
            text="Which animal?",
            category="x",
            gold=frozenset({"a0"}),
            at=MONDAY - timedelta(days=900),
        ),
        Probe(id="2", text="Which animal?", category="x", gold=frozenset({"a0"}), at=MONDAY),
    )
    case = Case(
        id="t",
        talks=(Conversation(id="a", messages=(Message(text="The animal is an otter", key="a0"),)),),
        probes=asked,
    )

    assert places(run(Dataset(name="t", unit=DocumentUnit.TURN, cases=(case,), hash=""))) == [
        (1,),
        (1,),
    ]


def test_every_system_answers() -> None:
    """Presets, arms alone and full-text search: each gives a ranking of documents, and words find
    what has them.
    """
    report = run(DATA, Setup(systems=SYSTEMS))

    assert set(BASELINES) <= set(SYSTEMS)
    for system in SYSTEMS:
        assert len(report.run(system).outcomes) == 5
    for system in (
        "fast",
        "keyword",
        "rrf",
        "best",
        "text-alone",
        "vector-alone",
        "fts5",
        "fts5-stop",
        "fts5-previous",
        "fts5-context",
    ):
        assert places(report, system)[0] == (1,), system
    assert places(report, "entity-alone") == [()] * 5  # nothing here is linked to an entity


def test_an_arm_alone_brings_nothing_of_the_others() -> None:
    """What an arm does not find is not brought by another: times stay silent on a question that
    names none.
    """
    case = replace(
        cats(),
        probes=(Probe(id="1", text="zzzz Miso", category="x", gold=frozenset({"a0", "a1"})),),
    )
    report = run(
        Dataset(name="t", unit=DocumentUnit.TURN, cases=(case,), hash=""),
        Setup(systems=("text-alone", "vector-alone", "time-alone")),
    )

    assert set(report.run("text-alone").outcomes[0].found) == {"a0", "a1"}
    assert report.run("time-alone").outcomes[0].found == ()


def test_the_previous_turn_is_indexed_with_the_next() -> None:
    """fts5-previous finds a turn by the words of the one before it."""
    case = Case(
        id="p",
        talks=(talk("a", "Which colour did you paint it?", "Turquoise"),),
        probes=(Probe(id="1", text="colour", category="x", gold=frozenset({"a1"})),),
    )
    report = run(
        Dataset(name="t", unit=DocumentUnit.TURN, cases=(case,), hash=""),
        Setup(systems=("fts5", "fts5-previous")),
    )

    assert (places(report, "fts5"), places(report, "fts5-previous")) == ([()], [(2,)])


def test_what_stands_around_a_turn_counts_half_for_it() -> None:
    """fts5-context finds a turn by its day and by the turns before and after it, below one that has
    the word itself.
    """
    told = (
        talk("a", "Which colour did you paint it?", "Turquoise", "A bold choice"),
        talk("b", "Dull", at=MONDAY + timedelta(days=1)),
    )
    asked = tuple(
        Probe(id=text, text=text, category="x", gold=frozenset({"a1"}))
        for text in ("colour", "bold", f"{MONDAY:%A}")
    )
    report = run(
        Dataset(
            name="t",
            unit=DocumentUnit.TURN,
            cases=(Case(id="c", talks=told, probes=asked),),
            hash="",
        ),
        Setup(systems=("fts5-context",)),
    )
    before, after, day = report.run("fts5-context").outcomes

    assert (before.found, after.found) == (("a0", "a1"), ("a2", "a1"))
    assert set(day.found) == {"a0", "a1", "a2"}


@pytest.mark.parametrize("text", ["", "?!", '"; OR NEAR(', "什么 颜色", "NOT AND *"])
def test_no_question_is_full_text_syntax(text: str) -> None:
    """Whatever is asked, full-text search takes it for words."""
    case = replace(cats(), probes=(Probe(id="1", text=text, category="x", gold=frozenset({"a1"})),))

    assert (
        len(
            run(
                Dataset(name="t", unit=DocumentUnit.TURN, cases=(case,), hash=""),
                Setup(systems=("fts5-stop",)),
            ).runs
        )
        == 1
    )


def test_a_run_that_was_killed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finished cases are not asked again, a line that was cut off is, and the outcome is that of a
    run in one go.
    """
    part, whole = tmp_path / "part", run(DATA)
    told: list[tuple[int, int]] = []

    class Killed(BaseException): ...

    def die_at_the_second(more: int, total: int) -> None:
        told.append((more, total))
        if sum(more for more, _ in told) == 5:  # the only question of the second case
            raise Killed

    with pytest.raises(Killed):
        run(DATA, resume=part, tell=die_at_the_second)
    with part.open("a") as file:
        file.write('{"case": "cats", "fill')
    assert told == [(0, 5), *[(1, 5)] * 5]
    told.clear()
    resumed = run(DATA, resume=part, tell=lambda more, total: told.append((more, total)))

    assert told == [(4, 5), (1, 5)]
    assert found(resumed) == found(whole)
    assert [json.loads(line).get("case") for line in part.read_text().splitlines()] == [
        None,
        "boats",
        "cats",
    ]


def test_the_rest_of_another_run_is_not_taken(tmp_path: Path) -> None:
    """Other systems, another embedder or other data: results are not mixed."""
    part = tmp_path / "part"
    run(DATA, resume=part)

    with pytest.raises(InvalidInput, match="another run"):
        run(DATA, Setup(systems=("rrf",)), resume=part)
    with pytest.raises(InvalidInput, match="another run"):
        run(replace(DATA, hash="cd"), resume=part)
    part.write_text(part.read_text()[:-9] + "\n")
    with pytest.raises(InvalidInput, match="damaged"):
        run(DATA, resume=part)


def test_a_run_that_ended_before_its_first_case_stands_in_no_ones_way(tmp_path: Path) -> None:
    """After a slip in an embedder's name the right one is run, with nothing to delete."""
    part = tmp_path / "part"
    with pytest.raises(UnknownName):
        run(DATA, Setup(embedder="statik"), resume=part)

    assert found(run(DATA, resume=part)) == found(run(DATA))


@pytest.mark.parametrize(
    ("data", "setup", "problem"),
    [
        (DATA, Setup(systems=("bm26",)), UnknownName),
        (DATA, Setup(systems=()), InvalidInput),
        (DATA, Setup(systems=("rrf", "rrf")), InvalidInput),
        (DATA, Setup(embedder="nonesuch"), UnknownName),
        (DATA, Setup(limit=0), InvalidInput),
        (replace(DATA, unit=DocumentUnit.SESSION), Setup(systems=("fts5-previous",)), InvalidInput),
        (replace(DATA, unit=DocumentUnit.SESSION), Setup(systems=("fts5-context",)), InvalidInput),
        (replace(DATA, cases=(cats(), cats())), Setup(), InvalidInput),
    ],
)
def test_what_cannot_be_run_is_said_so(
    data: Dataset, setup: Setup, problem: type[Exception]
) -> None:
    """Before anything is measured."""
    with pytest.raises(problem):
        run(data, setup)


def test_degraded_recalls_are_named() -> None:
    """Without a reranker the preset best says so in the run's results."""
    assert run(DATA, Setup(systems=("best",), reranker="none")).run("best").degraded == (
        "rerank: no reranker is set",
    )


def test_a_report_survives_its_file(tmp_path: Path) -> None:
    """Saved and loaded it is the same; the file has the figures, too, for other readers, and no
    text of the data.
    """
    report = run(DATA, Setup(systems=("default", "fts5"), elsewhere=True))
    save(report, tmp_path / "r.json", summarise(report))
    text = (tmp_path / "r.json").read_text("utf-8")

    assert load(tmp_path / "r.json") == report
    assert json.loads(text)["summaries"][0]["overall"]["n"] == 4
    assert "harbour" not in text
    assert [path.name for path in tmp_path.glob("r.json*")] == ["r.json"]


@pytest.mark.parametrize(
    "text", ["", "{}", '{"format": "omoide-eval-0"}', '{"format": "omoide-eval-1"}', "[]", "no"]
)
def test_what_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    """Another file, or one of another format."""
    (tmp_path / "r.json").write_text(text)

    with pytest.raises(InvalidInput, match="report"):
        load(tmp_path / "r.json")
    with pytest.raises(InvalidInput, match="report"):
        load(tmp_path / "absent.json")


def test_nothing_of_a_file_that_is_no_report_is_printed(tmp_path: Path) -> None:
    """A wrong file may be large, and private."""
    (tmp_path / "memory.db").write_bytes(b"Ana's salary" * 1_000 + b"\xff\xfe")

    with pytest.raises(InvalidInput) as problem:
        load(tmp_path / "memory.db")
    assert "salary" not in str(problem.value)


@pytest.mark.covers("GM-176")
def test_meaning_is_found_beyond_keywords() -> None:
    """A question that shares no word with the turn that answers it: keywords alone miss it, the
    default preset does not.
    """
    case = Case(
        id="m",
        talks=(
            talk(
                "a",
                "The physician prescribed antibiotics",
                "We repainted the garage",
                "Trains were late again",
            ),
        ),
        probes=(
            Probe(
                id="1",
                text="What did the doctor give for medicine?",
                category="x",
                gold=frozenset({"a0"}),
            ),
        ),
    )
    report = run(
        Dataset(name="m", unit=DocumentUnit.TURN, cases=(case,), hash=""),
        Setup(systems=("default", "fts5-stop")),
    )

    assert (places(report), places(report, "fts5-stop")) == ([(1,)], [()])


def test_the_same_system_does_not_differ_from_itself() -> None:
    """Differences of nothing, and chance explains them wholly."""
    report = run(DATA)

    assert {(d.difference, d.p) for d in compare(report, report)} == {(0.0, 1.0)}


def test_no_measurement_asks_a_language_model() -> None:
    """A reranker that would is refused by name, before anything is filled; the preset thorough says
    that none was asked.
    """
    with pytest.raises(InvalidInput, match="no measurement does"):
        run(DATA, Setup(systems=("best",), reranker="llm"))
    (note,) = run(DATA, Setup(systems=("thorough",), reranker="none")).run("thorough").degraded[1:]
    assert note.startswith("again: no language model")
