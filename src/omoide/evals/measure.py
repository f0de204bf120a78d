"""A dataset through the product: each case into a memory of its own by the public verbs, then its
questions.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import omoide
from omoide.evals.dataset import (
    Case,
    Dataset,
    DocumentUnit,
    Probe,
    hash_of,
    limited,
    with_elsewhere,
)
from omoide.evals.report import Filling, QuestionOutcome, Report, Run, Setup, run_of
from omoide.evals.stage import named, story_memory
from omoide.evals.systems import (
    CONTEXTS,
    KEYWORDS,
    OF_TURNS,
    SYSTEMS,
    FoundDocuments,
    System,
    assembling,
    recalling,
    searching,
)
from omoide.memory import Memory
from omoide.models import load_reranker
from omoide.models.base import Reranker
from omoide.models.rerankers.judge import Judge
from omoide.nouns.clock import StoryClock
from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.write.remember import Statement

USUAL = Setup()
DAY = timedelta(days=1)
USER = "user"  # whose memory a case is; its tenant is the case's id
Tell = Callable[[int, int], None]


@frozen_record
class CaseResult:
    """What one case gave."""

    case: str
    filling: Filling
    runs: tuple[Run, ...]


def run(
    dataset: Dataset,
    setup: Setup = USUAL,
    *,
    store: str = "",
    resume: Path | None = None,
    tell: Tell = lambda more, total: None,
) -> Report:
    """Measure systems on a dataset: nothing but ``Memory``'s verbs fills the memories and answers.

    ``store`` is the address of an empty store to fill; else each case gets a temporary file.
    ``resume`` names a file for what is done so far: each case is added to it when it is finished,
    and a run that finds its own file goes on from there. ``tell`` is called with how many more
    answers there are, and how many there will be.

    Raises:
        UnknownName: no such system, embedder or reranker.
        InvalidInput: the data cannot be measured like this, or ``resume`` is of another run.
    """
    dataset = _prepared(dataset, setup)
    total = dataset.questions * len(setup.systems)
    parts = _begun(resume, _mark(dataset, setup))
    tell(sum(len(run.outcomes) for part in parts for run in part.runs), total)
    done = {part.case for part in parts}
    for case in (case for case in dataset.cases if case.id not in done):
        # else one system's questions would be ready for the next
        embedder, reranker = named(setup.embedder, cache=0), measured(setup.reranker)
        with story_memory(embedder, store, reranker=reranker) as (memory, clock):
            asking = _Asking(memory, clock, case, dataset.unit)
            parts.append(asking.measured(setup.systems, lambda: tell(1, total)))
        _keep(resume, parts[-1])
    return Report(
        dataset=dataset.name,
        unit=dataset.unit,
        data=dataset.hash,
        cases=len(dataset.cases),
        questions=dataset.questions,
        version=version(),
        machine=machine("Postgres" if store.startswith("postgres") else "SQLite"),
        setup=setup,
        filling=_sum([part.filling for part in parts]),
        runs=tuple(_joined(system, parts) for system in setup.systems),
    )


def _prepared(dataset: Dataset, setup: Setup) -> Dataset:
    _check_systems(setup.systems, dataset.unit)
    alone = (case for case in dataset.cases if not (case.talks or case.statements))
    if any(probe.gold for case in alone for probe in case.probes):
        raise InvalidInput(
            "data",
            "these questions bring no conversation; omoide probe run asks a store that has their"
            " answers",
        )
    dataset = limited(dataset, setup.limit)
    dataset = with_elsewhere(dataset) if setup.elsewhere else dataset
    if len({case.id for case in dataset.cases}) < len(dataset.cases):
        raise InvalidInput("data", "two cases have the same id")
    return dataset


def _check_systems(systems: Sequence[str], unit: DocumentUnit) -> None:
    for system in systems:
        if system not in SYSTEMS:
            raise UnknownName("system", system, SYSTEMS)
    if not systems or len(set(systems)) < len(systems):
        raise InvalidInput("systems", "name at least one, and each once")
    if unit is DocumentUnit.SESSION and (of_turns := set(OF_TURNS).intersection(systems)):
        raise InvalidInput("systems", f"{min(of_turns)} is about turns, not sessions")


def measured(reranker: str) -> Reranker | None:
    """The reranker of that name.

    Raises:
        InvalidInput: it asks a language model, and measuring asks none.
        UnknownName: there is none.
    """
    loaded = load_reranker(reranker)
    if isinstance(loaded, Judge):
        raise InvalidInput(
            "reranker",
            f"{reranker!r} asks a language model, and no measurement does; name another one",
        )
    return loaded


@dataclass(frozen=True, slots=True)
class _Asking:
    """A case, and the memory that it is put into."""

    memory: Memory
    clock: StoryClock
    case: Case
    unit: DocumentUnit

    def measured(self, systems: Sequence[str], tell: Callable[[], None]) -> CaseResult:
        """What the case gives."""
        case, told = self.case, _told(self.case) or self.clock.at
        self.clock.at = told
        scope = Scope(tenant=case.id, user=USER)
        ids, filling = fill(self.memory, scope, case, self.unit)
        probes = [(case.id, probe) for probe in case.probes]
        runs = []
        for name in systems:
            ask = system_of(name, self.memory, scope, case, self.unit, ids)
            runs.append(asked(name, _in_time(ask, self.clock, told), probes, tell))
        return CaseResult(case=case.id, filling=filling, runs=tuple(runs))


def system_of(
    name: str, memory: Memory, scope: Scope, case: Case, unit: DocumentUnit, ids: Mapping[str, str]
) -> System:
    """The system of a name, over a memory that holds a case."""
    if name in KEYWORDS:
        return searching(case, name, unit)
    if name in CONTEXTS:
        return assembling(memory, scope, name, ids)
    return recalling(memory, scope, name, unit, ids)


def _in_time(ask: System, clock: StoryClock, told: datetime) -> System:
    """The same system, each question asked at its time; all that was said is known by then."""

    def asking(probe: Probe) -> FoundDocuments:
        clock.at = max(probe.at or told + DAY, told)
        return ask(probe)

    return asking


def _told(case: Case) -> datetime | None:
    """When the last message was; if none says so, the day before the first question."""
    said = [message.at for talk in case.talks for message in talk.messages if message.at]
    asked = [probe.at - DAY for probe in case.probes if probe.at]
    return max(said) if said else min(asked, default=None)


def fill(
    memory: Memory, scope: Scope, case: Case, unit: DocumentUnit
) -> tuple[dict[str, str], Filling]:
    """The case in the memory, and the document that each record belongs to."""
    since = time.perf_counter()
    ids: dict[str, str] = {}
    for talk in case.talks:
        logged = memory.ingest(talk, scope)
        keys = [message.key for message in talk.messages if message.text.strip()]
        ids |= {
            turn: talk.id if unit is DocumentUnit.SESSION else str(key)
            for turn, key in zip(logged.turns, keys, strict=True)
        }
    for id, said in case.statements:
        ids.setdefault(_remembered(memory, scope, said), id)
    logged_s = time.perf_counter() - since
    memory.admin.tidy(only=["vectors"])
    took = time.perf_counter() - since
    count = sum(len(talk.messages) for talk in case.talks) + len(case.statements)
    return ids, Filling(documents=count, ingest_s=logged_s, vectors_s=took - logged_s)


def _remembered(memory: Memory, scope: Scope, said: Statement) -> str:
    """The id of the item that a statement becomes."""
    made = memory.remember(
        said.text,
        scope,
        category=said.category,
        tags=said.tags,
        entities=said.entities,
        due_at=said.due_at,
        details=said.details,
    )
    return made.id


def asked(
    system: str, ask: System, probes: Sequence[tuple[str, Probe]], tell: Callable[[], None]
) -> Run:
    """What a system answers, each question with its case."""
    if probes:
        ask(probes[0][1])  # not counted: the first question loads the partition
    answers: list[FoundDocuments] = []
    for _, probe in probes:
        answers.append(ask(probe))
        tell()
    outcomes = (outcome_of(*asked, got) for asked, got in zip(probes, answers, strict=True))
    return _run(system, outcomes, answers)


def _run(
    system: str, outcomes: Iterable[QuestionOutcome], parts: Sequence[FoundDocuments | Run]
) -> Run:
    """A system's run, with what the parts of it took and had to do without."""
    steps = Counter[str]()
    for part in parts:
        steps.update(part.steps)
    degraded = dict.fromkeys(chain.from_iterable(part.degraded for part in parts))
    return Run(system=system, outcomes=tuple(outcomes), steps=dict(steps), degraded=tuple(degraded))


