"""What every verb acts on: a store, a clock, a scope for those who name none, and who acts."""

from __future__ import annotations

from omoide.clock import Clock
from omoide.records import Because, Scope
from omoide.store.base import Store


class Bound:
    """Bound to a store and a place in it. Memory's verbs are methods of this class and of those made from it."""

    store: Store
    clock: Clock
    scope: Scope
    _because: Because

    def _in(self, scope: Scope | None) -> Scope:
        return scope or self.scope
