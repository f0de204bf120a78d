"""Commands that ask: recall, context, ask, why-not, get, sources, list, history, diff, due,
entities, sessions, turns, tools, tool-calls, stats.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer
from typer import Argument, Option

from omoide.cli import show
from omoide.cli.completion import choice, record_id, search_names
from omoide.cli.here import Here, print_json
from omoide.cli.options import (
    BeforeTime,
    Categories,
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
    Session,
    SessionOrAll,
    SortedBy,
    TokensOfHits,
    ToolOrAll,
)
from omoide.cli.queries import AsOf, KnownAt, QueryMaker, takes_query
from omoide.cli.show import console, nothing, put, safe, table
from omoide.nouns.hit import LOADING
from omoide.nouns.item import Category
from omoide.nouns.record.plain import plain

if TYPE_CHECKING:
    from omoide.faculties.searches.saved_search import SavedSearch
    from omoide.read.listings import Page
    from omoide.tables.listing import Listing


Budget = Annotated[str, Option(help="Tokens, or a number and a unit, such as '4000 characters'.")]
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
    end = time.monotonic() + READ_WAIT_S
    answer = ask()
    while any(note.startswith(LOADING) for note in answer.degraded) and time.monotonic() < end:
        time.sleep(READ_PAUSE_S)
        answer = ask()
    return answer


@takes_query
def recall(
    here: Here,
    query: QueryMaker,
    limit: Limit = 10,
    budget: TokensOfHits = None,
    explain: Explain = False,
) -> None:
    """Find the memories that answer a question."""
    most = 400 if here.as_json else SHOWN_TOKENS
    with here.opened() as memory:
        asked = replace(query(), budget_tokens=budget, passage_tokens=most)
        answer = once_read(lambda: memory.recall(asked, here.scope, limit=limit))
        if here.as_json:
            print_json(answer)
            return
        if not answer.hits:
            step = "omoide list shows what is known, omoide sessions turns what was said"
            nothing(f"nothing found for {asked.text!r}", here.hint or step)
        show.recall(answer, explain=explain)


@takes_query
def make_context(
    here: Here,
    query: QueryMaker,
    budget: Budget = "2000",
    strategy: Annotated[
        str, choice(Option, "frozen", "xml", "profile", "messages", "tools", "blocks")
    ] = "frozen",
) -> None:
    """Print the memory block that a program puts into a prompt."""
    asked, most, scope = query(), amount(budget), here.scope
    with here.opened() as memory:
        made = once_read(lambda: memory.context(asked, scope, budget=most, strategy=strategy))
        here.tell(made, lambda made: put(safe(made.text)))


@takes_query
def ask(here: Here, query: QueryMaker, budget: Budget = "2000") -> None:
    """Answer a question in words, with what the answer rests on."""
    with here.opened() as memory:
        answer = memory.ask(query(), here.scope, budget=amount(budget))
        here.tell(answer, show.answer)


def amount(budget: str) -> int | str:
    """A budget as typed: a number of tokens, or a number with a unit."""
    return int(budget) if budget.isascii() and budget.isdigit() else budget


def why_not(
    here: Here,
    question: Annotated[str, Argument(help="What was looked for.")],
    id: Annotated[str, record_id("The record that was expected.", "item")],
    limit: Limit = 10,
) -> None:
    """Say why a question does not return a record."""
    with here.opened() as memory:
        answer = memory.why_not(question, id, here.scope, limit=limit)
        here.tell(answer, safe(f"{answer.gate}: {answer.detail}"))


def get(here: Here, id: RecordId, as_of: AsOf = None, known_at: KnownAt = None) -> None:
    """Show one record whole."""
    with here.opened() as memory:
        record = memory.get(id, here.scope, as_of=as_of, known_at=known_at)
        here.tell(plain(record), show.record)


def sources(
    here: Here,
    id: RecordId,
    around: Annotated[int, Option(help="Turns before and after each.")] = 2,
) -> None:
    """Show the turns that a record rests on."""
    with here.opened() as memory:
        said = memory.items.sources(id, here.scope, around=around)
        none = f"{id} rests on no turn", f"omoide history {id} shows who put it in"
        here.tell(said, show.turns, none)


def list_items(
    here: Here,
    category: OnlyCategory = "",
    domain: OnlyDomain = "",
    in_context: OnlyContext = "",
    entity: OnlyEntity = "",
    since: FromTime = None,
    until: BeforeTime = None,
    sensitive: SensitiveToo = False,
    closed: ClosedToo = False,
    unconfirmed: OnlyUnconfirmed = False,
    confirmed_only: ConfirmedOnly = False,
    sort: SortedBy = "updated_at",
    limit: ItemsAPage = 50,
    offset: PassedOver = 0,
) -> None:
    """List items: what is known, latest change first."""
    from omoide.tables.listing import Listing

    with here.opened() as memory:  # first, since days are those of its user
        listing = Listing(
            category=category,
            domain=domain,
            context=in_context,
            entity=entity,
            sensitive=None if sensitive else False,
            since=since,
            until=until,
            closed=closed,
            unconfirmed=unconfirmed,
            confirmed_only=confirmed_only,
            sort=sort,
            limit=limit,
            offset=offset,
        )
        page = memory.items.list(listing, here.scope)
        here.tell(page, partial(_show_page, listing, here.hint))


def _show_page(listing: Listing, looked: str, page: Page) -> None:
    """A page of items; where there are none, what may be done next."""
    if not page.total:
        narrow = (listing.category, listing.domain, listing.context, listing.entity)
        if any(narrow) or listing.since or listing.until or listing.unconfirmed:
            nothing("no such items", looked or "without options, all are listed")
        else:
            nothing("no items", looked or 'omoide remember "…" adds one')
    show.items(page.items)
    if page.total and not page.items:
        nothing(f"no items on this page; {page.total} in all", "lower --offset")
    elif page.total > len(page.items):
        first, last = page.offset + 1, page.offset + len(page.items)
        console.print(f"{first} to {last} of {page.total}")
    show.notes(page.degraded)


def history(here: Here, id: Annotated[str, record_id("Id of an item.", "item")]) -> None:
    """Show an item's versions and every change to them."""
    with here.opened() as memory:
        past = memory.history(id, here.scope)
        here.tell(past, show.history)


