"""Messages become turns of the log: secrets masked, repeats by key dropped, nothing else
changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any, TypeAlias

from omoide.nouns.access import may_write
from omoide.nouns.clock import Clock, user_zone
from omoide.nouns.errors import Conflict, InvalidInput, TooLong
from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import counted
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant, Session, session_name
from omoide.nouns.turn import TURN_LIMIT, Message, Role, Turn
from omoide.settings.triggers import Triggers, Waiting, due_at
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.documents import Words
from omoide.tables.jobs import EXTRACT_JOB, Jobs
from omoide.tables.sessions import Reserved, Sessions
from omoide.tables.turns import Turns, turn_id
from omoide.text.given_time import read_time
from omoide.text.secrets import mask_stored
from omoide.wire.arguments import check_record
from omoide.wire.messages import Dumps, messages_of
from omoide.write.apply import Door, Writer, through
from omoide.write.checks import (
    as_line,
    check_id,
    check_key,
    check_metadata,
    check_one_of,
    check_scope,
)
from omoide.write.edited import replace_old_versions, version_of
from omoide.write.index import queue_vectors, turn_words
from omoide.write.speakers import with_known_people, with_known_senders
from omoide.write.turn_log import keep_to_session, log_turns

KEY_LIMIT = 1_000  # characters of an idempotency key
MANY = 20  # messages from which on it pays to look first which of them are known
Talk: TypeAlias = Conversation | Sequence[Message | Mapping[str, Any] | Dumps]


@frozen_record
class Ingested(Record):
    """What became of messages. turns has the id of each message's turn, new or known; blank ones
    have none.
    """

    session: SessionId
    turns: tuple[TurnId, ...]
    added: int
    repeated: int
    masked: int

    def __str__(self) -> str:
        added = f"{counted(self.added, 'turn')} added to session {self.session}"
        repeated = f", {self.repeated} there already" if self.repeated else ""
        masked = f", {counted(self.masked, 'secret')} masked" if self.masked else ""
        return f"{added}{repeated}{masked}"


@frozen_record
class Prepared:
    """A message ready to be a turn: checked, masked, split into words, still without a position."""

    turn: Turn
    words: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class KnownTurn:
    """A message whose turn is there already."""

    position: int


def conversation_of(talk: Talk, scope: Scope, clock: Clock) -> Conversation:
    """What a caller hands in as one conversation: in the scope's session, or a new one."""
    if isinstance(talk, Conversation):
        _check_keys(enumerate(talk.messages))
        return talk
    if isinstance(talk, str | Mapping) or not isinstance(talk, Iterable):
        raise InvalidInput("talk", "give a list of messages, even for one")
    tools: dict[str, str] = {}
    read = [(n, m) for n, given in enumerate(talk) for m in _messages(given, n, tools)]
    _check_keys(read)
    messages = tuple(message for _, message in read)
    return Conversation(id=scope.session or clock.new_id(), messages=messages)


def _check_keys(numbered: Iterable[tuple[int, Message]]) -> None:
    """That no message has the key of another and other words, as chunks of a stream have: all but
    the first would not be kept.

    Raises:
        InvalidInput: one has.
    """
    seen: dict[str, tuple[int, str]] = {}
    for number, message in numbered:
        if message.key and isinstance(message.key, str):
            first, text = seen.setdefault(message.key, (number, message.text))
            if text != message.text:
                raise InvalidInput(
                    f"message {number} id",
                    f"is that of message {first}, whose text differs; give each message an id of"
                    " its own, and a streamed message once, when it is whole",
                )


def _messages(given: object, number: int, tools: dict[str, str]) -> list[Message]:
    """What a caller hands in as one message, which may make several turns; checked here, where its
    number is known.
    """
    if isinstance(given, Message):
        return [given]
    messages = messages_of(given, number, tools)
    for message in messages:
        _checked(message, number)
        _author(message, number)
        _speaker(message, message.user, number)
        check_key(message.key or "", f"message {number} id", KEY_LIMIT)
        check_metadata(message.metadata, f"message {number} metadata")
    return messages


@frozen_record
class Logging:
    """How talk is logged: whether it is private, so that nothing is learnt from it, and else when
    it is.
    """

    private: bool = False
    triggers: Triggers = field(default_factory=Triggers)


