"""Turns beside good hits come earlier in a context."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from omoide.context.neighbours import heed_neighbours
from tests.unit.test_context_strategies import a_turn, an_item, hits


def test_a_turn_beside_the_best_comes_before_others_of_its_rank() -> None:
    """The one that follows the best hit is before those of another session, and the best stay."""
    best = a_turn(7, "I sold the piano.")
    others = [a_turn(n, f"Other {n}", session="other") for n in range(4)]
    found = hits(best, *others, a_turn(8, "To my neighbour, yes."))
    scored = [replace(found[0], score=1.0), *(replace(hit, score=0.1) for hit in found[1:])]

    ordered = heed_neighbours(scored, 2)

    assert [hit.id for hit in ordered[:4]] == ["s#7", "other#0", "s#8", "other#1"]


def test_items_keep_their_places() -> None:
    """What is known by whose word is ordered by trust, and no turn changes that."""
    found = hits(a_turn(1, "a"), an_item("i", "b"), a_turn(9, "c"), a_turn(2, "d"))

    ordered = heed_neighbours([replace(hit, score=0.5) for hit in found], 1)

    assert [hit.id for hit in ordered] == ["s#1", "i", "s#2", "s#9"]


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), unique_by=lambda pair: pair[0]))
def test_no_hit_is_lost(pairs: list[tuple[int, float]]) -> None:
    """Each stands there once, whatever the scores."""
    turns = hits(*(a_turn(number, "x") for number, _ in pairs))
    scored = [replace(hit, score=score) for hit, (_, score) in zip(turns, pairs, strict=True)]

    assert sorted(hit.id for hit in heed_neighbours(scored, 3)) == sorted(h.id for h in scored)
