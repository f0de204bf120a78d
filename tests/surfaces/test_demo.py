"""The demo: what a newcomer sees first is what it says it is."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from omoide import Config, Memory, Scope
from omoide.demo import Reply, placed, run
from omoide.demo.questions import HELD, NOW, SURPRISE, TEN
from omoide.demo.sample import (
    ASSISTANT,
    TOGETHER,
    USERS,
    Player,
    lines,
    notes,
    scope_of,
    story_clock,
)
from omoide.demo.show import Stage, console_for
from omoide.models import load_embedder
from omoide.models.embedders.encoders import Named
from omoide.store import open_store
from omoide.text.languages import language_of
from omoide.text.secrets import find_secrets, mask_stored
from omoide.text.secrets.places import PLACE_CODE
from tests.fix_memory import turn_of
from tests.source_tree import ROOT

QUESTIONS = ROOT / "scripts" / "data" / "questions.jsonl"


CALLUM = Scope(user="callum")


@dataclass(frozen=True, slots=True)
class Shown:
    """One run of the demo: what it printed, what it was answered, and the folder it kept its store
    in.
    """

    text: str
    answers: list[Reply]
    home: Path


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo, run once, its store kept."""
    home = tmp_path_factory.mktemp("kept")
    out = io.StringIO()
    answers = run(Stage(Console(file=out, width=80)), {"OMOIDE_HOME": str(home)})
    return Shown(out.getvalue(), answers, home)


@pytest.fixture(scope="module")
def played() -> Iterator[Memory]:
    """The sample in a memory of its own, as of the day of the questions."""
    clock = story_clock()
    with Memory(
        open_store(":memory:"),
        embedder=Named("static", load_embedder("static")),
        clock=clock,
        background=False,
    ) as memory:
        for _ in Player(memory, clock).play():
            pass
        memory.admin.tidy()
        clock.at = NOW
        yield memory


@pytest.mark.parametrize("number", range(len(TEN)))
def test_each_question_is_answered_as_expected(shown: Shown, number: int) -> None:
    """The expected turns and items are among the hits shown; what nobody said is known not to be
    held.
    """
    answer = shown.answers[number]
    hits = [(hit.id, hit.text) for hit in answer.recall.hits]

    assert answer.question == TEN[number]
    is_held = answer.recall.answerable >= HELD
    missing = answer.expected - {id for id, _ in hits}
    assert (is_held, missing) == (bool(answer.expected), frozenset()), (
        f"{answer.question.text}: expected {sorted(answer.expected)}, got {hits},"
        f" {answer.recall.answerable:.2f}"
    )


def test_it_asks_all_kinds_of_questions() -> None:
    """Ten: in two languages, by both users and in their shared chat, as of then and now, one of
    them not answerable.
    """
    assert len(TEN) == 10
    assert {question.asks for question in TEN} == {"callum", "ines", "family"}
    assert {language_of(question.text) for question in TEN if question.asks == "ines"} <= {"pt", ""}
    assert [question.as_of is None for question in TEN].count(False) == 1
    assert [question.text for question in TEN if not question.answers] == [
        "What is Inês's blood type?"
    ]
    assert any(len({name.partition("#")[0] for name in question.answers}) > 1 for question in TEN)


def test_everything_is_shown(shown: Shown) -> None:
    """The log, items with their versions, what is due, answers with sources, scopes, the receipt,
    and what is next.
    """
    for said in (
        f"{len(lines())} messages",
        "COAST_API_TOKEN=[secret: token]",
        "true 4 Feb 2025 to 17 Mar 2025, known since 4 Feb 2025",
        f"due 12 Jun 2025, said in {turn_of('callum/0603', 2, CALLUM)}",
        "I do not hold that. The nearest I have:",
        f"Callum, 11 Feb 2025, {turn_of('callum/0211', 1, CALLUM)} · text 1",
        "10 turns erased, and all that was made of them.",
        "searched for them: found nowhere.",
        "Callum has 98 turns of 10 talks with Mira",
        "the ledger is whole",
        "import export.zip",
    ):
        assert said in shown.text


def test_it_fits_eighty_columns_without_a_terminal(shown: Shown) -> None:
    """No line is wider, and there is no control sequence in a text that goes to a file."""
    printed = shown.text.splitlines()

    assert 100 < len(printed) < 250
    assert max(cell_len(line) for line in printed) <= 80
    assert "\x1b" not in shown.text


def test_what_was_masked_and_what_was_forgotten_is_in_no_file(shown: Shown) -> None:
    """Neither the secret nor the erased session is in the store's files; what stays is."""
    files = [path for path in shown.home.iterdir() if path.is_file()]
    content = b"".join(path.read_bytes() for path in files)

    assert shown.home / "memory.db" in files
    assert b"hammer drill" in content
    assert b"k7Vq2pXw9LmT" not in content
    assert b"52,400 a year" not in content


def test_the_surprise_is_kept(shown: Shown) -> None:
    """Inês and the family chat are not told what Callum said in a private session; he is, there."""
    part = shown.text.partition(SURPRISE)[2].partition("Forgetting")[0]

    assert [line.strip() for line in part.splitlines() if "I do not hold" in line] != []
    assert part.index("I do not hold") < part.index("hydrophone")
    assert part.count("hydrophone") == 1


