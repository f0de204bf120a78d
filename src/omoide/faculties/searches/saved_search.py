"""Saved searches: a question with its filters under a name."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime

from omoide.nouns.item import Category
from omoide.nouns.metadata import NO_METADATA, Metadata
from omoide.nouns.query import Query
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope


@frozen_record
class SearchFilters(Record):
    """What a saved search lets pass, as in a query."""

    categories: tuple[Category, ...] = ()  # none: all
    domain: str | None = None
    tags: tuple[str, ...] = ()  # all of them
    entities: tuple[str, ...] = ()  # any of them
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)


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
        filters = self.filters
        return Query(
            text=self.question,
            categories=frozenset(filters.categories) or None,
            domain=filters.domain,
            tags=filters.tags,
            entities=filters.entities,
            metadata=filters.metadata,
        )
