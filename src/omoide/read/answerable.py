"""How sure it is that an answer is held at all, from how well the best hits meet the question."""

from __future__ import annotations

import math
from collections.abc import Sequence

from omoide.records import Arm, Hit
from omoide.text.words import QueryTerm, index_terms

# A logistic curve over three features; see docs/concepts/recall.md for what the number means.
BIAS, COVERAGE, COSINE, NAMED = -3.0, 3.5, 3.0, 0.5
LOOKED_AT = 3


def answerable(terms: Sequence[QueryTerm], hits: Sequence[Hit]) -> float:
    """From 0 to 1: the logistic of how much of the question's words the best hits cover and how near they are.

    0 without hits. Without words in the question (a listing by filters), 1 when there is a hit.
    """
    if not hits:
        return 0.0
    if not terms:
        return 1.0
    best = hits[:LOOKED_AT]
    coverage = max(_coverage(terms, hit) for hit in best)
    cosine = max((a.score for hit in best for a in hit.arms if a.arm is Arm.VECTOR), default=coverage)
    linked = any(a.arm is Arm.ENTITY for hit in best for a in hit.arms)
    return 1 / (1 + math.exp(-(BIAS + COVERAGE * coverage + COSINE * max(0.0, cosine) + NAMED * linked)))


def _coverage(terms: Sequence[QueryTerm], hit: Hit) -> float:
    words = set(index_terms(hit.text))
    return sum(t.weight for t in terms if t.term in words) / sum(t.weight for t in terms)