def ingest(writer: Writer, talk: Conversation, logging: Logging) -> Ingested:
    """Append a conversation's messages to its session, begun if it is new; all of them, or none.

    In the same transaction the session is put in line to be learnt from.

    Raises:
        Conflict: the session is another agent's, or of users of whom the caller is none.
    """
    store, scope = writer.store, writer.scope
    talk = _checked_talk(store, scope.tenant, talk)
    talk = with_known_people(store, scope, talk)
    session = _session(store, scope, talk, logging.private)
    while True:
        prepared = _prepared(writer, session, talk.messages)
        try:
            return through(
                store,
                writer.clock,
                writer.because,
                partial(_append, _Ready(session, prepared, writer.because.cause or "", logging)),
                tenant=scope.tenant,
                session=session.id,
            )
        except _Moved:  # another began, joined or forgot the session just now
            continue


def _checked_talk(store: Store, tenant: str, talk: Conversation) -> Conversation:
    """The conversation with its messages and participants checked, and senders who are linked to a
    user told as that user.
    """
    messages = tuple(_checked(message, n) for n, message in enumerate(talk.messages))
    talk = with_known_senders(store, tenant, replace(talk, messages=messages))
    people = tuple(_participant(person, n) for n, person in enumerate(talk.participants))
    return replace(talk, participants=people)


def _prepared(
    writer: Writer, session: Session, messages: Sequence[Message]
) -> list[Prepared | KnownTurn]:
    """The messages ready to be turns, without blank ones."""
    known = _known(writer, session, messages) if len(messages) >= MANY else {}
    zone = user_zone()
    ready = (
        known.get(message.key or "") or _prepare(session, message, n, writer.clock.now(), zone)
        for n, message in enumerate(messages)
    )
    return [one for one in ready if one is not None]


def _known(writer: Writer, session: Session, messages: Sequence[Message]) -> dict[str, KnownTurn]:
    """By their keys, the messages that are there already, in the same words or brought by an
    import: they need not be made ready again.
    """
    keys = {
        message.key: check_key(message.key, f"message {n} key", KEY_LIMIT)
        for n, message in enumerate(messages)
        if message.key
    }
    with read_only(writer.store, session.scope.tenant) as tx:
        there = Turns(tx).with_keys(session.scope.tenant, session.id, keys.values())
    same = {message.key: message.text for message in messages}
    return {
        given: KnownTurn(there[key].position)
        for given, key in keys.items()
        if key in there and (writer.because.cause or there[key].text == same[given])
    }


def _checked(message: Message, number: int) -> Message:
    """The message, if its text and role can be logged.

    Raises:
        InvalidInput, TooLong, UnknownName: they cannot; the error says which message it is.
    """
    if message.text is None:
        raise InvalidInput(f"message {number}", 'has no text; give it as "content"')
    check_record(Message, message, f"message {number}")
    if len(message.text) > TURN_LIMIT:
        raise TooLong(f"message {number}", len(message.text), TURN_LIMIT)
    role = check_one_of(Role, message.role, f"message {number} role")
    return message if role is message.role else replace(message, role=role)


def _session(store: Store, scope: Scope, talk: Conversation, private: bool) -> Session:
    """The session that a conversation is to be logged in, as it is told."""
    people = _people(scope, talk)
    users = {person.user for person in people if person.user}
    # a talk in which one user alone takes part is theirs, also where the caller's scope names
    # nobody
    owner = scope.user or (next(iter(users)) if len(users) == 1 else None)
    name = check_id(talk.id, "session")
    return Session(
        id=_session_id(store, scope, name, users),
        name=session_name(name, user=owner, agent=scope.agent),
        scope=check_scope(replace(scope.of_user(owner), session=None)),
        owner=owner,
        title=as_line(talk.title, "title"),
        channel=as_line(talk.channel, "channel"),
        participants=_each_once(people),
        private=private,
        metadata=check_metadata(talk.metadata),
    )


def _session_id(store: Store, scope: Scope, name: str, users: Set[str]) -> SessionId:
    with read_only(store, scope.tenant) as tx:
        return Sessions(tx).named(scope, name, users)


def _people(scope: Scope, talk: Conversation) -> Collection[Participant]:
    """Who takes part in a conversation: participants, the caller, and who speaks, each once."""
    seen = {(p.name, p.user): p for p in talk.participants}
    if scope.user and all(p.user != scope.user for p in talk.participants):
        seen[scope.user, scope.user] = Participant(name=scope.user, user=scope.user)
    for number, message in enumerate(talk.messages):
        user = _author(message, number)
        named = Participant(name=_speaker(message, user, number), user=user, role=message.role)
        if message.role in (Role.USER, Role.ASSISTANT):
            seen.setdefault((named.name, named.user), named)
    return seen.values()


