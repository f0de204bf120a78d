"""How sure it is that an answer is held at all, from how well the best hits meet the question.

A logistic curve over two features, fitted by ``scripts/fit_answerable.py``, which prints these constants and how
well they do on questions that they were not fitted to. docs/concepts/recall.md says what the number means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from omoide.records import Arm, Hit
from omoide.text.words import NATIVE, QueryTerm, index_terms

LOOKED_AT = 3  # hits


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """A logistic curve: its value is 1 / (1 + exp(-(bias + coverage * … + cosine * …)))."""

    bias: float
    coverage: float
    cosine: float = 0.0

    def at(self, coverage: float, cosine: float) -> float:
        """Its value, from 0 to 1."""
        return 1 / (1 + math.exp(-(self.bias + self.coverage * coverage + self.cosine * cosine)))


WITH_VECTORS = Curve(bias=-7.67, coverage=7.95, cosine=6.30)
BY_WORDS = Curve(bias=-4.67, coverage=8.91)  # where no vector was compared


def answerable(terms: Sequence[QueryTerm], hits: Sequence[Hit]) -> float:
    """From 0 to 1: how likely an answer is held, if half of all questions asked had one.

    0 without hits. Without words in the question (a listing by filters), 1 when there is a hit.
    """
    if not hits:
        return 0.0
    if not terms:
        return 1.0
    coverage, cosine = features(terms, hits)
    return BY_WORDS.at(coverage, 0.0) if cosine is None else WITH_VECTORS.at(coverage, cosine)


def features(terms: Sequence[QueryTerm], hits: Sequence[Hit]) -> tuple[float, float | None]:
    """What the best hits have of a question: the greatest share of its words in one of them, weighted, from 0
    to 1, and the greatest cosine with it; None where no vector was compared."""
    best = hits[:LOOKED_AT]
    cosines = [arm.score for hit in best for arm in hit.arms if arm.arm is Arm.VECTOR]
    words = _words(terms)
    return max(_coverage(words, hit) for hit in best), max(cosines, default=None)


def _coverage(words: Sequence[Sequence[QueryTerm]], hit: Hit) -> float:
    """A word is met in any of its forms, and counts as much as its heaviest."""
    held = set(index_terms(f"{hit.text} {_around(hit)}"))
    weights = [(max(form.weight for form in word), any(form.term in held for form in word)) for word in words]
    return sum(weight for weight, met in weights if met) / sum(weight for weight, _ in weights)


def _words(terms: Sequence[QueryTerm]) -> list[list[QueryTerm]]:
    """The words that terms are forms of: each root with the stems of other languages after it."""
    words: list[list[QueryTerm]] = []
    for term in terms:
        if words and term.term.startswith(NATIVE):
            words[-1].append(term)
        else:
            words.append([term])
    return words


def _around(hit: Hit) -> str:
    """What belongs to a record besides its text: who said it and when, or whom and what it is about."""
    if hit.turn is not None:
        return f"{hit.turn.speaker} {hit.turn.at:%A %d %B %Y}"
    return " ".join((*hit.item.entities, *hit.item.tags)) if hit.item is not None else ""