def outcome_of(case: str, probe: Probe, findings: FoundDocuments) -> QuestionOutcome:
    """What an answer comes to."""
    return QuestionOutcome(
        case=case,
        probe=probe.id,
        category=probe.category,
        gold=len(probe.gold),
        places=tuple(rank for rank, id in enumerate(findings.found, start=1) if id in probe.gold),
        found=findings.found,
        held=probe.held,
        apart=probe.apart,
        ms=round(findings.ms, 3),
        cpu_ms=round(findings.cpu_ms, 3),
        tokens=findings.tokens,
        answerable=findings.answerable,
    )


@cache
def version() -> str:
    """Omoide's version, and a hash of its files, which tells apart what has not been released."""
    package = Path(omoide.__file__).parent
    files = sorted(path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return f"{omoide.__version__}+{hash_of(path.read_bytes() for path in files)[:8]}"


def machine(engine: str) -> str:
    """What a run ran on."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{engine}, Python {platform.python_version()}, {os.cpu_count()} processors{load}"


def _sum(fillings: Sequence[Filling]) -> Filling:
    return Filling(
        documents=sum(f.documents for f in fillings),
        ingest_s=round(sum(f.ingest_s for f in fillings), 3),
        vectors_s=round(sum(f.vectors_s for f in fillings), 3),
    )


def _joined(system: str, parts: Sequence[CaseResult]) -> Run:
    runs = [run for part in parts for run in part.runs if run.system == system]
    return _run(system, (outcome for one in runs for outcome in one.outcomes), runs)


def _mark(dataset: Dataset, setup: Setup) -> dict[str, Any]:
    """What tells one run from another."""
    return {
        "dataset": dataset.name,
        "data": dataset.hash,
        "version": version(),
        "setup": asdict(setup) | {"systems": [*setup.systems]},
    }


def _begun(path: Path | None, mark: Mapping[str, Any]) -> list[CaseResult]:
    """What is done already; the file begun if there is none."""
    if path is None:
        return []
    lines = path.read_text("utf-8").split("\n") if path.exists() else []
    if len(lines) < 3:  # no case is done, by whatever run began it
        path.write_text(json.dumps(mark) + "\n", "utf-8")
        return []
    whole = lines[:-1]  # what follows the last line break was cut off by whatever ended the run
    done = _parts(path, whole, mark)
    path.write_text("".join(line + "\n" for line in whole), "utf-8")
    return done


def _parts(path: Path, lines: Sequence[str], mark: Mapping[str, Any]) -> list[CaseResult]:
    """What the lines of a file hold of a run, behind its mark."""
    try:
        first, *parts = map(json.loads, lines)
        done = list(map(_part, parts)) if first == mark else []
    except (ValueError, KeyError, TypeError):
        raise InvalidInput("resume", f"{path} is damaged; delete it") from None
    if first != mark:
        told = f"{path} is of another run; delete it, or write the results to another file"
        raise InvalidInput("resume", told)
    return done


def _part(told: Mapping[str, Any]) -> CaseResult:
    return CaseResult(
        case=told["case"], filling=Filling(**told["filling"]), runs=tuple(map(run_of, told["runs"]))
    )


def _keep(path: Path | None, part: CaseResult) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(part)) + "\n")
