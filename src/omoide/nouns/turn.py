"""Turns: the messages of a session, as they are handed in and as they are kept."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from enum import StrEnum

from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.metadata import NO_METADATA, Metadata
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import one_line
from omoide.nouns.scope import Scope

TURN_LIMIT = 4_194_304  # characters of a turn; more is refused, never cut


class Role(StrEnum):
    """Who speaks in a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@frozen_record
class Mask(Record):
    """A secret masked at the door: what kind, and where its mark stands in the stored text."""

    kind: str
    start: int
    end: int


@frozen_record
class Message(Record):
    """One message as a caller hands it in."""

    text: str
    role: Role = Role.USER
    speaker: str | None = None
    user: str | None = None  # canonical id of the speaker, if a user
    at: datetime | None = None  # aware, in the speaker's own zone; None: now
    key: str | None = None  # idempotency key within its session
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)


@frozen_record
class Turn(Record):
    """One message of a session. Append-only, verbatim but for masked secrets."""

    id: TurnId
    session: SessionId
    position: int  # from 0 within its session
    role: Role
    speaker: str
    user: str | None
    text: str
    at: datetime  # when it was said, with the original offset
    recorded_at: datetime  # when it was stored, UTC
    key: str | None = None
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)
    masks: tuple[Mask, ...] = ()
    replaced: bool = False  # its message was edited since, and a later turn has the new words

    def __str__(self) -> str:
        return f"{one_line(self.speaker) or self.role}: {one_line(self.text)} ({self.id})"


@frozen_record
class LoggedTurn:
    """A turn as the archive holds it: with the scope it was logged in, whether it was taken out
    of recall, and whether what it asks for good was forgotten.
    """

    turn: Turn
    scope: Scope
    shared: bool = False
    hidden: bool = False
    instruction_forgotten: bool = False
