"""Commands by which talk, and the use of tools, are learnt from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.session import (
    AsJson,
    command_of,
    hint,
    moment,
    opened,
    print_json,
    scope_of,
    session_of,
    tell,
)

if TYPE_CHECKING:
    from rich.text import Text

    from omoide.learning.report import Considered, Extraction

Session = Annotated[
    str | None,
    typer.Argument(
        help="Id of the session, as omoide sessions list shows it; else the one named before."
    ),
]
COLOURS = {
    "added": "green",
    "corrected": "green",
    "retracted": "green",
    "waiting": "yellow",
    "refused": "red",
}


def begin(context: typer.Context, as_json: AsJson = False) -> None:
    """Begin a new session and print its id, for --session; one that is named there is over."""
    from omoide.cli.show import safe

    with opened(context, create=True) as memory:
        scope = memory.sessions.start(scope_of(context))
    tell(scope, safe(scope.session or ""), as_json=as_json)


def extract(
    context: typer.Context,
    session: Session = None,
    again: Annotated[
        bool, typer.Option("--again", help="From all of it, also what was learnt from before.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only show what would be learnt, and why; the model is asked all the same.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn from a session now; needs a language model, such as OMOIDE_LLM=ollama:MODEL."""
    from omoide.cli.show import console, counted, nothing

    with opened(context) as memory:
        done = memory.sessions.extract(
            session_of(context, session), scope_of(context), again=again, dry_run=dry_run
        )
    if as_json:
        print_json(done)
        return
    if not done:
        nothing(
            "nothing new in it to learn from",
            "" if again else "--again goes through all of it once more",
        )
    for extraction in done:
        _show(extraction, command_of(context, f"undo {extraction.id}"), dry_run=dry_run)
    if new := [extraction for extraction in done if not extraction.by_another]:
        turns = sum(extraction.end - extraction.first for extraction in new)
        suggested = sum(len(extraction.considered) for extraction in new)
        ending = "; nothing was written" if dry_run else ""
        console.print(f"{counted(suggested, 'suggestion')} from {counted(turns, 'turn')}{ending}")


def end(context: typer.Context, session: Session = None) -> None:
    """End a session and queue it for extraction."""
    from omoide.cli.show import console, safe

    with opened(context) as memory:
        memory.sessions.end(session_of(context, session), scope_of(context))
        waits = (
            "omoide worker does it"
            if memory.capabilities.learning
            else "it waits for a language model, such as OMOIDE_LLM=ollama:MODEL"
        )
    console.print(
        safe(f"session {session_of(context, session)} is in line to be learnt from; {waits}")
    )


def catch_up(
    context: typer.Context,
    recorded_since: Annotated[
        str | None,
        typer.Option(help="Only sessions of which something was stored from this time on."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show which they are.")] = False,
    as_json: AsJson = False,
) -> None:
    """Queue old sessions for extraction, such as those logged with the setting capture at hand."""
    from omoide.cli.show import console, counted, day, safe, table

    with opened(context) as memory:
        found = memory.sessions.catch_up(
            scope_of(context),
            recorded_since=moment(recorded_since, "recorded_since"),
            limit=limit,
            dry_run=dry_run,
        )
    if as_json:
        print_json(found)
        return
    rows = [
        (safe(one.session.name), safe(one.session.title), day(one.session.last_at), str(one.turns))
        for one in found
    ]
    table(("session", "", "last said", "turns"), rows)
    verb = "would be put" if dry_run else "put"
    console.print(
        f"{counted(len(found), 'session')} {verb} in line"
        + (f"; {hint(context)}" if not found and hint(context) else "")
    )


def analyse(
    context: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what a model would be shown.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Let a model look at counts of how tools were used in the last week, and propose facts, for
    review; needs a language model.
    """
    from omoide.cli.show import console, counted, nothing, safe

    with opened(context) as memory:
        done = memory.tool_calls.analyse(scope_of(context), dry_run=dry_run)
    if as_json:
        print_json(done)
    elif not done.shown:
        nothing(
            "no tool was called in the last week",
            hint(context) or "omoide tool-calls record notes a call",
        )
    elif dry_run:
        console.print(safe(done.shown, len(done.shown)))
    else:
        waiting = counted(len(done.proposed), "proposal")
        console.print(f"{waiting} for omoide review" if done.proposed else "nothing to propose")


def _show(extraction: Extraction, undo: str, *, dry_run: bool) -> None:
    from omoide.cli.show import counted, put

    if extraction.by_another:
        put(
            f"another learnt from {counted(extraction.end - extraction.first, 'turn')} while this"
            " command waited for it"
        )
    for one in extraction.considered:
        for line in _lines(one):
            put(line, hang=11)
    if extraction.id if extraction.by_another else extraction.considered and not dry_run:
        put(f"undo all of it with: {undo}", style="dim")


def _lines(one: Considered) -> list[Text]:
    from rich.text import Text

    from omoide.cli.show import safe
    from omoide.learning.report import Fate
    from omoide.nouns.proposal import in_words

    # the text beside it is the new one
    fate = "corrected" if one.fate is Fate.SUPERSEDED else one.fate.value
    first = Text.assemble((f"{fate:<10} ", COLOURS.get(fate, "dim")), safe(one.text, 200))
    closed = ", ".join(id for id in (one.closed, *one.besides) if id)
    rest = [
        f"quoted from {one.turn}: “{one.quote}”" if one.turn else "",
        f"because: {in_words(one.why)}" if one.why else "",
        f"{'would close' if one.fate.value == 'waiting' else 'closed'}: {closed}" if closed else "",
    ]
    return [first, *(Text.assemble(" " * 11, safe(line, 200)) for line in rest if line)]
