"""One statement into memory, verbatim: checked, masked, embedded, compared with what is known, and
applied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeAlias

from omoide.models.embedders.encoders import Encoders, VectorsByModel
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock, check_window
from omoide.nouns.errors import Forbidden, InvalidInput, NotFound, SharedSession
from omoide.nouns.ids import ItemId
from omoide.nouns.item import (
    CONFIDENCE,
    NO_DETAILS,
    PRIVILEGED,
    REMEMBER_CONFIDENCE,
    TIER,
    Category,
    Details,
    Item,
    Source,
    Tier,
)
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, committed
from omoide.tables.documents import Documents, Words
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns, split_turn_id
from omoide.text.secrets import mask_stored
from omoide.wire.arguments import check_record
from omoide.write.apply import Door
from omoide.write.bases import rest
from omoide.write.checks import (
    ORIGIN_LIMIT,
    check_category,
    check_confidence,
    check_domain,
    check_flag,
    check_id,
    check_line,
    check_metadata,
    check_names,
    check_one_of,
    check_scope,
    check_text,
    check_time,
)
from omoide.write.confirmation import fulfil
from omoide.write.decide import (
    Add,
    Candidate,
    Decision,
    Ignore,
    Neighbour,
    Precede,
    Reinforce,
    Supersede,
    decide,
)
from omoide.write.index import around_words, item_words
from omoide.write.merge import again, before, instead, is_backdated
from omoide.write.neighbours import look_alikes, said_since
from omoide.write.unconfirmed import beside


class Outcome(StrEnum):
    """What remember did."""

    ADDED = "added"
    REINFORCED = "reinforced"  # known already, in at least as much detail
    SUPERSEDED = "superseded"  # an older statement gave way: corrected, or as a model decided
    IGNORED = "ignored"  # a more trusted source says it already


@dataclass(frozen=True, kw_only=True, slots=True)
class Remembered:
    """The item that now stands for what was said, and how it came to.

    similar is the nearest older item, where the new one was added beside something near: both hold
    until you say otherwise. If the new statement replaces it, close it with ``correct(similar,
    text)``.
    """

    item: Item
    outcome: Outcome
    superseded: ItemId | None = None
    similar: ItemId | None = None

    @property
    def id(self) -> ItemId:
        """The item's id."""
        return self.item.id


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """What a caller wants remembered, as given."""

    text: str
    category: str = Category.FACT
    tags: Sequence[str] = ()
    entities: Sequence[str] = ()
    due_at: datetime | str | None = None
    details: Details = NO_DETAILS


def draft(statement: Statement, scope: Scope, clock: Clock) -> Item:
    """The statement as an item: checked, its secrets masked, its times and confidence filled in.

    Raises:
        InvalidInput, TooLong, UnknownName, InvalidTime: the field named is wrong.
    """
    check_record(Statement, statement, "statement")
    details, now = statement.details, clock.now().astimezone(UTC)
    text = check_text(statement.text)
    category = check_category(statement.category)
    source = check_one_of(Source, details.source, "source")
    if category in PRIVILEGED and source in (Source.LLM_EXTRACT, Source.CONSOLIDATION):
        raise Forbidden(
            f"category {category.value!r} is privileged: {source.value} may not write it"
        )
    if details.session_only and scope.session is None:
        raise InvalidInput("session_only", "needs a scope with a session")
    masked = mask_stored(text)
    valid_from = check_time(details.valid_from, "valid_from") or now
    valid_until = check_time(details.valid_until, "valid_until")
    check_window(valid_from, valid_until, "validity")
    return Item(
        id=ItemId(clock.new_id()),
        scope=check_scope(
            scope if details.session_only or scope.session is None else replace(scope, session=None)
        ),
        category=category,
        text=masked.text,
        created_at=now,
        updated_at=now,
        recorded_at=now,
        valid_from=valid_from,
        valid_until=valid_until,
        domain=check_domain(details.domain),
        tags=check_names(statement.tags, "tags"),
        entities=check_names(statement.entities, "entities"),
        metadata=check_metadata(details.metadata),
        source=source,
        tier=TIER[source] if details.tier is None else check_one_of(Tier, details.tier, "tier"),
        origin=check_line(details.origin or "", "origin", ORIGIN_LIMIT) or None,
        confidence=_confidence(details, source),
        sensitive=check_flag(details.sensitive, "sensitive"),
        due_at=check_time(statement.due_at, "due_at"),
        expires_at=check_time(details.expires_at, "expires_at"),
        quote=mask_stored(check_text(details.quote)).text if details.quote else None,
        source_turns=details.source_turns,
        bases=tuple(
            ItemId(id) for id in dict.fromkeys(check_id(base, "bases") for base in details.bases)
        ),
        masks=masked.masks,
    )


