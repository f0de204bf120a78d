"""What the product has to know of senders. Their names are ids, which are never masked."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.nouns.clock import check_moment
from omoide.nouns.errors import Conflict
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import RecordKind, Table
from omoide.nouns.scope import Scope
from omoide.nouns.sender import Sender, check_names_of, own_user
from omoide.store.base import Transaction
from omoide.tables.senders import Senders
from omoide.write.apply import Door
from omoide.write.loading import check_of_user


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[Sender]:
    leaving = target.user or (scope.user if target.sort == "all" else None)
    return Senders(tx).of(scope.tenant, leaving) if leaving else []


def _erase(
    tx: Transaction,
    door: Door,
    scope: Scope,
    senders: Mapping[str, Sender],
    gone: Mapping[str, Any],
) -> None:
    for one in senders.values():
        Senders(tx).drop(scope.tenant, one.user, one.channel, one.sender)


def _exported(tx: Transaction, tenant: str, user: str | None) -> list[Sender]:
    return [] if user == "" else Senders(tx).of(tenant, user)


def _fit(sender: Sender, now: datetime) -> Sender:
    check_moment(sender.linked_at, "linked_at")
    check_of_user(sender.scope, "a sender belongs to a user, and to nothing else")
    channel, name = check_names_of(sender.channel, sender.sender)
    return replace(sender, channel=channel, sender=name)


def _load(tx: Transaction, door: Door, sender: Sender, told: Container[str]) -> Mapping[str, int]:
    if Senders(tx).add(sender):
        return {"sender": 1}
    there = Senders(tx).find(sender.scope.tenant, sender.channel, sender.sender)
    if there is not None and there.user != sender.user:
        raise Conflict(f"a sender on {sender.channel!r} is another user here; unlink it first")
    return {}


SENDER = RecordKind(
    name="sender",
    record=Sender,
    plural="senders",
    tables=(Table("senders", ("tenant", "channel", "sender")),),
    meant=_meant,
    exported=_exported,
    fit=_fit,
    load=_load,
    proof=lambda sender: (sender.sender,),
    held="senders.held",
    erase=_erase,
    ref=lambda sender: ("sender", own_user(sender.channel, sender.sender)),
)
