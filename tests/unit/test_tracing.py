"""Spans around memory operations: there, named by convention, and without anybody's words."""

from __future__ import annotations

import inspect

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import NotFound
from omoide.telemetry.tracing import traced
from omoide.testing import memory_for_tests


def test_a_traced_function_answers_as_before() -> None:
    """Tracing changes neither result, error nor signature."""

    @traced("search_memory")
    def half(number: int, *, of: str = "x") -> float:
        """Half of it."""
        if number < 0:
            raise NotFound("number", of)
        return number / 2

    assert half(4) == 2
    assert str(inspect.signature(half)) == "(number: 'int', *, of: 'str' = 'x') -> 'float'"
    with pytest.raises(NotFound):
        half(-1)


def test_recall_is_traced() -> None:
    """A verb of Memory runs within a span, and its signature shows through."""
    assert "query" in inspect.signature(Memory.recall).parameters
    with memory_for_tests() as memory:
        assert memory.recall("anything").hits == ()