def _each_once(people: Iterable[Participant]) -> tuple[Participant, ...]:
    """The participants without those of no known user who bear the name of one whose user is
    known.
    """
    people = tuple(people)
    known = {(p.name, p.role) for p in people if p.user}
    return tuple(p for p in people if p.user or (p.name, p.role) not in known)


def _participant(given: Participant, number: int) -> Participant:
    check_record(Participant, given, f"participant {number}")
    return replace(
        given,
        name=as_line(given.name, "participant"),
        user=None if given.user is None else check_id(given.user, "user"),
        role=check_one_of(Role, given.role, "participant role"),
    )


def _author(message: Message, number: int) -> str | None:
    return None if message.user is None else check_id(message.user, f"message {number} user")


def _speaker(message: Message, user: str | None, number: int) -> str:
    name = as_line(message.speaker or "", f"message {number} speaker")
    return name or user or Role(message.role).value


def _prepare(
    session: Session, message: Message, number: int, now: datetime, zone: tzinfo
) -> Prepared | None:
    """The message as a turn, or None if it is blank; said now, in the user's zone, unless it says
    when.
    """
    if not message.text.strip():
        return None
    masked, user, field = mask_stored(message.text), _author(message, number), f"message {number}"
    turn = Turn(
        id=TurnId(""),
        session=session.id,
        position=-1,
        role=message.role,
        speaker=_speaker(message, user, number),
        user=user,
        text=masked.text,
        at=read_time(message.at, field) or now.astimezone(zone),
        recorded_at=now.astimezone(UTC),
        key=check_key(message.key or "", f"{field} key", KEY_LIMIT) or None,
        metadata=check_metadata(message.metadata, f"{field} metadata"),
        masks=masked.masks,
    )
    return Prepared(turn=turn, words=tuple(turn_words(turn)))


class _Moved(Exception):
    """The session goes to another partition than it was about to when partitions were locked."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A conversation ready to be logged."""

    session: Session
    prepared: Sequence[Prepared | KnownTurn]
    origin: str
    logging: Logging


def _append(ready: _Ready, tx: Transaction, door: Door) -> Ingested:
    session = _meet(door, ready)
    # by its key, or by its number where it has none, where a turn is to stand, and where it stands
    new: dict[str | int, Prepared] = {}
    for n, p in enumerate(ready.prepared):
        if isinstance(p, Prepared):
            new.setdefault(p.turn.key or n, p)
    places, edits = _places(tx, session, new, ready.origin)
    fresh = {slot: p for slot, p in (new | edits).items() if slot not in places}
    turns = _log(door, session, list(fresh.values()), ready)
    if edits:  # undoing what was logged brings the old words back
        with door.following(door.changes[-1]):
            replace_old_versions(tx, door, session, map(str, edits))
    places |= {slot: turn.position for slot, turn in zip(fresh, turns, strict=True)}
    return Ingested(
        session=session.id,
        turns=_ids(session, ready.prepared, places),
        added=len(turns),
        repeated=len(ready.prepared) - len(turns),
        masked=sum(len(turn.masks) for turn in turns),
    )


def _places(
    tx: Transaction, session: Session, new: Mapping[str | int, Prepared], origin: str
) -> tuple[dict[str | int, int], dict[str | int, Prepared]]:
    """Where turns with these keys stand already; and the messages that are edits of such a turn, by
    key. What is imported is none: an import says itself what was edited.
    """
    tenant = session.scope.tenant
    keys = [slot for slot in new if isinstance(slot, str)]
    known = Turns(tx).with_keys(tenant, session.id, keys) if keys else {}
    if not origin:
        known = {k: version_of(tx, tenant, turn, new[k].turn, new) for k, turn in known.items()}
    edits: dict[str | int, Prepared] = {
        key: Prepared(turn=turn, words=tuple(turn_words(turn)))  # of the day that it now stands at
        for key, turn in known.items()
        if turn.position < 0
    }
    return {key: turn.position for key, turn in known.items() if key not in edits}, edits


