"""Whose word comes first, and what is unconfirmed last. Pure: hits in, hits out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from omoide.nouns.hit import Hit
from omoide.nouns.item import Tier
from omoide.nouns.procedure import Lesson, Procedure
from omoide.read.answerable import UNSURE, answerable, coverage, words_of
from omoide.text.sets import overlap
from omoide.text.words import QueryTerm, index_terms

SAME_SUBJECT = 2 / 3  # share of the shorter text's words
# share of the score of what a lower tier says, from which on what a higher one says may come before
# it
FAINT = 0.05
TELLING = (
    1 / 3
    # share of a question's words, from which on who has more of them than the user is heard
    # before the user
)


AS_WELL = 0.5  # share of an unconfirmed hit's words of a question that another has, to go first


def heed_tiers(hits: Sequence[Hit], terms: Sequence[QueryTerm]) -> list[Hit]:
    """The hits, best first, none before one of a higher tier that speaks of the same: its score is
    capped by that one's.

    Two items speak of the same when they share two thirds of the words of the shorter one. Where
    they share none, that cannot be seen. So nothing a document says comes before the best of what
    others say, if that was found at all; and nothing an agent says before the best that the user
    said with as much of the question's words, unless that has a third of them itself. Turns have no
    tier.
    """
    if len(set(map(_tier, hits))) < 2:
        return sorted(hits, key=lambda hit: -hit.score)
    words = {hit.id: frozenset(index_terms(hit.text)) for hit in hits if hit.item is not None}
    asked = words_of(terms)

    def alike(one: str, other: str) -> bool:
        return overlap(words[one], words[other]) >= SAME_SUBJECT

    def may_answer(one: Hit, other: Hit) -> bool:
        told = coverage(asked, words[other.id])
        return told < TELLING or coverage(asked, words[one.id]) >= told

    judged: list[Hit] = []
    for hit in sorted(hits, key=_tier, reverse=True):
        higher = (
            h.score
            for h in judged
            if hit.item and h.item and h.item.tier > hit.item.tier and alike(h.id, hit.id)
        )
        judged.append(replace(hit, score=min([hit.score, *higher])))
    place = {hit.id: n for n, hit in enumerate(hits)}
    judged.sort(key=lambda hit: (-hit.score, -_tier(hit), place[hit.id]))
    return _raised(_raised(judged, Tier.AGENT, lambda one, other: True), Tier.USER, may_answer)


def _raised(hits: list[Hit], least: Tier, may_lead: Callable[[Hit, Hit], bool]) -> list[Hit]:
    """The best item of a tier that may lead the first of a lower one put right before it, unless it
    is faint beside that.
    """
    first = next((n for n, hit in enumerate(hits) if hit.item and hit.item.tier < least), None)
    if first is None:
        return hits
    lower = hits[first]
    trusted = (
        n
        for n, hit in enumerate(hits)
        if hit.item and hit.item.tier >= least and not hit.unconfirmed and may_lead(hit, lower)
    )
    best = next(trusted, 0)
    if best <= first or hits[best].score < FAINT * lower.score:
        return hits
    raised = replace(hits[best], score=lower.score)
    return [*hits[:first], raised, *hits[first:best], *hits[best + 1 :]]


def documents_ahead(hits: Sequence[Hit]) -> int:
    """How many items of documents come before anything that others say."""
    return next((n for n, hit in enumerate(hits) if _tier(hit) > Tier.DOCUMENT), len(hits))


def heed_lessons(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Lessons that fit one goal, best first: none before one of a higher tier that speaks of the
    same.

    What tools and documents say comes after all that the user said, whatever it speaks of.
    """
    words = {
        one.procedure.id: frozenset(
            index_terms(f"{one.procedure.when_to_use} {one.procedure.discovery}")
        )
        for one in lessons
    }

    def gives_way(lower: Procedure, higher: Procedure) -> bool:
        apart = lower.tier is Tier.DOCUMENT and higher.tier is Tier.USER
        return lower.tier < higher.tier and (
            apart or overlap(words[lower.id], words[higher.id]) >= SAME_SUBJECT
        )

    judged: list[Lesson] = []
    for lesson in sorted(lessons, key=lambda one: -one.procedure.tier):
        higher = (one.score for one in judged if gives_way(lesson.procedure, one.procedure))
        judged.append(replace(lesson, score=min([lesson.score, *higher])))
    return sorted(judged, key=lambda one: (-one.score, -one.procedure.tier))


def unconfirmed_last(hits: Sequence[Hit], terms: Sequence[QueryTerm]) -> list[Hit]:
    """The hits, best first, each unconfirmed one after all confirmed ones that answer as well; its
    score is capped by the last of these.

    A confirmed hit answers as well if it has half of the question's words that the other has. Where
    none of the confirmed answers what terms ask, and with the unconfirmed more is answered, they
    stay where they are.
    """
    sure = [hit for hit in hits if not hit.unconfirmed]
    if len(sure) == len(hits) or (
        (told := answerable(terms, sure)) < UNSURE and told < answerable(terms, hits)
    ):
        return list(hits)
    asked = words_of(terms)
    shares = [coverage(asked, frozenset(index_terms(hit.text))) for hit in hits]

    def place(n: int) -> int:
        return max(
            (
                other
                for other, hit in enumerate(hits)
                if other > n and not hit.unconfirmed and shares[other] >= AS_WELL * shares[n]
            ),
            default=n,
        )

    places = [place(n) if hit.unconfirmed else n for n, hit in enumerate(hits)]
    order = sorted(range(len(hits)), key=lambda n: (places[n], hits[n].unconfirmed, n))
    return [
        replace(hits[n], score=min(hits[n].score, hits[places[n]].score))
        if places[n] != n
        else hits[n]
        for n in order
    ]


def unconfirmed_tail(hits: Sequence[Hit]) -> int:
    """How many unconfirmed hits come after all others."""
    return next((n for n, hit in enumerate(reversed(hits)) if not hit.unconfirmed), len(hits))


def _tier(hit: Hit) -> int:
    return hit.item.tier if hit.item is not None else Tier.USER
