"""A filter that stands in several statements is the same in each."""

from __future__ import annotations

import re

import pytest

from omoide.store.queries import load_queries

PAGES = ("latest_updated", "first_updated", "latest_created", "first_created", "list", "count")
ITEM_FILTER = re.compile(r"AND \(:closed = 1 .*?a\.folded = :entity\)\)", re.S)
DOC_FILTER = re.compile(
    r"at >= :since AND at < :until .*?\(expires_at IS NULL OR expires_at > :as_of\)", re.S
)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_every_listing_of_items_filters_alike(engine: str) -> None:
    """Whatever its order, and where it only counts."""
    queries = load_queries(engine)
    found = [ITEM_FILTER.findall(queries[f"items.{name}"]) for name in PAGES]

    assert [len(filters) for filters in found] == [1] * len(PAGES)
    assert len({filters[0] for filters in found}) == 1


def test_every_statement_of_a_search_filters_alike() -> None:
    """On both engines."""
    queries = [load_queries(engine) for engine in ("sqlite", "postgres")]
    found = [
        DOC_FILTER.findall(one[name])
        for one in queries
        for name in ("docs.allowed", "docs.between")
    ]

    assert [len(filters) for filters in found] == [1] * 4
    assert len({filters[0] for filters in found}) == 1