def _confidence(details: Details, source: Source) -> float:
    if details.confidence is not None:
        return check_confidence(details.confidence)
    return REMEMBER_CONFIDENCE if source is Source.TOOL else CONFIDENCE[source]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """A statement made ready to be remembered: as an item, with who said it where."""

    item: Item
    scope: Scope
    because: Because
    encoders: Encoders
    vectors: VectorsByModel | None = None  # of its text, where they are made already

    @classmethod
    def of(cls, item: Item, scope: Scope, because: Because, encoders: Encoders) -> Wanted:
        """An item to be remembered, with its vectors where an embedder has to be waited for: so
        each thread waits for its own alone.

        Raises:
            ModelError: it failed.
        """
        vectors = None if encoders.at_once else encoders.embed([item.text])[0]
        return cls(item=item, scope=scope, because=because, encoders=encoders, vectors=vectors)

    @property
    def partition(self) -> tuple[str, str]:
        """The tenant and user it is of."""
        return self.item.scope.tenant, self.item.scope.user or ""

    @property
    def door(self) -> tuple[Because, str | None]:
        """What those have in common that one door lets in."""
        return self.because, self.scope.session


def remember(store: Store, clock: Clock, wanted: Sequence[Wanted]) -> list[Remembered]:
    """Store statements of one tenant, all or none, unless they are known; what is near is linked,
    and nothing closes. What came of each, in order.

    The costly part, embedding and the search for what may be the same, happens before the write
    transaction; within it only what changed since is looked at, under the locks of the partitions.
    """
    words = _words(wanted)
    now, tenant = clock.now(), wanted[0].item.scope.tenant
    partitions = sorted({one.partition for one in wanted})
    with store.transaction(tenant=tenant, write=False) as tx:
        seqs = {partition: Documents(tx).counter(*partition) for partition in partitions}
        alike = [_look(tx, one, words[n], now) for n, one in enumerate(wanted)]

    def keep(tx: Transaction) -> list[Remembered]:
        # locked in the same order by all, so that writers never wait in a circle: partitions, rows
        # of jobs, ledgers
        for partition in partitions:
            Documents(tx).lock(*partition)
        doors = {
            one.door: Door(tx, clock, one.because, session=one.scope.session) for one in wanted
        }
        with ExitStack() as ledgers:
            for door in reversed(doors.values()):  # left the other way round
                ledgers.enter_context(door)
            return [
                _keep(tx, doors[one.door], clock, one, words[n], seqs[one.partition], alike[n])
                for n, one in enumerate(wanted)
            ]

    return committed(store, keep, tenant=tenant)


def _words(wanted: Sequence[Wanted]) -> list[Words]:
    """What each is found by; vectors that are not made yet, all with one call to each embedder."""
    vectors = {n: one.vectors for n, one in enumerate(wanted) if one.vectors is not None}
    for encoders in {id(one.encoders): one.encoders for one in wanted}.values():
        mine = [n for n, one in enumerate(wanted) if one.encoders is encoders and n not in vectors]
        vectors |= dict(zip(mine, encoders.embed([wanted[n].item.text for n in mine]), strict=True))
    found = (item_words(one.item) for one in wanted)
    return [
        Words(own=own, around=around, vectors=vectors[n]) for n, (own, around) in enumerate(found)
    ]


def _look(tx: Transaction, one: Wanted, words: Words, now: datetime) -> list[str]:
    """What is there that may say the same."""
    check_session(tx, one.scope)
    return look_alikes(tx, one.item, words, now)


