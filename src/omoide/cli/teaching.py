"""The command that measures learning: eval extract."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.session import AsJson, print_json, progress, settings

if TYPE_CHECKING:
    from omoide.evals.extraction import Told


def extract(
    context: typer.Context,
    dataset: Annotated[
        str,
        typer.Argument(
            help="locomo, cri, or cri-telling: the sessions of cri that tell of changes."
        ),
    ],
    data: Annotated[
        Path | None, typer.Option(help="Folder of the data.", envvar="OMOIDE_EVAL_DATA")
    ] = None,
    llm: Annotated[
        str,
        typer.Option(
            help=(
                "Another model than the one set, such as cassette:FILE; none: only count what is"
                " asked."
            )
        ),
    ] = "",
    story: Annotated[
        list[str] | None, typer.Option("--story", help="Only these stories of it; may be repeated.")
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Folder of other prompts, such as extract.md, to compare with the packaged ones;"
                " those it lacks are the packaged ones."
            )
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what is learnt from talk, with the checks on and, in a second memory that believes
    the model all it says, off.
    """
    from dataclasses import replace

    from omoide.evals.extraction import learn
    from omoide.evals.gold import load_gold
    from omoide.learning.teaching import load_teaching
    from omoide.models.chat.registry import load_chat
    from omoide.models.chat.scripted import ScriptedModel
    from omoide.models.prompts import prompts_from
    from omoide.nouns.errors import InvalidInput, ModelMissing

    config = settings(context)
    model = (
        ScriptedModel(lambda ask: {"items": []}, id=llm)
        if llm == "none"
        else load_chat(llm or config.llm)
    )
    if model is None:
        raise ModelMissing("name a language model by --llm or OMOIDE_LLM")
    gold = load_gold(dataset, data)
    stories = [one for one in gold.stories if not story or one.id in story]
    if not stories:
        raise InvalidInput("story", f"there are {', '.join(one.id for one in gold.stories)}")
    versions: list[AbstractContextManager[None]] = [nullcontext()]
    versions += [prompts_from(prompts)] if prompts else []
    told: list[Told] = []
    with progress(dataset) as step:
        for version in versions:
            with version:
                told += [
                    learn(one, model, load_teaching(replace(config, llm="")), tell=lambda: step(1))
                    for one in stories
                ]
    (
        print_json(told)
        if as_json
        else _show(told, f"{dataset}, data {gold.hash[:12]}, model {model.id}")
    )


def _show(told: Sequence[Told], about: str) -> None:
    from omoide.cli.show import console, counted, table
    from omoide.evals.extraction import figures

    names = {
        "precision": "right, of what was learnt",
        "recall": "learnt, of what was worth it",
        "grounded": "no check objected to",
        "noise": "learnt from noise",
        "updated": "changes: the new is told",
        "stale": "changes: the old is told",
        "resolved": "conflicts: the later word is told",
        "profile": "what is true in the end is told",
        "periods": "what was true for a while is told as of then",
        "growth": "items for 100 turns",
        "again_new": "new when learnt again",
        "again_changed": "changed when learnt again",
        "calls": "model calls for a session",
        "tokens": "tokens asked for a token said",
        "tokens_all": "… with those of decisions",
    }
    sides = [(one, figures(one, checks=checks), checks) for one in told for checks in (True, False)]
    shown = [
        (label, *(_figure(name, getattr(found, name)) for _, found, _ in sides))
        for name, label in names.items()
    ]
    overhead = (
        f"{1000 * one.seconds / max(1, one.turns):.1f}" if checks else ""
        for one, _, checks in sides
    )
    heads = (
        f"{_head(one, told)}, checks on" if checks else "checks off" for one, _, checks in sides
    )
    spent = [
        (
            f"{purpose}: calls, tokens asked and told, for a session",
            *(_spent(one, purpose) if checks else "" for one, _, checks in sides),
        )
        for purpose in dict.fromkeys(name for one in told for name in one.spent)
    ]
    table(("", *heads), [*shown, *spent, ("own time for a turn, ms", *overhead)])
    counts = ", ".join(
        f"{one.story}: {counted(one.turns, 'turn')}, {counted(len(one.suggested), 'suggestion')}"
        for one in told
    )
    console.print(f"{about}; {counts}", style="dim")
    if left := sum(one.unanswered for one in told):
        console.print(
            f"{counted(left, 'question')} of the memory without checks had no answer: all that they"
            " were about was added",
            style="dim",
        )


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
