"""Statements into memory, verbatim: checked, masked, embedded, compared with what is known, and
applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import partial
from typing import Any, TypeAlias

from omoide.models.embedders.encoders import Encoders, VectorsByModel
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock, check_window
from omoide.nouns.errors import Forbidden, InvalidInput, NotFound, SharedSession
from omoide.nouns.ids import ItemId, TurnId
from omoide.nouns.item import (
    BANDS,
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
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.documents import Documents, Words
from omoide.tables.entities import Entities
from omoide.tables.item_fields import NAMES
from omoide.tables.items import Items
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns, split_turn_id
from omoide.text.given_time import read_time
from omoide.text.secrets import mask_stored
from omoide.wire.arguments import check_record
from omoide.write.apply import Door, Writer
from omoide.write.bases import rest
from omoide.write.checks import (
    ORIGIN_LIMIT,
    check_category,
    check_confidence,
    check_flag,
    check_id,
    check_line,
    check_metadata,
    check_name,
    check_names,
    check_one_of,
    check_scope,
    check_text,
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
from omoide.write.index import around_words, words_of
from omoide.write.merge import again, before, instead, is_backdated
from omoide.write.neighbours import look_alikes, said_since
from omoide.write.unconfirmed import beside


class Outcome(StrEnum):
    """What remember did."""

    ADDED = "added"
    REINFORCED = "reinforced"  # known already, in at least as much detail
    SUPERSEDED = "superseded"  # an older statement gave way: corrected, or as a model decided
    IGNORED = "ignored"  # a more trusted source says it already


@frozen_record
class Remembered(Record):
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

    def __str__(self) -> str:
        similar = f"; similar: {self.similar}" if self.similar else ""
        return f"{self.outcome.value}: {self.item}{similar}"


@frozen_record
class Statement(Record):
    """What a caller wants remembered, as given."""

    text: str
    category: str = Category.FACT
    tags: Sequence[str] = ()
    entities: Sequence[str] = ()
    due_at: datetime | date | str | None = None
    details: Details = NO_DETAILS


def draft(statement: Statement, scope: Scope, clock: Clock) -> Item:
    """The statement as an item: checked, its secrets masked, its times and confidence filled in.

    Raises:
        InvalidInput, TooLong, UnknownName, InvalidTime: the field named is wrong.
    """
    check_record(Statement, statement, "statement")
    details, now = statement.details, clock.now().astimezone(UTC)
    lasts = scope.session is None or details.session_only
    text = check_text(statement.text)
    category = check_category(statement.category)
    source = check_one_of(Source, details.source, "source")
    check_privilege(category, source)
    if details.session_only and scope.session is None:
        raise InvalidInput("session_only", "needs a scope with a session")
    masked = mask_stored(text)
    return Item(
        id=ItemId(clock.new_id()),
        scope=check_scope(scope if lasts else replace(scope, session=None)),
        category=category,
        text=masked.text,
        masks=masked.masks,
        source=source,
        created_at=now,
        updated_at=now,
        recorded_at=now,
        **_validity(details, now),
        tags=check_names(statement.tags, "tags"),
        entities=check_names(statement.entities, "entities"),
        due_at=read_time(statement.due_at, "due_at", now, ahead=True),
        **_detailed(details, source, now),
    )


def check_privilege(category: Category, source: Source) -> None:
    """That items of a category may come to be so.

    Raises:
        Forbidden: the category is privileged, and a model wrote it.
    """
    if category in PRIVILEGED and source in (Source.LLM_EXTRACT, Source.CONSOLIDATION):
        raise Forbidden(
            f"category {category.value!r} is privileged: {source.value} may not write it"
        )


def _validity(details: Details, now: datetime) -> dict[str, Any]:
    """From when until when a statement holds; from now on, where nothing else is told."""
    valid_from = read_time(details.valid_from, "valid_from", now) or now
    valid_until = read_time(details.valid_until, "valid_until", now, end_of_day=True)
    check_window(valid_from, valid_until, "validity")
    return {"valid_from": valid_from, "valid_until": valid_until}


def _detailed(details: Details, source: Source, now: datetime) -> dict[str, Any]:
    """What the details tell of an item, checked."""
    tier = TIER[source] if details.tier is None else check_one_of(Tier, details.tier, "tier")
    bases = dict.fromkeys(ItemId(check_id(base, "bases")) for base in details.bases)
    return {
        "tier": tier,
        "bases": tuple(bases),
        **{name: check_name(getattr(details, name), name) for name in NAMES},
        "metadata": check_metadata(details.metadata),
        "origin": check_line(details.origin or "", "origin", ORIGIN_LIMIT) or None,
        "confidence": _confidence(details, source, tier),
        "sensitive": check_flag(details.sensitive, "sensitive"),
        "expires_at": read_time(details.expires_at, "expires_at", now, end_of_day=True),
        "quote": mask_stored(check_text(details.quote)).text if details.quote else None,
        "source_turns": details.source_turns,
    }


def _confidence(details: Details, source: Source, tier: Tier) -> float:
    """The confidence that is given; else that of the source, as far as the tier allows."""
    if details.confidence is not None:
        return check_confidence(details.confidence)
    usual = REMEMBER_CONFIDENCE if source is Source.TOOL else CONFIDENCE[source]
    _, high = BANDS[tier]
    return min(usual, high)


def seed(writer: Writer, encoders: Encoders, statements: Iterable[Statement]) -> list[Item]:
    """Add an item for each statement, in order, each kept as it is: none is compared with what is
    known. All of them, or none.

    Raises:
        InvalidInput, TooLong, UnknownName, InvalidTime, NotFound: a statement is wrong.
        SharedSession: the scope names a user in a session of several users.
        ModelError: the embedder failed.
    """
    drafts = [draft(statement, writer.scope, writer.clock) for statement in statements]
    vectors = encoders.embed([item.text for item in drafts]) if drafts else []
    found_by = [words_of(item, own) for item, own in zip(drafts, vectors, strict=True)]

    def write(tx: Transaction, door: Door) -> list[Item]:
        check_session(tx, writer.scope)
        door.lock(writer.scope)
        return [_seeded(door, writer, *one) for one in zip(drafts, found_by, strict=True)]

    return writer.write(write)


def _seeded(door: Door, writer: Writer, item: Item, words: Words) -> Item:
    check_sources(door.tx, item)
    item = rest(door.tx, writer.scope, item, door.now)
    item, words, called = named(door.tx, writer.clock, item, words)
    return door.add(item, words, called)


@frozen_record
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
    with read_only(store, tenant) as tx:
        seqs = {partition: Documents(tx).counter(*partition) for partition in partitions}
        looks = [
            _SeenBefore(one, words[n], seqs[one.partition], _alike(tx, one, words[n], now))
            for n, one in enumerate(wanted)
        ]
    return committed(store, partial(_keep_all, clock, partitions, looks), tenant=tenant)


def _keep_all(
    clock: Clock,
    partitions: Sequence[tuple[str, str]],
    looks: Sequence[_SeenBefore],
    tx: Transaction,
) -> list[Remembered]:
    # locked in the same order by all, so that writers never wait in a circle: partitions, rows of
    # jobs, ledgers
    seqs = {partition: Documents(tx).lock(*partition) for partition in partitions}
    keys = dict.fromkeys(look.wanted.door for look in looks)
    doors = {key: Door(tx, clock, key[0], session=key[1], locked=seqs) for key in keys}
    with ExitStack() as ledgers:
        for door in reversed(doors.values()):  # left the other way round
            ledgers.enter_context(door)
        return [_keep(doors[look.wanted.door], clock, look, n == 0) for n, look in enumerate(looks)]


def _words(wanted: Sequence[Wanted]) -> list[Words]:
    """What each is found by; vectors that are not made yet, all with one call to each embedder."""
    vectors = {n: one.vectors for n, one in enumerate(wanted) if one.vectors is not None}
    for encoders in {id(one.encoders): one.encoders for one in wanted}.values():
        mine = [n for n, one in enumerate(wanted) if one.encoders is encoders and n not in vectors]
        vectors |= dict(zip(mine, encoders.embed([wanted[n].item.text for n in mine]), strict=True))
    return [words_of(one.item, vectors[n]) for n, one in enumerate(wanted)]


@dataclass(frozen=True, slots=True)
class _SeenBefore:
    """What was seen, before anything is locked, of what may be the same as a statement."""

    wanted: Wanted
    words: Words
    seq: int  # the counter of its partition then
    ids: list[str]


def _alike(tx: Transaction, one: Wanted, words: Words, now: datetime) -> list[str]:
    check_session(tx, one.scope)
    return look_alikes(tx, one.item, words, now)


def _keep(door: Door, clock: Clock, look: _SeenBefore, is_first: bool) -> Remembered:
    """What came of one statement; is_first: of those that are remembered together."""
    tx, given, words = door.tx, look.wanted.item, look.words
    is_next = is_first and door.lock(given.scope) == look.seq + 1  # nobody wrote since the look
    check_sources(tx, given)
    item = rest(tx, look.wanted.scope, given, door.now)
    since = [] if is_next else said_since(tx, item, words, look.seq)
    return carry_out(door, judge(tx, clock, item, words, [*look.ids, *since]))


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
    for turn in item.source_turns:
        if _source(tx, item, turn) is None:
            raise NotFound("turn", turn)


def _source(tx: Transaction, item: Item, turn: TurnId) -> Turn | None:
    """A turn that an item says it comes from; what is known to all may rest on one user's word."""
    if not item.scope.user:
        return Turns(tx).find(item.scope.tenant, turn)
    return Turns(tx).get(replace(item.scope, session=split_turn_id(turn)[0]), turn)


