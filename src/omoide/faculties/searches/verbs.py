"""Saving a search under a name, listing, asking and deleting it."""

from __future__ import annotations

from collections.abc import Callable

from omoide.faculties.searches.kind import checked
from omoide.faculties.searches.saved_search import SavedSearch, SearchFilters
from omoide.faculties.searches.table import SavedSearches
from omoide.nouns.clock import Clock
from omoide.nouns.errors import NotFound
from omoide.nouns.hit import Recall
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, committed, read_only

NO_FILTERS = SearchFilters()


def save_search(
    store: Store,
    clock: Clock,
    scope: Scope,
    name: str,
    question: str,
    filters: SearchFilters = NO_FILTERS,
) -> SavedSearch:
    """Keep a search under a name; one of that name in exactly this scope is replaced.

    Raises:
        InvalidInput, TooLong: its name, its question or a filter cannot be one.
    """
    place = Scope(tenant=scope.tenant, user=scope.user, agent=scope.agent, context=scope.context)

    def write(tx: Transaction) -> SavedSearch:
        given = SavedSearch(
            id=clock.new_id(),
            scope=place,
            name=name,
            question=question,
            filters=filters,
            saved_at=clock.now(),
        )
        search = checked(given, clock.now())
        for one in SavedSearches(tx).seen(place):
            if (one.name, one.scope) == (search.name, place):
                SavedSearches(tx).forget(place.tenant, one.id)
        SavedSearches(tx).save(search)
        return search

    return committed(store, write, tenant=place.tenant)


def list_searches(store: Store, scope: Scope) -> list[SavedSearch]:
    """The saved searches that an asker sees, by name."""
    with read_only(store, scope.tenant) as tx:
        return SavedSearches(tx).seen(scope)


def find_search(store: Store, scope: Scope, name: str) -> SavedSearch:
    """The saved search of that name; of several, that of the asker's own user and agent.

    Raises:
        NotFound: the asker sees none.
    """
    found = [one for one in list_searches(store, scope) if one.name == name]
    if not found:
        raise NotFound("saved search", name)
    return max(found, key=lambda one: (one.scope.user or "", one.scope.agent or ""))


def delete_search(store: Store, scope: Scope, name: str) -> None:
    """Delete the saved search of that name.

    Raises:
        NotFound: the asker sees none.
    """
    search = find_search(store, scope, name)
    tenant = scope.tenant
    committed(store, lambda tx: SavedSearches(tx).forget(tenant, search.id), tenant=tenant)


def run_search(
    store: Store, scope: Scope, name: str, ask: Callable[[Query, Scope], Recall]
) -> Recall:
    """Ask a saved search, by a memory's ``recall``: what it finds now.

    Raises:
        NotFound: the asker sees none of that name.
        ModelError: the embedder failed.
    """
    return ask(find_search(store, scope, name).query, scope)
