"""Why a record was not recalled: the first gate it failed, in the order in which recall applies
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from omoide.nouns.clock import Clock, moved_to, user_zone
from omoide.nouns.hit import Hit, Recall
from omoide.nouns.ids import clean_id
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.match import Where
from omoide.nouns.query import Query
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import counted
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read.arms import REACH
from omoide.read.filters import passing
from omoide.read.question import (
    LIMIT_MOST,
    Question,
    Trail,
    ask,
    asked_in,
    readable,
    without_reranker,
)
from omoide.read.recall import Recaller
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.documents import Documents
from omoide.tables.item_fields import ASKED
from omoide.tables.items import Items
from omoide.tables.turns import Turns


@frozen_record
class WhyNot(Record):
    """The first gate a record failed for a query: its name and what was found there.

    Gates, in order: scope, kind, category, context, sensitive, muted, session, time, known, valid,
    expired, filters, search, switch, unconfirmed, rank, similar, budget; or recalled, with its
    place.
    """

    gate: str
    detail: str

    def __str__(self) -> str:
        return f"{self.gate}: {self.detail}"


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
    with read_only(store, scope.tenant) as tx:
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
    yield from filter(None, (check(question, record) for check in checks))
    kind = Kind.ITEM if isinstance(record, Item) else Kind.TURN
    docs = {row["doc"] for row in Documents(tx).of(question.where.scope.tenant, kind, record.id)}
    if not docs:
        yield WhyNot(gate="search", detail="it is not in the search index; run doctor")
    only = passing(tx, question.where.scope, question.query)
    if only is not None and not docs & only:
        names = ", ".join((*ASKED, "tags", "entities"))
        yield WhyNot(gate="filters", detail=f"its {names} or metadata are not those asked for")
    yield from _about_walls(tx, question.where, docs)


def _about_walls(tx: Transaction, where: Where, docs: set[int]) -> Iterator[WhyNot]:
    """What keeps all of a record's documents from the asker."""
    if Documents(tx).allowed(where, docs):
        return
    if where.off and Documents(tx).allowed(replace(where, off=frozenset()), docs):
        levels = " and ".join(sorted(where.off))
        yield WhyNot(
            gate="switch",
            detail=(
                f"{levels} memory is off, by the setting of that name, and it is of another session"
            ),
        )
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
        return WhyNot(gate="valid", detail=f"it was closed on {_shown(learnt)}{by}")
    if record.expires_at and record.expires_at <= as_of:
        return WhyNot(gate="expired", detail=f"it expired on {_shown(record.expires_at)}")
    return None


def _shown(moment: datetime) -> str:
    """A time as the user's clock shows it."""
    return moved_to(moment, user_zone()).isoformat()


def _ranked(recaller: Recaller, scope: Scope, query: Query, id: str, question: Question) -> WhyNot:
    """Where in the order it came, when nothing kept it out of the search."""
    everything = recaller.candidates(replace(question, limit=LIMIT_MOST), Trail()).hits
    place = _place(everything, id)
    if not place:
        return WhyNot(gate="search", detail=f"none of the arms had it among its best {REACH}")
    found = everything[place - 1]
    answer = recaller.recall(scope, query, question.limit)
    if at := _place(answer.hits, id):
        detail = f"it is hit {at} of {len(answer.hits)} ({_arms(found)})"
        return WhyNot(gate="recalled", detail=detail)
    return (
        _about_doubt(found, len(answer.hits))
        or _about_budget(recaller, scope, query, id, question.limit)
        or _about_rank(recaller, everything, found, _as_ordered(question, answer))
    )


def _place(hits: Sequence[Hit], id: str) -> int:
    """Where a record stands among hits; 0 where it does not."""
    return next((number for number, hit in enumerate(hits, start=1) if hit.id == id), 0)


def _arms(found: Hit) -> str:
    return ", ".join(f"{each.arm.value} rank {each.rank}" for each in found.arms)


def _as_ordered(question: Question, answer: Recall) -> Question:
    """The question as it was ordered in the end: a reranker that failed took no part."""
    failed = any(said.startswith("rerank:") for said in answer.degraded)
    return without_reranker(question) if failed else question


def _about_doubt(found: Hit, others: int) -> WhyNot | None:
    if found.item is None or not found.item.is_unconfirmed:
        return None
    why = found.item.unconfirmed.value if found.item.unconfirmed else ""
    return WhyNot(
        gate="unconfirmed",
        detail=(
            f"it is unconfirmed ({why}), so it came after {counted(others, 'other hit')}"
            f" ({_arms(found)})"
        ),
    )


def _about_budget(
    recaller: Recaller, scope: Scope, query: Query, id: str, limit: int
) -> WhyNot | None:
    if query.budget_tokens is None:
        return None
    unpacked = recaller.recall(scope, replace(query, budget_tokens=None), limit).hits
    hit = next((hit for hit in unpacked if hit.id == id), None)
    if hit is None:
        return None
    return WhyNot(
        gate="budget",
        detail=f"its {hit.tokens} tokens did not fit the budget of {query.budget_tokens}",
    )


def _about_rank(
    recaller: Recaller, everything: list[Hit], found: Hit, question: Question
) -> WhyNot:
    ranked = recaller.ranked(question, everything[: recaller.reach_of(question)], Trail())
    place = _place(ranked, found.id) or _place(everything, found.id)
    if place <= question.limit:
        return WhyNot(
            gate="similar",
            detail=f"it came {place}th ({_arms(found)}) and gave way to something less alike to the"
            " hits before it",
        )
    decided = ", ".join(f"{feature.name} {feature.points:+.1f}" for feature in found.features)
    because = f"; decided by {decided}" if decided else ""
    return WhyNot(
        gate="rank",
        detail=f"it came {place}th ({_arms(found)}{because}); {question.limit} were asked for",
    )
