"""Commands by which talk, and the use of tools, are learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from omoide.cli.options import (
    LearnAgain,
    Limit,
    OnlyShowLearnt,
    OnlyShowPrompt,
    OnlyShowSessions,
    Session,
    StoredSince,
)
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
    from omoide.tables.sessions import Unlearnt

COLOURS = {
    "added": "green",
    "corrected": "green",
    "retracted": "green",
    "waiting": "yellow",
    "refused": "red",
}


def begin(context: typer.Context, as_json: AsJson = False) -> None:
    """Start a new session and print its id, for --session. A session named there ends."""
    from omoide.cli.show import safe

    with opened(context, create=True) as memory:
        scope = memory.sessions.start(scope_of(context))
    tell(scope, safe(scope.session or ""), as_json=as_json)


def extract(
    context: typer.Context,
    session: Session = None,
    again: LearnAgain = False,
    dry_run: OnlyShowLearnt = False,
    as_json: AsJson = False,
) -> None:
    """Learn from a session now; needs a language model, such as OMOIDE_LLM=ollama:MODEL."""
    from omoide.cli.show import console, nothing

    with opened(context) as memory:
        named, scope = session_of(context, session), scope_of(context)
        done = memory.sessions.extract(named, scope, again=again, dry_run=dry_run)
    if as_json:
        print_json(done)
        return
    if not done:
        step = "" if again else "--again goes through all of it once more"
        nothing("nothing new in it to learn from", step)
    for extraction in done:
        _show(extraction, command_of(context, f"undo {extraction.id}"), dry_run=dry_run)
    if new := [extraction for extraction in done if not extraction.by_another]:
        console.print(f"{_sums(new)}{'; nothing was written' if dry_run else ''}")


def _sums(done: Sequence[Extraction]) -> str:
    from omoide.cli.show import counted

    turns = sum(extraction.end - extraction.first for extraction in done)
    suggested = sum(len(extraction.considered) for extraction in done)
    return f"{counted(suggested, 'suggestion')} from {counted(turns, 'turn')}"


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
    recorded_since: StoredSince = None,
    limit: Limit = 100,
    dry_run: OnlyShowSessions = False,
    as_json: AsJson = False,
) -> None:
    """Queue old sessions for extraction, such as those logged while capture was set to hand."""
    with opened(context) as memory:
        found = memory.sessions.catch_up(
            scope_of(context),
            recorded_since=moment(recorded_since, "recorded_since"),
            limit=limit,
            dry_run=dry_run,
        )
    if as_json:
        print_json(found)
    else:
        _show_queued(found, "would be put" if dry_run else "put", hint(context))


def _show_queued(found: Sequence[Unlearnt], verb: str, looked: str) -> None:
    from omoide.cli.show import console, counted, day, safe, table

    rows = [
        (safe(one.session.name), safe(one.session.title), day(one.session.last_at), str(one.turns))
        for one in found
    ]
    table(("session", "", "last said", "turns"), rows)
    ending = f"; {looked}" if looked and not found else ""
    console.print(f"{counted(len(found), 'session')} {verb} in line{ending}")


def analyse(
    context: typer.Context,
    dry_run: OnlyShowPrompt = False,
    as_json: AsJson = False,
) -> None:
    """Propose facts for review from last week's tool statistics; needs a language model."""
    from omoide.cli.show import console, counted, nothing, safe

    with opened(context) as memory:
        done = memory.tool_calls.analyse(scope_of(context), dry_run=dry_run)
    if as_json:
        print_json(done)
    elif not done.shown:
        step = hint(context) or "omoide tool-calls record notes a call"
        nothing("no tool was called in the last week", step)
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
    verb = "would close" if one.fate.value == "waiting" else "closed"
    rest = [
        f"quoted from {one.turn}: “{one.quote}”" if one.turn else "",
        f"because: {in_words(one.why)}" if one.why else "",
        f"{verb}: {closed}" if closed else "",
    ]
    return [first, *(Text.assemble(" " * 11, safe(line, 200)) for line in rest if line)]
