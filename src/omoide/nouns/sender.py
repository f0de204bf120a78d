"""Who writes: the one user behind each sender of a channel. Pure."""

from __future__ import annotations

from datetime import datetime

from omoide.nouns.errors import InvalidInput
from omoide.nouns.ids import ID_LIMIT, clean_id
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope


@frozen_record
class Sender(Record):
    """An account on a channel, such as a number on WhatsApp, that belongs to a user."""

    scope: Scope  # its tenant and user
    channel: str
    sender: str
    linked_at: datetime

    @property
    def user(self) -> str:
        """Whose it is."""
        assert self.scope.user is not None
        return self.scope.user


@frozen_record
class User(Record):
    """One person, on any channel. A sender that was never linked is a user of its own."""

    id: str
    tenant: str
    is_linked: bool = False

    @property
    def scope(self) -> Scope:
        """Where their memory is."""
        return Scope(tenant=self.tenant, user=self.id)


@frozen_record
class UserRecord(Record):
    """What is set for a user."""

    scope: Scope  # its tenant and user
    zone: str = ""  # an IANA name, such as Europe/Berlin; empty: the setting's
    changed_at: datetime | None = None  # None: nothing is set

    @property
    def id(self) -> str:
        """Whose it is."""
        assert self.scope.user is not None
        return self.scope.user


def own_user(channel: str, sender: str) -> str:
    """The user that a sender is who was never linked to another: no two senders have one, since no
    channel has a colon in it.
    """
    return f"{channel}:{sender}"


def check_names_of(channel: str, sender: str) -> tuple[str, str]:
    """Both as they are kept: as the channel writes them.

    Raises:
        InvalidInput: one is empty or no name, the channel has a colon in it, which divides the two,
            or both are too long for a user.
    """
    channel, sender = clean_id(channel, "channel"), clean_id(sender, "sender")
    if ":" in channel:
        raise InvalidInput("channel", "must have no colon in it")
    if (length := len(own_user(channel, sender))) > ID_LIMIT:
        raise InvalidInput(
            "sender", f"{length} characters with its channel, the limit is {ID_LIMIT}"
        )
    return channel, sender


def names_of(channel: str, sender: str) -> tuple[str, str] | None:
    """Both as they are kept, or None where they cannot be: nobody is linked by them."""
    try:
        return check_names_of(channel, sender)
    except InvalidInput:
        return None


def as_sender(user: str) -> tuple[str, str]:
    """The channel and sender that a user is who was never linked; no sender's where it is another
    sort of user.
    """
    channel, _, sender = user.partition(":")
    return channel, sender


def can_be_found(channel: str, sender: str, user: str) -> bool:
    """Whether a link of these is one that is looked up: all three are as they are kept."""
    try:
        return (*check_names_of(channel, sender), clean_id(user, "user")) == (channel, sender, user)
    except InvalidInput:
        return False
