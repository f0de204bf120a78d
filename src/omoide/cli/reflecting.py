"""Commands of what changes how an agent behaves: reflect, reflections, digests, condense,
profile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

from typer import Option

from omoide.cli.here import Here
from omoide.cli.options import Limit, ReflectAgain, Session
from omoide.cli.show import console, day, nothing, put, safe, table
from omoide.nouns.proposal import in_words
from omoide.nouns.reflection import Digest, Profile, Reflection

if TYPE_CHECKING:
    from omoide.faculties.reflection.suggestions import Pondered, Reflected


def reflect(here: Here, session: Session = None, again: ReflectAgain = False) -> None:
    """Reflect on a session now: what it teaches about how to act; needs a language model."""
    with here.opened() as memory:
        done = memory.reflections.add(here.session(session), here.scope, again=again)
    here.tell(done, partial(_show_reflected, here, again))


def _show_reflected(here: Here, again: bool, done: Sequence[Reflected]) -> None:
    if not any(reflected.pondered for reflected in done):
        step = "" if again else "--again goes through all of it once more"
        nothing("nothing new in it to reflect on", step)
    for reflected in done:
        for one in reflected.pondered:
            console.print(_line(one))
        if any(one.reflection and not one.waits for one in reflected.pondered):
            undo = here.command(f"undo {reflected.id}")
            console.print(f"undo all of it with: {undo}", style="dim")


def _line(one: Pondered) -> object:
    from rich.text import Text

    fate = ("formed    ", "green") if one.reflection else ("refused   ", "red")
    fate = ("waits     ", "yellow") if one.waits else fate
    reasons = [one.refused] if one.refused else one.flags
    why = f" ({in_words(reasons)})" if reasons else ""
    return Text.assemble(fate, safe(f"{one.level}: {one.text}{why}", 300))


def reflections(
    here: Here,
    waiting: Annotated[
        bool, Option("--waiting", help="Only those that no digest absorbed yet.")
    ] = False,
    limit: Limit = 50,
) -> None:
    """List reflections of the session, the user and the agent, latest first."""
    with here.opened() as memory:
        found = memory.reflections.list(here.scope, waiting=waiting, limit=limit)
    what = "no reflection waits to be condensed" if waiting else "no reflections"
    step = here.hint or "omoide reflections add SESSION forms them"
    here.tell(found, _show_reflections, (what, step))


def _show_reflections(found: Iterable[Reflection]) -> None:
    rows = (
        (
            one.kind.value,
            day(one.formed_at),
            "waits" if one.waits else "condensed",
            safe(one.text),
            safe(one.id),
        )
        for one in found
    )
    table(("of", "formed", "", "text", "id"), rows)


def digests(
    here: Here,
    history: Annotated[
        bool, Option("--history", help="Every version of each, the latest first.")
    ] = False,
) -> None:
    """Show the digests of the session, the user and the agent."""
    with here.opened() as memory:
        found = memory.reflections.digests(here.scope, history=history)
    step = here.hint or "omoide reflections condense makes them of the reflections that wait"
    here.tell(found, _show_digests, ("no digests", step))


def condense(
    here: Here,
    kind: Annotated[str | None, Option(help="Only of the agent, user or session.")] = None,
) -> None:
    """Condense the waiting reflections now, however few; needs a language model."""
    with here.opened() as memory:
        made = memory.reflections.condense(here.scope, kind=kind)
    step = here.hint or "what waits for a person is shown by omoide review"
    here.tell(made, _show_digests, ("no digest was made", step))


def _show_digests(found: Sequence[Digest]) -> None:
    for digest in found:
        state = ", withdrawn" if digest.withdrawn_at else ""
        version = f"version {digest.version} of {day(digest.made_at)}{state} ({digest.id})"
        console.print(safe(f"{digest.kind.value}, {version}"), style="bold")
        put(safe(digest.text))
        if digest.dropped:
            what = "no longer in it, though no reflection took it back:"
            console.print(safe(f"{what} {', '.join(digest.dropped)}"), style="yellow")


def profile(here: Here) -> None:
    """Show what is known about the user in a few lines, the most important first."""
    with here.opened() as memory:
        found = memory.reflections.profile(here.scope)
    step = 'nothing is known about this user; omoide remember "…" changes that'
    here.tell(found, _show_profile, ("no profile", here.hint or step))


def _show_profile(found: Profile | None) -> None:
    assert found is not None  # what is none is told as nothing
    for line in found.lines:
        put(safe(f"- {line}"), hang=2)
    for problem in found.degraded:
        console.print(safe(problem), style="yellow")
