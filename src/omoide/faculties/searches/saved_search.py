"""Saved searches: a question with its filters under a name."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime

from omoide.nouns.item import Category, ItemFilters
from omoide.nouns.query import Query
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope


@frozen_record
class SearchFilters(ItemFilters):
    """What a saved search lets pass, as in a query."""

    categories: tuple[Category, ...] = ()  # none: all


@frozen_record
class SavedSearch(Record):
    """A search that a user or agent asks again and again. Its name is unique within its scope."""

    id: str
    scope: Scope
    name: str
    question: str
    filters: SearchFilters = SearchFilters()
    saved_at: datetime

    @property
    def query(self) -> Query:
        """The query that it asks."""
        by = {each.name: getattr(self.filters, each.name) for each in fields(ItemFilters)}
        categories = frozenset(self.filters.categories) or None
        return Query(text=self.question, categories=categories, **by)
