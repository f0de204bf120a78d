"""The verbs of review: what would fall, and what waits for a person's word."""

from __future__ import annotations

from omoide.bound import Bound
from omoide.read import lineage
from omoide.records import Item, Scope


class Reviewing(Bound):
    """Looking at what is uncertain, and settling it."""

    def cascade(self, id: str, scope: Scope | None = None) -> list[Item]:
        """The items that would be in doubt if an item were corrected or taken back, as they rest on it; nearest first.

        Raises:
            NotFound: no such item in this scope.
        """
        return lineage.cascade(self.store, self._in(scope), id)