def diff(
    here: Here,
    recorded_since: EarlierMoment,
    recorded_until: LaterMoment = None,
    sensitive: SensitiveToo = False,
) -> None:
    """Show what was recorded and what was closed between two moments."""
    with here.opened() as memory:
        change = memory.diff(
            recorded_since, recorded_until, here.scope, include_sensitive=sensitive
        )
        here.tell(change, show.diff)


def due(
    here: Here,
    days: DaysAhead = 7,
    limit: Limit = 50,
    check: ForCron = False,
    remind: Remind = False,
) -> None:
    """Show what is due or overdue."""
    from omoide.tables.listing import Listing

    days = 0 if check else days
    with here.opened() as memory:
        scope = here.scope
        found = memory.due(timedelta(days=days), scope, listing=Listing(limit=limit))
        if check and not found:
            raise typer.Exit(1)
        step = here.hint or "omoide due --days 30 looks further"
        here.tell(found, show.items, (f"nothing is due {_ahead(days)}", step))
        for item in found if remind else ():
            memory.items.edit(item.id, scope, reminded_at="now")


def _ahead(days: float) -> str:
    if not days:
        return "now"
    return "in the next day" if days == 1 else f"in the next {days:g} days"


def entities(
    here: Here,
    limit: Limit = 100,
    sensitive: Annotated[
        bool, Option("--sensitive", help="Also those that only sensitive items are about.")
    ] = False,
) -> None:
    """List people, projects and things."""
    with here.opened() as memory:
        found = memory.entities.list(here.scope, limit=limit, include_sensitive=sensitive)
        step = here.hint or 'omoide remember "…" --entity person:rui names one'
        here.tell(found, show.entities, ("no entities", step))


def sessions(here: Here, limit: Limit = 20) -> None:
    """List sessions, latest first."""
    with here.opened() as memory:
        found = memory.sessions.list(here.scope, limit=limit)
        step = here.hint or "omoide ingest logs messages, omoide import takes in an export"
        here.tell(found, show.sessions, ("no sessions", step))


def turns(
    here: Here,
    session: SessionOrAll = None,
    since: FromTime = None,
    first: FromPosition = 0,
    limit: Limit = 100,
) -> None:
    """Show what was said, word for word."""
    with here.opened() as memory:
        said = memory.sessions.turns(session, here.scope, since=since, limit=limit, first=first)
        step = here.hint or "omoide sessions list shows which sessions there are"
        what = "no turns from then on" if since or first else "no turns"
        here.tell(said, show.turns, (what, step))


