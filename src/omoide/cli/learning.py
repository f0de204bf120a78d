"""Commands by which talk, and the use of tools, are learned from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from omoide.cli.here import Here
from omoide.cli.options import (
    LearnAgain,
    Limit,
    OnlyShowLearnt,
    OnlyShowPrompt,
    OnlyShowSessions,
    Session,
    StoredSince,
)
from omoide.cli.show import console, day, nothing, put, safe, table
from omoide.nouns.proposal import in_words
from omoide.nouns.record.lines import counted

if TYPE_CHECKING:
    from rich.text import Text

    from omoide.learning.report import Considered, Extraction
    from omoide.learning.usage_analysis import Analysis
    from omoide.tables.sessions import Unlearnt

COLOURS = {
    "added": "green",
    "corrected": "green",
    "retracted": "green",
    "waiting": "yellow",
    "refused": "red",
}


def begin(here: Here) -> None:
    """Start a new session and print its id, for --session. A session named there ends."""
    with here.opened(create=True) as memory:
        scope = memory.sessions.start(here.scope)
    here.tell(scope, safe(scope.session or ""))


def extract(
    here: Here, session: Session = None, again: LearnAgain = False, preview: OnlyShowLearnt = False
) -> None:
    """Learn from a session now; needs a language model, such as OMOIDE_LLM=ollama:MODEL."""
    with here.opened() as memory:
        named, scope = here.session(session), here.scope
        done = memory.sessions.extract(named, scope, again=again, preview=preview)
    step = "" if again else "--again goes through all of it once more"
    none = "nothing new in it to learn from", step
    here.tell(done, partial(_show_all, here, preview), none)


def _show_all(here: Here, preview: bool, done: Sequence[Extraction]) -> None:
    for extraction in done:
        _show(extraction, here.command(f"undo {extraction.id}"), preview=preview)
    if new := [extraction for extraction in done if not extraction.by_another]:
        console.print(f"{_sums(new)}{'; nothing was written' if preview else ''}")


def _sums(done: Sequence[Extraction]) -> str:
    turns = sum(extraction.end - extraction.first for extraction in done)
    suggested = sum(len(extraction.considered) for extraction in done)
    return f"{counted(suggested, 'suggestion')} from {counted(turns, 'turn')}"


def end(here: Here, session: Session = None) -> None:
    """End a session and queue it for extraction."""
    with here.opened() as memory:
        memory.sessions.end(here.session(session), here.scope)
        waits = (
            "omoide worker does it"
            if memory.capabilities.learning
            else "it waits for a language model, such as OMOIDE_LLM=ollama:MODEL"
        )
    told = f"session {here.session(session)} is queued for extraction; {waits}"
    here.tell(None, safe(told))


def catch_up(
    here: Here,
    recorded_since: StoredSince = None,
    limit: Limit = 100,
    preview: OnlyShowSessions = False,
) -> None:
    """Queue old sessions for extraction, such as those logged while capture was set to hand."""
    with here.opened() as memory:
        found = memory.sessions.catch_up(
            here.scope,
            recorded_since=recorded_since,
            limit=limit,
            preview=preview,
        )
    here.tell(found, partial(_show_queued, "would be put" if preview else "put", here.hint))


def _show_queued(verb: str, looked: str, found: Sequence[Unlearnt]) -> None:
    rows = [
        (safe(one.session.name), safe(one.session.title), day(one.session.last_at), str(one.turns))
        for one in found
    ]
    table(("session", "", "last said", "turns"), rows)
    ending = f"; {looked}" if looked and not found else ""
    console.print(f"{counted(len(found), 'session')} {verb} in line{ending}")


def analyse(here: Here, preview: OnlyShowPrompt = False) -> None:
    """Propose facts for review from last week's tool statistics; needs a language model."""
    with here.opened() as memory:
        done = memory.tool_calls.analyse(here.scope, preview=preview)
    here.tell(done, partial(_show_analysis, here, preview))


def _show_analysis(here: Here, preview: bool, done: Analysis) -> None:
    if not done.shown:
        step = here.hint or "omoide tool-calls record notes a call"
        nothing("no tool was called in the last week", step)
    elif preview:
        console.print(safe(done.shown, len(done.shown)))
    else:
        waiting = counted(len(done.proposed), "proposal")
        console.print(f"{waiting} for omoide review" if done.proposed else "nothing to propose")


def _show(extraction: Extraction, undo: str, *, preview: bool) -> None:
    if extraction.by_another:
        put(
            f"another learned from {counted(extraction.end - extraction.first, 'turn')} while this"
            " command waited for it"
        )
    for one in extraction.considered:
        for line in _lines(one):
            put(line, hang=11)
    if extraction.id if extraction.by_another else extraction.considered and not preview:
        put(f"undo all of it with: {undo}", style="dim")


def _lines(one: Considered) -> list[Text]:
    from rich.text import Text

    from omoide.learning.report import Fate

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
