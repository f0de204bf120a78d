"""Contexts whose tokens a caller counts."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from omoide import Budget, Memory
from omoide.context.strategies import PRESETS, STRATEGIES
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Details, Source
from tests.fix_memory import ANA, on_sqlite

pytestmark = on_sqlite


def by_pairs(text: str) -> int:
    """Two characters a token."""
    return -(-len(text) // 2)


def with_dear_joins(text: str) -> int:
    """Lines together take more than each by itself."""
    return len(text) // 4 + text.count("\n") ** 2 // 40


@pytest.fixture
def told(memory: Memory) -> Memory:
    """A memory that holds more than fits."""
    for n in range(20):
        text = f"bicycle number {n} has a bell, two brakes and a basket for bread"
        memory.remember(text, ANA, category="preference", details=Details(source=Source.USER))
        memory.ingest([{"role": "user", "content": f"Bicycle {n} stands in yard {n * 7}"}], ANA)
    return memory


def test_a_context_fits_by_the_callers_count(told: Memory) -> None:
    """Exactly, with each strategy; it reports what the caller counts, in all and of each block."""
    for strategy, count, limit in product(
        STRATEGIES, (by_pairs, with_dear_joins), (1, 40, 500, 1_500)
    ):
        budget = Budget(limit, count=count)
        made = told.context("Which bicycle?", ANA, budget=budget, strategy=strategy)

        assert made.tokens == count(made.text) <= limit
        assert [b.tokens for b in made.blocks] == [count(b.text) for b in made.blocks]


def test_a_dearer_count_leaves_room_for_less(told: Memory) -> None:
    """And a cheaper one for more: the budget is filled by the caller's count."""
    dear, cheap = (
        told.context("Which bicycle?", ANA, budget=Budget(1_500, count=count))
        for count in (by_pairs, lambda text: len(text) // 8)
    )

    assert len(dear.ids) < len(cheap.ids)
    assert dear.tokens > 1_400


def test_a_preset_keeps_its_own_budget(told: Memory) -> None:
    """In its unit; the tokens that it reports are the caller's."""
    budget = Budget(9, count=by_pairs)
    for preset in PRESETS:
        made = told.context("Which bicycle?", ANA, budget=budget, strategy=preset)

        assert made.tokens == by_pairs(made.text)
        assert made.text == told.context("Which bicycle?", ANA, strategy=preset).text


@pytest.mark.parametrize("wrong", [-1, 2.5, None, True, "3"])
def test_a_count_that_is_no_number_is_refused(memory: Memory, wrong: Any) -> None:
    """With what it returned."""
    with pytest.raises(InvalidInput, match="budget count: must return 0 or more tokens"):
        memory.context("bicycle", ANA, budget=Budget(100, count=lambda text: wrong))


@pytest.mark.parametrize(
    "budget",
    [Budget(0), Budget(10**9), Budget(5, count="gpt"), Budget(5, "pages")],  # type: ignore[arg-type]
)
def test_a_wrong_budget_is_refused(memory: Memory, budget: Budget) -> None:
    """Out of range, with no function, or of no unit."""
    with pytest.raises(InvalidInput, match="budget"):
        memory.context("bicycle", ANA, budget=budget)


def test_the_unit_of_a_budget_may_be_its_name(told: Memory) -> None:
    """As in a text."""
    by_name = told.context("Which bicycle?", ANA, budget=Budget(500, "tokens"))

    assert by_name.text == told.context("Which bicycle?", ANA, budget=500).text


def test_a_count_that_never_fits_is_asked_few_times(told: Memory) -> None:
    """Such as one that counts all that it was ever given."""
    asked = []

    def count(text: str) -> int:
        asked.append(text)
        return 1_000_000

    assert not told.context("Which bicycle?", ANA, budget=Budget(999_000, count=count)).text
    assert len(asked) < 2_000
