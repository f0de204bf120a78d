"""Commands that ask: recall, context, ask, why-not, get, sources, list, history, diff, due,
entities, sessions, turns, tools, tool-calls, stats.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer

from omoide.cli.completion import record_id
from omoide.cli.options import (
    ClosedToo,
    ConfirmedOnly,
    DaysAhead,
    EarlierMoment,
    Explain,
    ForCron,
    FromPosition,
    FromTime,
    ItemsAPage,
    LaterMoment,
    Limit,
    OnlyCategory,
    OnlyContext,
    OnlyDomain,
    OnlyEntity,
    OnlyFailed,
    OnlyUnconfirmed,
    PassedOver,
    RecordId,
    Remind,
    SensitiveToo,
    SessionOrAll,
    SortedBy,
    TokensOfHits,
    ToolOrAll,
)
from omoide.cli.queries import AsOf, KnownAt, takes_query
from omoide.cli.session import (
    AsJson,
    hint,
    moment,
    opened,
    print_json,
    scope_of,
    session_of,
    settings,
    tell,
    tell_all,
    warn_of_models,
)

if TYPE_CHECKING:
    from omoide.cli.queries import Asked
    from omoide.read.listings import Page
    from omoide.tables.items import Listing

Budget = Annotated[
    str, typer.Option(help="Tokens, or a number and a unit, such as '4000 characters'.")
]
SHOWN_TOKENS = 90  # of a long text, in a terminal
READ_WAIT_S, READ_PAUSE_S = 60.0, 0.5  # for a large memory to be read, and between two looks


class Degradable(Protocol):
    """An answer that says what it may lack."""

    @property
    def degraded(self) -> tuple[str, ...]:
        """Why something may be missing."""
        ...


A = TypeVar("A", bound=Degradable)


def once_read(ask: Callable[[], A]) -> A:
    """An answer from all of a memory: it is asked for again while a large one is still being read,
    for a minute at most. A program that goes on may take the first; a command ends with it.
    """
    from omoide.nouns.hit import LOADING

    end = time.monotonic() + READ_WAIT_S
    answer = ask()
    while any(note.startswith(LOADING) for note in answer.degraded) and time.monotonic() < end:
        time.sleep(READ_PAUSE_S)
        answer = ask()
    return answer


@takes_query
def recall(
    context: typer.Context,
    query: Asked,
    limit: Limit = 10,
    budget: TokensOfHits = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Find the memories that answer a question."""
    from omoide.cli import show

    most = 400 if as_json else SHOWN_TOKENS
    with opened(context) as memory:
        asked = replace(query(), budget_tokens=budget, passage_tokens=most)
        answer = once_read(lambda: memory.recall(asked, scope_of(context), limit=limit))
        if as_json:
            print_json(answer)
            return
        if not answer.hits:
            step = "omoide list shows what is known, omoide sessions turns what was said"
            show.nothing(f"nothing found for {asked.text!r}", hint(context) or step)
        show.recall(answer, explain=explain)


@takes_query
def make_context(
    context: typer.Context,
    query: Asked,
    budget: Budget = "2000",
    strategy: Annotated[
        str, typer.Option(help="frozen, xml, profile, messages, tools or blocks")
    ] = "frozen",
    as_json: AsJson = False,
) -> None:
    """Print the memory block that a program puts into a prompt."""
    from omoide.cli import show

    asked, most, scope = query(), amount(budget), scope_of(context)
    with opened(context) as memory:
        made = once_read(lambda: memory.context(asked, scope, budget=most, strategy=strategy))
        print_json(made) if as_json else show.put(show.safe(made.text))


@takes_query
def ask(
    context: typer.Context,
    query: Asked,
    budget: Budget = "2000",
    as_json: AsJson = False,
) -> None:
    """Answer a question in words, with what the answer rests on."""
    from omoide.cli import show

    with opened(context) as memory:
        answer = memory.ask(query(), scope_of(context), budget=amount(budget))
        print_json(answer) if as_json else show.answer(answer)


def amount(budget: str) -> int | str:
    """A budget as typed: a number of tokens, or a number with a unit."""
    return int(budget) if budget.isascii() and budget.isdigit() else budget


