"""Reads without a question: items by page, sessions, turns, what is due, and what it all adds up
to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from omoide.nouns.clock import EPOCH, ahead_of_utc, to_micros
from omoide.nouns.entity import Entity
from omoide.nouns.errors import InvalidInput, NotFound, UnknownName
from omoide.nouns.ids import clean_id
from omoide.nouns.item import Category, Item
from omoide.nouns.query import Query
from omoide.nouns.record import Listed, Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record_kind import all_kinds
from omoide.nouns.reflection import Buffer, DigestKind, Size
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read.buffers import buffers
from omoide.read.question import readable
from omoide.settings.levels import Level, seen
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.calls import ModelCalls
from omoide.tables.columns import asker
from omoide.tables.documents import Documents
from omoide.tables.embedders import Embedders
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.jobs import JobCount, Jobs
from omoide.tables.listing import SORTS, Listing
from omoide.tables.sessions import SessionPreview, Sessions
from omoide.tables.tools import ToolCall, ToolCalls, ToolDay, ToolSummary
from omoide.tables.turns import TurnCount, Turns, split_turn_id
from omoide.telemetry.model_calls import ModelUse

PAGE_MOST = 1_000
TURNS_MOST = 1_000_000  # a session is read whole, to be archived or distilled
DAYS_MOST = 3_660
AROUND_MOST = 50
LATEST = datetime.max.replace(tzinfo=UTC)


@frozen_record
class Capabilities(Record):
    """What a memory can do, for programs that adapt to what they find."""

    vectors: bool  # search by meaning
    learning: bool = False  # a language model learns from talk; else sessions wait for one
    categories: frozenset[Category] = frozenset(Category)
    temporal: bool = True  # answers as of a time, and as known at a time
    entities: bool = True  # records linked to people and things
    relations: bool = False  # typed relations between entities, to be followed from one to the next
    shared: bool = True  # records of nobody in particular, seen by every user of the tenant
    items_most: int | None = (
        # open items that upkeep keeps of one user, or of one agent; None: as many as there is room
        # for
        None
    )


@frozen_record
class Page(Listed[Item]):
    """A page of items, to be looped over, and how many all pages hold."""

    items: tuple[Item, ...]
    total: int
    offset: int
    limit: int
    degraded: tuple[str, ...] = ()  # what is left out, such as a damaged item

    @property
    def _listed(self) -> tuple[Item, ...]:
        return self.items

    @property
    def is_last(self) -> bool:
        """Whether no page follows."""
        return self.offset + self.limit >= self.total

    def __str__(self) -> str:
        if not self.items:
            return f"no items on this page; {self.total} in all"
        where = f"{self.offset + 1} to {self.offset + len(self.items)} of {self.total}"
        notes = (f"note: {note}" for note in self.degraded)
        return "\n".join((*map(str, self.items), where, *notes))


@frozen_record
class Coverage(Record):
    """For how many of the documents in the asker's partitions an embedder made vectors."""

    embedder: str
    state: str
    with_vector: int
    total: int

    @property
    def percent(self) -> float:
        """From 0 to 100; 100 when there is nothing to embed."""
        return 100 * self.with_vector / self.total if self.total else 100.0


@frozen_record
class Stats(Record):
    """What an asker's memory adds up to."""

    items: int
    retrievals: int
    sensitive: int
    confidence: float
    oldest: datetime | None
    newest: datetime | None
    upcoming: int
    overdue: int
    unconfirmed: int
    waiting: int  # proposals, for a person's word
    by_category: Mapping[str, int]
    by_context: Mapping[str, int]
    by_source: Mapping[str, int]
    entities: int
    log: TurnCount
    coverage: tuple[Coverage, ...]
    jobs: tuple[JobCount, ...]
    changes: int
    procedures: int  # that may be recalled
    procedures_off: int  # that wait to be enabled, or were switched off
    tools: int  # different ones that were called
    tool_calls: int
    tool_errors: int
    # ISO date: turns said, items added
    days: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    tool_days: Mapping[str, ToolDay] = field(default_factory=dict)
    models: tuple[ModelUse, ...] = ()  # what language models were called for on these days
    buffers: tuple[Buffer, ...] = ()  # of reflections: the session's, the user's and the agent's


