"""Commands of procedures: lesson, lessons, recipes, procedures, enable, hand-on, write-skill,
read-skill.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from omoide.cli.completion import record_id
from omoide.cli.given import there, within_folder
from omoide.cli.here import Here
from omoide.cli.options import (
    CalledTools,
    FailedTask,
    LaterByWorker,
    LeastNear,
    Limit,
    TaskError,
    TaskTitle,
)
from omoide.cli.show import console, safe
from omoide.nouns.procedure import Failed, Lesson, Procedure

Id = Annotated[
    str, record_id("Id of the procedure, as omoide procedures list shows it.", "procedure")
]


def lesson(
    here: Here,
    task: FailedTask,
    title: TaskTitle = "",
    error: TaskError = "",
    tools: CalledTools = "",
    later: LaterByWorker = False,
) -> None:
    """Learn from a task that failed; needs a language model."""
    called = tuple(name.strip() for name in tools.split(",") if name.strip())
    failed = Failed(task=task, title=title, error=error, tools=called)
    with here.opened() as memory:
        learnt = memory.procedures.learn(failed, here.scope, later=later)
    in_line = "it is queued; omoide worker learns from it"
    none = "no lesson", "what waits for a person is shown by omoide review"
    here.tell(learnt, in_line if later else _show_one, None if later else none)


def lessons(
    here: Here,
    goal: Annotated[str, Argument(help="What is to be reached.")],
    limit: Limit = 2,
    least: LeastNear = 0.5,
) -> None:
    """Show the procedures that fit a goal."""
    with here.opened() as memory:
        found = memory.procedures.match(goal, here.scope, limit=limit, least=least)
    step = "omoide procedures list lists all of them; --least -1 takes any"

    def show(fitting: Sequence[Lesson]) -> None:
        _show([one.procedure for one in fitting])

    here.tell(found, show, (f"no procedure fits {goal!r}", step))


def recipes(here: Here) -> None:
    """Make recipes from tool calls that succeeded repeatedly; needs a language model."""
    with here.opened() as memory:
        made = memory.procedures.recipes(here.scope)
    step = "what waits for a person is shown by omoide review"
    here.tell(made, _show, ("no new recipe", step))


def procedures(
    here: Here,
    all_of_them: Annotated[
        bool, Option("--all", help="Also those that are off or superseded.")
    ] = False,
    limit: Limit = 100,
) -> None:
    """List procedures, latest first."""
    with here.opened() as memory:
        found = memory.procedures.list(here.scope, all_of_them=all_of_them, limit=limit)
    step = "omoide procedures learn, recipes and read-skill make them"
    here.tell(found, _show, ("no procedures", step))


def enable(
    here: Here,
    id: Id,
    off: Annotated[bool, Option("--off", help="Stop recalling it.")] = False,
) -> None:
    """Enable a procedure for recall; --off disables it."""
    with here.opened() as memory:
        here.tell(memory.procedures.enable(id, here.scope, enabled=not off), _show_one)


def hand_on(
    here: Here,
    id: Id,
    agents: Annotated[list[str], Argument(help="The agents that it is for.")],
) -> None:
    """Offer a procedure to other agents; each has to be enabled before that agent sees it."""
    with here.opened() as memory:
        copies = memory.procedures.share(id, agents, here.scope)
    here.tell(copies, _show)


def write_skill(
    here: Here,
    id: Id,
    folder: Annotated[Path, Argument(help="Where it is written.")],
) -> None:
    """Write a procedure as a SKILL.md file."""
    with here.opened() as memory:
        file = memory.procedures.write_skill(id, within_folder(folder), here.scope)
        here.tell(str(file), safe(str(file)))


def read_skill(
    here: Here,
    path: Annotated[Path, Argument(help="A SKILL.md file.")],
    as_mine: Annotated[
        bool, Option("--as-mine", help="Make it your own word, not that of a document.")
    ] = False,
) -> None:
    """Read a SKILL.md file as a procedure."""
    with here.opened(create=True) as memory:
        read = memory.procedures.read_skill(there(path), here.scope, as_mine=as_mine)
        here.tell(read, _show_one)


def _show_one(learnt: Procedure | None) -> None:
    _show([learnt] if learnt else [])


def _show(found: Sequence[Procedure]) -> None:
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
