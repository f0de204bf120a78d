"""How sure it is that an answer is held at all, from how well the best hits meet the question.

A logistic curve over three features, fitted by ``scripts/fit_answerable.py``, which prints these
constants and how well they do on questions that they were not fitted to.
docs/concepts/answerable.md says what the number means.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from omoide.nouns.hit import Hit
from omoide.nouns.query import Arm
from omoide.nouns.record.frozen import frozen_record
from omoide.text.chunks import pair_in
from omoide.text.words import NATIVE, QueryTerm, index_terms

LOOKED_AT = 3  # hits
UNSURE = 0.5  # below this an answer is less likely held than not
NO_WORDS: Mapping[str, str] = {}

WordTerms: TypeAlias = Sequence[QueryTerm]  # a word in its forms


class Features(NamedTuple):
    """What the best hits have of a question.

    coverage: the greatest share of its words in one of them, from 0 to 1. cosine: the greatest with
    it; None where no vector was compared. speaker: where it names who said one of them, the
    greatest share of its other words in what they said, less the greatest in what others said; else
    0.
    """

    coverage: float
    cosine: float | None
    speaker: float


@frozen_record
class Curve:
    """A logistic curve: its value is 1 / (1 + exp(-(bias + coverage * … + cosine * … + speaker *
    …))).
    """

    bias: float
    coverage: float
    speaker: float
    cosine: float = 0.0

    def at(self, told: Features) -> float:
        """Its value, from 0 to 1."""
        total = (
            self.bias
            + self.coverage * told.coverage
            + self.cosine * (told.cosine or 0.0)
            + self.speaker * told.speaker
        )
        return 1 / (1 + math.exp(-total))


WITH_VECTORS = Curve(bias=-5.76, coverage=5.56, cosine=5.21, speaker=2.02)
BY_WORDS = Curve(bias=-3.23, coverage=6.28, speaker=2.17)  # where no vector was compared


def answerable(
    terms: Sequence[QueryTerm], hits: Sequence[Hit], stored: Mapping[str, str] = NO_WORDS
) -> float:
    """From 0 to 1: how likely an answer is held, if half of all questions asked had one.

    0 without hits. Without words in the question (a listing by filters), 1 when there is a hit.
    stored: by ids of hits the words that the index has of them, which spares making them again.
    """
    if not hits:
        return 0.0
    if not terms:
        return 1.0
    told = features(terms, hits, stored)
    return (BY_WORDS if told.cosine is None else WITH_VECTORS).at(told)


def features(
    terms: Sequence[QueryTerm], hits: Sequence[Hit], stored: Mapping[str, str] = NO_WORDS
) -> Features:
    """What the best hits have of a question that has words; there is a hit."""
    best = hits[:LOOKED_AT]
    cosines = [arm.score for hit in best for arm in hit.arms if arm.arm is Arm.VECTOR]
    words = words_of(terms)
    said = {
        hit.id: frozenset(stored[hit.id].split() if hit.id in stored else index_terms(hit.text))
        for hit in best
    }
    most = max(coverage(words, said[hit.id].union(index_terms(_around(hit)))) for hit in best)
    return Features(most, max(cosines, default=None), _speaker(words, best, said))


def _speaker(
    words: Sequence[WordTerms], best: Sequence[Hit], told: Mapping[str, Collection[str]]
) -> float:
    said = [(hit, frozenset(index_terms(hit.turn.speaker))) for hit in best if hit.turn is not None]
    named = [word for word in words if any(is_met(word, name) for _, name in said)]
    rest = [word for word in words if word not in named]
    if not named or not rest:
        return 0.0
    shares: dict[bool, float] = {}
    for hit, name in said:
        asked = any(is_met(word, name) for word in named)
        shares[asked] = max(shares.get(asked, 0.0), coverage(rest, told[hit.id]))
    return shares[True] - shares.get(False, 0.0)


def coverage(words: Sequence[WordTerms], held: Collection[str]) -> float:
    """The share of words that are met, each as heavy as its heaviest form; 0 of none.

    Where words are not spaced, many pairs of characters cross from one into the next and are met
    nowhere. So it is characters that count there, half a word each: one is met if a pair with it
    is.
    """
    shares: list[tuple[float, bool]] = []
    last = ""  # the character that ended the pair before
    for word in words:
        met, pair = is_met(word, held), pair_in(word[0].term)
        if pair is None:
            shares.append((max(form.weight for form in word), met))
        else:
            before = pair[0] == last and shares.pop()[1]
            shares += [(0.5, met or before), (0.5, met)]
        last = pair[1] if pair else ""
    return sum(weight for weight, met in shares if met) / (sum(weight for weight, _ in shares) or 1)


def is_met(word: WordTerms, held: Collection[str]) -> bool:
    """Whether one of a word's forms is held."""
    return any(form.term in held for form in word)


def words_of(terms: Sequence[QueryTerm]) -> list[list[QueryTerm]]:
    """The words that terms are forms of: each root with the stems of other languages after it."""
    words: list[list[QueryTerm]] = []
    for term in terms:
        if words and term.term.startswith(NATIVE):
            words[-1].append(term)
        else:
            words.append([term])
    return words


def _around(hit: Hit) -> str:
    """What belongs to a record besides its text: who said it and when, or whom and what it is
    about.
    """
    if hit.turn is not None:
        return f"{hit.turn.speaker} {hit.turn.at:%A %d %B %Y}"
    return " ".join((*hit.item.entities, *hit.item.tags)) if hit.item is not None else ""
