"""Hits that are linked as similar: which comes first, and which names which. Pure: hits in, hits
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from omoide.nouns.hit import Hit
from omoide.text.words import QueryTerm, index_terms

Rank: TypeAlias = tuple[bool, int, datetime, datetime, str]


def newest_first(hits: Sequence[Hit], terms: Sequence[QueryTerm]) -> list[Hit]:
    """The hits, with the newest first among linked ones that a question does not tell apart.

    The question tells two apart if one of them has a word of it that the other has not: "left", or
    17. These keep their order, and so does everything that is not linked. An unconfirmed item
    stays behind a confirmed one, and a lower tier behind a higher.
    """
    asked = frozenset(term.term for term in terms)
    alike: dict[tuple[str, frozenset[str]], list[int]] = {}
    for place, group in _groups(hits).items():
        named = asked.intersection(index_terms(hits[place].text))
        alike.setdefault((group, named), []).append(place)
    ordered = list(hits)
    for places in alike.values():
        newest = sorted((hits[place] for place in places), key=_rank, reverse=True)
        for place, hit in zip(places, newest, strict=True):
            ordered[place] = replace(hit, score=hits[place].score)
    return ordered


def with_similar(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, each naming those of them that it is linked to."""
    similar: dict[str, list[str]] = {}
    for newer, older in _links(hits):
        similar.setdefault(newer, []).append(older)
        similar.setdefault(older, []).append(newer)
    return [
        replace(hit, similar=tuple(similar[hit.id])) if hit.id in similar else hit for hit in hits
    ]


def _links(hits: Sequence[Hit]) -> Iterator[tuple[str, str]]:
    ids = {hit.id for hit in hits}
    for hit in hits:
        if hit.item is not None and hit.item.similar_to in ids:
            yield hit.id, str(hit.item.similar_to)


def _groups(hits: Sequence[Hit]) -> dict[int, str]:
    """By their places the hits that are linked to others, each with the name of its group."""
    group: dict[str, str] = {}

    def head(id: str) -> str:
        while group.setdefault(id, id) != id:
            id = group[id]
        return id

    for newer, older in _links(hits):
        group[head(newer)] = head(older)
    return {place: head(hit.id) for place, hit in enumerate(hits) if hit.id in group}


def _rank(hit: Hit) -> Rank:
    item = hit.item
    assert item is not None  # only items are linked
    return (not hit.unconfirmed, item.tier, item.valid_from, item.recorded_at, item.id)
