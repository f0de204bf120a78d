"""What erasing a record leaves: one change, and nothing of what the ledger kept beside it."""

from __future__ import annotations

from typing import Any

from omoide.nouns.change import Action
from omoide.nouns.ids import ChangeId
from omoide.nouns.kind import Kind
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.ledger import Ledger
from omoide.write.apply import Door


def note_erased(tx: Transaction, door: Door, kind: Kind, record: Any) -> ChangeId:
    """Note that a record was erased, of whose user and agent."""
    Ledger(tx).forget(record.scope.tenant, record.id)
    return door.note_record(Action.FORGET, kind, record)


def is_of(scope: Scope, record: Any) -> bool:
    """Whether a record is of the asker's user and agent, or of nobody in particular."""
    of: Scope = record.scope
    return of.user in (None, scope.user) and of.agent in (None, scope.agent)
