"""A question to hits: text, vectors, entities and time searched together, fused, reranked, packed.

Every arm sees only what the asker may see and what was valid then; each leaves its rank on the hits
it found. What did not take part is named in ``degraded``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from unicodedata import category

import numpy as np

from omoide.models.base import Reranker
from omoide.models.chat.asker import NO_ASKER, Asker
from omoide.models.embedders.encoders import Encoders
from omoide.models.timeouts import awaited_reranker
from omoide.nouns.clock import Clock, check_window, user_zone
from omoide.nouns.embedder import Vector
from omoide.nouns.errors import InvalidInput, MissingExtra, ModelError, ModelTimeout, UnknownName
from omoide.nouns.hit import Hit, Recall, Step
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.match import Matches, SignColumns, Where
from omoide.nouns.query import Arm, Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read.answerable import UNSURE, answerable
from omoide.read.filters import checked, passing
from omoide.read.packing import pack
from omoide.read.passages import shown_part
from omoide.read.presets import PRESETS, Preset
from omoide.read.ranker import Candidates, load_weights, rank, weigh
from omoide.read.ranking import (
    Found,
    Fused,
    Pool,
    diversify,
    fuse_ranks,
    fuse_scores,
    heed_agreement,
)
from omoide.read.reranking import asking, is_optional, looked_at, readings_of, rerank
from omoide.read.second_look import Rephrasing, joined
from omoide.read.similar import newest_first, with_similar
from omoide.read.trust import documents_ahead, heed_tiers, unconfirmed_last, unconfirmed_tail
from omoide.store.base import Store, Transaction
from omoide.tables.columns import asker
from omoide.tables.documents import Documents
from omoide.tables.embedders import Embedders
from omoide.tables.entities import ABOUT_MOST
from omoide.tables.items import Items
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.telemetry.logs import get_logger
from omoide.telemetry.model_calls import paid_by
from omoide.text.earlier_talk import asks_what_was_told
from omoide.text.passages import PART_CHARS
from omoide.text.times import find_interval
from omoide.text.words import NATIVE, QueryTerm, fold, query_terms

_log = get_logger(__name__)

REACH = 200  # documents an arm may bring
SPARE = 2  # candidates fetched for each hit wanted, so that repeats can give way
LIKENESS_WORDS = 40  # of a hit, that are compared with other hits
LIMIT_MOST = 1_000
PASSAGE_LEAST = 8  # tokens that a few characters of any script fit in
# weight of a question's term from which on a slip in it is forgiven: lighter ones are guesses at a
# word's stem
SURE = 0.5
NAME_WORDS = 4  # words an entity's name may have to be noticed in a question


@dataclass(slots=True)
class Trail:
    """The steps of one recall as they happen."""

    steps: list[Step] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    _since: float = field(default_factory=time.perf_counter)

    def step(self, name: str, count: int, note: str = "") -> None:
        """Note a step that just ended."""
        now = time.perf_counter()
        self.steps.append(Step(name=name, count=count, ms=(now - self._since) * 1000, note=note))
        self._since = now


@dataclass(frozen=True, kw_only=True, slots=True)
class Shortlist:
    """The candidates that are looked at, best first; by id the words that the best part of each is
    found by, and of a turn which part that is.
    """

    hits: list[Hit] = field(default_factory=list)
    words: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, int] = field(default_factory=dict)

    @property
    def whole(self) -> dict[str, str]:
        """By id the words of those that are one document, so that these are all they have."""
        return {hit.id: self.words[hit.id] for hit in self.hits if len(hit.text) <= PART_CHARS}


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A query made ready: its words, and the tools to look with."""

    query: Query
    preset: Preset
    terms: tuple[QueryTerm, ...]
    where: Where
    limit: int