def _keep(
    tx: Transaction,
    door: Door,
    clock: Clock,
    one: Wanted,
    words: Words,
    seq: int,
    ids: Sequence[str],
) -> Remembered:
    door.lock(one.item.scope)
    check_sources(tx, one.item)
    item = rest(tx, one.scope, one.item, door.now)
    return carry_out(door, judge(tx, clock, item, words, [*ids, *said_since(tx, item, words, seq)]))


def check_session(tx: Transaction, scope: Scope) -> None:
    """That user memory may be used where this scope's session is.

    Raises:
        SharedSession: the scope names a user and a session that several users take part in.
    """
    if scope.session is None or scope.user is None:
        return
    session = Sessions(tx).find(scope.tenant, scope.session)
    if session is not None and len(session.users) > 1:
        raise SharedSession(scope.session, len(session.users))


def check_sources(tx: Transaction, item: Item) -> None:
    """That the turns an item says it comes from are there, and for a user's item, theirs to see.

    Raises:
        NotFound: one is not.
    """
    turns = Turns(tx)
    for turn in item.source_turns:
        within = replace(item.scope, session=split_turn_id(turn)[0])
        # what is known to all may rest on what one user said
        if (
            turns.get(within, turn) if item.scope.user else turns.find(item.scope.tenant, turn)
        ) is None:
            raise NotFound("turn", turn)


Choose: TypeAlias = Callable[[Candidate, Sequence[Neighbour]], Decision]


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What is to become of an item, with its words, its entities by the names they are known by,
    and those it called them by.
    """

    decision: Decision
    item: Item
    words: Words
    called: tuple[str, ...]


def named(
    tx: Transaction, clock: Clock, item: Item, words: Words
) -> tuple[Item, Words, tuple[str, ...]]:
    """An item and its words with its entities by the names that they are known by, and the names
    that it called them by.
    """
    called = item.entities
    if not called:
        return item, words, called
    known = {Entities(tx).ensure(item.scope, name, clock).name for name in called}
    item = replace(item, entities=tuple(sorted(known)))
    return item, replace(words, around=around_words(item)), called


def judge(
    tx: Transaction,
    clock: Clock,
    item: Item,
    words: Words,
    ids: Sequence[str],
    choose: Choose = decide,
) -> Judged:
    """Compare an item with those of some ids, and choose what becomes of it."""
    known = Items(tx).many(item.scope, dict.fromkeys(ids)).values() if ids else ()
    item, words, called = named(tx, clock, item, words)
    decision = choose(
        Candidate.of(item, backdated=is_backdated(item)), [Neighbour.of(one) for one in known]
    )
    return Judged(decision=decision, item=item, words=words, called=called)


def carry_out(door: Door, judged: Judged) -> Remembered:
    """Let a decision happen."""
    item, words, called = judged.item, judged.words, judged.called
    match judged.decision:
        case Add(similar=near):
            linked = replace(item, similar_to=near.id if near else None)
            added = door.add(linked, words, called)
            return Remembered(item=added, outcome=Outcome.ADDED, similar=added.similar_to)
        case Reinforce(item=known):
            kept = door.reinforce(known, again(known, item), item)
            told, cause = item.source_turns, door.last_of(known)
            kept = fulfil(door, known, kept, by=item.tier, cause=cause, told=told)
            return Remembered(item=kept, outcome=Outcome.REINFORCED)
        case Supersede(item=old) | Precede(item=old) if item.unconfirmed is not None:
            added = door.add(beside(item, old), words, called)
            return Remembered(item=added, outcome=Outcome.ADDED, similar=added.similar_to)
        case Supersede(item=old):
            merged = instead(old, item)
            words = replace(words, around=around_words(merged))
            new = door.supersede(old, merged, words, at=item.valid_from, names=called, said=item)
            return Remembered(item=new, outcome=Outcome.SUPERSEDED, superseded=old.id)
        case Precede(item=later):
            return Remembered(
                item=door.add(before(later, item), words, called, said=item), outcome=Outcome.ADDED
            )
        case Ignore(item=known):
            return Remembered(item=known, outcome=Outcome.IGNORED)
