"""Commands that ask: recall, context, ask, why-not, get, sources, list, history, diff, due,
entities, sessions, turns, tools, tool-calls, stats.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.completion import categories, record_id
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

Budget = Annotated[
    str, typer.Option(help="Tokens, or a number and a unit, such as '4000 characters'.")
]
Limit = Annotated[int, typer.Option("--limit", "-n", help="How many at most.")]


DAYS_MOST = 36_500
SHOWN_TOKENS = 90  # of a long text, in a terminal


@takes_query
def recall(
    context: typer.Context,
    query: Asked,
    limit: Limit = 10,
    budget: Annotated[int | None, typer.Option(help="Tokens the hits may take together.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each search ranked each hit.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find the memories that answer a question."""
    from omoide.cli import show

    most = 400 if as_json else SHOWN_TOKENS
    with opened(context) as memory:
        asked = replace(query(), budget_tokens=budget, passage_tokens=most)
        answer = memory.recall(asked, scope_of(context), limit=limit)
        if as_json:
            print_json(answer)
            return
        if not answer.hits:
            show.nothing(
                f"nothing found for {asked.text!r}",
                hint(context)
                or "omoide list shows what is known, omoide sessions turns what was said",
            )
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
    """Print what a program puts into a prompt."""
    from omoide.cli import show

    with opened(context) as memory:
        made = memory.context(query(), scope_of(context), budget=amount(budget), strategy=strategy)
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
    id: Annotated[str, record_id("Id of an item or a turn.", "item")],
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show one record whole."""
    from omoide.cli import show
    from omoide.cli.plain import plain

    with opened(context) as memory:
        record = memory.get(
            id,
            scope_of(context),
            as_of=moment(as_of, "as_of"),
            known_at=moment(known_at, "known_at"),
        )
        if as_json:
            print_json(record)
        else:
            show.record(plain(record))


def sources(
    context: typer.Context,
    id: Annotated[str, record_id("Id of an item or a turn.", "item")],
    around: Annotated[int, typer.Option(help="Turns before and after each.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Show the turns that a record rests on."""
    from omoide.cli import show

    with opened(context) as memory:
        said = memory.items.sources(id, scope_of(context), around=around)
        tell_all(
            said,
            show.turns,
            (f"{id} rests on no turn", f"omoide history {id} shows who put it in"),
            as_json=as_json,
        )