class Recaller:
    """Answers questions from one store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        encoders: Encoders,
        reranker: Reranker | None = None,
        off: frozenset[str] = frozenset(),
        asker: Asker = NO_ASKER,
    ) -> None:
        """off: levels of memory, ``user``, ``agent`` or ``shared``, of which only what the asker's
        session holds is recalled.

        Raises:
            InvalidInput: the reranker asks a model, and there is none.
        """
        self._store, self._clock, self.encoders, self.off = store, clock, encoders, off
        reranker, self._rephrasing = asking(reranker, asker), Rephrasing(asker)
        self.reranker = reranker and awaited_reranker(reranker)

    def recall(self, scope: Scope, query: Query, limit: int) -> Recall:
        """The hits for a query, best first; nothing is changed by asking.

        Raises:
            InvalidInput, TooLong, UnknownName, InvalidTime: the query cannot be asked like this.
            ModelError: the embedder failed; recall does not quietly go on without it.
        """
        trail = Trail()
        question = ask(scope, query, limit, self._clock.now().astimezone(user_zone()), self.off)
        found, hits = self._found(question, trail)
        sure = answerable(question.terms, _confirmed(hits), found.whole)
        if question.preset.again and sure < UNSURE:
            hits = self._again(question, hits, trail)
            sure = answerable(question.terms, _confirmed(hits), found.whole)
        hits = with_similar(_fitting(hits, question, trail))
        _tell(trail, len(hits))
        return Recall(
            hits=tuple(hits),
            answerable=sure,
            trace=tuple(trail.steps),
            degraded=tuple(dict.fromkeys(trail.degraded)),
        )

    def candidates(self, question: Question, trail: Trail) -> Shortlist:
        """What the arms found together, fused, best first; of signs without a word, nothing."""
        text = question.query.text
        if not question.terms and is_signs(text):
            return Shortlist()
        encoders = self.encoders
        vector = encoders.embed_query(text) if question.preset.vector and text.strip() else None
        if question.preset.vector:
            trail.degraded += encoders.degraded
        trail.step("prepare", len(question.terms))
        with self._store.transaction(tenant=question.where.scope.tenant, write=False) as tx:
            question = see(tx, question, trail)
            if vector and encoders.serving and encoders.serving.model not in Embedders(tx).all():
                vector = None
                trail.degraded.append(
                    "vector: another program replaced the embedder; open the memory again with"
                    " that one"
                )
            return self._best(tx, question, search(tx, question, vector, trail), trail)

    def _best(
        self, tx: Transaction, question: Question, founds: Sequence[Found], trail: Trail
    ) -> Shortlist:
        """As many of the best records as are wanted, unconfirmed ones not counted.

        Where many documents are parts of one turn, or unconfirmed, more of them are looked at. So
        they are once where all are what documents say, however often these say it, and the best of
        what others say is among them.
        """
        wanted = reach = self.reach_of(question)
        pool = self._fuse(question, founds)
        while True:
            fused = pool.best(reach)
            trail.step("fuse", len(fused))
            found = fetch(tx, question.where.scope, fused)
            trail.step("fetch", len(found.hits))
            last, ahead = sum(hit.unconfirmed for hit in found.hits), documents_ahead(found.hits)
            heard = ahead < len(found.hits) or reach > wanted
            if (len(found.hits) - last >= wanted and heard) or len(fused) < reach:
                note = "these come last where others answer"
                trail.step("unconfirmed", last, note if last else "")
                return replace(found, hits=found.hits[: max(wanted + last, ahead + 1)])
            reach *= 4

    def reach_of(self, question: Question) -> int:
        """How many candidates are fetched."""
        return max(
            looked_at(self.reranker) if question.preset.rerank and self.reranker else 0,
            question.limit * SPARE,
        )

    def _fuse(self, question: Question, founds: Sequence[Found]) -> Pool:
        pool = fuse_scores(founds)
        if question.preset.ranks:
            return by_rank(pool)
        if not question.preset.linear:
            return pool
        relied_on = (
            question.preset.rerank and self.reranker is not None and not is_optional(self.reranker)
        )
        weights = load_weights(
            "reranked" if relied_on else "default",
            told_by_assistant=asks_what_was_told(question.query.text),
        )
        weighed = weigh(candidates_of(pool), weights, word_count(question.terms))
        scores = rank(weighed, float(pool.scores.max(initial=0.0)))
        return heed_agreement(replace(pool.scored(scores), weighed=weighed))

    def ranked(self, question: Question, hits: list[Hit], trail: Trail) -> list[Hit]:
        """Candidates in the order of their worth, which likeness and budget then choose from."""
        if question.preset.rerank and self.reranker is not None and hits:
            hits = self._reranked(self.reranker, question, hits, trail)
        elif question.preset.rerank and self.reranker is None:
            trail.degraded.append("rerank: no reranker is set")
        hits = unconfirmed_last(heed_tiers(hits, question.terms), question.terms)
        return newest_first(hits, question.terms)

    def _reranked(
        self, reranker: Reranker, question: Question, hits: list[Hit], trail: Trail
    ) -> list[Hit]:
        try:
            with paid_by(question.where.scope.tenant):
                readings = readings_of(
                    self._store, question.where.scope.tenant, reranker, hits[: looked_at(reranker)]
                )
                hits = rerank(reranker, question.query.text, hits, readings)
        except ModelError as error:
            if not is_optional(reranker):
                raise
            trail.degraded.append(f"rerank: {error}; the order is that of the preset default")
            return hits
        trail.step("rerank", len(hits), reranker.id)
        return hits

    def _again(self, question: Question, hits: list[Hit], trail: Trail) -> list[Hit]:
        """The hits with what a model's words for the question find; without these as they are, and
        it is said why.
        """
        scope, query = question.where.scope, question.query
        if not query.text.strip():
            return hits
        try:
            with paid_by(scope.tenant):
                text = self._rephrasing.of(query.text, hits)
        except ModelError as error:
            trail.degraded.append(f"again: {error}")
            return hits
        other = ask(scope, replace(query, text=text), question.limit, question.where.now, self.off)
        trail.step("again", len(hits), text)
        return joined(hits, self._found(other, trail)[1], question.terms)[: question.limit]

    def _found(self, question: Question, trail: Trail) -> tuple[Shortlist, list[Hit]]:
        """Candidates, and the hits that they come to. Where the reranker does not answer in time
        both are as without it, and it is said.
        """
        found = self.candidates(question, trail)
        try:
            return found, self._order(question, found, trail)
        except (ModelError, MissingExtra) as error:  # the reranker's: no other model orders
            if not (isinstance(error, ModelTimeout) or question.query.allow_degraded):
                raise
            trail.degraded.append(f"rerank: {error}; the hits are those of the preset default")
        question = without_reranker(question)
        found = self.candidates(question, trail)
        return found, self._order(question, found, trail)

    def _order(self, question: Question, found: Shortlist, trail: Trail) -> list[Hit]:
        hits = self.ranked(question, found.hits, trail)
        if question.preset.diverse:
            last = unconfirmed_tail(hits)
            first = _diverse(hits[: len(hits) - last], found.words, question.limit)
            hits = first + _diverse(
                hits[len(hits) - last :], found.words, question.limit - len(first)
            )
            trail.step("diversify", len(hits))
        shown = (
            shown_part(hit, question.terms, question.query.passage_tokens, found.parts.get(hit.id))
            for hit in hits[: question.limit]
        )
        return [hit for hit in shown if hit is not None]


def _confirmed(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that count as held: what is unconfirmed answers no question for certain."""
    return [hit for hit in hits if not hit.unconfirmed]


