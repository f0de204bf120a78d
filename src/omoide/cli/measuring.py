"""Commands that measure: eval on data sets, probe on the store in use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from omoide.cli.bars import measured, progress
from omoide.cli.given import within_folder
from omoide.cli.here import Here
from omoide.cli.options import (
    Baselines,
    ContextTokens,
    DataFolder,
    Dataset,
    Elsewhere,
    LearningData,
    LearningFolder,
    OtherEmbedder,
    OtherModel,
    OtherPrompts,
    OtherReranker,
    OtherResults,
    ProbeResultsFile,
    ProbesMost,
    Questions,
    QuestionsFile,
    QuestionsTarget,
    RerankerOfBest,
    Results,
    ResultsFile,
    Seed,
    SeedOfChoice,
    Stories,
    SystemOfOne,
    SystemOfOther,
    Systems,
    SystemsOrArms,
    TriedEmbedder,
)
from omoide.cli.show import console, table
from omoide.nouns.errors import InvalidInput, ModelMissing
from omoide.nouns.record.lines import counted

if TYPE_CHECKING:
    from omoide.evals import Difference, DocumentUnit, MetricScores, Report, RightHeld, Summary
    from omoide.evals.extraction import Told
    from omoide.evals.gold import Gold, Story
    from omoide.models.chat.base import ChatModel


SHOWN = ("R@1", "R@5", "R@10", "R@20", "hit@10", "all@10", "NDCG@10", "MRR")
BY_CATEGORY = ("R@10", "NDCG@10")
SURE = 0.05  # a difference that chance makes less often than this is marked

PROBES = Path("omoide.probes.jsonl")


def run(
    here: Here,
    dataset: Dataset,
    data: DataFolder = None,
    system: Systems = None,
    baselines: Baselines = False,
    embedder: OtherEmbedder = None,
    reranker: RerankerOfBest = None,
    limit: Questions = None,
    elsewhere: Elsewhere = False,
    out: ResultsFile = None,
    seed: Seed = 0,
) -> None:
    """Measure recall on a dataset, in temporary stores. An interrupted run resumes where it
    stopped.
    """
    from omoide import evals

    config = here.settings
    loaded = evals.load_dataset(dataset, data)
    setup = evals.Setup(
        systems=_systems(loaded.unit, system or [], baselines=baselines),
        limit=limit,
        elsewhere=elsewhere,
        embedder=embedder or config.embedder,
        reranker=reranker or config.reranker,
    )
    target = _to_write(out or Path(f"{dataset}.eval.json"))
    begun = target.with_name(target.name + ".part")
    with measured(dataset) as tell:
        report = evals.run(loaded, setup, resume=begun, tell=tell)
    _keep(here, report, target, seed)
    begun.unlink(missing_ok=True)  # the same run may have been started twice


def _systems(unit: DocumentUnit, named: Sequence[str], *, baselines: bool) -> tuple[str, ...]:
    """The systems to measure: those that are named, and baselines that fit the unit."""
    from omoide import evals

    beside = evals.BASELINES if baselines else ()
    if unit is evals.DocumentUnit.SESSION:
        beside = tuple(name for name in beside if name not in evals.OF_TURNS)
    return tuple(dict.fromkeys((*(named or ("default",)), *beside)))


def _keep(here: Here, report: Report, target: Path, seed: int) -> None:
    """Write results with their summaries to a file, and show them."""
    from omoide import evals

    summaries = evals.summarise(report, seed=seed)
    evals.save(report, target, summaries)
    here.tell(summaries, partial(_show, report))


def contexts(
    here: Here,
    dataset: Annotated[str, Argument(help="As of eval run.")],
    data: DataFolder = None,
    budget: ContextTokens = 2_000,
    limit: Questions = None,
) -> None:
    """Measure how much of the evidence contexts of a size hold."""
    from omoide import evals

    loaded = evals.load_dataset(dataset, data)
    with measured(dataset) as tell:
        held = evals.held_in_contexts(loaded, budget, evals.Setup(limit=limit), tell)

    def row(one: RightHeld) -> tuple[str, ...]:
        shares = (f"{100 * part:.1f} %" for part in (one.share, one.any, one.all))
        return one.category, str(one.questions), *shares, f"{one.tokens:.0f}", f"{one.ms:.0f}"

    heads = ("category", "n", "share of evidence", "some", "all", "tokens", "ms")
    here.tell(held, lambda held: table(heads, map(row, held)))


def show(here: Here, path: Results, seed: Seed = 0) -> None:
    """Show results again."""
    from omoide import evals

    report = evals.load(path)
    summaries = evals.summarise(report, seed=seed)
    here.tell(summaries, partial(_show, report))


def compare(
    here: Here,
    one: Results,
    other: OtherResults,
    system: SystemOfOne = "",
    against: SystemOfOther = "",
    seed: Annotated[int, Option(help="Of the drawing.")] = 0,
) -> None:
    """Compare two systems question by question, and say how likely chance explains each
    difference.
    """
    from omoide import evals

    found = evals.compare(
        evals.load(one), evals.load(other), system=system, against=against, seed=seed
    )
    here.tell(found, _show_differences)


def _show_differences(found: Sequence[Difference]) -> None:
    from rich.text import Text

    rows = [
        (
            d.metric,
            f"{100 * d.one:.1f}",
            f"{100 * d.other:.1f}",
            Text(f"{100 * d.difference:+.1f}", style="bold" if d.p < SURE else ""),
            f"{100 * d.low:+.1f} to {100 * d.high:+.1f}",
            f"{d.p:.4f}",
        )
        for d in found
    ]
    table(("", "one", "other", "difference", "95 %", "p"), rows)
    tested = "in percent; paired permutation test, two-sided"
    console.print(f"{counted(found[0].n, 'question')}, {tested}", style="dim")


def make_probes(
    here: Here, path: QuestionsTarget = PROBES, count: ProbesMost = 200, seed: SeedOfChoice = 0
) -> None:
    """Make questions from what is remembered, without a model. The file holds words of your memory:
    keep it as private as that.
    """
    from omoide import evals

    _to_write(path)
    with here.opened() as memory:
        probes = evals.make_probes(memory, here.scope, count=count, seed=seed)
    evals.save_probes(probes, path)
    told = {"file": str(path), "questions": len(probes)}
    why = "for your eyes only: they are made of words of your memory"
    here.tell(told, f"{counted(len(probes), 'question')} in {path}, {why}")


def run_probes(
    here: Here,
    path: QuestionsFile = PROBES,
    system: SystemsOrArms = None,
    embedder: TriedEmbedder = "",
    reranker: OtherReranker = None,
    limit: Questions = None,
    out: ProbeResultsFile = None,
    seed: Seed = 0,
) -> None:
    """Ask the store in use the questions; eval compare compares two results. No answer of others
    changes, and no use is counted.
    """
    from omoide import evals

    if not path.exists():
        raise InvalidInput(str(path), "does not exist; omoide probe make makes it")
    target = _to_write(out or _results_of(path, embedder))
    setup = evals.Setup(
        systems=tuple(dict.fromkeys(system or ("default",))),
        embedder=embedder,
        reranker=reranker or here.settings.reranker,
        limit=limit,
    )
    dataset = evals.load_dataset("probes", path)
    with here.opened() as memory, measured("probes") as told:
        report = evals.run_live(memory, dataset, here.scope, setup=setup, tell=told)
    _keep(here, report, target, seed)
    left = min(dataset.questions, limit or dataset.questions) - report.questions
    if left and not here.as_json:
        why = "made of what was forgotten, corrected or closed"
        typer.echo(f"{counted(left, 'question')} left out: {why}")


def drop_vectors(here: Here) -> None:
    """Erase vectors of embedders that you tried, and of the one before the last change."""
    from omoide import evals

    with here.opened() as memory:
        dropped = evals.drop_tried(memory)
    here.tell({"dropped": dropped}, f"{counted(dropped, 'vector')} erased")


def _to_write(path: Path) -> Path:
    """The path of a file that can be written once all is measured; said before."""
    if path.is_dir():
        raise InvalidInput(str(path), "is a folder; name a file")
    return within_folder(path)


def _results_of(path: Path, embedder: str) -> Path:
    """Beside the questions; results of a trial under its embedder's name, so that they replace no
    others.
    """
    tried = "".join(char if char.isalnum() else "-" for char in embedder)
    parts = (path.name.removesuffix(".jsonl"), tried, "eval.json")
    return path.with_name(".".join(filter(None, parts)))


def _show(report: Report, summaries: Sequence[Summary]) -> None:
    table(("", "n", *SHOWN), (_row(s.system, s.overall) for s in summaries))
    console.print()
    systems = (s.system for s in summaries)
    table((" / ".join(BY_CATEGORY), "n", *systems), _by_category(summaries))
    console.print()
    table(
        ("", "p50 ms", "p95 ms", "p50 of the processor", "tokens", "of it, in ms"),
        map(_cost, summaries),
    )
    _show_calibrations(summaries)
    console.print()
    for name, note in ((s.system, note) for s in summaries for note in s.degraded):
        console.print(f"{name}: {note}", style="yellow")
    console.print(_about(report), style="dim")


def _cost(s: Summary) -> tuple[str, ...]:
    times = (f"{ms:.1f}" for ms in (s.p50_ms, s.p95_ms, s.p50_cpu_ms))
    return s.system, *times, f"{s.tokens:.0f}", _steps(s)


def _show_calibrations(summaries: Sequence[Summary]) -> None:
    """How well each system tells what it holds from what it does not, where that was measured."""
    told = [(s.system, category, c) for s in summaries for category, c in s.calibrations.items()]
    if not told:
        return
    console.print()
    rows = (
        (
            name,
            category,
            f"{c.held} + {c.absent}",
            f"{c.auroc:.3f}",
            f"{c.bound:.2f}",
            f"{100 * c.false_yes:.0f} %",
        )
        for name, category, c in told
    )
    false = "not held, where 95 % of the held are let through"
    table(("answerable", "without an answer", "held + not", "AUROC", "bound", false), rows)


def _about(report: Report) -> str:
    """What was measured, how large it was, and by which models."""
    filled = report.filling
    return (
        f"{report.dataset}, by {report.unit.value}, {counted(report.cases, 'conversation')},"
        f" {counted(report.questions, 'question')}, data {report.data[:12]}; in percent."
        f" {counted(filled.documents, 'document')} in {filled.ingest_s:.1f} s, their vectors in"
        f" {filled.vectors_s:.1f} s. omoide {report.version}, embedder {report.setup.embedder},"
        f" reranker {report.setup.reranker or 'minilm'}; {report.machine}"
    )


def _row(name: str, scores: MetricScores) -> tuple[str, ...]:
    cells = (scores.metrics.get(metric) for metric in SHOWN)
    return (
        name,
        str(scores.n),
        *("" if e is None else f"{100 * e.value:.1f} ±{50 * (e.high - e.low):.1f}" for e in cells),
    )


def _by_category(summaries: Sequence[Summary]) -> Iterator[tuple[str, ...]]:
    """A row for each category and for their means, a column for each system."""
    first = summaries[0]
    yield ("mean of categories", str(first.macro.n), *(_pair(s.macro) for s in summaries))
    yield from (
        (name, str(scores.n), *(_pair(s.categories[name]) for s in summaries))
        for name, scores in first.categories.items()
    )
    if first.everything.n != first.overall.n:
        yield (
            "all, with those set apart",
            str(first.everything.n),
            *(_pair(s.everything) for s in summaries),
        )


def _pair(scores: MetricScores) -> str:
    return " / ".join(
        f"{100 * scores.metrics[metric].value:.1f}"
        for metric in BY_CATEGORY
        if metric in scores.metrics
    )


def _steps(summary: Summary) -> str:
    return ", ".join(f"{name} {ms:.1f}" for name, ms in summary.steps_ms.items())


def extract(
    here: Here,
    dataset: LearningData,
    data: LearningFolder = None,
    llm: OtherModel = "",
    story: Stories = None,
    prompts: OtherPrompts = None,
) -> None:
    """Measure learning from conversations with the checks on and, in a second memory, off."""
    from dataclasses import replace

    from omoide.evals.extraction import learn
    from omoide.evals.gold import load_gold
    from omoide.learning.teaching import load_teaching
    from omoide.models.prompts import prompts_from

    config = here.settings
    model, gold = _model_of(llm, config.llm), load_gold(dataset, data)
    stories = _stories(gold, story)
    versions = [nullcontext(), *([prompts_from(prompts)] if prompts else ())]
    told: list[Told] = []
    with progress(dataset) as step:
        for version in versions:
            with version:
                told += [
                    learn(one, model, load_teaching(replace(config, llm="")), tell=lambda: step(1))
                    for one in stories
                ]
    about = f"{dataset}, data {gold.hash[:12]}, model {model.id}"
    here.tell(told, partial(_show_told, about))


def _model_of(named: str, usual: str) -> ChatModel:
    """The language model to measure; for "none", one that suggests nothing.

    Raises:
        ModelMissing: none is named.
    """
    from omoide.models.chat.registry import load_chat
    from omoide.models.chat.scripted import ScriptedModel

    if named == "none":
        return ScriptedModel(lambda ask: {"items": []}, id=named)
    model = load_chat(named or usual)
    if model is None:
        raise ModelMissing("name a language model by --llm or OMOIDE_LLM")
    return model


def _stories(gold: Gold, named: Sequence[str] | None) -> list[Story]:
    """The stories that are named, or all.

    Raises:
        InvalidInput: there is none of these.
    """
    stories = [one for one in gold.stories if not named or one.id in named]
    if not stories:
        raise InvalidInput("story", f"there are {', '.join(one.id for one in gold.stories)}")
    return stories


_FIGURES = {
    "precision": "right, of what was learned",
    "recall": "learned, of what was worth it",
    "grounded": "no check objected to",
    "noise": "learned from noise",
    "updated": "changes: the new is told",
    "stale": "changes: the old is told",
    "resolved": "conflicts: the later word is told",
    "profile": "what is true in the end is told",
    "periods": "what was true for a while is told as of then",
    "growth": "items for 100 turns",
    "again_new": "new when learned again",
    "again_changed": "changed when learned again",
    "calls": "model calls for a session",
    "tokens": "tokens asked for a token said",
    "tokens_all": "… with those of decisions",
}


def _show_told(about: str, told: Sequence[Told]) -> None:
    _show_figures(told)
    counts = ", ".join(
        f"{one.story}: {counted(one.turns, 'turn')}, {counted(len(one.suggested), 'suggestion')}"
        for one in told
    )
    console.print(f"{about}; {counts}", style="dim")
    if left := sum(one.unanswered for one in told):
        asked = f"{counted(left, 'question')} of the memory without checks"
        console.print(f"{asked} had no answer: all that they were about was added", style="dim")


def _show_figures(told: Sequence[Told]) -> None:
    """A column for each story, with the checks on and off."""
    from omoide.evals.extraction import figures

    sides = [(one, checks) for one in told for checks in (True, False)]
    measured = [figures(one, checks=checks) for one, checks in sides]
    rows = [
        (label, *(_figure(name, getattr(found, name)) for found in measured))
        for name, label in _FIGURES.items()
    ]
    times = (
        f"{1000 * one.seconds / max(1, one.turns):.1f}" if checks else "" for one, checks in sides
    )
    heads = (f"{_head(one, told)}, checks on" if checks else "checks off" for one, checks in sides)
    rows += [
        (f"{purpose}: calls, tokens asked and told, for a session", *_all_spent(sides, purpose))
        for purpose in dict.fromkeys(name for one in told for name in one.spent)
    ]
    table(("", *heads), [*rows, ("own time for a turn, ms", *times)])


def _all_spent(sides: Sequence[tuple[Told, bool]], purpose: str) -> list[str]:
    return [_spent(one, purpose) if checks else "" for one, checks in sides]


def _spent(one: Told, purpose: str) -> str:
    """What a purpose took, as a mean of sessions."""
    spent = one.spent.get(purpose)
    if spent is None:
        return "–"
    asked, told = (
        tokens / max(1, one.sessions) for tokens in (spent.asked_tokens, spent.told_tokens)
    )
    return f"{spent.calls / max(1, one.sessions):.1f}, {asked:.0f}, {told:.0f}"


def _head(one: Told, told: Sequence[Told]) -> str:
    """A story, with the versions of the prompts where several are compared."""
    several = len({other.prompts for other in told}) > 1
    return f"{one.story} ({one.prompts})" if several else one.story


def _figure(name: str, value: float | int | None) -> str:
    if value is None:
        return "–"
    if name.startswith("tokens"):
        return f"{value:.2f}"
    if isinstance(value, int):
        return str(value)
    return f"{value:.1f}" if name in ("growth", "calls") else f"{100 * value:.1f} %"
