"""What an archive may bring in: nothing that the verbs would refuse, and secrets only masked.

Each record passes the checks of the verb that makes such records, besides those of what only an
archive tells: times of recording, lineage, counts, places of marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from omoide.nouns.clock import check_moment, check_window
from omoide.nouns.entity import Entity
from omoide.nouns.errors import Forbidden, InvalidInput, InvalidTime
from omoide.nouns.ids import EntityId, ItemId, SessionId
from omoide.nouns.item import PRIVILEGED, Item, Source
from omoide.nouns.procedure import TOOLS, Advice, Procedure, ProcedureId, check_advice
from omoide.nouns.reflection import (
    REFLECTION_WORDS,
    Digest,
    DigestId,
    DigestKind,
    Reflection,
    ReflectionId,
    count_words,
    kind_of,
)
from omoide.nouns.scope import Scope
from omoide.nouns.sender import Sender, check_names_of
from omoide.nouns.session import Session
from omoide.nouns.turn import TURN_LIMIT, Mask, Turn
from omoide.tables.turns import split_turn_id, turn_id
from omoide.text.secrets import mask_stored
from omoide.text.secrets.fields import mask_line
from omoide.write.checks import (
    ORIGIN_LIMIT,
    as_line,
    check_confidence,
    check_domain,
    check_id,
    check_key,
    check_line,
    check_metadata,
    check_names,
    check_scope,
    check_text,
)
from omoide.write.ingest import KEY_LIMIT

SKEW = timedelta(days=1)  # by which the clock of the machine an archive comes from may be ahead
COUNT_LIMIT = 2**31  # of recalls, of positions in a session


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedTurn:
    """A turn as the archive holds it: with the scope it was logged in and whether it was taken out
    of recall.
    """

    turn: Turn
    scope: Scope
    shared: bool = False
    hidden: bool = False


Archived: TypeAlias = (
    Session | Entity | LoggedTurn | Item | Reflection | Digest | Procedure | Sender
)


def fit(record: Archived, tenant: str, now: datetime) -> Archived:
    """The record as the verbs would have made it.

    Raises:
        InvalidInput, InvalidTime, TooLong, NotFound, Forbidden: a verb would have refused it.
    """
    if record.scope.tenant != tenant:
        raise InvalidInput(
            "tenant", f"it is of {record.scope.tenant!r}, while the archive is of {tenant!r}"
        )
    check_scope(record.scope)
    match record:
        case Session():
            return _session(record, now)
        case Entity():
            names = check_names((record.name, *record.aliases), "entity")
            return replace(
                record, id=EntityId(check_id(record.id, "id")), name=names[0], aliases=names[1:]
            )
        case LoggedTurn():
            return replace(record, turn=_turn(record.turn, now))
        case Item():
            return _item(record, now)
        case Reflection():
            return _reflection(record, now)
        case Digest():
            return _digest(record, now)
        case Procedure():
            return _procedure(record, now)
        case Sender():
            return _sender(record, now)


def _sender(sender: Sender, now: datetime) -> Sender:
    check_moment(sender.linked_at, "linked_at")
    if sender.scope.user is None or sender.scope != Scope(
        tenant=sender.scope.tenant, user=sender.scope.user
    ):
        raise InvalidInput("user", "a sender belongs to a user, and to nothing else")
    channel, name = check_names_of(sender.channel, sender.sender)
    return replace(sender, channel=channel, sender=name)


def _session(session: Session, now: datetime) -> Session:
    for name in ("started_at", "last_at"):
        if (moment := getattr(session, name)) is not None:
            check_moment(moment, name)
    people = (
        replace(
            p,
            name=as_line(p.name, "participant"),
            user=None if p.user is None else check_id(p.user, "user"),
        )
        for p in session.participants
    )
    return replace(
        session,
        id=SessionId(check_id(session.id, "id")),
        title=as_line(session.title, "title"),
        channel=as_line(session.channel, "channel"),
        participants=tuple(people),
        metadata=check_metadata(session.metadata),
    )


def _turn(turn: Turn, now: datetime) -> Turn:
    _count(turn.position, "position")
    if turn.id != turn_id(turn.session, turn.position):
        raise InvalidInput(
            "id", f"{turn.id!r} is not that of position {turn.position} in session {turn.session!r}"
        )
    check_id(turn.session, "session")
    if turn.user is not None:
        check_id(turn.user, "user")
    check_moment(turn.at, "at")
    _past(turn.recorded_at, "recorded_at", now)
    masked = mask_stored(check_text(turn.text, TURN_LIMIT), known=_placed(turn.text, turn.masks))
    return replace(
        turn,
        text=masked.text,
        masks=masked.masks,
        speaker=as_line(turn.speaker, "speaker"),
        key=check_key(turn.key or "", "key", KEY_LIMIT) or None,
        metadata=check_metadata(turn.metadata),
    )


def _item(item: Item, now: datetime) -> Item:
    if item.category in PRIVILEGED and item.source in (Source.LLM_EXTRACT, Source.CONSOLIDATION):
        raise Forbidden(
            f"category {item.category.value!r} is privileged: {item.source.value} may not write it"
        )
    _times(item, now)
    for count in ("uses", "helpful", "harmful"):
        _count(getattr(item, count), count)
    for other in (item.supersedes, item.superseded_by):
        if other is not None:
            check_id(other, "supersedes")
    if item.similar_to is not None:
        check_id(item.similar_to, "similar_to")
    for turn in (*item.source_turns, *item.said_again):
        split_turn_id(turn)
    for base in item.bases:
        check_id(base, "bases")
    masked = mask_stored(check_text(item.text), known=_placed(item.text, item.masks))
    return replace(
        item,
        id=ItemId(check_id(item.id, "id")),
        text=masked.text,
        masks=masked.masks,
        quote=mask_stored(check_text(item.quote)).text if item.quote else None,
        domain=check_domain(item.domain),
        tags=check_names(item.tags, "tags"),
        entities=check_names(item.entities, "entities"),
        metadata=check_metadata(item.metadata),
        origin=check_line(item.origin or "", "origin", ORIGIN_LIMIT) or None,
        confidence=check_confidence(item.confidence),
    )


def _reflection(reflection: Reflection, now: datetime) -> Reflection:
    for name in ("formed_at", "absorbed_at", "withdrawn_at"):
        if (moment := getattr(reflection, name)) is not None:
            _past(moment, name, now)
    for turn in reflection.source_turns:
        split_turn_id(turn)
    for place in reflection.quote_span or ():
        _count(place, "quote_span")
    if (reflection.absorbed_at is None) != (reflection.digest is None):
        raise InvalidInput(
            "digest", "a reflection is absorbed at a time, by a digest: both or neither"
        )
    text = mask_line(check_text(reflection.text))
    if count_words(text) > REFLECTION_WORDS:
        raise InvalidInput("text", f"a reflection has {REFLECTION_WORDS} words at most")
    quote = mask_line(check_text(reflection.quote)) if reflection.quote else ""
    digest = None if reflection.digest is None else DigestId(check_id(reflection.digest, "digest"))
    return replace(
        reflection,
        id=ReflectionId(check_id(reflection.id, "id")),
        text=text,
        quote=quote,
        digest=digest,
    )


def _procedure(procedure: Procedure, now: datetime) -> Procedure:
    for name in ("created_at", "last_used_at"):
        if (moment := getattr(procedure, name)) is not None:
            _past(moment, name, now)
    for count in ("version", "successes", "attempts"):
        _count(getattr(procedure, count), count)
    told = ("name", "when_to_use", "discovery", "activation")
    advice = Advice(
        **{
            name: mask_line(" ".join(check_text(getattr(procedure, name)).split())) for name in told
        },
        steps=tuple(mask_line(" ".join(check_text(step).split())) for step in procedure.steps),
        tags=check_names(procedure.tags, "tags"),
        confidence=procedure.confidence,
    )
    parts = {
        name: getattr(check_advice(advice), name) for name in (*told, "steps", "tags", "confidence")
    }
    after = (
        None
        if procedure.superseded_by is None
        else ProcedureId(check_id(procedure.superseded_by, "superseded_by"))
    )
    return replace(
        procedure,
        id=ProcedureId(check_id(procedure.id, "id")),
        origin=check_line(procedure.origin, "origin", ORIGIN_LIMIT),
        sources=tuple(check_id(source, "sources") for source in procedure.sources),
        tools=check_names(procedure.tools, "tools")[:TOOLS],
        superseded_by=after,
        **parts,
    )


def _digest(digest: Digest, now: datetime) -> Digest:
    for name in ("made_at", "withdrawn_at"):
        if (moment := getattr(digest, name)) is not None:
            _past(moment, name, now)
    for count in ("version", "word_limit"):
        _count(getattr(digest, count), count)
    if digest.kind is not kind_of(digest.scope) and (
        digest.kind is not DigestKind.PROFILE or digest.scope.session
    ):
        raise InvalidInput("kind", f"{digest.kind.value!r} is none that this scope has a digest of")
    return replace(
        digest,
        id=DigestId(check_id(digest.id, "id")),
        text=mask_line(check_text(digest.text)),
        model=as_line(digest.model, "model"),
        sources=tuple(sorted({check_id(source, "sources") for source in digest.sources})),
        dropped=tuple(mask_line(check_text(name)) for name in digest.dropped),
    )


def _times(item: Item, now: datetime) -> None:
    """That an item's times are such as happen: recorded by now, closed after it was known, valid in
    that order.
    """
    for name in ("valid_from", "valid_until", "due_at", "expires_at", "closed_at"):
        if (moment := getattr(item, name)) is not None:
            check_moment(moment, name)
    for name in (
        "created_at",
        "recorded_at",
        "updated_at",
        "reminded_at",
        "superseded_at",
        "doubted_at",
        "last_used_at",
    ):
        if (moment := getattr(item, name)) is not None:
            _past(moment, name, now)
    check_window(item.valid_from, item.valid_until, "valid_until")
    if (item.closed_at is None) != (item.superseded_at is None):
        raise InvalidTime(
            "superseded_at",
            "an item is closed in the world when that is learnt, and not before: both times or"
            " none",
        )
    if item.superseded_by is not None and item.superseded_at is None:
        raise InvalidTime("superseded_at", "an item that has a successor is closed")
    if item.closed_at is not None and item.superseded_at is not None:
        if item.closed_at < item.valid_from:
            raise InvalidTime(
                "closed_at", f"{item.closed_at.isoformat()} is before it became valid"
            )
        if item.superseded_at < item.recorded_at:
            raise InvalidTime(
                "superseded_at", f"{item.superseded_at.isoformat()} is before it was recorded"
            )


def _past(moment: datetime, name: str, now: datetime) -> None:
    check_moment(moment, name)
    if moment > now + SKEW:
        raise InvalidTime(name, f"{moment.isoformat()} is yet to come")


def _count(value: int, name: str) -> None:
    if isinstance(value, bool) or not 0 <= value < COUNT_LIMIT:
        raise InvalidInput(name, f"{value} is not from 0 to {COUNT_LIMIT - 1}")


def _placed(text: str, masks: Iterable[Mask]) -> tuple[Mask, ...]:
    """The masks, each of which stands where it says.

    Raises:
        InvalidInput: one does not.
    """

    def placed() -> Iterator[Mask]:
        for mask in masks:
            if mask.start < 0 or text[mask.start : mask.end] != f"[secret: {mask.kind}]":
                raise InvalidInput(
                    "masks", f"there is no mark of kind {mask.kind!r} at {mask.start}"
                )
            yield mask

    return tuple(placed())