def without_reranker(question: Question) -> Question:
    """The same question, with no reranker asked."""
    return replace(question, preset=replace(question.preset, rerank=False))


def _diverse(hits: Sequence[Hit], words: Mapping[str, str], limit: int) -> list[Hit]:
    by_id = {hit.id: hit for hit in hits}

    def first_words(id: str) -> list[str]:
        return words[id].split(maxsplit=LIKENESS_WORDS)[:LIKENESS_WORDS]

    return [
        by_id[id]
        for id in diversify(
            list(by_id), {h.id: h.score for h in hits}, first_words, limit, balance=0.9
        )
    ]


def _fitting(hits: list[Hit], question: Question, trail: Trail) -> list[Hit]:
    """The hits that fit a budget. The best one is cut where it alone is too large; that it is, or
    that nothing fits, is named.
    """
    budget_tokens = question.query.budget_tokens
    if budget_tokens is None:
        return hits
    if hits and (whole := hits[0].tokens) > budget_tokens:
        cut = shown_part(hits[0], question.terms, budget_tokens)
        trail.degraded.append(
            f"budget: the best hit is cut to {cut.tokens} of its {whole} tokens"
            if cut
            else f"budget: no hit fits in {budget_tokens} tokens; the best alone takes {whole}"
        )
        hits = [cut or hits[0], *hits[1:]]
    packed = pack(hits, budget_tokens)
    trail.step("pack", len(packed), f"{sum(h.tokens for h in packed)} of {budget_tokens} tokens")
    return packed


