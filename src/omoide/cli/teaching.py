"""The command that measures learning: eval extract."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import typer

from omoide.cli.options import LearningData, LearningFolder, OtherModel, OtherPrompts, Stories
from omoide.cli.session import AsJson, print_json, progress, settings

if TYPE_CHECKING:
    from omoide.evals.extraction import Told
    from omoide.evals.gold import Gold, Story
    from omoide.models.chat.base import ChatModel


def extract(
    context: typer.Context,
    dataset: LearningData,
    data: LearningFolder = None,
    llm: OtherModel = "",
    story: Stories = None,
    prompts: OtherPrompts = None,
    as_json: AsJson = False,
) -> None:
    """Measure learning from conversations with the checks on and, in a second memory, off."""
    from dataclasses import replace

    from omoide.evals.extraction import learn
    from omoide.evals.gold import load_gold
    from omoide.learning.teaching import load_teaching
    from omoide.models.prompts import prompts_from

    config = settings(context)
    model, gold = _model(llm, config.llm), load_gold(dataset, data)
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
    print_json(told) if as_json else _show(told, about)


def _model(named: str, usual: str) -> ChatModel:
    """The language model to measure; for "none", one that suggests nothing.

    Raises:
        ModelMissing: none is named.
    """
    from omoide.models.chat.registry import load_chat
    from omoide.models.chat.scripted import ScriptedModel
    from omoide.nouns.errors import ModelMissing

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
    from omoide.nouns.errors import InvalidInput

    stories = [one for one in gold.stories if not named or one.id in named]
    if not stories:
        raise InvalidInput("story", f"there are {', '.join(one.id for one in gold.stories)}")
    return stories


_FIGURES = {
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


def _show(told: Sequence[Told], about: str) -> None:
    from omoide.cli.show import console, counted

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
    from omoide.cli.show import table
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
