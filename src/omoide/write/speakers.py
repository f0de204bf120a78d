"""Who of a talk is who: the users behind the names of its speakers.

Words are a user's only where it is said that they are. Who is not told apart from anybody can be
nobody but the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.sender import names_of
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message, Role
from omoide.store.base import Store, read_only
from omoide.tables.senders import Senders
from omoide.tables.sessions import Sessions
from omoide.text.sameness import name_key
from omoide.write.checks import check_id

W = TypeVar("W", Message, Participant)


def with_known_senders(store: Store, tenant: str, talk: Conversation) -> Conversation:
    """The conversation with the users of those in it who are linked to one by its channel and the
    name they bear there.
    """
    people: tuple[Participant | Message, ...] = (*talk.participants, *talk.messages)
    names = {_name_of(one) for one in people if talk.channel and _is_unknown(one)}
    users = _linked(store, tenant, talk.channel, filter(None, names))
    if not users:
        return talk

    def known(one: W) -> W:
        name = _name_of(one)
        return replace(one, user=users[name]) if name in users and _is_unknown(one) else one

    messages, participants = map(known, talk.messages), map(known, talk.participants)
    return replace(talk, messages=tuple(messages), participants=tuple(participants))


def _linked(store: Store, tenant: str, channel: str, names: Iterable[str]) -> dict[str, str]:
    """The users of those names of a channel that are linked to one."""
    kept = {name: own for name in names if (own := names_of(channel, name))}
    if not kept:
        return {}
    channel = next(iter(kept.values()))[0]
    with read_only(store, tenant) as tx:
        linked = Senders(tx).among(tenant, channel, {sender for _, sender in kept.values()})
    return {name: linked[sender] for name, (_, sender) in kept.items() if sender in linked}


def _is_unknown(one: Message | Participant) -> bool:
    """Whether a person speaks or takes part whose user is not told."""
    return one.user is None and one.role is Role.USER


def _name_of(one: Message | Participant) -> str | None:
    return one.speaker if isinstance(one, Message) else one.name


def with_known_people(store: Store, scope: Scope, talk: Conversation) -> Conversation:
    """The conversation with the user of each person in it, as far as it can be told by it and by
    who takes part in its session.
    """
    stored = None
    if any(message.speaker and _is_unknown(message) for message in talk.messages):
        with read_only(store, scope.tenant) as tx:
            users = {message.user for message in talk.messages if message.user}
            id = Sessions(tx).named(scope, check_id(talk.id, "session"), users)
            stored = Sessions(tx).find(scope.tenant, id)
    return with_users(talk, scope.user, stored.participants if stored else ())


def with_users(
    talk: Conversation, user: str | None, known: Sequence[Participant] = ()
) -> Conversation:
    """The conversation with the user of each person in it of whom it can be told; of the others it
    stays None.

    A person is the user of a participant of the same name. Beside that ``user``, whose talk it is,
    is who speaks without a name; who bears their id as a name, whatever the case, unless another is
    said to be them; and who is the one person in a talk without a list of participants, or with an
    assistant. known: who takes part in its session, as far as is stored.
    """
    voices = _voices(talk, user, known)

    def of(message: Message) -> Message:
        if message.role != Role.USER or message.user is not None:
            return message
        named = _plain(message.speaker)
        return replace(message, user=voices.user_of(message.speaker) if named else user)

    people = (
        replace(p, user=voices.user_of(p.name)) if p.role == Role.USER and p.user is None else p
        for p in talk.participants
    )
    return replace(talk, messages=tuple(map(of, talk.messages)), participants=tuple(people))


@frozen_record
class _Voices:
    """What is said of the people of a talk, by their names without regard to case."""

    user: str | None  # whose talk it is
    told: dict[str, str | None]  # the users of participants
    own: frozenset[str]  # names that the user's id is by itself
    is_named: bool  # it is said who of them the user is
    is_alone: bool  # only one person takes part, who can be nobody but the user

    def user_of(self, name: str | None) -> str | None:
        """The user who bears a name, None where nothing says which."""
        plain = _plain(name)
        found = self.told.get(plain)
        if found is not None or self.is_named:
            return found
        return self.user if self.is_alone or plain in self.own else None


def _voices(talk: Conversation, user: str | None, known: Sequence[Participant]) -> _Voices:
    given, said = _people(talk.participants), _speakers(talk)
    before = _people(known)
    told = {**_told(before), **_told((*given, *(p for p in said if p.user)))}
    strangers = (p for p in before if p.user is None)
    everybody = {_plain(p.name) for p in (*given, *said, *strangers)}
    # who was only ever known by their id may have another name here
    mine = [p for p in (*before, *given, *said) if p.user and p.user == user and p.name != user]
    return _Voices(
        user=user,
        told=told,
        own=_own_names(user, talk.channel),
        is_named=any(told[_plain(p.name)] == user for p in mine),
        is_alone=len(everybody) == 1 and (not given or _has_assistant(talk)),
    )


def _people(taking_part: Iterable[Participant]) -> list[Participant]:
    return [person for person in taking_part if person.role == Role.USER]


def _speakers(talk: Conversation) -> list[Participant]:
    """The people who speak, by the names that their messages give."""
    named = ((m.speaker or m.user or "", m.user) for m in talk.messages if m.role == Role.USER)
    return [Participant(name=name, user=user) for name, user in dict.fromkeys(named)]


def _own_names(user: str | None, channel: str) -> frozenset[str]:
    """The names that a user's id is by itself: whole, and without the channel before it."""
    if not user:
        return frozenset()
    return frozenset(map(_plain, (user, user.removeprefix(f"{channel}:"))))


def _has_assistant(talk: Conversation) -> bool:
    people: tuple[Participant | Message, ...] = (*talk.participants, *talk.messages)
    return any(one.role == Role.ASSISTANT for one in people)


def _told(people: Iterable[Participant]) -> dict[str, str | None]:
    """The user of each name; None where there is none, or several bear it."""
    users: dict[str, set[str]] = {}
    for person in people:
        users.setdefault(_plain(person.name), set()).update({person.user} if person.user else ())
    return {name: next(iter(found)) if len(found) == 1 else None for name, found in users.items()}


def _plain(name: str | None) -> str:
    return name_key(name or "")