def is_signs(text: str) -> bool:
    """Whether a text has signs and spaces alone: no letter or digit, nor a character that only some
    font knows.
    """
    return bool(text.strip()) and all(
        category(c)[0] in "PSZ" or category(c) in ("Cc", "Cf", "Cs") for c in text
    )


def _tell(trail: Trail, found: int) -> None:
    for step in trail.steps:
        _log.debug("recall_step", step=step.name, count=step.count, ms=round(step.ms, 2))
    _log.info("recalled", found=found, ms=round(sum(step.ms for step in trail.steps), 2))


def ask(
    scope: Scope, query: Query, limit: int, now: datetime, off: frozenset[str] = frozenset()
) -> Question:
    """The query checked and made ready.

    Raises:
        InvalidInput, TooLong, UnknownName, InvalidTime: it cannot be asked like this.
    """
    if query.preset not in PRESETS:
        raise UnknownName("preset", query.preset, tuple(PRESETS))
    if not 1 <= limit <= LIMIT_MOST:
        raise InvalidInput("limit", f"must be from 1 to {LIMIT_MOST:,}; got {limit}")
    if query.budget_tokens is not None and query.budget_tokens < 1:
        raise InvalidInput("budget_tokens", f"must be at least 1; got {query.budget_tokens}")
    if query.passage_tokens is not None and query.passage_tokens < PASSAGE_LEAST:
        raise InvalidInput(
            "passage_tokens", f"must be at least {PASSAGE_LEAST}; got {query.passage_tokens}"
        )
    check_window(query.since, query.until, "until")
    query = checked(query)
    where = Where(
        scope=scope,
        as_of=query.as_of,
        known_at=query.known_at,
        now=now,
        kinds=query.kinds,
        categories=query.categories,
        contexts=query.contexts,
        since=query.since,
        until=query.until,
        include_sensitive=query.include_sensitive,
        include_muted=query.include_muted,
        confirmed_only=query.confirmed_only,
        without_session=query.without_session,
        off=off,
    )
    terms = tuple(replace(term, forgiving=term.weight >= SURE) for term in query_terms(query.text))
    return Question(
        query=query,
        preset=PRESETS[query.preset],
        terms=terms,
        where=where,
        limit=limit,
    )


def see(tx: Transaction, question: Question, trail: Trail) -> Question:
    """The question with what its asker may see, and which documents pass its filters."""
    scope = readable(tx, question.where.scope)
    if scope.user != question.where.scope.user:
        trail.degraded.append("scope: user memory is off in a session of several users")
    named = {"user": scope.user, "agent": scope.agent, "shared": True}
    trail.degraded += [
        f"scope: {level} memory is off" for level in sorted(question.where.off) if named[level]
    ]
    return replace(
        question,
        where=replace(asked_in(tx, question, scope), only=passing(tx, scope, question.query)),
    )


