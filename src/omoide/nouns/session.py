"""Sessions: conversations, with who takes part in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from omoide.nouns.ids import SessionId
from omoide.nouns.metadata import NO_METADATA, Metadata
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message, Role


@dataclass(frozen=True, kw_only=True, slots=True)
class Participant:
    """One who takes part in a session. user is the canonical id; assistants and strangers have
    none.
    """

    name: str
    user: str | None = None
    role: Role = Role.USER


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """A conversation: who takes part, where, and when."""

    id: SessionId
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """A session with its messages, before it is stored."""

    id: str
    messages: tuple[Message, ...]
    title: str = ""
    channel: str = ""
    participants: tuple[Participant, ...] = ()
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)
