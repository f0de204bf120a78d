"""What each step of recall earns: ``python scripts/recall_gains.py --data FOLDER`` prints the table
of docs/measurements/ranking.md.

Each dataset is measured as ``omoide eval run`` does, once as recall is and once for each step
without it, and the same questions are compared: points of R@10 and NDCG@10, a star where p is below
0.05 by the paired permutation test. The ranker's weights stay as they are. ``--only NAME`` measures
one dataset.

Sets that real talk seldom brings are made from it, by rules without chance: questions with a slip
in them, those that name a time, talks that were kept twice, people called by a name that no text
has, leaflets that repeat the question.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from omoide.evals import Case, Dataset, Probe, compare, load_dataset, run
from omoide.memory import Memory
from omoide.nouns.hit import Hit
from omoide.nouns.item import Details, Source
from omoide.nouns.scope import Scope
from omoide.read import question, recall
from omoide.read.presets import PRESETS
from omoide.store.search import partition, scoring
from omoide.store.search.lookup import Search, look_up
from omoide.store.search.postings import Postings
from omoide.store.search.scoring import Bm25Fields
from omoide.text import words
from omoide.text.times import find_interval
from omoide.write.remember import Statement

TALKS, LANGUAGES = Path("scripts/data/talks"), Path("tests/evals/data")
EVERYDAY = "people-09"
LATER = datetime(2026, 1, 1, tzinfo=UTC)
CHANCE = 0.05
NICKNAMES = ("my flatmate", "the boss")

Off = Callable[[], AbstractContextManager[Any]]


def preset(**parts: bool) -> Off:
    """The preset without some of its parts."""
    return lambda: patch.dict(PRESETS, default=replace(PRESETS["default"], **parts))


def searching(change: Callable[[Bm25Fields], Bm25Fields]) -> Off:
    """The text arm over an index that holds less."""

    def look(partitions: Sequence[Bm25Fields], *terms: Any, **how: Any) -> Search:
        return look_up([change(fields) for fields in partitions], *terms, **how)

    return lambda: patch.object(partition, "look_up", look)


def unlinked(fields: Bm25Fields) -> Bm25Fields:
    """Turns without their neighbours."""
    return replace(fields, linked=False)


def bare(fields: Bm25Fields) -> Bm25Fields:
    """Records with nothing around them: no neighbours, day, speaker, tags or entities."""
    return replace(
        fields,
        linked=False,
        around=Postings(),
        around_length=np.zeros_like(fields.around_length),
        around_total=0.0,
    )


def by_score(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, whoever said it."""
    return sorted(hits, key=lambda hit: -hit.score)


STEPS: Mapping[str, Off] = {
    "what stands around a record": searching(bare),
    "of it, a turn's neighbours": searching(unlinked),
    "of it, half the weight and not all": lambda: patch.object(scoring, "AROUND", 1.0),
    "stop words are left out": lambda: patch.object(
        words, "is_stop_word", lambda word, language: False
    ),
    "slips": lambda: patch.object(question, "SURE", 2.0),
    "vector arm": preset(vector=False),
    "entity arm": preset(entity=False),
    "time arm": preset(time=False),
    "linear ranker": preset(linear=False),
    "diversity": preset(diverse=False),
    "order of trust": lambda: patch.object(recall, "heed_tiers", by_score),
}
USUAL = (
    "what stands around a record",
    "of it, a turn's neighbours",
    "of it, half the weight and not all",
    "stop words are left out",
    "slips",
    "vector arm",
    "linear ranker",
    "diversity",
)
SLIPS = ("slips",)


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """A dataset, the steps that it has something to say of, and what holds while it is measured."""

    data: Dataset
    steps: Sequence[str]
    during: Off = nullcontext


