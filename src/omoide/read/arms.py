"""Arms: what text, vectors, entities and time each find for a question.

Every arm sees only what the asker may see and what was valid then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias
from unicodedata import category

import numpy as np

from omoide.nouns.embedder import Vector
from omoide.nouns.hit import LOADING
from omoide.nouns.match import Matches, Where
from omoide.nouns.query import Arm
from omoide.nouns.scope import Scope
from omoide.read.question import Question, Trail
from omoide.read.ranking import Found
from omoide.store.base import Transaction
from omoide.tables.columns import asker
from omoide.tables.documents import Documents
from omoide.tables.entities import ABOUT_MOST
from omoide.text.letters import fold
from omoide.text.times import find_interval
from omoide.text.words import query_terms

REACH = 200  # documents an arm may bring
SPARE = 2  # candidates fetched for each hit wanted, so that repeats can give way
NAME_WORDS = 4  # words an entity's name may have to be noticed in a question
NAME_LETTERS = 8  # letters it may have where words are not spaced
TOLD = 12  # terms that a trace names
ArmSearch: TypeAlias = Callable[[Where, int], Matches]


def search(
    tx: Transaction, question: Question, vector: tuple[int, Vector] | None, trail: Trail
) -> list[Found]:
    """What each arm finds."""
    looks = _looks(tx, question, vector)
    founds = {arm: _found(arm, look, question, trail) for arm, look in looks.items()}
    if len(founds) > 1:
        founds = {arm: _complete(question.where, arm, founds, looks[arm]) for arm in founds}
        trail.step("complete", sum(map(len, founds.values())))
    if question.preset.all_words and Arm.TEXT in founds:
        founds[Arm.TEXT] = _with_all_words(tx, question, founds[Arm.TEXT])
    founds |= _beside(tx, question, trail)
    if question.limit > REACH and any(len(found) == REACH for found in founds.values()):
        trail.degraded.append(
            f"limit: each search brings its best {REACH} documents, so there may be more than"
            f" these; {question.limit} hits were asked for"
        )
    return [_above(found, question.query.floors.get(arm)) for arm, found in founds.items()]


def _looks(
    tx: Transaction, question: Question, vector: tuple[int, Vector] | None
) -> dict[Arm, ArmSearch]:
    """How the index is looked into, by arm."""
    looks: dict[Arm, ArmSearch] = {}
    if question.terms:
        looks[Arm.TEXT] = lambda where, limit: tx.match_text(question.terms, where, limit)
    if vector is not None:
        number, asked = vector
        looks[Arm.VECTOR] = lambda where, limit: tx.match_vector(asked, number, where, limit)
    return looks


def _found(arm: Arm, look: ArmSearch, question: Question, trail: Trail) -> Found:
    """What an arm finds in the index, noted with the words that it looked for."""
    matches = look(question.where, REACH)
    found = found_of(arm, matches)
    trail.degraded += _lacking(matches)
    told = question.terms[:TOLD] if arm is Arm.TEXT else ()
    trail.step(arm.value, len(found), " ".join(term.term for term in told))
    return found


def _lacking(matches: Matches) -> list[str]:
    """Why a search may miss something, in words."""
    waiting = matches.waiting
    wait = "1 document waits for its vector"
    if waiting > 1:
        wait = f"{waiting} documents wait for their vectors"
    return ([f"{LOADING}{matches.loading}"] if matches.loading else []) + (
        [f"vector: {wait}"] if waiting else []
    )


def _beside(tx: Transaction, question: Question, trail: Trail) -> dict[Arm, Found]:
    """What entities and time find."""
    founds = {}
    if question.preset.entity:
        founds[Arm.ENTITY] = search_entities(tx, question)
        trail.step("entity", len(founds[Arm.ENTITY]))
    if question.preset.time or _lists(question):
        founds[Arm.TIME], note = search_time(tx, question)
        trail.step("time", len(founds[Arm.TIME]), note)
    return founds


def found_of(arm: Arm, matches: Matches) -> Found:
    """Matches as an arm's find; what is not above 0 was not found."""
    found = Found(arm=arm, docs=matches.docs, scores=matches.scores, tell=matches.tell)
    return found.kept(found.scores > 0)