def page(store: Store, scope: Scope, listing: Listing, now: datetime) -> Page:
    """One page of items.

    Raises:
        UnknownName: no such order.
        InvalidInput: a limit or offset out of range.
        InvalidTime: until is not after since.
    """
    if listing.sort not in SORTS:
        raise UnknownName("sort", listing.sort, SORTS)
    check_page(listing.limit, listing.offset)
    _check_names(listing)
    with read_only(store, scope.tenant) as tx:
        seen = readable(tx, scope)
        if listing.entity:
            listing = replace(listing, entity=Entities(tx).searched(seen, listing.entity))
        items = Items(tx).page(seen, listing, now)
        return Page(
            items=tuple(items),
            total=Items(tx).count(seen, listing, now),
            offset=listing.offset,
            limit=listing.limit,
        )


def listed(level: Level, scope: Scope, listing: Listing) -> Listing:
    """The listing as a memory of that level may ask for it.

    Raises:
        InvalidInput: a project's memory without a context of its own, or asked for another's.
    """
    seen(level, scope, Query(contexts=frozenset({listing.context}) if listing.context else None))
    if level is not Level.PROJECT or listing.context:
        return listing
    return replace(listing, context=scope.context, with_global=True)


def due(
    store: Store, scope: Scope, now: datetime, within: timedelta, listing: Listing, *, overdue: bool
) -> list[Item]:
    """Items due within a time from now, and overdue ones; those already reminded of only once they
    fell due since.

    Of the listing, context, sensitive and limit are looked at; the global context is always in.
    """
    if within < timedelta(0):
        raise InvalidInput("within", f"must not be negative; got {within}")
    check_page(listing.limit)
    _check_names(listing)
    with read_only(store, scope.tenant) as tx:
        return Items(tx).due(
            readable(tx, scope),
            now=now,
            before=now + min(within, LATEST - now),
            overdue=overdue,
            context=listing.context,
            sensitive=listing.sensitive is not False,
            limit=listing.limit,
        )


def check_page(
    limit: int, start: int = 0, most: int = PAGE_MOST, names: tuple[str, str] = ("limit", "offset")
) -> None:
    """That a page can be given; names are what its size and its start are called.

    Raises:
        InvalidInput: it is of no size, too large, or starts before the beginning.
    """
    if not 1 <= limit <= most:
        raise InvalidInput(names[0], f"must be from 1 to {most:,}; got {limit}")
    if start < 0:
        raise InvalidInput(names[1], f"must be 0 or more; got {start}")


def _check_names(listing: Listing) -> None:
    if listing.category and listing.category not in tuple(Category):
        raise UnknownName("category", listing.category, tuple(Category))
    for name in ("domain", "context", "entity"):
        if getattr(listing, name):
            clean_id(getattr(listing, name), name)


def sessions(store: Store, scope: Scope, limit: int, offset: int) -> list[SessionPreview]:
    """The asker's sessions, latest first."""
    check_page(limit, offset)
    with read_only(store, scope.tenant) as tx:
        return Sessions(tx).page(readable(tx, scope), limit, offset)


def turns(
    store: Store, scope: Scope, session: str | None, since: datetime | None, limit: int, first: int
) -> list[Turn]:
    """The turns of a session from a position on, or of all sessions since a time; in order.

    Raises:
        NotFound: no such session in this scope.
    """
    check_page(limit, first, TURNS_MOST, ("limit", "first"))
    session = None if session is None else clean_id(session, "session")
    with read_only(store, scope.tenant) as tx:
        if session is None:
            return Turns(tx).recent(readable(tx, scope), since or EPOCH, limit)
        id = Sessions(tx).named(scope, session)
        seen = within(tx, scope, id)
        found = Turns(tx).of_session(seen, id, first=first, limit=limit)
        if not found and Sessions(tx).visible(seen, id) is None:
            raise NotFound("session", session)
        return found


def window(store: Store, scope: Scope, session: str, count: int) -> list[Turn]:
    """The last user turns of a session with all that follows the first of them; none where nothing
    was said in it.

    Raises:
        InvalidInput: the count is out of range.
    """
    check_page(count, names=("turns", ""))
    session = clean_id(session, "session")
    with read_only(store, scope.tenant) as tx:
        id = Sessions(tx).named(scope, session)
        return Turns(tx).window(within(tx, scope, id), id, count)


