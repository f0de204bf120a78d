"""Questions made from a store in use, and asked of it: what a change of embedder or settings does
to one's own memory.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from omoide.evals import (
    Dataset,
    Probe,
    Setup,
    compare,
    drop_tried,
    load_dataset,
    make_probes,
    run,
    run_live,
    save_probes,
    summarise,
)
from omoide.memory import Memory
from omoide.models.embedders.encoders import Named
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.errors import Conflict, InvalidInput, UnknownName
from omoide.nouns.item import Details
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.text.words import index_terms
from tests.fix_memory import ANA, BEN, NINE, OpenMemory

TALKS = Path(__file__).parent / "data"
S = Scope(user="ana", session="s")
COLOURS = (
    "amber azure beige coral crimson indigo ivory jade lilac maroon ochre olive plum russet scarlet"
    " teal umber violet".split()
)
PLACES = (
    "attic barn cellar dairy foyer garage hall kitchen larder loft office pantry porch shed stable"
    " studio terrace vault".split()
)


@pytest.fixture
def lived(memory: Memory) -> Memory:
    """A memory with sixty items, some about somebody, and a conversation with questions in it."""
    for n in range(60):
        about = [f"person:{COLOURS[n % 7]}"] if n % 3 == 0 else []
        place, other = PLACES[n % 18], PLACES[(n // 3 + 5) % 18]
        memory.remember(
            f"the {place} door number {n * 7 + 100} was painted {COLOURS[n * 5 % 18]} before the"
            f" {other}",
            entities=about,
        )
    told = (
        ("Ana", "Where did the wombat hide yesterday?"),
        ("Ben", "Under the old harbour bridge with two friends"),
    )
    memory.ingest([Message(text=text, speaker=speaker, at=NINE) for speaker, text in told * 4], S)
    memory.admin.tidy()
    return memory


def talk(memory: Memory, language: str) -> None:
    """Log one of the talks in other languages."""
    for case in load_dataset("probes", TALKS / f"talk-{language}.jsonl").cases:
        for told in case.talks:
            memory.ingest(told)


def saved(memory: Memory, path: Path, **options: Any) -> Dataset:
    """Questions of a memory as they are read back."""
    save_probes(make_probes(memory, **options), path)
    return load_dataset("probes", path)


def everything(memory: Memory) -> Mapping[str, Any]:
    """What a change of the store would show in."""
    stats = memory.stats()
    with memory.store.transaction(write=False) as tx:
        counters = [dict(row) for row in tx.rows("partitions.of_tenant", tenant="default")]
    return {
        "stats": stats,
        "head": memory.admin.verify().head,
        "counters": counters,
        "uses": memory.items.list().items,
    }


def test_the_same_memory_and_seed_give_the_same_questions(lived: Memory) -> None:
    """Another seed gives others."""
    first = make_probes(lived, count=40, seed=1)

    assert make_probes(lived, count=40, seed=1) == first
    assert {p.text for p in make_probes(lived, count=40, seed=2)} != {p.text for p in first}
    assert len(first) == 40


def test_what_answers_holds_what_is_asked(lived: Memory) -> None:
    """Of each kind of question the right records hold all its words, save those about who it is and
    when; near duplicates count.
    """
    probes = make_probes(lived, count=60)

    assert {p.category for p in probes} == {"cloze", "entity", "said", "reply"}
    pairs = [
        (probe.text, lived.get(id).text)
        for probe in probes
        if probe.category == "cloze"
        for id in probe.gold
    ]
    assert len(pairs) > 20
    assert all(set(index_terms(asked)) <= set(index_terms(held)) for asked, held in pairs)
    said = next(p for p in probes if p.category == "said")
    assert NINE.date().isoformat() in said.text
    assert len(said.gold) == 4
    assert any(
        lived.get(id).text.startswith("Under")
        for p in probes
        if p.category == "reply"
        for id in p.gold
    )


@pytest.mark.parametrize("language", ["ar", "de", "hi", "ja", "zh"])
def test_questions_are_made_in_any_language(language: str, open_memory: OpenMemory) -> None:
    """Without knowing it: with or without spaces, of letters with marks; and words alone find
    nearly all that were made.
    """
    memory = open_memory(embedder=None)
    talk(memory, language)
    probes = make_probes(memory, count=60)

    assert len(probes) == 60
    found = [
        {hit.id for hit in memory.recall(p.text, limit=10).hits} & p.gold
        for p in probes
        if p.category == "cloze"
    ]
    assert len(found) > 20
    assert sum(map(bool, found)) > 0.95 * len(found)


def test_what_recall_does_not_give_is_not_asked_about(memory: Memory) -> None:
    """Sensitive, muted and corrected items, and private sessions; of a scope that holds nothing
    else there are no questions.
    """
    memory.remember(
        "the safe in the cellar opens with seven turns", details=Details(sensitive=True)
    )
    muted = memory.remember("the gardener waters the tall hedge on Mondays")
    memory.items.edit(muted.id, muted=True)
    memory.ingest([Message(text="the surprise party happens behind the big barn")], S, private=True)

    with pytest.raises(InvalidInput, match="user"):
        make_probes(memory)
    old = memory.remember("the ferry to the island leaves at seven sharp")
    new = memory.correct(old.id, "the ferry to the island leaves at nine sharp")
    assert {id for probe in make_probes(memory) for id in probe.gold} == {new.id}


def test_the_file_is_its_owners_alone(lived: Memory, tmp_path: Path) -> None:
    """Mode 0600, also where a file was there before; no text but the questions'; read back as it
    was made.
    """
    path = tmp_path / "mine.jsonl"
    path.write_text("x", "utf-8")
    path.chmod(0o644)
    probes = make_probes(lived, count=20)
    save_probes(probes, path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {json.loads(line)["type"] for line in path.read_text("utf-8").splitlines()} == {
        "question"
    }
    assert [case.probes for case in load_dataset("probes", path).cases] == [probes]
    assert not list(tmp_path.glob("*.new"))


def test_asking_changes_nothing(lived: Memory, tmp_path: Path) -> None:
    """No use is counted, nothing goes to the ledger, no row changes, however much is recalled."""
    dataset = saved(lived, tmp_path / "mine.jsonl", count=60)
    before = everything(lived)

    report = run_live(lived, dataset, setup=Setup(systems=("default", "fast"), embedder=""))

    assert sum(len(outcome.found) for run in report.runs for outcome in run.outcomes) > 1_100
    assert everything(lived) == before
    assert report.questions == dataset.questions
    assert report.run("default").degraded == ()
    assert summarise(report)[0].overall.metrics["R@10"].value > 0.8


def test_an_embedder_is_tried_compared_switched_to_and_left_again(
    lived: Memory, open_memory: OpenMemory, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    """The trial gives the figures that the switch gives; until then nobody's answers change; going
    back embeds nothing.
    """
    dataset = saved(lived, tmp_path / "mine.jsonl", count=40)
    before, answers = run_live(lived, dataset), lived.recall("the violet door")
    vectors = {"vector-alone", "default"}
    setup = Setup(systems=tuple(sorted(vectors)), embedder="static")
    tried = run_live(lived, dataset, setup=setup)

    assert tried.setup.embedder == "static"
    assert [hit.id for hit in lived.recall("the violet door").hits] == [
        hit.id for hit in answers.hits
    ]
    assert run_live(lived, dataset).runs[0].outcomes[0].found == before.runs[0].outcomes[0].found
    assert {d.n for d in compare(before, tried)} == {40}

    from omoide.models import load_embedder

    switched = open_memory(embedder=Named("static", load_embedder("static")))
    assert switched.admin.tidy().vectors == 0
    found = run_live(switched, dataset, setup=replace(setup, embedder=""))
    assert [o.found for o in found.run("vector-alone").outcomes] == [
        o.found for o in tried.run("vector-alone").outcomes
    ]
    asked = len(embedder.asked)
    back = open_memory()
    assert back.admin.tidy().vectors == 0
    assert len(embedder.asked) == asked
    assert run_live(back, dataset).runs[0].outcomes[0].found == before.runs[0].outcomes[0].found


def test_what_was_tried_can_be_dropped(lived: Memory, tmp_path: Path) -> None:
    """Its vectors go, those that serve stay."""
    run_live(lived, saved(lived, tmp_path / "mine.jsonl", count=5), setup=Setup(embedder="static"))

    assert (drop_tried(lived), drop_tried(lived)) == (68, 0)
    assert lived.recall("the violet door").degraded == ()
    assert lived.admin.doctor() == []


def test_one_that_is_about_to_serve_is_not_tried(
    lived: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """It is said so."""
    from omoide.models import load_embedder

    dataset = saved(lived, tmp_path / "mine.jsonl", count=5)
    open_memory(embedder=Named("static", load_embedder("static")))

    with pytest.raises(Conflict, match="being made"):
        run_live(lived, dataset, setup=Setup(embedder="static"))


def test_questions_about_what_is_gone_are_left_out(memory: Memory, tmp_path: Path) -> None:
    """Forgotten or corrected since: neither is a fault of recall."""
    kept, changed, gone = (
        memory.remember(text)
        for text in (
            "the ferry to the island leaves at seven sharp",
            "the gardener waters the tall hedge on Mondays",
            "the surprise party happens behind the big barn",
        )
    )
    dataset = saved(memory, tmp_path / "mine.jsonl")
    memory.correct(changed.id, "the gardener waters the tall hedge on Fridays")
    memory.forget(gone.id)

    report = run_live(memory, dataset)

    asked = {probe.id for case in dataset.cases for probe in case.probes if kept.id in probe.gold}
    assert {outcome.probe for outcome in report.runs[0].outcomes} == asked
    assert 0 < report.questions < dataset.questions


def test_what_cannot_be_asked_is_said(lived: Memory, tmp_path: Path) -> None:
    """Another user's questions, a system of data sets alone, questions with their own
    conversations, and the other way round.
    """
    dataset = saved(lived, tmp_path / "mine.jsonl", count=5)

    with pytest.raises(InvalidInput, match="right user"):
        run_live(lived, dataset, BEN)
    with pytest.raises(UnknownName):
        run_live(lived, dataset, setup=Setup(systems=("fts5",)))
    with pytest.raises(InvalidInput, match="omoide eval run"):
        run_live(lived, load_dataset("probes", TALKS / "talk-de.jsonl"))
    with pytest.raises(InvalidInput, match="omoide probe run"):
        run(dataset)
    with pytest.raises(InvalidInput, match="count"):
        make_probes(lived, count=0)


def test_a_question_without_an_answer_may_be_among_them(lived: Memory, tmp_path: Path) -> None:
    """One's own lines beside those made: ``answerable`` is then measured, too."""
    path = tmp_path / "mine.jsonl"
    none = Probe(id="none", text="Who repaired the submarine?", category="none", held=False)
    save_probes((*make_probes(lived, count=10), none), path)
    report = run_live(lived, load_dataset("probes", path), ANA)

    assert summarise(report)[0].calibrations["none"].absent == 1
    assert lived.recall(Query(text="the violet door")).hits