def list_items(
    context: typer.Context,
    category: Annotated[
        str, typer.Option("--category", "-c", help="Only this category.", autocompletion=categories)
    ] = "",
    domain: Annotated[str, typer.Option(help="Only this domain.")] = "",
    in_context: Annotated[str, typer.Option("--context", help="Only this context.")] = "",
    entity: Annotated[str, typer.Option(help="Only items about this.")] = "",
    sensitive: Annotated[bool, typer.Option("--sensitive", help="Sensitive items too.")] = False,
    closed: Annotated[bool, typer.Option("--closed", help="Items no longer held, too.")] = False,
    unconfirmed: Annotated[
        bool, typer.Option("--unconfirmed", help="Only unconfirmed items.")
    ] = False,
    confirmed_only: Annotated[
        bool, typer.Option("--confirmed-only", help="Leave out unconfirmed items.")
    ] = False,
    sort: Annotated[
        str,
        typer.Option(help="updated_at, created_at, confidence, category, context, text or uses"),
    ] = "updated_at",
    limit: Annotated[int, typer.Option("--limit", "-n", help="Items a page.")] = 50,
    offset: Annotated[int, typer.Option(help="Items to pass over.")] = 0,
    as_json: AsJson = False,
) -> None:
    """List items: what is known, latest change first."""
    from omoide.cli import show
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
        if as_json:
            print_json(page)
            return
        if not page.total:
            narrow = category or domain or in_context or entity or unconfirmed
            step = "without options, all are listed" if narrow else 'omoide remember "…" adds one'
            show.nothing("no such items" if narrow else "no items", hint(context) or step)
        show.items(page.items)
        if page.total > len(page.items):
            show.console.print(
                f"{page.offset + 1} to {page.offset + len(page.items)} of {page.total}"
            )


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
    recorded_since: Annotated[
        str, typer.Argument(help="The earlier moment: ISO 8601, or words such as 'last week'.")
    ],
    recorded_until: Annotated[
        str | None, typer.Argument(help="The later moment; if not given, now.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what was recorded between two moments, and what went."""
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
    days: Annotated[
        float,
        typer.Option(min=0, max=DAYS_MOST, help="How many days ahead; 0 for what is due now."),
    ] = 7,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 50,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="For cron: only what is due now; if that is nothing, be silent and exit with 1.",
        ),
    ] = False,
    remind: Annotated[
        bool,
        typer.Option(
            "--remind", help="Note that these were shown: each comes once more, when it is overdue."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what is due or overdue."""
    from datetime import timedelta

    from omoide.cli import show
    from omoide.tables.items import Listing

    with opened(context) as memory:
        found = memory.due(
            timedelta(days=0 if check else days), scope_of(context), listing=Listing(limit=limit)
        )
        if check and not found:
            raise typer.Exit(1)
        ahead = (
            "now"
            if check or not days
            else "in the next day"
            if days == 1
            else f"in the next {days:g} days"
        )
        tell_all(
            found,
            show.items,
            (f"nothing is due {ahead}", hint(context) or "omoide due --days 30 looks further"),
            as_json=as_json,
        )
        for item in found if remind else ():
            memory.items.edit(item.id, scope_of(context), reminded_at="now")


def entities(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
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
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 20,
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
    session: Annotated[
        str | None, typer.Argument(help="A session; if not given, all of them.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="Only from this time on.")] = None,
    first: Annotated[int, typer.Option(help="Only from this position in the session on.")] = 0,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Show what was said, word for word."""
    from omoide.cli import show

    with opened(context) as memory:
        said = memory.sessions.turns(
            session, scope_of(context), since=moment(since, "since"), limit=limit, first=first
        )
        step = hint(context) or "omoide sessions list shows which sessions there are"
        tell_all(
            said,
            show.turns,
            ("no turns" + (" from then on" if since or first else ""), step),
            as_json=as_json,
        )


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
    """Show each tool that agents called: how often, how often with success, and its last error."""
    from omoide.cli import show

    with opened(context) as memory:
        found = memory.tool_calls.summary(scope_of(context))
        tell_all(
            found,
            show.tools,
            ("no tool was called", hint(context) or "omoide tool-calls record notes a call"),
            as_json=as_json,
        )


def tool_calls(
    context: typer.Context,
    tool: Annotated[str | None, typer.Argument(help="A tool; if not given, all of them.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only calls that failed.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List the calls of a tool, latest first."""
    from omoide.cli import show

    with opened(context) as memory:
        found = memory.tool_calls.list(tool, scope_of(context), failed=failed, limit=limit)
        what = ("no call failed" if failed else "no call is noted") + (
            f" of {tool!r}" if tool else ""
        )
        tell_all(
            found,
            show.tool_calls,
            (what, hint(context) or "omoide tool-calls summary shows which tools were called"),
            as_json=as_json,
        )


def stats(context: typer.Context, as_json: AsJson = False) -> None:
    """Show what it all adds up to."""
    from omoide.cli import show
    from omoide.cli.plain import plain

    with opened(context) as memory:
        sums = memory.stats(scope_of(context))
        size = _bytes_of(settings(context).store_url)
        if as_json:
            print_json(plain(sums) | {"file_bytes": size})
            return
        user = settings(context).user
        whose = (
            f"{user}, and of nobody in particular"
            if user
            else f"nobody in particular; {hint(context)}"
        )
        show.stats(sums, size, whose, show.Seen(memory.clock.now(), memory.capabilities.learning))
        warn_of_models(context)
        if not memory.capabilities.learning:
            show.waiting(sums)


def _bytes_of(store: str) -> int | None:
    """How large a store's files are; None where it is not a file."""
    files = [Path(store + ending) for ending in ("", "-wal")]
    return sum(file.stat().st_size for file in files if file.is_file()) or None
