"""The senders table: which user each sender of a channel is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.scope import Scope
from omoide.nouns.sender import Sender
from omoide.store.base import Row
from omoide.tables.rows import Rows


class Senders(Rows):
    """Senders as rows, inside the caller's transaction."""

    def add(self, sender: Sender) -> bool:
        """Link one to its user; False if it is linked already."""
        return bool(
            self._tx.run("senders.add", **_key(sender), linked_at=to_micros(sender.linked_at))
        )

    def find(self, tenant: str, channel: str, sender: str) -> Sender | None:
        """The one of that name, if it is linked."""
        return self._one(_sender, "senders.get", tenant=tenant, channel=channel, sender=sender)

    def among(self, tenant: str, channel: str, senders: Iterable[str]) -> dict[str, str]:
        """The users of those senders of a channel that are linked, by sender."""
        rows = self._tx.rows(
            "senders.many", tenant=tenant, channel=channel, senders=json.dumps(sorted(senders))
        )
        return {row["sender"]: row["user_id"] for row in rows}

    def of(self, tenant: str, user: str | None) -> list[Sender]:
        """Those of a user; with None of all users of a tenant."""
        return self._all(_sender, "senders.list", tenant=tenant, user=user or "")

    def tenants(self) -> list[str]:
        """Those that have any, in order."""
        return self._column("tenant", "senders.tenants")

    def links(self, tenant: str) -> dict[tuple[str, str], str]:
        """The users of all that are linked, by channel and sender, as they are stored: none of it
        is checked.
        """
        return {
            (row["channel"], row["sender"]): row["user_id"]
            for row in self._tx.rows("senders.list", tenant=tenant, user="")
        }

    def move(self, tenant: str, user: str, target: str) -> int:
        """Let all of one user's be another's; how many."""
        return self._tx.run("senders.move", tenant=tenant, user=user, target=target)

    def drop(self, tenant: str, user: str, channel: str, sender: str) -> bool:
        """Let one be a user of its own again; False if it is not that user's any more."""
        return bool(
            self._tx.run("senders.drop", tenant=tenant, user=user, channel=channel, sender=sender)
        )

    def forget(self, tenant: str, user: str) -> int:
        """Erase those of a user; how many."""
        return self._tx.run("senders.forget", tenant=tenant, user=user)


def _key(sender: Sender) -> dict[str, Any]:
    return {
        "tenant": sender.scope.tenant,
        "user": sender.user,
        "channel": sender.channel,
        "sender": sender.sender,
    }


def _sender(row: Row) -> Sender:
    scope, linked_at = (
        Scope(tenant=row["tenant"], user=row["user_id"]),
        from_micros(row["linked_at"]),
    )
    return Sender(scope=scope, channel=row["channel"], sender=row["sender"], linked_at=linked_at)