def sources(store: Store, scope: Scope, id: str, around: int) -> list[Turn]:
    """The turns behind a record, in order, each with so many turns before and after it in its
    session.

    Of an item, the turns it was derived from; of a turn, itself.

    Raises:
        NotFound: no such record in this scope.
        InvalidInput: around is out of range.
    """
    if not 0 <= around <= AROUND_MOST:
        raise InvalidInput("around", f"{around} is not from 0 to {AROUND_MOST}")
    id = clean_id(id, "id")
    with read_only(store, scope.tenant) as tx:
        seen = readable(tx, scope)
        item = Items(tx).get(seen, id)
        ids: tuple[str, ...] = item.source_turns if item is not None else (id,)
        turns: dict[str, Turn] = {}
        for place in ids:
            session, position = split_turn_id(place)
            near = Turns(tx).of_session(
                within(tx, scope, session),
                session,
                first=max(0, position - around),
                limit=2 * around + 1,
            )
            turns |= {turn.id: turn for turn in near if abs(turn.position - position) <= around}
        if item is None and id not in turns:
            raise NotFound("item or turn", id)
        return sorted(turns.values(), key=lambda turn: (turn.session, turn.position))


def within(tx: Transaction, scope: Scope, session: str) -> Scope:
    """What a scope sees of one session that it names: one who takes part need not ask from
    within.
    """
    if scope.session is not None:
        return readable(tx, scope)
    there = Sessions(tx).find(scope.tenant, session)
    return (
        replace(scope, session=session)
        if there is not None and scope.user in there.users
        else scope
    )


def entities(store: Store, scope: Scope, limit: int, *, include_sensitive: bool) -> list[Entity]:
    """The asker's entities, those with most open items first; without include_sensitive none that
    only sensitive items are about.
    """
    check_page(limit)
    with read_only(store, scope.tenant) as tx:
        return Entities(tx).page(readable(tx, scope), limit, include_sensitive=include_sensitive)


def tool_calls(
    store: Store, scope: Scope, tool: str | None, limit: int, *, failed: bool
) -> list[ToolCall]:
    """The asker's calls of a tool (None: of all), latest first."""
    check_page(limit)
    name = "" if tool is None else clean_id(tool, "tool")
    with read_only(store, scope.tenant) as tx:
        return ToolCalls(tx).latest(readable(tx, scope), name, failed=failed, limit=limit)


def tools(store: Store, scope: Scope) -> list[ToolSummary]:
    """What the asker's calls of each tool add up to, most called first."""
    with read_only(store, scope.tenant) as tx:
        return ToolCalls(tx).summary(readable(tx, scope))


def stats(
    store: Store,
    scope: Scope,
    now: datetime,
    days: int,
    sizes: Mapping[DigestKind, Size],
    *,
    whole: bool = False,
) -> Stats:
    """What the asker's memory adds up to, with what happened on each of the last days; with whole,
    the jobs of the store itself count, too.
    """
    check_page(days, most=DAYS_MOST, names=("days", ""))
    with read_only(store, scope.tenant) as tx:
        seen, since = readable(tx, scope), now - timedelta(days=days)
        parts: dict[str, Any] = {}
        for kind in all_kinds():
            parts |= kind.stats(tx, seen, now)
        return Stats(
            **parts,
            jobs=tuple(Jobs(tx).seen(seen, now, whole=whole)),
            coverage=_coverage(tx, seen),
            days=_days(tx, asker(seen), since, ahead_of_utc(now)),
            tool_days=ToolCalls(tx).per_day(seen, since, ahead_of_utc(now)),
            models=tuple(ModelCalls(tx).uses(scope.tenant, since)),
            buffers=buffers(tx, seen, sizes),
        )


def _coverage(tx: Transaction, scope: Scope) -> tuple[Coverage, ...]:
    total = Documents(tx).count(scope)
    return tuple(
        Coverage(
            embedder=m.id,
            state=m.state.value,
            with_vector=total - Documents(tx).waiting(scope, m.number),
            total=total,
        )
        for m in Embedders(tx).all()
        if m.state.value != "retired"
    )


def _days(
    tx: Transaction, sees: Mapping[str, Any], since: datetime, ahead: int
) -> dict[str, tuple[int, int]]:
    counts: dict[int, list[int]] = {}
    for place, query in enumerate(("turns.per_day", "items.per_day")):
        for row in tx.rows(query, **sees, since=to_micros(since), ahead=ahead):
            counts.setdefault(row["day"], [0, 0])[place] = row["total"]
    return {
        f"{EPOCH + timedelta(days=day):%Y-%m-%d}": (said, added)
        for day, (said, added) in sorted(counts.items())
    }
