"""Vectors in memory: exact up to a limit, by sketches beyond."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from omoide.store.search.matrix import Matrix


def random_units(
    count: int, dimension: int, *, seed: int = 0, clusters: int | None = None
) -> NDArray[np.float32]:
    """Random vectors of length 1; in clusters they lie around that many centres, all of which lean
    one way.
    """
    rng = np.random.default_rng(seed)

    def units(n: int) -> NDArray[np.float32]:
        return normal(rng.standard_normal((n, dimension), dtype=np.float32))

    if not clusters:
        return units(count)
    return normal(
        units(clusters)[rng.integers(0, clusters, count)]
        + units(count)
        + np.float32(0.5) * units(1)
    )


def normal(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors at length 1."""
    lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def best(
    matrix: Matrix, vector: NDArray[np.float32], limit: int, wanted: NDArray[np.bool_] | None = None
) -> list[int]:
    """The nearest slots, best first."""
    slots, scores = matrix.nearest(
        vector, np.ones(len(matrix), bool) if wanted is None else wanted, limit
    )
    return [int(slot) for slot in slots[np.argsort(-scores, kind="stable")][:limit]]


@pytest.mark.covers("GM-47")
@given(
    st.integers(0, 400), st.sampled_from([1, 3, 64, 300]), st.integers(1, 90), st.integers(1, 20)
)
def test_the_nearest_are_exactly_those_of_the_definition(
    count: int, dimension: int, batch: int, limit: int
) -> None:
    """However it grew, a matrix gives the vectors of greatest cosine, and the cosines."""
    vectors = random_units(count + 1, dimension, seed=count)
    question, vectors = vectors[0], vectors[1:]
    matrix = Matrix(dimension)
    for start in range(0, count, batch):
        matrix = matrix.extended(vectors[start : start + batch])
    wanted = np.arange(count) % 3 != 0

    slots, scores = matrix.nearest(question, wanted, limit)

    cosines = vectors.astype(np.float64) @ question.astype(np.float64)
    assert scores.tolist() == pytest.approx(cosines[slots].tolist(), abs=1e-12)
    assert wanted[slots].all()
    assert len(slots) >= min(limit, int(wanted.sum()))
    least = np.sort(cosines[wanted])[::-1][:limit]
    assert np.sort(scores)[::-1][:limit].tolist() == pytest.approx(least.tolist(), abs=1e-12)


def test_equal_vectors_score_equally_wherever_they_lie() -> None:
    """The score of a vector depends on nothing but itself, to the last bit."""
    vectors = random_units(3000, 37)
    vectors[[0, 1, 77, 1001, 2999]] = vectors[5]
    question = random_units(1, 37, seed=9)[0]
    whole = Matrix(37).extended(vectors)
    slots = np.array([0, 1, 5, 77, 1001, 2999])

    grown = Matrix(37)
    for row in vectors:
        grown = grown.extended(row[None, :])

    assert (
        len(set(whole.exact(slots, question).tolist() + grown.exact(slots, question).tolist())) == 1
    )


def test_growing_leaves_older_states_as_they_are() -> None:
    """A reader who holds the matrix of before sees nothing of what is added, even when it is added
    twice.
    """
    vectors = random_units(200, 8)
    before = Matrix(8).extended(vectors[:70])
    question = vectors[150]
    expected = best(before, question, 5)

    before.extended(vectors[150:])  # given up
    after = before.extended(vectors[70:])

    assert best(before, question, 5) == expected
    assert best(after, question, 1) == [150]


def test_sketches_find_nearly_all_of_the_nearest() -> None:
    """Beyond the limit of the exact scan, at least 98 of 100 of the ten nearest are found in
    clustered data.
    """
    vectors = random_units(40_000, 128, clusters=2_000)
    exact = Matrix(128).extended(vectors)
    sketched = Matrix(128, exact_up_to=20_000)
    for start in range(0, len(vectors), 7_000):
        sketched = sketched.extended(vectors[start : start + 7_000])
    noise = random_units(60, 128, seed=5)
    questions = normal(vectors[::667] + np.float32(0.5) * noise)

    found = [
        len({*best(exact, question, 10)} & {*best(sketched, question, 10)})
        for question in questions
    ]

    assert exact.sketch is None
    assert sketched.sketch is not None
    assert sum(found) >= 0.98 * 10 * len(found)


def test_a_filter_comes_before_the_sketch() -> None:
    """Where few vectors are wanted among many, none of them is missed."""
    vectors = random_units(6_000, 64)
    sketched, exact = Matrix(64, exact_up_to=1_000).extended(vectors), Matrix(64).extended(vectors)
    wanted = np.zeros(6_000, bool)
    wanted[::50] = True

    for question in random_units(20, 64, seed=3):
        assert best(sketched, question, 10, wanted) == best(exact, question, 10, wanted)
