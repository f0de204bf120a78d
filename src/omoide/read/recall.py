"""A question to hits: text, vectors, entities and time searched together, fused, reranked, packed.

Every arm sees only what the asker may see and what was valid then; each leaves its rank on the hits
it found. What did not take part is named in ``degraded``.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from omoide.grounding.pasted import is_pasted, rests_on_pasted
from omoide.models.base import Reranker
from omoide.models.chat.asker import NO_ASKER, Asker
from omoide.models.embedders.encoders import Encoders
from omoide.models.timeouts import awaited_reranker
from omoide.nouns.clock import Clock, user_zone
from omoide.nouns.errors import MissingExtra, ModelError, ModelTimeout
from omoide.nouns.hit import Hit, Passage, Recall
from omoide.nouns.match import SignColumns
from omoide.nouns.query import Arm, Query
from omoide.nouns.scope import Scope
from omoide.read.answerable import UNSURE, answerable
from omoide.read.arms import SPARE, search
from omoide.read.packing import pack
from omoide.read.passages import shown_part
from omoide.read.question import (
    Question,
    Trail,
    ask,
    is_signs,
    see,
    without_reranker,
    word_count,
)
from omoide.read.ranker import Candidates, load_weights, rank, weigh
from omoide.read.ranking import (
    Found,
    Pool,
    diversify,
    fuse_ranks,
    fuse_scores,
    heed_agreement,
)
from omoide.read.reranking import asking, is_optional, looked_at, readings_of, rerank
from omoide.read.second_look import Rephrasing, joined
from omoide.read.shortlist import Shortlist, fetch
from omoide.read.similar import fuller_first, newest_first, with_similar
from omoide.read.trust import documents_ahead, heed_tiers, unconfirmed_last, unconfirmed_tail
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.embedders import Embedders
from omoide.telemetry.logs import get_logger
from omoide.telemetry.model_calls import paid_by

_log = get_logger(__name__)

LIKENESS_WORDS = 40  # of a hit, that are compared with other hits


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

    def recall(self, scope: Scope, query: Query, limit: int, *, whole: bool = False) -> Recall:
        """The hits for a query, best first; nothing is changed by asking. With ``whole``, a hit
        that shows a passage of a turn keeps the whole turn.

        Raises:
            InvalidInput, TooLong, UnknownName, InvalidTime: the query cannot be asked like this.
            ModelError: the embedder failed; recall does not quietly go on without it.
        """
        trail = Trail()
        now = self._clock.now().astimezone(user_zone())
        question = ask(scope, query, limit, now, self.off)
        if whole:
            question = replace(question, whole=True)
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
        vector = (
            encoders.embed_query(question.subject)
            if question.preset.vector and text.strip()
            else None
        )
        if question.preset.vector:
            trail.degraded += encoders.degraded
        trail.step("prepare", len(question.terms))
        with read_only(self._store, question.where.scope.tenant) as tx:
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
            told_by_assistant=question.told,
        )
        weighed = weigh(candidates_of(pool), weights, word_count(question.terms))
        scores = rank(weighed, float(pool.scores.max(initial=0.0)))
        return heed_agreement(pool.scored(scores, weighed))

    def ranked(self, question: Question, hits: list[Hit], trail: Trail) -> list[Hit]:
        """Candidates in the order of their worth, which likeness and budget then choose from."""
        if question.preset.rerank and self.reranker is not None and hits:
            hits = self._reranked(self.reranker, question, hits, trail)
        else:
            hits = fuller_first(hits, question.terms)
            if question.preset.rerank and self.reranker is None:
                trail.degraded.append("rerank: no reranker is set")
        hits = unconfirmed_last(heed_tiers(hits, question.terms), question.terms)
        return newest_first(hits, question.terms, question.query.text)

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
        asked = replace(query, text=text)
        other = ask(scope, asked, question.limit, question.where.now, self.off)
        other = replace(other, whole=question.whole)
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
            held = len(hits) - unconfirmed_tail(hits)
            first = _diverse(hits[:held], found.words, question.limit)
            left = question.limit - len(first)
            hits = first + _diverse(hits[held:], found.words, left)
            trail.step("diversify", len(hits))
        shown = (_shown(hit, question, found.parts.get(hit.id)) for hit in hits[: question.limit])
        return [hit for hit in shown if hit is not None]


def _shown(hit: Hit, question: Question, part: int | None) -> Hit | None:
    """A hit with as much of its text as the question wants; None: not even a word."""
    shown = shown_part(hit, question.terms, question.query.passage_tokens, part)
    if shown is None:
        return None
    if _shows_pasted(hit, shown.passage):
        shown = replace(shown, pasted=True)
    return replace(shown, turn=hit.turn) if question.whole else shown


def _shows_pasted(hit: Hit, passage: Passage | None) -> bool:
    """Whether a user pasted what an item rests on, or any of what is shown of a turn."""
    if hit.turn is None:
        return hit.item is not None and rests_on_pasted(hit.item)
    start, end = (passage.start, passage.end) if passage else (0, len(hit.turn.text))
    return is_pasted(hit.turn.text, start, end, hit.turn.role)


def _confirmed(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that count as held: what is unconfirmed answers no question for certain."""
    return [hit for hit in hits if not hit.unconfirmed]


def _diverse(hits: Sequence[Hit], words: Mapping[str, str], limit: int) -> list[Hit]:
    if not hits or limit < 1:
        return []
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


def _tell(trail: Trail, found: int) -> None:
    for step in trail.steps if _log.is_on(logging.DEBUG) else ():
        _log.debug("recall_step", step=step.name, count=step.count, ms=round(step.ms, 2))
    _log.info("recalled", found=found, ms=round(sum(step.ms for step in trail.steps), 2))


def candidates_of(pool: Pool) -> Candidates:
    """What the arms and the index know of each document. Of signs, what the text arm knows goes
    before what others do.
    """
    signs, known = SignColumns.unset(len(pool)), np.zeros(len(pool), bool)
    for found, places in sorted(
        zip(pool.founds, pool.places, strict=True), key=lambda pair: pair[0].arm is not Arm.TEXT
    ):
        untold = np.flatnonzero(~known[places])
        if found.tell is not None and len(untold):
            told, places = found.tell(untold), places[untold]
            signs.sessions[places], signs.numbers[:, places], known[places] = (
                told.sessions,
                told.numbers,
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