def why_not(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What was looked for.")],
    id: Annotated[str, record_id("The record that was expected.", "item")],
    limit: Limit = 10,
    as_json: AsJson = False,
) -> None:
    """Say why a question does not return a record."""
    from omoide.cli.show import safe

    with opened(context) as memory:
        answer = memory.why_not(question, id, scope_of(context), limit=limit)
        tell(answer, safe(f"{answer.gate}: {answer.detail}"), as_json=as_json)


def get(
    context: typer.Context,
    id: RecordId,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show one record whole."""
    from omoide.cli import show
    from omoide.cli.plain import plain

    with opened(context) as memory:
        then, known = moment(as_of, "as_of"), moment(known_at, "known_at")
        record = memory.get(id, scope_of(context), as_of=then, known_at=known)
        print_json(record) if as_json else show.record(plain(record))


def sources(
    context: typer.Context,
    id: RecordId,
    around: Annotated[int, typer.Option(help="Turns before and after each.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Show the turns that a record rests on."""
    from omoide.cli import show

    with opened(context) as memory:
        said = memory.items.sources(id, scope_of(context), around=around)
        none = f"{id} rests on no turn", f"omoide history {id} shows who put it in"
        tell_all(said, show.turns, none, as_json=as_json)


def list_items(
    context: typer.Context,
    category: OnlyCategory = "",
    domain: OnlyDomain = "",
    in_context: OnlyContext = "",
    entity: OnlyEntity = "",
    sensitive: SensitiveToo = False,
    closed: ClosedToo = False,
    unconfirmed: OnlyUnconfirmed = False,
    confirmed_only: ConfirmedOnly = False,
    sort: SortedBy = "updated_at",
    limit: ItemsAPage = 50,
    offset: PassedOver = 0,
    as_json: AsJson = False,
) -> None:
    """List items: what is known, latest change first."""
    from omoide.tables.items import Listing

    listing = Listing(
        category=category,
        domain=domain,
        context=in_context,
        entity=entity,
        sensitive=None if sensitive else False,
        closed=closed,
        unconfirmed=unconfirmed,
        confirmed_only=confirmed_only,
        sort=sort,
        limit=limit,
        offset=offset,
    )
    with opened(context) as memory:
        page = memory.items.list(listing, scope_of(context))
        print_json(page) if as_json else _show_page(page, listing, hint(context))


def _show_page(page: Page, listing: Listing, looked: str) -> None:
    """A page of items; where there are none, what may be done next."""
    from omoide.cli import show

    if not page.total:
        narrow = listing.category or listing.domain or listing.context or listing.entity
        if narrow or listing.unconfirmed:
            show.nothing("no such items", looked or "without options, all are listed")
        else:
            show.nothing("no items", looked or 'omoide remember "…" adds one')
    show.items(page.items)
    if page.total > len(page.items):
        first, last = page.offset + 1, page.offset + len(page.items)
        show.console.print(f"{first} to {last} of {page.total}")


def history(
    context: typer.Context,
    id: Annotated[str, record_id("Id of an item.", "item")],
    as_json: AsJson = False,
) -> None:
    """Show an item's versions and every change to them."""
    from omoide.cli import show

    with opened(context) as memory:
        past = memory.history(id, scope_of(context))
        print_json(past) if as_json else show.history(past)


def diff(
    context: typer.Context,
    recorded_since: EarlierMoment,
    recorded_until: LaterMoment = None,
    as_json: AsJson = False,
) -> None:
    """Show what was recorded and what was closed between two moments."""
    from omoide.cli import show
    from omoide.nouns.errors import InvalidInput

    with opened(context) as memory:
        start = moment(recorded_since, "recorded_since")
        if start is None:
            raise InvalidInput("recorded_since", "is empty")
        end = moment(recorded_until, "recorded_until", end_of_day=True)
        change = memory.diff(start, end, scope_of(context))
        print_json(change) if as_json else show.diff(change)


def due(
    context: typer.Context,
    days: DaysAhead = 7,
    limit: Limit = 50,
    check: ForCron = False,
    remind: Remind = False,
    as_json: AsJson = False,
) -> None:
    """Show what is due or overdue."""
    from datetime import timedelta

    from omoide.cli import show
    from omoide.tables.items import Listing

    days = 0 if check else days
    with opened(context) as memory:
        scope = scope_of(context)
        found = memory.due(timedelta(days=days), scope, listing=Listing(limit=limit))
        if check and not found:
            raise typer.Exit(1)
        none = (
            f"nothing is due {_ahead(days)}",
            hint(context) or "omoide due --days 30 looks further",
        )
        tell_all(found, show.items, none, as_json=as_json)
        for item in found if remind else ():
            memory.items.edit(item.id, scope, reminded_at="now")


def _ahead(days: float) -> str:
    if not days:
        return "now"
    return "in the next day" if days == 1 else f"in the next {days:g} days"


def entities(
    context: typer.Context,
    limit: Limit = 100,
    sensitive: Annotated[
        bool, typer.Option("--sensitive", help="Also those that only sensitive items are about.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List people, projects and things."""
    from omoide.cli import show

    with opened(context) as memory:
        found = memory.entities.list(scope_of(context), limit=limit, include_sensitive=sensitive)
        step = hint(context) or 'omoide remember "…" --entity person:rui names one'
        tell_all(found, show.entities, ("no entities", step), as_json=as_json)


def sessions(
    context: typer.Context,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """List sessions, latest first."""
    from omoide.cli import show

    with opened(context) as memory:
        found = memory.sessions.list(scope_of(context), limit=limit)
        step = hint(context) or "omoide ingest logs messages, omoide import takes in an export"
        tell_all(found, show.sessions, ("no sessions", step), as_json=as_json)


def turns(
    context: typer.Context,
    session: SessionOrAll = None,
    since: FromTime = None,
    first: FromPosition = 0,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """Show what was said, word for word."""
    from omoide.cli import show

    with opened(context) as memory:
        said = memory.sessions.turns(
            session, scope_of(context), since=moment(since, "since"), limit=limit, first=first
        )
        step = hint(context) or "omoide sessions list shows which sessions there are"
        what = "no turns from then on" if since or first else "no turns"
        tell_all(said, show.turns, (what, step), as_json=as_json)


def window(
    context: typer.Context,
    session: Annotated[str | None, typer.Argument(help="Which session.")] = None,
    turns: Annotated[int, typer.Option(help="How many turns of the user at most.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Show the end of a session as it is replayed to a model."""
    from omoide.cli import show

    with opened(context) as memory:
        named = session_of(context, session)
        said = memory.sessions.window(named, scope_of(context), turns=turns)
        step = hint(context) or "omoide sessions list shows which sessions there are"
        tell_all(said, show.turns, ("no turns", step), as_json=as_json)


def tools(context: typer.Context, as_json: AsJson = False) -> None:
    """Show each tool's calls, success rate and last error."""
    from omoide.cli import show

    with opened(context) as memory:
        found = memory.tool_calls.summary(scope_of(context))
        none = "no tool was called", hint(context) or "omoide tool-calls record notes a call"
        tell_all(found, show.tools, none, as_json=as_json)


def tool_calls(
    context: typer.Context,
    tool: ToolOrAll = None,
    failed: OnlyFailed = False,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the calls of a tool, latest first."""
    from omoide.cli import show

    with opened(context) as memory:
        found = memory.tool_calls.list(tool, scope_of(context), failed=failed, limit=limit)
        what = ("no call failed" if failed else "no call is noted") + f" of {tool!r}" * bool(tool)
        step = hint(context) or "omoide tool-calls summary shows which tools were called"
        tell_all(found, show.tool_calls, (what, step), as_json=as_json)


def stats(context: typer.Context, as_json: AsJson = False) -> None:
    """Count what is stored: items, turns, jobs and vectors."""
    from omoide.cli import show
    from omoide.cli.plain import plain

    with opened(context) as memory:
        sums = memory.stats(scope_of(context))
        size = _bytes_of(settings(context).store_url)
        if as_json:
            print_json(plain(sums) | {"file_bytes": size})
            return
        nobody = "nobody in particular"
        user = settings(context).user
        whose = f"{user}, and of {nobody}" if user else f"{nobody}; {hint(context)}"
        show.stats(sums, size, whose, show.Seen(memory.clock.now(), memory.capabilities.learning))
        warn_of_models(context)
        if not memory.capabilities.learning:
            show.waiting(sums)


def _bytes_of(store: str) -> int | None:
    """How large a store's files are; None where it is not a file."""
    files = [Path(store + ending) for ending in ("", "-wal")]
    return sum(file.stat().st_size for file in files if file.is_file()) or None
