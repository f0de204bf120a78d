"""Commands that measure: eval on data sets, probe on the store in use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.root import Group
from omoide.cli.session import AsJson, opened, print_json, scope_of, settings, tell, within_folder

if TYPE_CHECKING:
    from omoide.evals import Report, Scores, Summary

SHOWN = ("R@1", "R@5", "R@10", "R@20", "hit@10", "all@10", "NDCG@10", "MRR")
BY_CATEGORY = ("R@10", "NDCG@10")
SURE = 0.05  # a difference that chance makes less often than this is marked

PROBES = Path("omoide.probes.jsonl")

evaluation = typer.Typer(
    help="Measure how well recall finds what it should, and what is learnt from talk.",
    cls=Group,
    no_args_is_help=True,
)
probing = typer.Typer(
    help="Ask your own memory what it should know, before and after a change of settings.",
    cls=Group,
    no_args_is_help=True,
)


def run(
    context: typer.Context,
    dataset: Annotated[
        str,
        typer.Argument(
            help=(
                "locomo-turns, locomo-items, locomo-sessions, beam-100k, beam-500k,"
                " longmemeval-sessions, longmemeval-turns, "
                "longmemeval-pool or probes (your own)."
            )
        ),
    ],
    data: Annotated[
        Path | None, typer.Option(help="Folder or file of the data.", envvar="OMOIDE_EVAL_DATA")
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system", "-s", help="A preset, or another system; may be repeated. Else: default."
        ),
    ] = None,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="SQLite's full-text search and each arm alone, too.")
    ] = False,
    embedder: Annotated[str | None, typer.Option(help="Another embedder than the one set.")] = None,
    reranker: Annotated[
        str | None, typer.Option(help="Another reranker than the one set, for the preset best.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", help="How many questions at most.")
    ] = None,
    elsewhere: Annotated[
        bool,
        typer.Option(
            "--elsewhere",
            help="Ask each question of the next conversation too, which holds no answer.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where the results go; if not given, DATASET.eval.json."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the drawing for intervals.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure recall on a dataset, in temporary stores. What was stopped goes on where it was when
    run again.
    """
    from omoide import evals

    config = settings(context)
    systems = tuple(
        dict.fromkeys((*(system or ("default",)), *(evals.BASELINES if baselines else ())))
    )
    loaded = evals.load_dataset(dataset, data)
    if loaded.unit is evals.Unit.SESSION and baselines:
        systems = tuple(
            name for name in systems if name not in evals.OF_TURNS or name in (system or ())
        )
    models = {"embedder": embedder or config.embedder, "reranker": reranker or config.reranker}
    setup = evals.Setup(systems=systems, limit=limit, elsewhere=elsewhere, **models)
    target = _to_write(out or Path(f"{dataset}.eval.json"))
    begun = target.with_name(target.name + ".part")
    with _bar(dataset) as tell:
        report = evals.run(loaded, setup, resume=begun, tell=tell)
    summaries = evals.summarise(report, seed=seed)
    evals.save(report, target, summaries)
    begun.unlink(missing_ok=True)  # the same run may have been started twice
    print_json(summaries) if as_json else _show(report, summaries)


