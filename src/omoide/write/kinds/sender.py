"""What the product has to know of senders. Their names are ids, which are never masked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import RecordKind
from omoide.nouns.scope import Scope
from omoide.nouns.sender import Sender, own_user
from omoide.store.base import Transaction
from omoide.tables.senders import Senders
from omoide.write.apply import Door


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


SENDER = RecordKind(
    name="sender",
    record=Sender,
    plural="senders",
    tables=("senders",),
    meant=_meant,
    proof=lambda sender: (sender.sender,),
    erase=_erase,
    ref=lambda sender: ("sender", own_user(sender.channel, sender.sender)),
)
