"""The linear ranker: what the arms and the index know of each candidate, weighted into one order.

The weights stand in ``ranker.json`` beside this file, one number a feature, with what they were
fitted to; ``scripts/fit_ranker.py`` makes that file again. docs/concepts/ranking.md says what each
feature is and what it earns.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.match import Scores, SignColumns, Signs
from omoide.nouns.record.frozen import frozen_record

FeatureVectors: TypeAlias = NDArray[np.float32]  # shape (n, len(FEATURES))
TurnPlace: TypeAlias = tuple[str, int]  # its session and its position there

FEATURES = (
    *("own", "cosine", "session", "spoken", "share", "length", "asks", "after_question", "person"),
    *("assisted own", "assisted session", "assisted share", "assisted length", "entity", "time"),
)
# what a candidate's sum is made of: its features, and what the other turn of its exchange adds
PARTS = (*FEATURES, "exchange")
# not fitted, since the talks that weights are fitted to hardly use these arms
SET = {"entity": 2.0, "time": 6.0}
# Weights where the question is about what the assistant told: too few such questions are known to
# fit them. Its turns count before those of people, and as these do.
TOLD = {"person": -1.0, "assisted session": 0.0, "assisted length": 0.0}
# the cosine feature of what has no vector yet: what it is on average, and how much more it is at
# most, for the best by own words
USUAL_COSINE, BY_WORDS = 0.75, 0.25
# a cosine; where the best is less, an embedder tells little, as of a language that it never learned
CLOSE = 0.4
# What a turn gets of the sum of the other one of its exchange, and the assistant's answer where the
# question is about what it told. One that is so far behind the best gives nothing.
SHARED, SHARED_TOLD, BEHIND = 0.1, 0.3, 8.0
ALIKE = 3  # best candidates of a session that speak for it
LONG = 25  # words; more say no more by themselves
SPREAD = (
    3.0  # what a difference of one in the weighted sum does to a score: it is divided by exp(1 / 3)
)


@frozen_record
class Weights:
    """One weight a feature; mean is what an unknown feature counts as, rerank the weight of a
    reranker's score from 0 to 1.
    """

    weight: FeatureVectors
    mean: FeatureVectors
    rerank: float = 0.0
    answer: float = SHARED  # what an assistant's turn gets of the sum of what it answers


@cache
def load_weights(name: str, *, told_by_assistant: bool = False) -> Weights:
    """The packaged weights: ``default``, or ``reranked`` for what a reranker looks at afterwards;
    those for questions about what the assistant told differ in some.
    """
    told = json.loads(files("omoide.read").joinpath("ranker.json").read_text("utf-8"))["weights"]
    weights = told[name] | (TOLD if told_by_assistant else {})
    weight, mean = (
        np.array([of[feature] for feature in FEATURES], np.float32)
        for of in (weights, told["mean"])
    )
    return Weights(
        weight=weight,
        mean=mean,
        rerank=told[name].get("rerank", 0.0),
        answer=SHARED_TOLD if told_by_assistant else SHARED,
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Candidates:
    """What is known of some documents, in one order: a value each."""

    fused: Scores
    cosine: Scores  # 0, here and below: that arm did not find it
    entity: Scores
    time: Scores
    signs: SignColumns
    known: NDArray[np.bool_]  # which of them have signs
    unseen: NDArray[np.bool_] | None = None  # which of them have no vector yet

    def __len__(self) -> int:
        return len(self.fused)


def weigh(some: Candidates, weights: Weights, words: int = 1) -> FeatureVectors:
    """What each of PARTS adds to the sum of each candidate, which orders them.

    words: how many the question has, stop words aside; the time it names counts as one of them.
    """
    weighed = features(some, words, weights.mean) * weights.weight
    exchanged = _exchanged(some.signs, weighed.sum(axis=1), weights.answer)
    return np.column_stack([weighed, exchanged])


def _exchanged(signs: SignColumns, sums: FeatureVectors, answer: float) -> FeatureVectors:
    """What each turn gets from the other one of its exchange: an assistant's from the person's
    before it, a person's from the assistant's after it.
    """
    assistant = signs.numbers[_ASSISTANT] > 0
    if not assistant.any():
        return np.zeros(len(sums), np.float32)
    # what has no neighbours has no exchange
    positions = np.where(signs.numbers[_RUN] > 1, signs.numbers[_POSITION], _NOWHERE).astype(int)
    turns = list(zip(signs.sessions.tolist(), positions.tolist(), strict=True))
    above = np.maximum(sums - sums.max() + np.float32(BEHIND), 0)
    asked, answered = (_best_of(turns, above, who) for who in (~assistant, assistant))
    more = (
        answer * asked.get((session, position - 1), 0.0)
        if speaks
        else SHARED * answered.get((session, position + 1), 0.0)
        for (session, position), speaks in zip(turns, assistant.tolist(), strict=True)
    )
    return np.fromiter(more, np.float32, len(sums))


def _best_of(
    turns: Sequence[TurnPlace], sums: FeatureVectors, which: NDArray[np.bool_]
) -> dict[TurnPlace, float]:
    """The greatest sum of each of some turns, whose passages are candidates of their own."""
    best: dict[TurnPlace, float] = {}
    for place in np.flatnonzero(which)[np.argsort(sums[which])].tolist():
        best[turns[place]] = float(sums[place])
    return best


def rank(weighed: FeatureVectors, best: float) -> Scores:
    """New scores for candidates, from 0 to 1: that with the greatest sum has the best one, others
    fall off from it.
    """
    if not len(weighed):
        return np.empty(0)
    return _scores(weighed.sum(axis=1), best).astype(np.float64)


def rerank(scores: Sequence[float], others: Sequence[float], weight: float) -> list[float]:
    """Scores of ``rank`` with a reranker's mixed in, which may be on any scale: it is stretched to
    0..1.
    """
    raw, best = np.array(others, np.float64), max(scores)
    span = float(np.ptp(raw))
    stretched = (raw - raw.min()) / span if span else np.ones(len(raw))
    mixed: list[float] = _scores(
        SPREAD * np.log(np.maximum(scores, _LEAST)) + weight * stretched, best
    ).tolist()
    return mixed


def _scores(sums: NDArray[Any], best: float) -> NDArray[Any]:
    scores: NDArray[Any] = best * np.exp((sums - sums.max()) / SPREAD)
    return scores


def features(
    some: Candidates, words: int = 1, mean: FeatureVectors | None = None
) -> FeatureVectors:
    """The features of candidates, in their order; of those without signs, what the arms do not tell
    is the mean's.
    """
    base = some.fused.astype(np.float32)
    length, _, run, asks, after_question, assistant, helped, own, share, spoken, named = (
        some.signs.numbers
    )
    alone = (run == 1) & (some.signs.sessions != "") & (asks == 0)  # a question tells nothing
    told: dict[str, FeatureVectors] = {
        "own": _of_best(own),
        "cosine": _of_best(some.cosine.astype(np.float32), CLOSE),
        "entity": _of_best(some.entity.astype(np.float32)),
        "time": _of_best(some.time.astype(np.float32)) / np.float32(max(words, 1)),
        "session": _of_sessions(base, some.signs.sessions.tolist(), run.tolist()),
        # what stands alone and names a speaker is no less about them than what they say
        "spoken": np.maximum(spoken, share * named * alone),
        "share": share,
        "length": np.log1p(np.minimum(length, np.float32(LONG))),
        "asks": asks,
        "after_question": after_question,
        "person": 1 - assistant,
    }
    if some.unseen is not None and some.unseen.any():
        told["cosine"] = np.where(
            some.unseen, USUAL_COSINE + BY_WORDS * told["own"], told["cosine"]
        ).astype(np.float32)
    told |= {f"assisted {name}": told[name] * helped for name in ("own", "session", "share")}
    told["assisted length"] = np.log1p(length) * helped
    table = np.stack([told[name] for name in FEATURES], axis=1)
    return table if mean is None else _as_usual(table, mean, some, alone)


def _as_usual(
    table: FeatureVectors, mean: FeatureVectors, some: Candidates, alone: NDArray[np.bool_]
) -> FeatureVectors:
    """The features with the mean for what is not known of a candidate.

    A short reply rarely answers, but what stands alone is no reply: as far as it has the words of
    the question, it counts as of usual length.
    """
    share, length = table[:, FEATURES.index("share")], FEATURES.index("length")
    table[:, length] += np.maximum(mean[length] - table[:, length], 0) * share * alone
    table[~some.known] = np.where(_FROM_INDEX, mean, table[~some.known])
    return table


_POSITION, _RUN, _ASSISTANT = (
    Signs._fields.index(name) - 1 for name in ("position", "run", "assistant")
)
_NOWHERE = -9
_FROM_INDEX = np.array([name not in ("cosine", "session", "entity", "time") for name in FEATURES])
_LEAST = 1e-30


def _of_best(scores: FeatureVectors, least: float = 0.0) -> FeatureVectors:
    """Scores as shares of the best, or of least where that is more."""
    best = np.float32(scores.max(initial=least))
    return scores / best if best > 0 else scores


def _of_sessions(
    base: FeatureVectors, sessions: Sequence[str], runs: Sequence[float]
) -> FeatureVectors:
    """For each candidate, how well the best three of its session were found: their mean; its
    own score if it is alone there, or in no session.
    """
    if not any(sessions):
        return base
    alike: dict[str, int] = {}
    for name, run in zip(sessions, runs, strict=True):
        alike[name] = max(alike.get(name, 1), 1 if run == 1 else ALIKE)
    sums, counts = dict.fromkeys(alike, 0.0), dict.fromkeys(alike, 0)
    for place in np.argsort(-base, kind="stable").tolist():
        name = sessions[place]
        if counts[name] < alike[name]:
            counts[name] += 1
            sums[name] += float(base[place])
    return np.array(
        [
            sums[name] / alike[name] if name else own
            for name, own in zip(sessions, base.tolist(), strict=True)
        ],
        np.float32,
    )
