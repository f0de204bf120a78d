"""Whose a change is, as far as it can be told of a record that may be gone."""

from __future__ import annotations

from typing import Any

from omoide.nouns.access import owns, takes_part
from omoide.nouns.change import Change
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.ledger import Ledger, Past
from omoide.tables.sessions import Sessions


def was_of_agent(scope: Scope, past: Past) -> bool:
    """Whether a changed record was of the asker's agent, or of none, as far as that is kept."""
    return past.before.get("agent", "") in ("", scope.agent or "")


def was_theirs(tx: Transaction, scope: Scope, change: Change) -> bool:
    """Whether a record that is gone was of an agent whose records the asker sees, as far as its
    change tells.
    """
    past = Ledger(tx).get(scope.tenant, change.id)
    return past is None or was_of_agent(scope, past)


def is_of_part(tx: Transaction, scope: Scope, record: Any) -> bool:
    """Whether a record, which may be gone, is of the asker's agent, and the session that alone
    knows it, if any, is one in which the asker may change it.
    """
    if record is None:
        return True
    of: Scope = record.scope
    session = Sessions(tx).within(of)
    inside = of.session == scope.session or (
        session is not None and (owns(scope, session) or takes_part(scope, session))
    )
    return of.agent in (None, scope.agent) and (session is None or inside)
