"""Commands of what changes how an agent behaves: reflect, reflections, digests, condense,
profile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.options import ReflectAgain, Session
from omoide.cli.session import (
    AsJson,
    command_of,
    hint,
    opened,
    print_json,
    scope_of,
    session_of,
    tell_all,
)

if TYPE_CHECKING:
    from omoide.faculties.reflection.suggestions import Pondered
    from omoide.nouns.reflection import Digest, Profile, Reflection


def reflect(
    context: typer.Context,
    session: Session = None,
    again: ReflectAgain = False,
    as_json: AsJson = False,
) -> None:
    """Reflect on a session now: what it teaches about how to act; needs a language model."""
    from omoide.cli.show import console, nothing

    with opened(context) as memory:
        done = memory.reflections.add(session_of(context, session), scope_of(context), again=again)
    if as_json:
        print_json(done)
        return
    if not any(reflected.pondered for reflected in done):
        step = "" if again else "--again goes through all of it once more"
        nothing("nothing new in it to reflect on", step)
    for reflected in done:
        for one in reflected.pondered:
            console.print(_line(one))
        if any(one.reflection and not one.waits for one in reflected.pondered):
            undo = command_of(context, f"undo {reflected.id}")
            console.print(f"undo all of it with: {undo}", style="dim")


def _line(one: Pondered) -> object:
    from rich.text import Text

    from omoide.cli.show import safe
    from omoide.nouns.proposal import in_words

    fate = ("formed    ", "green") if one.reflection else ("refused   ", "red")
    fate = ("waits     ", "yellow") if one.waits else fate
    reasons = [one.refused] if one.refused else one.flags
    why = f" ({in_words(reasons)})" if reasons else ""
    return Text.assemble(fate, safe(f"{one.level}: {one.text}{why}", 300))


def reflections(
    context: typer.Context,
    waiting: Annotated[
        bool, typer.Option("--waiting", help="Only those that no digest absorbed yet.")
    ] = False,
    limit: Annotated[int, typer.Option(help="How many to show.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List reflections of the session, the user and the agent, latest first."""
    with opened(context) as memory:
        found = memory.reflections.list(scope_of(context), waiting=waiting, limit=limit)
    what = "no reflection waits to be condensed" if waiting else "no reflections"
    step = hint(context) or "omoide reflections add SESSION forms them"
    tell_all(found, _show_reflections, (what, step), as_json=as_json)


def _show_reflections(found: Iterable[Reflection]) -> None:
    from omoide.cli.show import day, safe, table

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
    context: typer.Context,
    history: Annotated[
        bool, typer.Option("--history", help="Every version of each, the latest first.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the digests of the session, the user and the agent."""
    with opened(context) as memory:
        found = memory.reflections.digests(scope_of(context), history=history)
    step = hint(context) or "omoide reflections condense makes them of the reflections that wait"
    tell_all(found, _show_digests, ("no digests", step), as_json=as_json)


def condense(
    context: typer.Context,
    kind: Annotated[str | None, typer.Option(help="Only of the agent, user or session.")] = None,
    as_json: AsJson = False,
) -> None:
    """Condense the waiting reflections now, however few; needs a language model."""
    with opened(context) as memory:
        made = memory.reflections.condense(scope_of(context), kind=kind)
    step = hint(context) or "what waits for a person is shown by omoide review"
    tell_all(made, _show_digests, ("no digest was made", step), as_json=as_json)


def _show_digests(found: Sequence[Digest]) -> None:
    from omoide.cli.show import console, day, put, safe

    for digest in found:
        state = ", withdrawn" if digest.withdrawn_at else ""
        version = f"version {digest.version} of {day(digest.made_at)}{state} ({digest.id})"
        console.print(safe(f"{digest.kind.value}, {version}"), style="bold")
        put(safe(digest.text))
        if digest.dropped:
            what = "no longer in it, though no reflection took it back:"
            console.print(safe(f"{what} {', '.join(digest.dropped)}"), style="yellow")


def profile(context: typer.Context, as_json: AsJson = False) -> None:
    """Show what is known about the user in a few lines, the most important first."""
    from omoide.cli.show import nothing

    with opened(context) as memory:
        found = memory.reflections.profile(scope_of(context))
    if found is None and not as_json:
        nothing(
            "no profile",
            hint(context) or 'nothing is known about this user; omoide remember "…" changes that',
        )
        return
    print_json(found) if found is None or as_json else _show_profile(found)


def _show_profile(found: Profile) -> None:
    from omoide.cli.show import console, put, safe

    for line in found.lines:
        put(safe(f"- {line}"), hang=2)
    for problem in found.degraded:
        console.print(safe(problem), style="yellow")
