"""Commands of who writes: users link, unlink, list, merge, who, get, edit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.session import AsJson, opened, print_json, scope_of, tell

if TYPE_CHECKING:
    from omoide.nouns.scope import Scope
    from omoide.nouns.sender import UserRecord

Channel = Annotated[str, typer.Argument(help="Such as whatsapp or mail.")]
SenderName = Annotated[
    str, typer.Argument(help="As the channel names them: a number, an address, an id.")
]


def _tenant(context: typer.Context) -> Scope:
    """Whoever has the command line speaks for all users of the tenant."""
    return replace(scope_of(context), user=None, shared=True)


def link(
    context: typer.Context,
    channel: Channel,
    sender: SenderName,
    user: Annotated[str, typer.Argument()],
    as_json: AsJson = False,
) -> None:
    """Link a sender to a user."""
    from omoide.cli.show import safe

    with opened(context, create=True) as memory:
        linked = memory.users.link(channel, sender, user, _tenant(context))
    tell(linked, safe(f"{linked.sender} on {linked.channel} is {linked.user}"), as_json=as_json)


def unlink(context: typer.Context, channel: Channel, sender: SenderName) -> None:
    """Unlink a sender, which is then a user of its own."""
    from omoide.cli.show import console, safe

    with opened(context) as memory:
        memory.users.unlink(channel, sender, _tenant(context))
        user = memory.users.of(channel, sender, _tenant(context))
        console.print(safe(f"{sender} on {channel} is {user.id}"))


def get(
    context: typer.Context, user: Annotated[str, typer.Argument()], as_json: AsJson = False
) -> None:
    """Show what is set for a user."""
    with opened(context) as memory:
        _show(memory.users.get(user, _tenant(context)), as_json=as_json)


def edit(
    context: typer.Context,
    user: Annotated[str, typer.Argument()],
    zone: Annotated[
        str,
        typer.Option(
            help="Time zone in which the user's days are meant, such as Europe/Berlin; '' for none."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Set the time zone of a user."""
    with opened(context, create=True) as memory:
        _show(memory.users.edit(user, _tenant(context), zone=zone), as_json=as_json)


def _show(record: UserRecord, *, as_json: bool) -> None:
    from omoide.cli.show import safe

    zone = record.zone or "none of their own; the setting zone counts, or this machine's"
    tell(record, safe(f"{record.id}: zone {zone}"), as_json=as_json)


def merge(
    context: typer.Context,
    source: Annotated[
        str, typer.Argument(help="A user, or a sender of its own such as whatsapp:+351912345678.")
    ],
    target: Annotated[str, typer.Argument(help="The same person, by the name that stays.")],
    as_json: AsJson = False,
) -> None:
    """Move all senders of one user to another. Memories of the first user stay under that name."""
    from omoide.cli.show import counted, safe

    with opened(context) as memory:
        count = memory.users.merge(source, target, _tenant(context))
    tell(
        {"senders": count},
        safe(
            f"{counted(count, 'sender')} of {source} now {'is' if count == 1 else 'are'} {target}"
        ),
        as_json=as_json,
    )


def who(
    context: typer.Context, channel: Channel, sender: SenderName, as_json: AsJson = False
) -> None:
    """Show which user a sender is."""
    from omoide.cli.show import safe

    with opened(context) as memory:
        user = memory.users.of(channel, sender, _tenant(context))
    tell(
        user, safe(user.id if user.is_linked else f"{user.id} (a user of its own)"), as_json=as_json
    )


def senders(context: typer.Context, as_json: AsJson = False) -> None:
    """List the linked senders of all users, or of the user named before the command."""
    from omoide.cli.show import console, nothing, safe

    named = context.obj.user
    with opened(context) as memory:
        found = memory.users.list(replace(_tenant(context), user=named, shared=not named))
    if as_json:
        print_json(found)
        return
    if not found:
        nothing(f"no sender of {named} is linked" if named else "no sender is linked")
    for one in found:
        console.print(safe(f"{one.user}  {one.channel}  {one.sender}"))