def _ids(
    session: Session, prepared: Sequence[Prepared | KnownTurn], places: Mapping[str | int, int]
) -> tuple[TurnId, ...]:
    at = (
        p.position if isinstance(p, KnownTurn) else places[p.turn.key or n]
        for n, p in enumerate(prepared)
    )
    return tuple(turn_id(session.id, position) for position in at)


def _log(door: Door, session: Session, fresh: Sequence[Prepared], ready: _Ready) -> list[Turn]:
    """Append messages to a session's log, and put in line what is to be made of them."""
    if not fresh:
        return []
    reserved = Sessions(door.tx).reserve(session, [p.turn for p in fresh])
    turns = [
        replace(p.turn, position=at, id=turn_id(session.id, at))
        for at, p in enumerate(fresh, start=reserved.first)
    ]
    log_turns(door, session, turns, [p.words for p in fresh], origin=ready.origin)
    queue_vectors(door.tx, session.scope.tenant, door.now)
    _line_up(door, session, fresh, reserved, ready.logging.triggers)
    return turns


def _homes(session: Session, stored: Session | None) -> set[str]:
    """The partitions in which turns of a session are, or go: of these users, "" being nobody's."""
    users = session.users | (stored.users if stored else frozenset())
    owner = (stored.scope.user if stored else None) or session.scope.user
    homes = {"" if len(users) > 1 else owner or ""}
    if stored is not None and session.private and not stored.private:
        homes |= {"", stored.owner or "", session.scope.user or ""}
    return homes


def _line_up(
    door: Door,
    session: Session,
    fresh: Sequence[Prepared],
    reserved: Reserved,
    triggers: Triggers,
) -> None:
    """Put a session in line to be learnt from, at the time that the policy says."""
    if session.private:
        return
    words = sum(len(w.own.split(" ")) for p in fresh if p.turn.role is Role.USER for w in p.words)
    last_at = max(p.turn.at for p in fresh)
    waiting = Waiting(turns=reserved.waiting, weight=reserved.weight, words=words, last_at=last_at)
    run_at = due_at(triggers, waiting, door.now)
    if run_at is None:
        return
    Jobs(door.tx).schedule(
        session.scope.tenant,
        f"{EXTRACT_JOB}:{session.id}",
        EXTRACT_JOB,
        user=session.owner or session.scope.user or "",
        args={"session": session.id},
        run_at=run_at,
    )


def _meet(door: Door, ready: _Ready) -> Session:
    """The session as stored, with these participants among its own.

    Raises:
        Conflict: the session is another agent's, or of users for none of whom this is said.
        _Moved: it needs other partitions than those that were locked.
    """
    session, table = ready.session, Sessions(door.tx)
    homes = _homes(session, table.find(session.scope.tenant, session.id))
    # before the session's row, as everywhere, so that writers never wait in a circle
    door.lock_users(session.scope, homes)
    is_new = table.add(session, origin=ready.origin, at=door.now)
    stored = None if is_new else table.lock(session.scope.tenant, session.id)
    if not _homes(session, stored) <= homes or (stored is None and not is_new):
        raise _Moved
    return session if stored is None else _join(door, session, stored)


def _join(door: Door, session: Session, stored: Session) -> Session:
    """Let those who take part in a stored session be joined by others.

    Raises:
        Conflict: the session is another agent's, or of users for none of whom this is said.
    """
    speaking = {session.scope.user} if session.scope.user else session.users
    if stored.scope.agent != session.scope.agent or not may_write(speaking, stored):
        raise Conflict(
            f"session id {session.id!r} is taken; take another, or let one who takes part name the"
            " newcomer"
        )
    joined = _joined(session, stored)
    if joined != stored:
        Sessions(door.tx).describe(joined)
    if joined.private and not stored.private:
        keep_to_session(door, joined, {None, stored.owner, session.scope.user})
    return joined


def _joined(session: Session, stored: Session) -> Session:
    """A stored session with what is told of it now."""
    everyone = {(p.name, p.user): p for p in (*stored.participants, *session.participants)}
    return replace(
        stored,
        title=session.title or stored.title,
        channel=session.channel or stored.channel,
        participants=_each_once(everyone.values()),
        private=stored.private or session.private,
        metadata={**stored.metadata, **session.metadata},
        scope=replace(stored.scope, user=stored.scope.user or session.scope.user, session=None),
        owner=stored.owner if stored.users else session.owner,
    )
