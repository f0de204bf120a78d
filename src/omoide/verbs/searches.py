"""The verbs of saved searches: questions with their filters, kept under a name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from omoide.faculties.searches.saved_search import SavedSearch, SearchFilters
from omoide.faculties.searches.verbs import delete_search, list_searches, run_search, save_search
from omoide.nouns.access import Right
from omoide.nouns.hit import Recall
from omoide.nouns.scope import Scope
from omoide.verbs.bound import Bound
from omoide.wire.verbs import Returns, verb


class SearchVerbs(Bound):
    """Saved searches: questions that are asked again and again."""

    @verb(Right.READ, "list()", returns=Returns.PAGE, idempotent=True, mcp="read")
    def list(self, scope: Scope | None = None) -> Sequence[SavedSearch]:
        """Return the saved searches, by name."""
        return list_searches(self.store, self._in(scope))

    @verb(
        Right.WRITE,
        'save("birthdays", "When are birthdays?")',
        subject="name",
        spread=("filters",),
        needs_owner=True,
        idempotent=True,
    )
    def save(
        self,
        name: str,
        question: str,
        scope: Scope | None = None,
        *,
        filters: SearchFilters | None = None,
    ) -> SavedSearch:
        """Save a search under a name, in place of one of that name in the same scope.

        Raises:
            OwnerMissing: the scope names no owner.
            InvalidInput, TooLong: the name, the question or a filter cannot be used.
        """
        return save_search(
            self.store, self.clock, self._owned(scope), name, question, filters or SearchFilters()
        )

    @verb(
        Right.READ,
        'run("birthdays")',
        subject="name",
        returns=Returns.PAGE,
        mcp="read",
        operation="search_memory",
    )
    def run(self, name: str, scope: Scope | None = None, *, limit: int = 10) -> Recall:
        """Recall what a saved search finds now.

        Raises:
            NotFound: no saved search of that name in this scope.
            ModelError: the embedder failed.
        """
        ask = partial(self._engine.recall, limit=limit)
        return run_search(self.store, self._in(scope), name, ask)

    @verb(
        Right.WRITE, 'delete("birthdays")', subject="name", returns=Returns.NOTHING, idempotent=True
    )
    def delete(self, name: str, scope: Scope | None = None) -> None:
        """Delete a saved search.

        Raises:
            NotFound: no saved search of that name in this scope.
        """
        delete_search(self.store, self._in(scope), name)
