"""Why a record was not recalled: the first gate it failed, in the order in which recall applies
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from omoide.nouns.clock import Clock, user_zone
from omoide.nouns.ids import clean_id
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read.filters import passing
from omoide.read.recall import (
    LIMIT_MOST,
    REACH,
    Question,
    Recaller,
    Trail,
    ask,
    asked_in,
    readable,
    without_reranker,
)
from omoide.store.base import Store, Transaction
from omoide.tables.documents import Documents
from omoide.tables.items import Items
from omoide.tables.turns import Turns


@dataclass(frozen=True, kw_only=True, slots=True)
class WhyNot:
    """The first gate a record failed for a query: its name and what was found there.

    Gates, in order: scope, kind, category, context, sensitive, muted, session, time, known, valid,
    expired, filters, search, switch, unconfirmed, rank, similar, budget; or recalled, with its
    place.
    """

    gate: str
    detail: str


def why_not(
    store: Store,
    clock: Clock,
    recaller: Recaller,
    scope: Scope,
    query: Query,
    id: str,
    limit: int,
) -> WhyNot:
    """Why a query does not return a record, or at which place it does."""
    now = clock.now()
    question, id = ask(scope, query, limit, now, recaller.off), clean_id(id, "id")
    with store.transaction(tenant=scope.tenant, write=False) as tx:
        seen = readable(tx, scope)
        record = Items(tx).get(seen, id) or (Turns(tx).get(seen, id) if "#" in id else None)
        if record is None:
            return WhyNot(gate="scope", detail=f"there is no record {id!r} that this scope may see")
        question = replace(question, where=asked_in(tx, question, seen))
        failed = next(_failed(tx, question, record), None)
    return failed or _ranked(recaller, scope, query, record.id, question)


def _failed(tx: Transaction, question: Question, record: Item | Turn) -> Iterator[WhyNot]:
    checks: list[Callable[[Question, Item | Turn], WhyNot | None]] = [
        _about_kind,
        _about_marks,
        _about_time,
    ]
    if isinstance(record, Item):
        checks.append(_about_validity)
    for check in checks:
        if (failed := check(question, record)) is not None:
            yield failed
    kind = Kind.ITEM if isinstance(record, Item) else Kind.TURN
    docs = {row["doc"] for row in Documents(tx).of(question.where.scope.tenant, kind, record.id)}
    if not docs:
        yield WhyNot(gate="search", detail="it is not in the search index; run doctor")
    only = passing(tx, question.where.scope, question.query)
    if only is not None and not docs & only:
        yield WhyNot(
            gate="filters", detail="its domain, tags, entities or metadata are not those asked for"
        )
    where = question.where
    if (
        where.off
        and not Documents(tx).allowed(where, docs)
        and Documents(tx).allowed(replace(where, off=frozenset()), docs)
    ):
        levels = " and ".join(sorted(where.off))
        yield WhyNot(
            gate="switch",
            detail=(
                f"{levels} memory is off, by the setting of that name, and it is of another session"
            ),
        )
    if not Documents(tx).allowed(where, docs):
        yield WhyNot(gate="scope", detail="it is kept to another session, or was undone")


def _about_kind(question: Question, record: Item | Turn) -> WhyNot | None:
    query = question.query
    kind = Kind.ITEM if isinstance(record, Item) else Kind.TURN
    if kind not in query.kinds:
        return WhyNot(
            gate="kind",
            detail=f"it is of kind {kind.value}; asked for: {', '.join(sorted(query.kinds))}",
        )
    if query.categories is not None and (
        isinstance(record, Turn) or record.category not in query.categories
    ):
        return WhyNot(gate="category", detail=f"asked for: {', '.join(sorted(query.categories))}")
    if (
        query.contexts is not None
        and isinstance(record, Item)
        and record.scope.context not in query.contexts
    ):
        return WhyNot(
            gate="context",
            detail=(
                f"it belongs to {record.scope.context!r}; asked for:"
                f" {', '.join(sorted(query.contexts))}"
            ),
        )
    return None


def _about_marks(question: Question, record: Item | Turn) -> WhyNot | None:
    query = question.query
    if isinstance(record, Turn):
        if question.where.without_session == record.session:
            return WhyNot(gate="session", detail=f"session {record.session!r} was left out")
        return None
    if record.sensitive and not query.include_sensitive:
        return WhyNot(gate="sensitive", detail="it is marked sensitive; ask with include_sensitive")
    if record.is_unconfirmed and query.confirmed_only:
        why = record.unconfirmed.value if record.unconfirmed else ""
        return WhyNot(
            gate="unconfirmed", detail=f"it is unconfirmed ({why}); confirmed_only is set"
        )
    if record.muted and not query.include_muted:
        return WhyNot(gate="muted", detail="it is muted; ask with include_muted")
    return None


def _about_time(question: Question, record: Item | Turn) -> WhyNot | None:
    where = question.where
    at = record.valid_from if isinstance(record, Item) else record.at
    if (where.since and at < where.since) or (where.until and at >= where.until):
        return WhyNot(gate="time", detail=f"its time, {_shown(at)}, is outside what was asked for")
    if where.known_at is not None and record.recorded_at > where.known_at:
        return WhyNot(
            gate="known",
            detail=f"it was recorded on {_shown(record.recorded_at)}, after known_at",
        )
    return None


def _about_validity(question: Question, record: Item | Turn) -> WhyNot | None:
    assert isinstance(record, Item)
    where = question.where
    as_of = where.as_of or where.now
    if record.valid_from > (where.as_of or max(record.recorded_at, as_of)):
        return WhyNot(gate="valid", detail=f"it is valid from {_shown(record.valid_from)}")
    if record.valid_until and record.valid_until <= as_of:
        return WhyNot(gate="valid", detail=f"it was valid until {_shown(record.valid_until)}")
    learnt = record.superseded_at
    if (
        learnt is None
        or record.closed_at is None
        or (where.known_at is not None and learnt > where.known_at)
    ):
        ended = False
    else:
        ended = record.closed_at <= (where.as_of or max(learnt, record.recorded_at, as_of))
    if learnt is not None and ended:
        by = f", superseded by {record.superseded_by!r}" if record.superseded_by else ""
        return WhyNot(gate="valid", detail=f"it stopped being held on {_shown(learnt)}{by}")
    if record.expires_at and record.expires_at <= as_of:
        return WhyNot(gate="expired", detail=f"it expired on {_shown(record.expires_at)}")
    return None


def _shown(moment: datetime) -> str:
    """A time as the user's clock shows it."""
    return moment.astimezone(user_zone()).isoformat()


