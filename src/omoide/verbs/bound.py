"""What every verb acts on: a store, a clock, a scope for those who name none, who acts, and where
keys are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from omoide.nouns.access import owns, takes_part
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.errors import NotFound
from omoide.nouns.ids import clean_id
from omoide.nouns.scope import DEFAULT_TENANT, GLOBAL, Scope
from omoide.nouns.session import Session
from omoide.settings.keys import Home
from omoide.store.base import Store, Transaction
from omoide.tables.sessions import Sessions
from omoide.verbs.other_names import OtherNames
from omoide.write.checks import check_because


class Bound(OtherNames):
    """Bound to a store and a place in it. Memory's verbs are methods of this class and of those
    made from it.
    """

    store: Store
    clock: Clock
    scope: Scope
    is_bound = False  # calls stay within the scope; else it is only where those act that name none
    _because: Because
    _home = Home(Path())  # where keys of models' providers are looked for

    def _in(self, scope: Scope | None) -> Scope:
        """Where a call acts: in the scope that it gives, within the one that the memory is bound
        to; in the memory's own where it gives none.

        Raises:
            ScopeConflict: the call names another than the memory is bound to.
        """
        if scope is None:
            return self.scope
        return self.scope.narrowed(scope) if self.is_bound else scope

    def at(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        context: str = GLOBAL,
        tenant: str = DEFAULT_TENANT,
    ) -> Self:
        """The same memory bound to a user, agent, session or context: its calls act there.

        Raises:
            InvalidScope: a name cannot be one.
            ScopeConflict: this memory is bound to another one already.
        """
        place = Scope(tenant=tenant, agent=agent, user=user, session=session, context=context)
        return self._with(scope=self.scope.narrowed(place), is_bound=True)

    def acting(self, because: Because) -> Self:
        """The same memory, its changes put down to somebody: who, why, and by what cause."""
        return self._with(_because=check_because(because))

    def _with(self, **values: object) -> Self:
        """The same memory, over the same store and workers, with some of its own values others."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, **values)
        return twin

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
