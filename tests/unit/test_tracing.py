"""Spans around memory operations: there, named by convention, and without anybody's words."""

from __future__ import annotations

import inspect

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import NotFound
from omoide.telemetry.tracing import span
from omoide.testing import memory_for_tests


def test_a_span_lets_errors_through() -> None:
    """What fails within a span fails as before."""
    with span("search_memory"):
        pass
    with pytest.raises(NotFound), span("search_memory"):
        raise NotFound("number", "x")


def test_recall_is_traced() -> None:
    """A verb of Memory runs within a span, and its signature shows through."""
    assert "query" in inspect.signature(Memory.recall).parameters
    with memory_for_tests() as memory:
        assert memory.recall("anything").hits == ()
