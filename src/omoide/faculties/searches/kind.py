"""What the product has to know of saved searches."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from omoide.faculties.searches.saved_search import SavedSearch, SearchFilters
from omoide.faculties.searches.table import SavedSearches
from omoide.nouns.item import ItemFilters
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import RecordKind, Table, of_table
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.columns import pack_json
from omoide.tables.item_fields import ASKED
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import mask_value, without_secrets
from omoide.write.apply import Door
from omoide.write.checks import check_id, check_line, check_metadata, check_names, check_text
from omoide.write.erasing import is_of
from omoide.write.loading import check_past, check_same


def _mask_filters(filters: SearchFilters) -> SearchFilters:
    names = (each.name for each in fields(ItemFilters))
    return replace(filters, **{name: mask_value(getattr(filters, name)) for name in names})


def _mask(tx: Transaction, door: Door, tenant: str, search: SavedSearch) -> None:
    SavedSearches(tx).save(without_secrets(search))


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[SavedSearch]:
    if target.user is not None:
        return SavedSearches(tx).of_user(scope.tenant, target.user)
    if target.sort == "all":
        own = SavedSearches(tx).of_user(scope.tenant, scope.user or "")
        return [one for one in own if is_of(scope, one)]
    found = SavedSearches(tx).find(scope.tenant, target.id) if target.id else None
    return [found] if found and is_of(scope, found) else []


def checked(search: SavedSearch, now: datetime) -> SavedSearch:
    """A search as it is kept.

    Raises:
        InvalidInput, TooLong: its name, its question or a filter cannot be one.
    """
    check_past(search, ("saved_at",), now)
    filters = search.filters
    asked: dict[str, Any] = {
        name: check_line(getattr(filters, name) or "", name) or None for name in ASKED
    }
    return replace(
        search,
        id=check_id(search.id, "id"),
        name=check_id(mask_line(search.name), "name"),
        question=mask_line(check_text(search.question)),
        filters=replace(
            filters,
            tags=check_names(filters.tags, "tags"),
            entities=check_names(filters.entities, "entities"),
            metadata=check_metadata(filters.metadata),
            **asked,
        ),
    )


def _load(
    tx: Transaction, door: Door, search: SavedSearch, told: Container[str]
) -> Mapping[str, int]:
    there = SavedSearches(tx).find(search.scope.tenant, search.id)
    if there is not None:
        check_same("saved search", search.id, equal=there.question == search.question)
        return {}
    SavedSearches(tx).save(search)
    return {"saved_search": 1}


SAVED_SEARCH = RecordKind(
    name="saved_search",
    record=SavedSearch,
    plural="saved_searches",
    tables=(Table("saved_searches"),),
    texts=("name", "question", "filters"),
    masked_by={"filters": _mask_filters},
    table=SavedSearches,
    noted=False,
    mask=_mask,
    meant=_meant,
    # as it stands in its column
    proof=lambda search: (pack_json(search.question)[1:-1],),
    held="saved_searches.held",
    exported=of_table(SavedSearches),
    fit=checked,
    load=_load,
)