def _complete(where: Where, arm: Arm, founds: Mapping[Arm, Found], look: ArmSearch) -> Found:
    """An arm's find with its scores of what only the other arms brought, so that nothing counts as
    unfound by a cut; and which of these have no vector yet.
    """
    mine = founds[arm]
    every = frozenset[int]().union(*(found.docs.tolist() for found in founds.values()))
    others = every.difference(mine.docs.tolist())
    if not others or (len(mine) < REACH and arm is not Arm.VECTOR):
        return mine
    matches = look(replace(where, only=others), len(others))
    unseen = others.difference(matches.docs.tolist()) if arm is Arm.VECTOR else frozenset[int]()
    return replace(mine.followed_by(found_of(arm, matches)), unseen=unseen)


def _with_all_words(tx: Transaction, question: Question, found: Found) -> Found:
    """What has every word of the question, if there is any; else what has some."""
    complete = set(found.docs.tolist())
    counted = {term.term for term in question.terms}  # without stop words
    for word in question.query.text.split():
        forms = query_terms(word)
        if complete and not counted.isdisjoint(term.term for term in forms):
            complete = set(
                tx.match_text(
                    forms, replace(question.where, only=frozenset(complete)), REACH
                ).docs.tolist()
            )
    return found.kept(np.isin(found.docs, list(complete))) if complete else found


def search_entities(tx: Transaction, question: Question) -> Found:
    """The entity arm: items about people and things that the question names; rarer ones weigh
    more.
    """
    scores: dict[int, float] = {}
    for name in named(tx, question.where.scope, question.query.text):
        rows = tx.rows("items.with_entity", **asker(question.where.scope), folded=name)
        docs = Documents(tx).allowed(
            question.where, {row["doc"] for row in rows if row["entities"] <= ABOUT_MOST}
        )
        for doc in docs:
            scores[doc] = scores.get(doc, 0.0) + 1 / len(docs) ** 0.5
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], -pair[0]))[:REACH]
    return Found.of(Arm.ENTITY, ordered)


def named(tx: Transaction, scope: Scope, text: str) -> list[str]:
    """The folded entity names that stand in a text, as whole words or, where words are not spaced,
    anywhere.
    """
    # no name has control characters, and no database takes half a character
    folded = "".join(" " if category(c) in ("Cc", "Cs") else c for c in fold(text))
    names = _word_grams(folded) | (set() if folded.isascii() else _letter_grams(folded))
    rows = tx.rows("entity_aliases.named", **asker(scope), names=json.dumps(sorted(names - {""})))
    return [row["folded"] for row in rows]


def _word_grams(text: str) -> set[str]:
    """Words next to each other that may be a name."""
    words = [w.strip("?!.,;:¿¡\"'()[]").removesuffix("'s") for w in text.split()]
    return {
        " ".join(words[n : n + size])
        for size in range(1, NAME_WORDS + 1)
        for n in range(len(words) - size + 1)
    }


def _letter_grams(text: str) -> set[str]:
    """Letters next to each other that may be a name."""
    return {
        text[n : n + size]
        for size in range(2, NAME_LETTERS + 1)
        for n in range(len(text) - size + 1)
    }


def search_time(tx: Transaction, question: Question) -> tuple[Found, str]:
    """The time arm: what happened in the interval that the question names, latest first; all that
    passes if it only filters.
    """
    if _lists(question):
        latest = Documents(tx).between(question.where, None, None, question.limit * SPARE)
        return (
            Found.of(Arm.TIME, [(doc, 1 - n / len(latest)) for n, doc in enumerate(latest)]),
            "latest first",
        )
    interval = find_interval(question.query.text, question.where.now)
    if interval is None:
        return Found.of(Arm.TIME, ()), ""
    within = Documents(tx).between(question.where, interval.start, interval.end, REACH)
    note = f"{interval.start:%Y-%m-%d %H:%M} to {interval.end:%Y-%m-%d %H:%M}"
    return Found.of(Arm.TIME, [(doc, 1.0) for doc in within]), note


def _lists(question: Question) -> bool:
    """Whether it asks nothing in words, only for what passes its filters."""
    where, unset = question.where, Where.__dataclass_fields__
    narrowed = (where.as_of or where.known_at) is not None or any(
        getattr(where, name) != unset[name].default
        for name in ("kinds", "categories", "contexts", "since", "until", "only", "confirmed_only")
    )
    return not question.query.text.strip() and narrowed


def _above(found: Found, floor: float | None) -> Found:
    return found if floor is None else found.kept(found.scores >= floor)
