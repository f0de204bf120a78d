"""A reranker's part in recall: what it is shown of the candidates, and how its scores are mixed
with theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from omoide.models.base import Reading, Reranker, RerankScores
from omoide.models.chat.asker import Asker
from omoide.models.rerankers.judge import Judge
from omoide.nouns.errors import ModelError
from omoide.nouns.hit import Hit
from omoide.nouns.item import Item
from omoide.nouns.turn import Turn
from omoide.read.ranker import load_weights
from omoide.read.ranker import rerank as mixed
from omoide.store.base import Store, read_only
from omoide.tables.readings import Readings

RERANKED = 50  # candidates, unless a reranker says otherwise


def _scores(
    reranker: Reranker, question: str, texts: Sequence[str], readings: Sequence[bytes | None]
) -> list[float]:
    """A reranker's scores, proved usable. What was made of a text before is not made again.

    Raises:
        ModelError: it failed, or gave another number of them or one that is no finite number.
    """
    try:
        scores: RerankScores = np.asarray(_scored(reranker, question, texts, readings), np.float32)
    except (
        OSError,
        RuntimeError,
        ValueError,
        TypeError,
    ) as problem:  # whatever a third-party reranker lets through
        raise (
            problem if isinstance(problem, ModelError) else ModelError(f"{reranker.id}: {problem}")
        ) from problem
    if scores.shape != (len(texts),) or not np.isfinite(scores).all():
        raise ModelError(
            f"{reranker.id}: scores of shape {scores.shape} for {len(texts)} texts, or one that is"
            " not finite"
        )
    return [float(score) for score in scores]


def _scored(
    reranker: Reranker, question: str, texts: Sequence[str], readings: Sequence[bytes | None]
) -> RerankScores:
    if not isinstance(reranker, Reading):
        return reranker.score(question, texts)
    unread = [text for text, reading in zip(texts, readings, strict=True) if reading is None]
    fresh = iter(reranker.read(unread) if unread else ())
    return reranker.score_read(
        question, [next(fresh) if reading is None else reading for reading in readings]
    )


def readings_of(
    store: Store, tenant: str, reranker: Reranker, hits: Sequence[Hit]
) -> list[bytes | None]:
    """What a reranker made before of each of some hits; nothing of those that it has not read."""
    if not isinstance(reranker, Reading):
        return [None] * len(hits)
    with read_only(store, tenant) as tx:
        known = Readings(tx).of(tenant, reranker.id, [hit.id for hit in hits])
    return [known.get((hit.kind, hit.id)) for hit in hits]


def asking(reranker: Reranker | None, asker: Asker) -> Reranker | None:
    """A reranker as it is; one that asks the language model, with this memory's own.

    Raises:
        InvalidInput: there is none.
    """
    return reranker.asking(asker) if isinstance(reranker, Judge) else reranker


def looked_at(reranker: Reranker) -> int:
    """How many of the best candidates a reranker is asked about."""
    return int(getattr(reranker, "reach", RERANKED))


def is_optional(reranker: Reranker) -> bool:
    """Whether recall goes on without it where it fails."""
    return bool(getattr(reranker, "optional", False))


def spoken(record: Item | Turn) -> str:
    """A record's text with who said it before it, since questions name speakers."""
    return (
        f"{record.speaker}: {record.text}"
        if isinstance(record, Turn) and record.speaker
        else record.text
    )


def rerank(
    reranker: Reranker, question: str, hits: list[Hit], readings: Sequence[bytes | None]
) -> list[Hit]:
    """The hits in the order of their scores with a reranker's mixed in; none that it did not look
    at comes before one that it did.

    readings are what it made before of those that it looks at.
    """
    top, rest = hits[: looked_at(reranker)], hits[looked_at(reranker) :]
    given = _scores(
        reranker, question, [spoken(hit.turn) if hit.turn else hit.text for hit in top], readings
    )
    scores = mixed([hit.score for hit in top], given, _weight(reranker, given))
    better = [replace(hit, score=score) for hit, score in zip(top, scores, strict=True)]
    return sorted(better, key=lambda hit: -hit.score) + [
        replace(hit, score=min(hit.score, *scores)) for hit in rest
    ]


def _weight(reranker: Reranker, given: Sequence[float]) -> float:
    """What lies between the least and the greatest of its scores weighs in the ranker's sum."""
    point = getattr(reranker, "point", None)
    return (
        load_weights("reranked").rerank
        if point is None
        else float(point) * (max(given) - min(given))
    )
