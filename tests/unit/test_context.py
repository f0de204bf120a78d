"""Packing hits into a token budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.hit import Hit
from omoide.nouns.kind import Kind
from omoide.read.packing import pack
from tests.fix_memory import NINE


def hit(id: str, tokens: int) -> Hit:
    """A hit of that size."""
    return Hit(kind=Kind.ITEM, id=id, text=id, score=1.0, at=NINE, tokens=tokens)


def test_what_is_too_large_is_passed_over() -> None:
    """Smaller ones after it may still fit."""
    packed = pack([hit("a", 5), hit("b", 9), hit("c", 4)], 10)

    assert [h.id for h in packed] == ["a", "c"]


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(0, 100))
def test_packing_keeps_order_and_budget(sizes: list[int], budget: int) -> None:
    """Never over the budget, in the order given, and nothing left out that would have fitted."""
    hits = [hit(str(n), size) for n, size in enumerate(sizes)]

    packed = pack(hits, budget)

    used = sum(h.tokens for h in packed)
    assert used <= budget
    assert packed == [h for h in hits if h in packed]
    assert all(h.tokens > budget - used for h in hits if h not in packed)
