"""The saved_searches table."""

from __future__ import annotations

import json

from omoide.faculties.searches.saved_search import SavedSearch, SearchFilters
from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.scope import Scope
from omoide.store.base import Row, Transaction
from omoide.tables.columns import asker, pack_json, scope_of
from omoide.wire.coding import decode, encode


class SavedSearches:
    """Saved searches as rows, inside the caller's transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def save(self, search: SavedSearch) -> None:
        """Add a search, or write the one of this id anew."""
        scope = search.scope
        self._tx.run(
            "saved_searches.save",
            tenant=scope.tenant,
            id=search.id,
            user=scope.user or "",
            agent=scope.agent or "",
            context=scope.context,
            name=search.name,
            question=pack_json(search.question),
            filters=pack_json(encode(search.filters)),
            saved_at=to_micros(search.saved_at),
        )

    def seen(self, scope: Scope) -> list[SavedSearch]:
        """The searches that an asker sees, by name."""
        return [_search(row) for row in self._tx.rows("saved_searches.list", **asker(scope))]

    def find(self, tenant: str, id: str) -> SavedSearch | None:
        """The search, whoever asks."""
        rows = self._tx.rows("saved_searches.raw", tenant=tenant, id=id)
        return _search(rows[0]) if rows else None

    def after(self, tenant: str, id: str, limit: int) -> list[SavedSearch]:
        """The searches of a tenant whose ids follow one, in order: a walk through all of them."""
        rows = self._tx.rows("saved_searches.after", tenant=tenant, after=id, limit=limit)
        return [_search(row) for row in rows]

    def of_user(self, tenant: str, user: str) -> list[SavedSearch]:
        """Every search of one user."""
        rows = self._tx.rows("saved_searches.of_user", tenant=tenant, user=user)
        return [_search(row) for row in rows]

    def forget(self, tenant: str, id: str) -> int:
        """Erase a search."""
        return self._tx.run("saved_searches.forget", tenant=tenant, id=id)


def _search(row: Row) -> SavedSearch:
    return SavedSearch(
        id=row["id"],
        scope=scope_of(row["tenant"], row["agent"], row["user_id"], "", row["context"]),
        name=row["name"],
        question=json.loads(row["question"]),
        filters=decode(SearchFilters, json.loads(row["filters"])),
        saved_at=from_micros(row["saved_at"]),
    )