def asked_in(tx: Transaction, question: Question, scope: Scope) -> Where:
    """Where a question is asked, by what a scope sees, with the session that it leaves out by
    id.
    """
    without = question.where.without_session
    id = None if without is None else Sessions(tx).named(question.where.scope, without)
    return replace(question.where, scope=scope, without_session=id)


def readable(tx: Transaction, scope: Scope) -> Scope:
    """What a scope sees where several users share its session: without its user; without the
    session for an outsider.
    """
    if scope.session is None or scope.user is None:
        return scope
    session = Sessions(tx).find(scope.tenant, scope.session)
    if session is None or len(session.users) < 2:
        return scope
    return (
        replace(scope, user=None) if scope.user in session.users else replace(scope, session=None)
    )


def search(
    tx: Transaction, question: Question, vector: tuple[int, Vector] | None, trail: Trail
) -> list[Found]:
    """What each arm finds."""
    searches: dict[Arm, Callable[[Where, int], Matches]] = {}
    if question.terms:
        searches[Arm.TEXT] = lambda where, limit: tx.match_text(question.terms, where, limit)
    if vector is not None:
        searches[Arm.VECTOR] = lambda where, limit: tx.match_vector(
            vector[1], vector[0], where, limit
        )
    founds = {}
    for arm, look in searches.items():
        matches = look(question.where, REACH)
        founds[arm] = found_of(arm, matches)
        trail.degraded += lacking(matches)
        trail.step(
            arm.value,
            len(founds[arm]),
            " ".join(t.term for t in question.terms[:12]) if arm is Arm.TEXT else "",
        )
    if len(founds) > 1:
        founds = {arm: _complete(question.where, arm, founds, searches[arm]) for arm in founds}
        trail.step("complete", sum(map(len, founds.values())))
    if question.preset.all_words and Arm.TEXT in founds:
        founds[Arm.TEXT] = _with_all_words(tx, question, founds[Arm.TEXT])
    if question.preset.entity:
        founds[Arm.ENTITY] = search_entities(tx, question)
        trail.step("entity", len(founds[Arm.ENTITY]))
    if question.preset.time or _lists(question):
        founds[Arm.TIME], note = search_time(tx, question)
        trail.step("time", len(founds[Arm.TIME]), note)
    if question.limit > REACH and any(len(found) == REACH for found in founds.values()):
        trail.degraded.append(
            f"limit: each search brings its best {REACH} documents, so there may be more than"
            f" these; {question.limit} hits were asked for"
        )
    return [_above(found, question.query.floors.get(arm)) for arm, found in founds.items()]


def lacking(matches: Matches) -> list[str]:
    """Why a search may miss something, in words."""
    waiting = matches.waiting
    return ([f"loading: {matches.loading}"] if matches.loading else []) + (
        [f"vector: {waiting} documents wait for their vectors"] if waiting else []
    )


def found_of(arm: Arm, matches: Matches) -> Found:
    """Matches as an arm's find; what is not above 0 was not found."""
    found = Found(arm=arm, docs=matches.docs, scores=matches.scores, signs=matches.signs)
    return found.kept(found.scores > 0)


def word_count(terms: Sequence[QueryTerm]) -> int:
    """How many words a question has, stop words aside: a word's other forms and its parts are no
    more words.
    """
    return sum(term.weight == 1 and not term.term.startswith(NATIVE) for term in terms)


def candidates_of(pool: Pool) -> Candidates:
    """What the arms and the index know of each document. Of signs, what the text arm knows goes
    before what others do.
    """
    signs, known = SignColumns.unset(len(pool)), np.zeros(len(pool), bool)
    for found, places in sorted(
        zip(pool.founds, pool.places, strict=True), key=lambda pair: pair[0].arm is Arm.TEXT
    ):
        if found.signs is not None:
            signs.sessions[places], signs.numbers[:, places], known[places] = (
                found.signs.sessions,
                found.signs.numbers,
                True,
            )
    cosine, entity, time = map(pool.column, (Arm.VECTOR, Arm.ENTITY, Arm.TIME))
    return Candidates(
        fused=pool.scores,
        cosine=cosine,
        entity=entity,
        time=time,
        signs=signs,
        known=known,
        unseen=pool.unseen(Arm.VECTOR),
    )


