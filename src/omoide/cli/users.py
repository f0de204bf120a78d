"""Commands of who writes: users list, senders, of, link, unlink, get, edit, merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from typer import Argument, Option

from omoide.cli.here import Here
from omoide.cli.options import UserName
from omoide.cli.show import console, safe
from omoide.nouns.record.lines import counted
from omoide.nouns.scope import Scope
from omoide.nouns.sender import Sender, UserRecord

Channel = Annotated[str, Argument(help="Such as whatsapp or mail.")]
SenderName = Annotated[
    str, Argument(help="As the channel names them: a number, an address, an id.")
]


def _tenant(here: Here) -> Scope:
    """Whoever has the command line speaks for all users of the tenant."""
    return replace(here.scope, user=None, shared=True)


def _named(here: Here) -> Scope:
    """All users of the tenant, or the one that is named before the command."""
    named = here.given.user
    return replace(_tenant(here), user=named, shared=not named)


def link(here: Here, channel: Channel, sender: SenderName, user: UserName) -> None:
    """Link a sender to a user."""
    with here.opened(create=True) as memory:
        linked = memory.users.link(channel, sender, user, _tenant(here))
    here.tell(linked, safe(f"{linked.sender} on {linked.channel} is {linked.user}"))


def unlink(here: Here, channel: Channel, sender: SenderName) -> None:
    """Unlink a sender, which is then a user of its own."""
    with here.opened() as memory:
        memory.users.unlink(channel, sender, _tenant(here))
        user = memory.users.of(channel, sender, _tenant(here))
        here.tell(None, safe(f"{sender} on {channel} is {user.id}"))


def get(here: Here, user: UserName) -> None:
    """Show what is set for a user."""
    with here.opened() as memory:
        _show(here, memory.users.get(user, _tenant(here)))


def edit(
    here: Here,
    user: UserName,
    zone: Annotated[
        str,
        Option(
            help="Time zone in which the user's days are meant, such as Europe/Berlin; '' for none."
        ),
    ],
) -> None:
    """Set the time zone of a user."""
    with here.opened(create=True) as memory:
        _show(here, memory.users.edit(user, _tenant(here), zone=zone))


def _show(here: Here, record: UserRecord) -> None:
    zone = record.zone or "none of their own; the setting zone counts, or this machine's"
    here.tell(record, safe(f"{record.id}: zone {zone}"))


def merge(
    here: Here,
    source: Annotated[
        str, Argument(help="A user, or a sender of its own such as whatsapp:+351912345678.")
    ],
    target: Annotated[str, Argument(help="The same person, by the name that stays.")],
) -> None:
    """Move all senders of one user to another. Memories of the first user stay under that name."""
    with here.opened() as memory:
        count = memory.users.merge(source, target, _tenant(here))
    here.tell(
        {"senders": count},
        safe(
            f"{counted(count, 'sender')} of {source} now {'is' if count == 1 else 'are'} {target}"
        ),
    )


def who(here: Here, channel: Channel, sender: SenderName) -> None:
    """Show which user a sender is."""
    with here.opened() as memory:
        user = memory.users.of(channel, sender, _tenant(here))
    here.tell(user, safe(user.id if user.is_linked else f"{user.id} (a user of its own)"))


def users(here: Here) -> None:
    """List all users of the store, or the user named before the command."""
    named = here.given.user
    with here.opened() as memory:
        found = memory.users.list(_named(here))
    none = f"nothing is stored of {named}" if named else "nothing is stored of a user"
    here.tell(found, _show_users, (none, ""))


def _show_users(found: Sequence[UserRecord]) -> None:
    for one in found:
        console.print(safe(f"{one.id}  {one.zone}".rstrip()))


def senders(here: Here) -> None:
    """List the linked senders of all users, or of the user named before the command."""
    named = here.given.user
    with here.opened() as memory:
        found = memory.users.senders(_named(here))
    none = f"no sender of {named} is linked" if named else "no sender is linked"
    here.tell(found, _show_senders, (none, ""))


def _show_senders(found: Sequence[Sender]) -> None:
    for one in found:
        console.print(safe(f"{one.user}  {one.channel}  {one.sender}"))