def contexts(
    dataset: Annotated[str, typer.Argument(help="As of eval run.")],
    data: Annotated[
        Path | None, typer.Option(help="Folder or file of the data.", envvar="OMOIDE_EVAL_DATA")
    ] = None,
    budget: Annotated[
        int, typer.Option(help="Tokens of a context: 500, 1000, 2000, 4000 or 8000.")
    ] = 2_000,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", help="How many questions at most.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how much of what answers stands in contexts of a size."""
    from omoide import evals
    from omoide.cli.show import table

    loaded = evals.load_dataset(dataset, data)
    with _bar(dataset) as tell:
        held = evals.held_in_contexts(loaded, budget, evals.Setup(limit=limit), tell)
    if as_json:
        print_json(held)
        return
    heads = ("category", "n", "share of evidence", "some", "all", "tokens", "ms")
    rows = (
        (
            one.category,
            str(one.questions),
            *(f"{100 * part:.1f} %" for part in (one.share, one.any, one.all)),
            f"{one.tokens:.0f}",
            f"{one.ms:.0f}",
        )
        for one in held
    )
    table(heads, rows)


def show(
    path: Annotated[Path, typer.Argument(help="Results of eval run.")],
    seed: Annotated[int, typer.Option(help="Of the drawing for intervals.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show results again."""
    from omoide import evals

    report = evals.load(path)
    summaries = evals.summarise(report, seed=seed)
    print_json(summaries) if as_json else _show(report, summaries)


def compare(
    one: Annotated[Path, typer.Argument(help="Results of eval run.")],
    other: Annotated[
        Path, typer.Argument(help="Results to compare with these; may be the same file.")
    ],
    system: Annotated[
        str, typer.Option(help="Which system of the one; if not given, its first.")
    ] = "",
    against: Annotated[
        str, typer.Option(help="Which system of the other; if not given, the one of the same name.")
    ] = "",
    seed: Annotated[int, typer.Option(help="Of the drawing.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Compare two systems question by question, and say how likely chance explains each
    difference.
    """
    from rich.text import Text

    from omoide import evals
    from omoide.cli import show as shown

    found = evals.compare(
        evals.load(one), evals.load(other), system=system, against=against, seed=seed
    )
    if as_json:
        print_json(found)
        return
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
    shown.table(("", "one", "other", "difference", "95 %", "p"), rows)
    shown.console.print(
        f"{found[0].n} questions, in percent; paired permutation test, two-sided", style="dim"
    )


def make_probes(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where the questions go.")] = PROBES,
    count: Annotated[int, typer.Option("--count", "-n", help="How many questions at most.")] = 200,
    seed: Annotated[
        int, typer.Option(help="Of the choice; the same memory and seed give the same questions.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Make questions of what is remembered, without a model. The file holds words of your memory:
    keep it as private as that.
    """
    from omoide import evals

    _to_write(path)
    with opened(context) as memory:
        probes = evals.make_probes(memory, scope_of(context), count=count, seed=seed)
    evals.save_probes(probes, path)
    told = {"file": str(path), "questions": len(probes)}
    tell(
        told,
        f"{len(probes)} questions in {path}, for your eyes only: they are made of words of your"
        " memory",
        as_json=as_json,
    )


def run_probes(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Questions of probe make.")] = PROBES,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", "-s", help="A preset, or an arm alone; may be repeated."),
    ] = None,
    embedder: Annotated[
        str,
        typer.Option(
            help=(
                "An embedder to try: its vectors are made beside those that serve, and kept for the"
                " switch."
            )
        ),
    ] = "",
    reranker: Annotated[str | None, typer.Option(help="Another reranker than the one set.")] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", help="How many questions at most.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Where the results go; if not given, beside the questions."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the drawing for intervals.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Ask the store in use; eval compare compares two results. Nothing that others are answered
    changes, and nothing is counted.
    """
    from omoide import evals
    from omoide.nouns.errors import InvalidInput

    if not path.exists():
        raise InvalidInput(str(path), "does not exist; omoide probe make makes it")
    target = _to_write(out or _results_of(path, embedder))
    config = settings(context)
    systems = tuple(dict.fromkeys(system or ("default",)))
    setup = evals.Setup(
        systems=systems, embedder=embedder, reranker=reranker or config.reranker, limit=limit
    )
    dataset = evals.load_dataset("probes", path)
    with opened(context) as memory, _bar("probes") as told:
        report = evals.run_live(memory, dataset, scope_of(context), setup=setup, tell=told)
    summaries = evals.summarise(report, seed=seed)
    evals.save(report, target, summaries)
    print_json(summaries) if as_json else _show(report, summaries)
    left = min(dataset.questions, limit or dataset.questions) - report.questions
    if left and not as_json:
        typer.echo(
            f"{left} questions are left out: what they were made of is forgotten, corrected or"
            " closed"
        )


def drop_vectors(context: typer.Context, as_json: AsJson = False) -> None:
    """Erase vectors that do not serve: of embedders that were tried, and of the one before the last
    change.
    """
    from omoide import evals

    with opened(context) as memory:
        dropped = evals.drop_tried(memory)
    tell({"dropped": dropped}, f"{dropped} vectors erased", as_json=as_json)


def _to_write(path: Path) -> Path:
    """The path of a file that can be written once all is measured; said before."""
    from omoide.nouns.errors import InvalidInput

    if path.is_dir():
        raise InvalidInput(str(path), "is a folder; name a file")
    return within_folder(path)


def _results_of(path: Path, embedder: str) -> Path:
    """Beside the questions; results of a trial under its embedder's name, so that they replace no
    others.
    """
    tried = "".join(char if char.isalnum() else "-" for char in embedder)
    return path.with_name(
        ".".join(filter(None, (path.name.removesuffix(".jsonl"), tried, "eval.json")))
    )


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """How far it is, on standard error, where that is a terminal: told of more that is done, and of
    how much there is.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task(what)
        yield lambda more, total: bar.update(task, advance=more, total=total)


def _show(report: Report, summaries: Sequence[Summary]) -> None:
    from omoide.cli.show import console, table

    table(("", "n", *SHOWN), (_row(s.system, s.overall) for s in summaries))
    console.print()
    table(
        (f"{' / '.join(BY_CATEGORY)}", "n", *(s.system for s in summaries)), _by_category(summaries)
    )
    console.print()
    costs = (
        (
            s.system,
            f"{s.p50_ms:.1f}",
            f"{s.p95_ms:.1f}",
            f"{s.p50_cpu_ms:.1f}",
            f"{s.tokens:.0f}",
            _steps(s),
        )
        for s in summaries
    )
    table(("", "p50 ms", "p95 ms", "p50 of the processor", "tokens", "of it, in ms"), costs)
    told = [(s.system, category, c) for s in summaries for category, c in s.calibrations.items()]
    if told:
        console.print()
        lines = (
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
        table(
            (
                "answerable",
                "without an answer",
                "held + not",
                "AUROC",
                "bound",
                "not held, where 95 % of the held are let through",
            ),
            lines,
        )
    console.print()
    for name, note in ((s.system, note) for s in summaries for note in s.degraded):
        console.print(f"{name}: {note}", style="yellow")
    filled = report.filling
    console.print(
        f"{report.dataset}, by {report.unit.value}, {report.cases} conversations,"
        f" {report.questions} questions, data {report.data[:12]}; in percent. {filled.documents}"
        f" documents in {filled.ingest_s:.1f} s, their vectors in {filled.vectors_s:.1f} s. omoide"
        f" {report.version}, embedder {report.setup.embedder}, reranker"
        f" {report.setup.reranker or 'minilm'};"
        f" {report.machine}",
        style="dim",
    )


def _row(name: str, scores: Scores) -> tuple[str, ...]:
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


def _pair(scores: Scores) -> str:
    return " / ".join(
        f"{100 * scores.metrics[metric].value:.1f}"
        for metric in BY_CATEGORY
        if metric in scores.metrics
    )


def _steps(summary: Summary) -> str:
    return ", ".join(f"{name} {ms:.1f}" for name, ms in summary.steps_ms.items())
