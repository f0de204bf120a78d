"""Hits that are linked as similar: which comes first, and which names which. Pure: hits in, hits
out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import TypeAlias

from omoide.nouns.hit import Hit
from omoide.read.answerable import WordTerms, is_met, words_of
from omoide.text.letters import fold
from omoide.text.words import QueryTerm, index_terms

Rank: TypeAlias = tuple[bool, int, datetime, datetime, str]


def newest_first(hits: Sequence[Hit], terms: Sequence[QueryTerm], asked_for: str) -> list[Hit]:
    """The hits, with the newest first among linked ones that a question does not tell apart.

    The question tells two apart if one of them has a word of it that the other has not: "left", or
    17. These keep their order, and so does everything that is not linked. If only the letters tell,
    such as "cousine" and not "cousin", or "pump A", what has them comes first. An unconfirmed item
    stays behind a confirmed one, and a lower tier behind a higher.
    """
    asked = words_of(terms)
    alike: dict[tuple[str, frozenset[int]], list[int]] = {}
    for place, group in _groups(hits).items():
        named = _met(asked, hits[place])
        alike.setdefault((group, named), []).append(place)
    ordered = list(hits)
    letters = frozenset(_to_the_letter(asked_for)) if alike else frozenset()
    for places in alike.values():
        told = _told_by_letters([hits[place] for place in places], letters)
        newest = sorted(
            (hits[place] for place in places),
            key=lambda hit: (told[hit.id], *_rank(hit)),
            reverse=True,
        )
        for place, hit in zip(places, newest, strict=True):
            ordered[place] = replace(hit, score=hits[place].score)
    return ordered


def _met(asked: Sequence[WordTerms], hit: Hit) -> frozenset[int]:
    """Which of the words that are asked for a hit has, in whatever form. Whether it has those of
    its own language depends on how well a short text tells that.
    """
    held = frozenset(index_terms(hit.text))
    return frozenset(number for number, word in enumerate(asked) if is_met(word, held))


def fuller_first(hits: Sequence[Hit], terms: Sequence[QueryTerm]) -> list[Hit]:
    """The hits, of linked ones of one tier those first that have all words of the question that the
    others have, and more.
    """
    ordered, asked = list(hits), words_of(terms)
    places: dict[tuple[str, bool, int], list[int]] = {}
    for place, group in _groups(hits).items():
        confirmed, tier, *_ = _rank(hits[place])
        places.setdefault((group, confirmed, tier), []).append(place)
    for alike in places.values():
        named = {place: _met(asked, hits[place]) for place in alike}
        fewer = {
            place: sum(own < other for other in named.values()) for place, own in named.items()
        }
        for place, of in zip(alike, sorted(alike, key=fewer.__getitem__), strict=True):
            ordered[place] = replace(hits[of], score=hits[place].score)
    return ordered


_WORD = re.compile(r"\w+")
_LETTER = re.compile(r"[^\W_]|[ivx]{2,4}")  # what tells pumps, halls and kings apart
_SHORT = 3  # letters of a word that is no more than a particle


def _to_the_letter(text: str) -> Iterator[str]:
    """The words of a text as they are written, case and accents aside, and single letters and Roman
    numbers with the word before them.
    """
    words = _WORD.findall(fold(text))
    yield from (word for word in words if len(word) > _SHORT)
    for before, word in pairwise(words):
        if len(before) > 1 and _LETTER.fullmatch(word):
            yield f"{before} {word}"


def _told_by_letters(hits: Sequence[Hit], letters: frozenset[str]) -> dict[str, int]:
    """By the ids of hits, how many words of a question, to the letter, they have and not all of the
    others.
    """
    words = {hit.id: letters.intersection(_to_the_letter(hit.text)) for hit in hits}
    shared = frozenset.intersection(*words.values())
    return {id: len(own - shared) for id, own in words.items()}


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