def window(
    here: Here,
    session: Session = None,
    turns: Annotated[int, Option(help="How many turns of the user at most.")] = 30,
) -> None:
    """Show the end of a session as it is replayed to a model."""
    with here.opened() as memory:
        named = here.session(session)
        said = memory.sessions.window(named, here.scope, turns=turns)
        step = here.hint or "omoide sessions list shows which sessions there are"
        here.tell(said, show.turns, ("no turns", step))


def tools(here: Here) -> None:
    """Show each tool's calls, success rate and last error."""
    with here.opened() as memory:
        found = memory.tool_calls.summary(here.scope)
        none = "no tool was called", here.hint or "omoide tool-calls record notes a call"
        here.tell(found, show.tools, none)


def tool_calls(
    here: Here, tool: ToolOrAll = None, failed: OnlyFailed = False, limit: Limit = 50
) -> None:
    """List the calls of a tool, latest first."""
    with here.opened() as memory:
        found = memory.tool_calls.list(tool, here.scope, failed=failed, limit=limit)
        what = ("no call failed" if failed else "no call is noted") + f" of {tool!r}" * bool(tool)
        step = here.hint or "omoide tool-calls summary shows which tools were called"
        here.tell(found, show.tool_calls, (what, step))


def stats(
    here: Here,
    days: Annotated[int, Option(help="Of how many days --json tells what happened.")] = 30,
) -> None:
    """Count what is stored: items, turns, jobs and vectors."""
    with here.opened() as memory:
        sums = memory.stats(here.scope, days=days)
        size = _bytes_of(here.settings.store_url)
        if here.as_json:
            print_json(plain(sums) | {"file_bytes": size})
            return
        show.stats(
            sums, size, _whose(here), show.Seen(memory.clock.now(), memory.capabilities.learning)
        )
        here.warn_of_models()
        if not memory.capabilities.learning:
            show.waiting(sums)


def _whose(here: Here) -> str:
    """Whose memory a command shows, in words."""
    owner = here.scope.user or here.scope.agent
    whose = f"{owner}, and shared memory" if owner else "shared memory"
    return f"{whose}; {here.another}" if here.another else whose


def _bytes_of(store: str) -> int | None:
    """How large a store's files are; None where it is not a file."""
    files = [Path(store + ending) for ending in ("", "-wal")]
    return sum(file.stat().st_size for file in files if file.is_file()) or None


SearchName = Annotated[str, Argument(help="The name of the search.", autocompletion=search_names)]


def list_searches(here: Here) -> None:
    """List saved searches, by name."""
    with here.opened() as memory:
        found = memory.searches.list(here.scope)
    none = ("no search is saved", "omoide searches save NAME QUESTION saves one")
    here.tell(found, _show_searches, none)


def save_search(
    here: Here,
    name: SearchName,
    question: Annotated[str, Argument(help="What to ask.")],
    category: Categories = None,
) -> None:
    """Save a question under a name, to be asked again."""
    from omoide.faculties.searches.saved_search import SearchFilters
    from omoide.write.checks import check_one_of

    only = tuple(check_one_of(Category, one, "category") for one in category or ())
    filters = SearchFilters(categories=only)
    with here.opened(create=True) as memory:
        saved = memory.searches.save(name, question, here.scope, filters=filters)
    here.tell(saved, safe(f"saved {saved.name}: {saved.question}"))


def run_search(
    here: Here,
    name: SearchName,
    limit: Annotated[int, Option("--limit", "-n", help="How many hits at most.")] = 10,
) -> None:
    """Run a saved search."""
    with here.opened() as memory:
        found = memory.searches.run(name, here.scope, limit=limit)
    here.tell(found, safe(str(found), 100_000))


def delete_search(here: Here, name: SearchName) -> None:
    """Delete a saved search."""
    with here.opened() as memory:
        memory.searches.delete(name, here.scope)
    here.tell(None, safe(f"deleted {name}"))


def _show_searches(found: Sequence[SavedSearch]) -> None:
    table(("name", "question"), [(safe(one.name), safe(one.question)) for one in found])