def _ranked(recaller: Recaller, scope: Scope, query: Query, id: str, question: Question) -> WhyNot:
    """Where in the order it came, when nothing kept it out of the search."""
    everything = recaller.candidates(replace(question, limit=LIMIT_MOST), Trail()).hits
    place = next((n for n, hit in enumerate(everything, start=1) if hit.id == id), None)
    if place is None:
        return WhyNot(gate="search", detail=f"none of the arms had it among its best {REACH}")
    arms = ", ".join(f"{a.arm.value} rank {a.rank}" for a in everything[place - 1].arms)
    answer = recaller.recall(scope, query, question.limit)
    final = answer.hits
    at = next((n for n, hit in enumerate(final, start=1) if hit.id == id), None)
    if at is not None:
        return WhyNot(gate="recalled", detail=f"it is hit {at} of {len(final)} ({arms})")
    if (item := everything[place - 1].item) is not None and item.is_unconfirmed:
        why = item.unconfirmed.value if item.unconfirmed else ""
        return WhyNot(
            gate="unconfirmed",
            detail=f"it is unconfirmed ({why}), so it came after {len(final)} others ({arms})",
        )
    budget, unpacked = (
        query.budget_tokens,
        recaller.recall(scope, replace(query, budget_tokens=None), question.limit).hits,
    )
    if budget is not None and (hit := next((hit for hit in unpacked if hit.id == id), None)):
        return WhyNot(
            gate="budget", detail=f"its {hit.tokens} tokens did not fit the budget of {budget}"
        )
    asked = (
        without_reranker(question)
        if any(said.startswith("rerank:") for said in answer.degraded)
        else question
    )
    ranked = recaller.ranked(asked, everything[: recaller.reach_of(asked)], Trail())
    place = next((n for n, hit in enumerate(ranked, start=1) if hit.id == id), place)
    if place > question.limit:
        decided = ", ".join(
            f"{feature.name} {feature.points:+.1f}"
            for hit in everything
            if hit.id == id
            for feature in hit.features
        )
        return WhyNot(
            gate="rank",
            detail=f"it came {place}th ({arms}{f'; decided by {decided}' * bool(decided)});"
            f" {question.limit} were asked for",
        )
    return WhyNot(
        gate="similar",
        detail=(
            f"it came {place}th ({arms}) and gave way to something less alike to the hits before it"
        ),
    )
