"""The linear ranker: what the arms and the index know of each candidate, weighted into one order.

The weights stand in ``ranker.json`` beside this file, one number a feature, with what they were fitted to;
``scripts/fit_ranker.py`` makes that file again. docs/concepts/recall.md says what each feature is and what it earns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.matches import Signs
from omoide.records import Arm

Features: TypeAlias = NDArray[np.float32]  # shape (n, len(FEATURES))
Found: TypeAlias = Mapping[Arm, Mapping[int, float]]  # by arm: documents with their scores

FEATURES = (
    *("own", "cosine", "session", "spoken", "share", "length", "asks", "after_question", "person"),
    *("assisted own", "assisted session", "assisted share", "assisted length", "entity", "time"),
)
SET = {"entity": 2.0, "time": 6.0}  # not fitted, since the talks that weights are fitted to hardly use these arms
CLOSE = 0.4  # a cosine; where the best is less, an embedder tells little, as of a language that it never learned
ALIKE = 3  # best candidates of a session that speak for it
LONG = 25  # words; more say no more by themselves
SPREAD = 3.0  # what a difference of one in the weighted sum does to a score: it is divided by exp(1 / 3)


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """One weight a feature; mean is what an unknown feature counts as, rerank the weight of a reranker's score from 0 to 1."""

    weight: Features
    mean: Features
    rerank: float = 0.0


@cache
def load_weights(name: str) -> Weights:
    """The packaged weights: ``default``, or ``reranked`` for what a reranker looks at afterwards."""
    told = json.loads(files("omoide.read").joinpath("ranker.json").read_text("utf-8"))["weights"]
    weight, mean = (np.array([told[of][feature] for feature in FEATURES], np.float32) for of in (name, "mean"))
    return Weights(weight=weight, mean=mean, rerank=told[name].get("rerank", 0.0))


def rank(fused: Mapping[int, float], found: Found, signs: Mapping[int, Signs], weights: Weights, words: int = 1) -> dict[int, float]:
    """New scores for candidates, from 0 to 1: the best keeps the greatest fused score, others fall off from it.

    fused: candidates with their fused scores. signs may lack some of them: of these the means are taken. words: how
    many the question has, stop words aside; the time it names counts as one of them.
    """
    if not fused:
        return {}
    sums = features(fused, found, signs, words, weights.mean) @ weights.weight
    return dict(zip(fused, _scores(sums, max(fused.values())), strict=True))


def rerank(scores: Sequence[float], others: Sequence[float], weight: float) -> list[float]:
    """Scores of ``rank`` with a reranker's mixed in, which may be on any scale: it is stretched to 0..1."""
    raw, best = np.array(others, np.float64), max(scores)
    span = float(np.ptp(raw))
    stretched = (raw - raw.min()) / span if span else np.ones(len(raw))
    return _scores(SPREAD * np.log(np.maximum(scores, _LEAST)) + weight * stretched, best)


def _scores(sums: NDArray[Any], best: float) -> list[float]:
    scores: list[float] = (best * np.exp((sums - sums.max()) / SPREAD)).tolist()
    return scores


def features(
    fused: Mapping[int, float], found: Found, signs: Mapping[int, Signs], words: int = 1, mean: Features | None = None
) -> Features:
    """The features of candidates, in their order; of those without signs, what the arms do not tell is the mean's."""
    known = [signs.get(doc, _UNKNOWN) for doc in fused]
    session, length, asks, after_question, assistant, assisted, own, share, spoken = zip(*known, strict=True)
    base = np.fromiter(fused.values(), np.float32, len(fused))
    by_arm = {arm: _column(found.get(arm), fused) for arm in (Arm.VECTOR, Arm.ENTITY, Arm.TIME)}
    told: dict[str, Features] = {
        "own": _of_best(np.array(own, np.float32)),
        "cosine": _of_best(by_arm[Arm.VECTOR], CLOSE),
        "entity": _of_best(by_arm[Arm.ENTITY]),
        "time": _of_best(by_arm[Arm.TIME]) / np.float32(max(words, 1)),
        "session": _of_sessions(base, session),
        "spoken": np.array(spoken, np.float32),
        "share": np.array(share, np.float32),
        "length": np.log1p(np.minimum(np.array(length, np.float32), np.float32(LONG))),
        "asks": np.array(asks, np.float32),
        "after_question": np.array(after_question, np.float32),
        "person": 1 - np.array(assistant, np.float32),
    }
    helped = np.array(assisted, np.float32)
    told |= {f"assisted {name}": told[name] * helped for name in ("own", "session", "share")}
    told["assisted length"] = np.log1p(np.array(length, np.float32)) * helped
    table = np.stack([told[name] for name in FEATURES], axis=1)
    strangers = [n for n, one in enumerate(known) if one is _UNKNOWN]
    if mean is not None and strangers:
        unknown = [n for n, name in enumerate(FEATURES) if name not in _FROM_ARMS]
        table[np.ix_(strangers, unknown)] = mean[unknown]
    return table


_FROM_ARMS = frozenset({"cosine", "session", "entity", "time"})
_UNKNOWN = Signs()
_LEAST = 1e-30


def _column(scores: Mapping[int, float] | None, docs: Iterable[int]) -> Features:
    """What an arm gave each document; 0 where it did not find it."""
    docs = list(docs)
    return np.array([scores.get(doc, 0.0) for doc in docs], np.float32) if scores else np.zeros(len(docs), np.float32)


def _of_best(scores: Features, least: float = 0.0) -> Features:
    """Scores as shares of the best, or of least where that is more."""
    best = np.float32(scores.max(initial=least))
    return scores / best if best > 0 else scores


def _of_sessions(base: Features, sessions: Sequence[str]) -> Features:
    """For each candidate, how well the best three of its session were found: their sum over three; its own score if it is in none."""
    order = np.argsort(-base, kind="stable").tolist()
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    for place in order:
        name = sessions[place]
        if counts.get(name, 0) < ALIKE:
            counts[name] = counts.get(name, 0) + 1
            sums[name] = sums.get(name, 0.0) + float(base[place])
    return np.array([sums[name] / ALIKE if name else own for name, own in zip(sessions, base.tolist(), strict=True)], np.float32)