def test_a_kept_store_is_a_store(shown: Shown) -> None:
    """Opened with ordinary settings and today's clock, it answers."""
    with Memory.open(
        config=Config(store=str(shown.home / "memory.db"), background=False)
    ) as memory:
        assert memory.recall("Who has my hammer drill?", Scope(user="callum")).hits[
            0
        ].id == turn_of("callum/0211", 1, CALLUM)
        assert memory.admin.verify().problems == ()


def test_a_memory_that_is_there_is_left_alone(tmp_path: Path) -> None:
    """Where OMOIDE_HOME holds a store, the demo takes a folder of its own, and takes it away
    again.
    """
    (tmp_path / "memory.db").write_bytes(b"mine")

    with placed({"OMOIDE_HOME": str(tmp_path)}) as place:
        assert place.taken
        assert not place.kept
        assert place.store.parent.is_dir()
        assert tmp_path not in place.store.parents
    assert not place.store.parent.exists()
    assert (tmp_path / "memory.db").read_bytes() == b"mine"


def test_without_omoide_home_nothing_stays() -> None:
    """The store goes with its folder."""
    with placed({}) as place:
        assert not place.taken
        place.store.write_bytes(b"x")
    assert not place.store.parent.exists()


def test_it_runs_as_a_program(tmp_path: Path) -> None:
    """Exit code 0, nothing on standard error, plain text where there is no terminal and little of
    an encoding.
    """
    told = os.environ | {
        "OMOIDE_HOME": str(tmp_path),
        "PYTHONIOENCODING": "ascii",
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
    ran = subprocess.run(
        [sys.executable, "-m", "omoide.demo"],
        cwd=tmp_path,
        env=told,
        capture_output=True,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"\x1b" not in ran.stdout
    assert b"I do not hold that" in ran.stdout
    assert max(map(len, ran.stdout.decode("ascii").splitlines())) <= 80


def test_a_stream_of_any_encoding_is_written_to() -> None:
    """What it cannot hold is replaced."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")

    Stage(console_for(stream)).asked("Inês, 思い出?")
    stream.flush()

    assert b"In?s, ???" in raw.getvalue()


def test_the_sample_is_what_it_promises() -> None:
    """Over 300 turns and four months, two people and an assistant, sessions of each and of both, in
    order, each key once.
    """
    said = lines()

    assert len(said) >= 300
    assert said[-1].at - said[0].at >= timedelta(days=120)
    assert {line.speaker for line in said} == {*USERS, ASSISTANT}
    assert Counter(line.whose for line in said).keys() == {"callum", "ines", None}
    assert len({line.session for line in said}) >= 20
    assert [line.at for line in said] == sorted({line.at for line in said})
    assert len({(line.session, line.key) for line in said}) == len(said)
    assert min(Counter(line.speaker for line in said).values()) > 70


def test_the_sample_is_in_two_languages() -> None:
    """Callum writes English, Inês Portuguese, and Mira answers in both."""
    long = [line for line in lines() if len(line.text) > 40]
    counts = {
        who: Counter(language_of(line.text) for line in long if line.speaker == who)
        for who in (*USERS, ASSISTANT)
    }

    assert counts["Callum"]["en"] > 50
    assert counts["Inês"]["pt"] > 50
    assert min(counts[ASSISTANT]["en"], counts[ASSISTANT]["pt"]) > 25


def test_the_sample_holds_a_secret_and_a_place_code() -> None:
    """A token is masked. A depot's code word is kept as a place's code, and nothing else is taken
    for either.
    """
    found = {
        f"{line.session}#{line.key}": [one.kind for one in find_secrets(line.text)]
        for line in lines()
    }
    masked = [f"{line.session}#{line.key}" for line in lines() if mask_stored(line.text).masks]

    assert {key: kinds for key, kinds in found.items() if kinds} == {
        "family#074": [PLACE_CODE],
        "callum/0401#secret": ["token"],
    }
    assert masked == ["callum/0401#secret"]


def test_every_note_has_its_source(played: Memory) -> None:
    """What is remembered names turns that were said before, and its corrections come later."""
    said = {f"{line.session}#{line.key}": line.at for line in lines()}
    names = Counter(note.name for note in notes())

    assert [name for name, count in names.items() if count > 1] == [
        "home",
        "allergy",
        "job",
        "rehearsal",
        "trip",
    ]
    assert len(notes()) == 15
    assert all(said[source] <= note.at for note in notes() for source in note.source)
    assert played.stats(scope_of("callum")).items == 8


def test_people_see_their_own_sessions_alone(played: Memory) -> None:
    """The shared chat is seen from within itself; nobody sees the other's."""
    for who in ("callum", "ines", TOGETHER):
        seen = {preview.session.name for preview in played.sessions.list(scope_of(who))}
        assert seen == {line.session for line in lines() if (line.whose or TOGETHER) == who}


def test_held_and_not_held_are_told_apart(played: Memory) -> None:
    """Over 96 questions about the sample, half of them about what it does not hold, in two
    languages.
    """
    asked = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    sure = [
        (played.recall(one["question"], scope_of(one["who"])).answerable, one["held"])
        for one in asked
    ]
    held, not_held = (
        [score for score, is_held in sure if is_held == wanted] for wanted in (True, False)
    )

    assert (len(held), len(not_held)) == (48, 48)
    assert sum(one > other for one in held for other in not_held) / (48 * 48) > 0.87
    assert sum(score >= HELD for score in held) >= 34
    assert sum(score >= HELD for score in not_held) <= 6


def test_no_two_empty_lines_follow_each_other(shown: Shown) -> None:
    """Parts are told apart by one empty line everywhere."""
    assert "\n\n\n" not in shown.text
