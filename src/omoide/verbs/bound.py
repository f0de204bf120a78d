"""What every verb acts on: a store, a clock, a scope for those who name none, who acts, and where
keys are.
"""

from __future__ import annotations

from pathlib import Path

from omoide.nouns.access import owns, takes_part
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.errors import NotFound
from omoide.nouns.ids import clean_id
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.settings.keys import Home
from omoide.store.base import Store, Transaction
from omoide.tables.sessions import Sessions


class Bound:
    """Bound to a store and a place in it. Memory's verbs are methods of this class and of those
    made from it.
    """

    store: Store
    clock: Clock
    scope: Scope
    _because: Because
    _home = Home(Path())  # where keys of models' providers are looked for

    def _in(self, scope: Scope | None) -> Scope:
        return scope or self.scope

    @staticmethod
    def _session(tx: Transaction, scope: Scope, id: str) -> Session:
        """A session that the asker may have learnt from.

        Raises:
            NotFound: no such session in this scope.
        """
        session = Sessions(tx).find(scope.tenant, clean_id(id, "session"))
        if session is None or not (owns(scope, session) or takes_part(scope, session)):
            raise NotFound("session", id)
        return session
