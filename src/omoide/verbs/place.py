"""Where the calls of a memory act, and for whom: the one place where scopes are resolved."""

from __future__ import annotations

from dataclasses import field, replace

from omoide.nouns.access import Principal
from omoide.nouns.change import Because
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import NOWHERE, Scope


@frozen_record
class Place:
    """The names that a memory is bound to, those that calls usually have, who asks, and why."""

    bound: Scope = NOWHERE  # no call may name another
    usual: Scope = NOWHERE  # a call that names no other gets these
    principal: Principal = field(default_factory=Principal)
    because: Because = field(default_factory=Because)

    def scope(self, given: Scope | None = None) -> Scope:
        """The scope that a call acts in.

        Raises:
            ScopeConflict: the call names another than the memory is bound to, or than the principal
                may act under.
        """
        asked = self.bound if given is None else self.bound.narrowed(given)
        return self.principal.admit(asked.filled(self.usual))

    def at(self, given: Scope) -> Place:
        """This place, bound to more names.

        Raises:
            ScopeConflict: it is bound to another one already.
        """
        return replace(self, bound=self.bound.narrowed(given))
