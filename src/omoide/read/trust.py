"""Whose word comes first, and what is in doubt last. Pure: hits in, hits out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from omoide.procedures import Lesson, Procedure
from omoide.records import Hit, Tier
from omoide.text.sets import overlap
from omoide.text.words import index_terms

SAME_SUBJECT = 2 / 3  # share of the shorter text's words
FAINT = 0.1  # share of the score of what a document says, from which on what others say comes before it


def heed_tiers(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, best first, none before one of a higher tier that speaks of the same: its score is capped by that one's.

    Two items speak of the same when they share two thirds of the words of the shorter one. Where they share none, that cannot be
    seen; so nothing a document says comes before the best of what others say, if that was found at all well. Turns have no tier.
    """
    if len(set(map(_tier, hits))) < 2:
        return sorted(hits, key=lambda hit: -hit.score)
    words = {hit.id: frozenset(index_terms(hit.text)) for hit in hits if hit.item is not None}

    def alike(one: str, other: str) -> bool:
        return overlap(words[one], words[other]) >= SAME_SUBJECT

    judged: list[Hit] = []
    for hit in sorted(hits, key=_tier, reverse=True):
        higher = (h.score for h in judged if hit.item and h.item and h.item.tier > hit.item.tier and alike(h.id, hit.id))
        judged.append(replace(hit, score=min([hit.score, *higher])))
    place = {hit.id: n for n, hit in enumerate(hits)}
    return _documents_later(sorted(judged, key=lambda hit: (-hit.score, -_tier(hit), place[hit.id])))


def _documents_later(hits: list[Hit]) -> list[Hit]:
    """The best item that no document says put right before the first that one does, if its score is a tenth of that one's."""
    first = next((n for n, hit in enumerate(hits) if hit.item and hit.item.tier is Tier.DOCUMENT), len(hits))
    trusted = next((n for n, hit in enumerate(hits) if hit.item and hit.item.tier is not Tier.DOCUMENT and not hit.doubtful), 0)
    if trusted <= first or hits[trusted].score < FAINT * hits[first].score:
        return hits
    raised = replace(hits[trusted], score=hits[first].score)
    return [*hits[:first], raised, *hits[first:trusted], *hits[trusted + 1 :]]


def heed_lessons(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Lessons that fit one goal, best first: none before one of a higher tier that speaks of the same.

    What tools and documents say comes after all that the user said, whatever it speaks of.
    """
    words = {one.procedure.id: frozenset(index_terms(f"{one.procedure.when_to_use} {one.procedure.discovery}")) for one in lessons}

    def gives_way(lower: Procedure, higher: Procedure) -> bool:
        apart = lower.tier is Tier.DOCUMENT and higher.tier is Tier.USER
        return lower.tier < higher.tier and (apart or overlap(words[lower.id], words[higher.id]) >= SAME_SUBJECT)

    judged: list[Lesson] = []
    for lesson in sorted(lessons, key=lambda one: -one.procedure.tier):
        higher = (one.score for one in judged if gives_way(lesson.procedure, one.procedure))
        judged.append(replace(lesson, score=min([lesson.score, *higher])))
    return sorted(judged, key=lambda one: (-one.score, -one.procedure.tier))


def doubtful_last(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, best first, those in doubt after all others; their scores are capped by the least of these."""
    sure = [hit for hit in hits if not hit.doubtful]
    least = min((hit.score for hit in sure), default=1.0)
    return sure + [replace(hit, score=min(hit.score, least)) for hit in hits if hit.doubtful]


def _tier(hit: Hit) -> int:
    return hit.item.tier if hit.item is not None else Tier.USER
