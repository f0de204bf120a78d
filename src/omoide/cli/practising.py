"""Commands of procedures: lesson, lessons, recipes, procedures, enable, hand-on, write-skill,
read-skill.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.completion import record_id
from omoide.cli.options import (
    CalledTools,
    FailedTask,
    LaterByWorker,
    LeastNear,
    Limit,
    TaskError,
    TaskTitle,
)
from omoide.cli.session import AsJson, opened, print_json, scope_of, tell_all, there, within_folder

if TYPE_CHECKING:
    from omoide.nouns.procedure import Lesson, Procedure

Id = Annotated[
    str, record_id("Id of the procedure, as omoide procedures list shows it.", "procedure")
]


def lesson(
    context: typer.Context,
    task: FailedTask,
    title: TaskTitle = "",
    error: TaskError = "",
    tools: CalledTools = "",
    later: LaterByWorker = False,
    as_json: AsJson = False,
) -> None:
    """Learn from a task that failed; needs a language model."""
    from omoide.cli.show import console, nothing
    from omoide.nouns.procedure import Failed

    called = tuple(name.strip() for name in tools.split(",") if name.strip())
    failed = Failed(task=task, title=title, error=error, tools=called)
    with opened(context) as memory:
        learnt = memory.procedures.learn(failed, scope_of(context), later=later)
    if as_json:
        print_json(learnt)
    elif later:
        console.print("it is in line to be learnt from, by omoide worker")
    elif learnt is None:
        nothing("no lesson", "what waits for a person is shown by omoide review")
    else:
        _show([learnt])


def lessons(
    context: typer.Context,
    goal: Annotated[str, typer.Argument(help="What is to be reached.")],
    limit: Limit = 2,
    least: LeastNear = 0.5,
    as_json: AsJson = False,
) -> None:
    """Show the procedures that fit a goal."""
    with opened(context) as memory:
        found = memory.procedures.match(goal, scope_of(context), limit=limit, least=least)
    step = "omoide procedures list lists all of them; --least -1 takes any"

    def show(fitting: Sequence[Lesson]) -> None:
        _show([one.procedure for one in fitting])

    tell_all(found, show, (f"no procedure fits {goal!r}", step), as_json=as_json)


def recipes(context: typer.Context, as_json: AsJson = False) -> None:
    """Make recipes from tool calls that succeeded repeatedly; needs a language model."""
    with opened(context) as memory:
        made = memory.procedures.recipes(scope_of(context))
    step = "what waits for a person is shown by omoide review"
    tell_all(made, _show, ("no new recipe", step), as_json=as_json)


def procedures(
    context: typer.Context,
    all_of_them: Annotated[
        bool, typer.Option("--all", help="Also those that are off or superseded.")
    ] = False,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """List procedures, latest first."""
    with opened(context) as memory:
        found = memory.procedures.list(scope_of(context), all_of_them=all_of_them, limit=limit)
    step = "omoide procedures learn, recipes and read-skill make them"
    tell_all(found, _show, ("no procedures", step), as_json=as_json)


def enable(
    context: typer.Context,
    id: Id,
    off: Annotated[bool, typer.Option("--off", help="Let it be recalled no more.")] = False,
) -> None:
    """Enable a procedure for recall; --off disables it."""
    with opened(context) as memory:
        _show([memory.procedures.enable(id, scope_of(context), enabled=not off)])


def hand_on(
    context: typer.Context,
    id: Id,
    agents: Annotated[list[str], typer.Argument(help="The agents that it is for.")],
    as_json: AsJson = False,
) -> None:
    """Offer a procedure to other agents; each has to be enabled before that agent sees it."""
    with opened(context) as memory:
        copies = memory.procedures.share(id, agents, scope_of(context))
    print_json(copies) if as_json else _show(copies)


def write_skill(
    context: typer.Context,
    id: Id,
    folder: Annotated[Path, typer.Argument(help="Where it is written.")],
) -> None:
    """Write a procedure as a SKILL.md file."""
    from omoide.cli.show import console, safe

    with opened(context) as memory:
        file = memory.procedures.write_skill(id, within_folder(folder), scope_of(context))
        console.print(safe(str(file)))


def read_skill(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A SKILL.md file.")],
    as_mine: Annotated[
        bool, typer.Option("--as-mine", help="Make it your own word, not that of a document.")
    ] = False,
) -> None:
    """Read a SKILL.md file as a procedure."""
    with opened(context, create=True) as memory:
        _show([memory.procedures.read_skill(there(path), scope_of(context), as_mine=as_mine)])


def _show(found: Sequence[Procedure]) -> None:
    from omoide.cli.show import console, safe

    for one in found:
        state = "" if one.is_current else " (superseded)" if one.superseded_by else " (off)"
        console.print(safe(f"{one.name}{state}"), style="bold")
        when = one.when_to_use
        when = when if when.casefold().startswith("when ") else f"when {when}"
        steps = (f"{n}. {step}" for n, step in enumerate(one.steps, start=1))
        for line in (when, one.activation, *steps):
            console.print(safe(f"    {line}", 400))
        word, version = f"{one.tier.name.lower()}'s word", f"version {one.version}"
        about = (one.id, one.origin, word, version, ", ".join(one.tags))
        console.print(safe("    " + " · ".join(about)), style="dim")