def trials(folder: Path) -> Iterator[tuple[str, Callable[[], Trial]]]:
    """Each by its name; made when it is wanted."""

    def load(name: str) -> Dataset:
        return load_dataset(name, folder)

    def talks(everyday: bool) -> Dataset:
        return only_cases(
            load_dataset("probes", TALKS), lambda case: (case.id >= EVERYDAY) == everyday
        )

    yield "LoCoMo turns", lambda: Trial(data=load("locomo-turns"), steps=USUAL)
    yield "BEAM 100K", lambda: Trial(data=load("beam-100k"), steps=USUAL)
    yield "own talks, paraphrased", lambda: Trial(data=talks(everyday=False), steps=USUAL)
    yield "own talks, everyday", lambda: Trial(data=talks(everyday=True), steps=USUAL)
    yield "six languages", lambda: Trial(data=languages(), steps=USUAL[:6])
    yield (
        "LoCoMo, a slip in each question",
        lambda: Trial(data=asked(load("locomo-turns"), misspelt), steps=SLIPS),
    )
    yield (
        "own talks, a slip in each question",
        lambda: Trial(data=asked(load_dataset("probes", TALKS), misspelt), steps=SLIPS),
    )
    yield (
        "LoCoMo, questions that name a time",
        lambda: Trial(data=naming_a_time(load("locomo-turns")), steps=("time arm",)),
    )
    yield (
        "BEAM, questions that name a time",
        lambda: Trial(data=naming_a_time(load("beam-100k")), steps=("time arm",)),
    )
    yield (
        "own talks, questions that name a time",
        lambda: Trial(data=naming_a_time(load_dataset("probes", TALKS)), steps=("time arm",)),
    )
    yield (
        "LoCoMo items",
        lambda: Trial(
            data=linked(load("locomo-items")), steps=("entity arm", "order of trust", "diversity")
        ),
    )
    yield (
        "LoCoMo items, people by another name",
        lambda: Trial(
            data=renamed(load("locomo-items")), steps=("entity arm",), during=known_by_name
        ),
    )
    yield (
        "LoCoMo items among leaflets",
        lambda: Trial(data=with_leaflets(load("locomo-items")), steps=("order of trust",)),
    )
    yield (
        "LoCoMo turns kept twice, the first ten",
        lambda: Trial(data=twice(load("locomo-turns")), steps=("diversity",), during=ten),
    )
    yield (
        "own talks kept twice, the first ten",
        lambda: Trial(data=twice(talks(everyday=True)), steps=("diversity",), during=ten),
    )


def languages() -> Dataset:
    """The talks of the tests in six languages."""
    each = [load_dataset("probes", path) for path in sorted(LANGUAGES.glob("talk-??.jsonl"))]
    return replace(each[0], cases=tuple(case for data in each for case in data.cases))


def only_cases(data: Dataset, wanted: Callable[[Case], bool]) -> Dataset:
    """Some of the cases."""
    return replace(data, cases=tuple(filter(wanted, data.cases)))


def asked(data: Dataset, change: Callable[[str], str]) -> Dataset:
    """The same questions in other words."""
    cases = (
        replace(
            case, probes=tuple(replace(probe, text=change(probe.text)) for probe in case.probes)
        )
        for case in data.cases
    )
    return replace(data, cases=tuple(cases))