Choose: TypeAlias = Callable[[Candidate, Sequence[Neighbour]], Decision]


@frozen_record
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
    item = judged.item
    match judged.decision:
        case Add(similar=near):
            return _added(door, judged, replace(item, similar_to=near.id) if near else item)
        case Reinforce(item=known):
            return _reinforced(door, known, item)
        case Supersede(item=old) | Precede(item=old) if item.unconfirmed is not None:
            return _added(door, judged, beside(item, old))
        case Supersede(item=old):
            return _superseded(door, judged, old)
        case Precede(item=later):
            added = door.add(before(later, item), judged.words, judged.called, said=item)
            return Remembered(item=added, outcome=Outcome.ADDED)
        case Ignore(item=known):
            return Remembered(item=known, outcome=Outcome.IGNORED)


def _added(door: Door, judged: Judged, item: Item) -> Remembered:
    added = door.add(item, judged.words, judged.called)
    return Remembered(item=added, outcome=Outcome.ADDED, similar=added.similar_to)


def _reinforced(door: Door, known: Item, item: Item) -> Remembered:
    kept = door.reinforce(known, again(known, item), item)
    cause, told = door.last_of(known), item.source_turns
    kept = fulfil(door, known, kept, by=item.tier, cause=cause, told=told)
    return Remembered(item=kept, outcome=Outcome.REINFORCED)


def _superseded(door: Door, judged: Judged, old: Item) -> Remembered:
    item, merged = judged.item, instead(old, judged.item)
    words = replace(judged.words, around=around_words(merged))
    at, names = item.valid_from, judged.called
    new = door.supersede(old, merged, words, at=at, names=names, said=item)
    return Remembered(item=new, outcome=Outcome.SUPERSEDED, superseded=old.id)
