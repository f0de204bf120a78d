"""Sessions: conversations, with who takes part in them."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from hashlib import blake2b

from omoide.nouns.ids import ID_LIMIT, SessionId
from omoide.nouns.metadata import NO_METADATA, Metadata
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message, Role

MARK = 10  # hexadecimal digits of a mark


@frozen_record
class Participant(Record):
    """Somebody in a session. user is the canonical id; assistants and strangers have none."""

    name: str
    user: str | None = None
    role: Role = Role.USER


@frozen_record
class Session(Record):
    """A conversation: who takes part, where, and when.

    ``name`` is what its owner calls it, and is unique for them; ``id`` is unique in the store.
    """

    id: SessionId
    name: str = ""
    scope: Scope  # names no user where several take part
    owner: str | None = None  # the user who began it
    title: str = ""
    channel: str = ""
    participants: tuple[Participant, ...] = ()
    private: bool = False
    started_at: datetime | None = None
    last_at: datetime | None = None
    turns: int = 0
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)

    @property
    def users(self) -> frozenset[str]:
        """The canonical users who take part."""
        return frozenset(p.user for p in self.participants if p.user)

    @property
    def is_among_people(self) -> bool:
        """Whether another person takes part, so that what a user asks for may be meant for them."""
        user = self.scope.user
        return any(p.role is Role.USER and p.user != user for p in self.participants)


def session_id(name: str, *, user: str | None, agent: str | None) -> SessionId:
    """The id of the session that a user of an agent calls by a name: the name, and a mark of whose
    it is, so that two who use one name have two sessions.

    The id of a session of theirs is its own name.
    """
    given, _, mark = name.rpartition(".")
    if given and mark == _mark(given, user, agent):
        return SessionId(name)
    short = kept_name(name)
    return SessionId(f"{short}.{_mark(short, user, agent)}")


def session_name(id: str, *, user: str | None, agent: str | None) -> str:
    """What a user of an agent calls the session of a name or an id."""
    name, _, mark = id.rpartition(".")
    return name if name and mark == _mark(name, user, agent) else kept_name(id)


def own_name(session: Session) -> str:
    """What an owner calls a session that was stored before sessions had names: its id, without the
    user that imports put before it.
    """
    return session.id.removeprefix(f"{session.owner}/") or session.id


def kept_name(name: str) -> str:
    """A name as it is kept: of one too long to have a mark behind it, its begin and a digest."""
    room = ID_LIMIT - 1 - MARK
    return name if len(name) <= room else f"{name[: room - 1 - MARK]}.{_digest(name)}"


def _mark(name: str, user: str | None, agent: str | None) -> str:
    return _digest("\0".join((name, user or "", agent or "")))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=MARK // 2).hexdigest()


@frozen_record
class Conversation(Record):
    """A session with its messages, before it is stored. ``id`` is what its owner calls it."""

    id: str
    messages: tuple[Message, ...]
    title: str = ""
    channel: str = ""
    participants: tuple[Participant, ...] = ()
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)