def misspelt(question: str) -> str:
    """With two letters in the middle of its longest word written the wrong way round."""
    word = max(question.replace("?", " ").split(), key=len)
    places = [
        n
        for n in range(1, len(word) - 1)
        if word[n : n + 2].isalpha() and word[n].lower() != word[n + 1].lower()
    ]
    if not places:
        return question
    at = places[len(places) // 2]
    return question.replace(word, word[:at] + word[at + 1] + word[at] + word[at + 2 :], 1)


def naming_a_time(data: Dataset) -> Dataset:
    """Those questions alone."""

    def named(case: Case, probe: Probe) -> bool:
        said = [message.at for talk in case.talks for message in talk.messages if message.at]
        return find_interval(probe.text, probe.at or max(said, default=LATER)) is not None

    cases = (
        replace(case, probes=tuple(p for p in case.probes if p.gold and named(case, p)))
        for case in data.cases
    )
    return replace(data, cases=tuple(case for case in cases if case.probes))


def people(case: Case) -> list[str]:
    """Who is spoken of most: the two words with a capital that most notes hold."""
    heads = [
        text.split()[0].removesuffix("'s")
        for _, statement in case.statements
        for text in [statement.text]
    ]
    return sorted(set(heads), key=lambda head: (-heads.count(head), head))[:2]


def linked(data: Dataset) -> Dataset:
    """Items linked to the two people whom they are about, as capture does."""

    def note(statement: Statement, names: Sequence[str]) -> Statement:
        return replace(
            statement,
            entities=[f"person:{name.lower()}" for name in names if name in statement.text],
        )

    return with_statements(
        data, lambda case: tuple((id, note(told, people(case))) for id, told in case.statements)
    )


def with_statements(
    data: Dataset, change: Callable[[Case], tuple[tuple[str, Statement], ...]]
) -> Dataset:
    """With other items."""
    return replace(data, cases=tuple(replace(case, statements=change(case)) for case in data.cases))


def renamed(data: Dataset) -> Dataset:
    """Questions that call the two people by other names, which no text has."""

    def change(case: Case) -> Case:
        names = people(case)
        probes = []
        for probe in case.probes:
            text = probe.text
            for name, other in zip(names, NICKNAMES, strict=True):
                text = text.replace(name, other)
            probes.append(replace(probe, text=text))
        return replace(case, probes=tuple(probes))

    return replace(linked(data), cases=tuple(map(change, linked(data).cases)))


@contextmanager
def known_by_name() -> Iterator[None]:
    """Memories in which the two people, once they are remembered, are known by those other
    names.
    """
    from omoide.evals import measure

    fill = measure.fill

    def and_name(memory: Memory, scope: Scope, case: Case, unit: Any) -> Any:
        filled = fill(memory, scope, case, unit)
        for name, other in zip(people(case), NICKNAMES, strict=True):
            memory.entities.name(f"person:{name.lower()}", other, scope)
        return filled

    with patch.object(measure, "fill", and_name):
        yield


def with_leaflets(data: Dataset) -> Dataset:
    """For each question an imported item that repeats it and answers it wrongly."""

    def change(case: Case) -> tuple[tuple[str, Statement], ...]:
        texts = dict.fromkeys(
            f"{probe.text} It was on the ferry, says the leaflet." for probe in case.probes
        )
        leaflets = (Statement(text=text, details=Details(source=Source.IMPORT)) for text in texts)
        return (
            *case.statements,
            *((f"leaflet-{n}", leaflet) for n, leaflet in enumerate(leaflets)),
        )

    return with_statements(data, change)


def twice(data: Dataset) -> Dataset:
    """Every talk stands there twice, as an export beside what was kept as it was said; either of a
    turn is right.
    """
    again = (
        replace(
            case,
            talks=(*case.talks, *(replace(talk, id=f"{talk.id} again") for talk in case.talks)),
        )
        for case in data.cases
    )
    return replace(data, cases=tuple(again))


def ten() -> AbstractContextManager[Any]:
    """Ten hits, so that a repeat takes the place of something else."""
    return patch("omoide.evals.systems.DEPTH", 10)


def measured(trial: Trial) -> Iterator[str]:
    """A line of the table for each step."""
    with trial.during():
        whole = run(trial.data)
        for step in trial.steps:
            with ExitStack() as stack:
                stack.enter_context(STEPS[step]())
                less = run(trial.data)
            told = {d.metric: d for d in compare(less, whole)}
            gains = (told["R@10"], told["NDCG@10"], told["hit@1"])
            cells = (
                f"{100 * d.other:.1f}: {100 * d.difference:+.1f}{'*' * (d.p < CHANCE)} (p"
                f" {d.p:.3f})"
                for d in gains
            )
            yield f"| {step} | {told['R@10'].n} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", help="the name of one dataset")
    given = parser.parse_args()
    known = tuple(dict(trials(given.data)))
    if given.only not in (None, *known):
        parser.error(f"--only is one of: {'; '.join(known)}")
    for name, make in trials(given.data):
        if given.only in (None, name):
            print(
                f"\n{name}\n| step | n | R@10 | NDCG@10 | hit@1 |\n|---|---:|---:|---:|---:|",
                flush=True,
            )
            for line in measured(make()):
                print(line, flush=True)


if __name__ == "__main__":
    main()