def by_rank(pool: Pool) -> Pool:
    """The pool in the order of its documents' ranks, with the scores that these give. For an arm
    that cannot judge a document, its ranks in the others stand.
    """
    ranked = fuse_ranks([places.tolist() for places in pool.places])
    scores, searches = np.zeros(len(pool)), len(pool.founds)
    scores[[place for place, _ in ranked]] = [score for _, score in ranked]
    judged = sum((~pool.unseen(found.arm)).astype(np.int64) for found in pool.founds)
    scores = np.where(judged < searches, scores * searches / np.maximum(judged, 1), scores)
    return replace(pool, order=np.array([place for place, _ in ranked], np.intp)).reordered(scores)


def _complete(
    where: Where, arm: Arm, founds: Mapping[Arm, Found], look: Callable[[Where, int], Matches]
) -> Found:
    """An arm's find with its scores of what only the other arms brought, so that nothing counts as
    unfound by a cut; and which of these have no vector yet.
    """
    mine = founds[arm]
    others = frozenset(doc for found in founds.values() for doc in found.docs.tolist()).difference(
        mine.docs.tolist()
    )
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
    words = [w.strip("?!.,;:¿¡\"'()[]").removesuffix("'s") for w in folded.split()]
    grams = {
        " ".join(words[n : n + size])
        for size in range(1, NAME_WORDS + 1)
        for n in range(len(words) - size + 1)
    }
    if not folded.isascii():
        grams |= {
            folded[n : n + size] for size in range(2, 9) for n in range(len(folded) - size + 1)
        }
    rows = tx.rows("entity_aliases.named", **asker(scope), names=json.dumps(sorted(grams - {""})))
    return [row["folded"] for row in rows]


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


def fetch(tx: Transaction, scope: Scope, fused: Sequence[Fused]) -> Shortlist:
    """The records behind documents; several parts of one turn are one hit, at its best part's
    place.
    """
    refs = {
        row["doc"]: row
        for row in tx.rows(
            "docs.many", tenant=scope.tenant, docs=json.dumps([f.doc for f in fused])
        )
    }
    records: dict[str, Item | Turn] = {}
    # each once: parts of one long turn are many
    if items := dict.fromkeys(r["ref"] for r in refs.values() if r["kind"] == Kind.ITEM.value):
        records |= Items(tx).many(scope, items)
    if turns := dict.fromkeys(r["ref"] for r in refs.values() if r["kind"] == Kind.TURN.value):
        records |= Turns(tx).many(scope, turns)
    hits: dict[str, Hit] = {}
    words: dict[str, str] = {}
    parts: dict[str, int] = {}
    for found in fused:
        row = refs.get(found.doc, {"ref": ""})
        ref = row["ref"]
        if ref in records and ref not in hits:
            hits[ref], words[ref] = hit_of(records[ref], found), row["own"]
            if row["kind"] == Kind.TURN.value:
                parts[ref] = row["part"]
    return Shortlist(hits=list(hits.values()), words=words, parts=parts)


def hit_of(record: Item | Turn, found: Fused) -> Hit:
    """A record as a hit, with what the arms said of it; its tokens are counted once it is to be
    returned.
    """
    if isinstance(record, Turn):
        return Hit(
            kind=Kind.TURN,
            id=record.id,
            text=record.text,
            score=found.score,
            at=record.at,
            turn=record,
            arms=found.arms,
            features=found.features,
        )
    return Hit(
        kind=Kind.ITEM,
        id=record.id,
        text=record.text,
        score=found.score,
        at=record.created_at,
        item=record,
        arms=found.arms,
        features=found.features,
    )
