"""The command that measures learning: eval extract."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.session import AsJson, print_json, progress, settings

if TYPE_CHECKING:
    from omoide.evals.extraction import Told


def extract(
    context: typer.Context,
    dataset: Annotated[str, typer.Argument(help="locomo, cri, or cri-telling: the sessions of cri that tell of changes.")],
    data: Annotated[Path | None, typer.Option(help="Folder of the data.", envvar="OMOIDE_EVAL_DATA")] = None,
    llm: Annotated[str, typer.Option(help="Another model than the one set, such as cassette:FILE; none: only count what is asked.")] = "",
    story: Annotated[list[str] | None, typer.Option("--story", help="Only these stories of it; may be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what is learnt from talk: what it is right about, what it misses, and what the checks keep out."""
    from dataclasses import replace

    from omoide.errors import InvalidInput, ModelMissing
    from omoide.evals.extraction import learn
    from omoide.evals.gold import load_gold
    from omoide.models.chats import load_chat
    from omoide.models.scripted import ScriptedModel
    from omoide.upkeep.teaching import load_teaching

    config = settings(context)
    model = ScriptedModel(lambda ask: {"items": []}, id=llm) if llm == "none" else load_chat(llm or config.llm)
    if model is None:
        raise ModelMissing("name a language model by --llm or OMOIDE_LLM")
    gold = load_gold(dataset, data)
    stories = [one for one in gold.stories if not story or one.id in story]
    if not stories:
        raise InvalidInput("story", f"there are {', '.join(one.id for one in gold.stories)}")
    with progress(dataset) as step:
        told = [learn(one, model, load_teaching(replace(config, llm="")), tell=lambda: step(1)) for one in stories]
    print_json(told) if as_json else _show(told, f"{dataset}, data {gold.hash[:12]}, model {model.id}")


def _show(told: Sequence[Told], about: str) -> None:
    from omoide.cli.show import console, counted, table
    from omoide.evals.extraction import figures

    names = {
        "precision": "right, of what was learnt",
        "precision_unchecked": "… of all that was suggested",
        "recall": "learnt, of what was worth it",
        "recall_unchecked": "… suggested",
        "grounded": "no check objected to",
        "noise": "learnt from noise",
        "updated": "changes: the new is told",
        "stale": "changes: the old is told",
        "resolved": "conflicts: the later word is told",
        "profile": "what is true in the end is told",
        "periods": "what was true for a while is told as of then",
        "growth": "items for 100 turns",
        "calls": "model calls for a session",
        "tokens": "tokens asked for a token said",
        "tokens_all": "… with those of decisions",
    }
    found = [figures(one) for one in told]
    shown = [(label, *(_figure(name, getattr(one, name)) for one in found)) for name, label in names.items()]
    again = ("learnt again: new, changed", *(f"{one.again_new}, {one.again_changed}" for one in told))
    overhead = ("own time for a turn, ms", *(f"{1000 * one.seconds / max(1, one.turns):.1f}" for one in told))
    table(("", *(one.story for one in told)), [*shown, again, overhead])
    counts = ", ".join(f"{one.story}: {counted(one.turns, 'turn')}, {counted(len(one.suggested), 'suggestion')}" for one in told)
    console.print(f"{about}; {counts}", style="dim")


def _figure(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    if name.startswith("tokens"):
        return f"{value:.2f}"
    return f"{value:.1f}" if name in ("growth", "calls") else str(value) if name == "noise" else f"{100 * value:.1f} %"
