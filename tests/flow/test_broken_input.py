"""Input of the wrong type, that once ended in an error of the machinery's."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from tests.fix_memory import on_sqlite

pytestmark = on_sqlite


@pytest.mark.parametrize("limit", ["5", 2.5, None, [1]])
@pytest.mark.parametrize(
    "verb", ["sessions.list", "sessions.turns", "entities.list", "tool_calls.list"]
)
def test_a_limit_that_is_no_whole_number_is_refused(verb: str, limit: Any, memory: Memory) -> None:
    """By name, with what it was."""
    with pytest.raises(InvalidInput, match="limit"):
        attrgetter(verb)(memory)(limit=limit)


@pytest.mark.parametrize("limit", ["5", 2.5, [1]])
def test_a_recall_limit_that_is_no_whole_number_is_refused(limit: Any, memory: Memory) -> None:
    """As one out of range is."""
    with pytest.raises(InvalidInput, match="limit"):
        memory.recall("tea", limit=limit)


@pytest.mark.parametrize("id", [5, "\ud800", ["s#0"], b"s#0"])
def test_the_sources_of_what_is_no_id_are_refused(id: Any, memory: Memory) -> None:
    """Whatever stands where an id should."""
    with pytest.raises(InvalidInput):
        memory.items.sources(id)
