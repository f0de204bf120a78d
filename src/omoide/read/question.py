"""Questions: a query checked and made ready, and what its asker may see."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from unicodedata import category

from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.hit import Step
from omoide.nouns.match import Where
from omoide.nouns.query import Query
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.read.filters import checked, passing
from omoide.read.presets import PRESETS, Preset
from omoide.store.base import Transaction
from omoide.tables.sessions import Sessions
from omoide.text.earlier_talk import earlier_talk_in
from omoide.text.given_time import read_time, read_window
from omoide.text.words import NATIVE, QueryTerm, query_terms

LIMIT_MOST = 1_000
PASSAGE_LEAST = 8  # tokens that a few characters of any script fit in
# weight of a question's term from which on a slip in it is forgiven: lighter ones are guesses at a
# word's stem
SURE = 0.5


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


@frozen_record
class Question:
    """A query made ready: its words, and the tools to look with."""

    query: Query
    preset: Preset
    subject: str  # what is looked for by meaning
    terms: tuple[QueryTerm, ...]
    where: Where
    limit: int
    told: bool = False  # whether it is about what the assistant told
    whole: bool = False  # whether hits that show a passage keep their whole turns


def ask(
    scope: Scope, query: Query, limit: int, now: datetime, off: frozenset[str] = frozenset()
) -> Question:
    """The query checked and made ready.

    Raises:
        InvalidInput, TooLong, UnknownName, InvalidTime: it cannot be asked like this.
    """
    if query.preset not in PRESETS:
        raise UnknownName("preset", query.preset, tuple(PRESETS))
    _check_sizes(query, limit)
    query = checked(query)
    where = _where(scope, query, now, off)
    talk = earlier_talk_in(query.text)
    subject, terms = looked_for(query.text, talk.subject)
    return Question(
        query=query,
        preset=PRESETS[query.preset],
        subject=subject,
        terms=tuple(
            QueryTerm(term.term, term.weight, forgiving=term.weight >= SURE) for term in terms
        ),
        where=where,
        limit=limit,
        told=talk.told,
    )


def looked_for(text: str, subject: str) -> tuple[str, list[QueryTerm]]:
    """What a question is looked for by, as a text and as terms: its subject, if that has any."""
    terms = query_terms(text)
    if subject == text:
        return text, terms
    left = {term.term for term in query_terms(subject)}
    kept = [term for term in terms if term.term in left]
    return (subject, kept) if kept else (text, terms)


def _check_sizes(query: Query, limit: int) -> None:
    if not 1 <= limit <= LIMIT_MOST:
        raise InvalidInput("limit", f"must be from 1 to {LIMIT_MOST:,}; got {limit}")
    if query.budget_tokens is not None and query.budget_tokens < 1:
        raise InvalidInput("budget_tokens", f"must be at least 1; got {query.budget_tokens}")
    if query.passage_tokens is not None and query.passage_tokens < PASSAGE_LEAST:
        raise InvalidInput(
            "passage_tokens", f"must be at least {PASSAGE_LEAST}; got {query.passage_tokens}"
        )


def _where(scope: Scope, query: Query, now: datetime, off: frozenset[str]) -> Where:
    """Where a query is looked for, as asked.

    Raises:
        InvalidTime: a time cannot be read, or until is not after since.
    """
    since, until = read_window(query.since, query.until, now)
    return Where(
        scope=scope,
        as_of=read_time(query.as_of, "as_of", now),
        known_at=read_time(query.known_at, "known_at", now),
        now=now,
        kinds=query.kinds,
        categories=query.categories,
        contexts=query.contexts,
        since=since,
        until=until,
        include_sensitive=query.include_sensitive,
        include_muted=query.include_muted,
        confirmed_only=query.confirmed_only,
        without_session=query.without_session,
        off=off,
    )


def without_reranker(question: Question) -> Question:
    """The same question, with no reranker asked."""
    return replace(question, preset=replace(question.preset, rerank=False))


def is_signs(text: str) -> bool:
    """Whether a text has signs and spaces alone: no letter or digit, nor a character that only some
    font knows.
    """
    return bool(text.strip()) and all(
        category(c)[0] in "PSZ" or category(c) in ("Cc", "Cf", "Cs") for c in text
    )


def word_count(terms: Sequence[QueryTerm]) -> int:
    """How many words a question has, stop words aside: a word's other forms and its parts are no
    more words.
    """
    return sum(term.weight == 1 and not term.term.startswith(NATIVE) for term in terms)


def see(tx: Transaction, question: Question, trail: Trail) -> Question:
    """The question with what its asker may see, and which documents pass its filters."""
    scope = readable(tx, question.where.scope)
    if scope.user != question.where.scope.user:
        trail.degraded.append("scope: user memory is off in a session of several users")
    named = {"user": scope.user, "agent": scope.agent, "shared": True}
    trail.degraded += [
        f"scope: {level} memory is off" for level in sorted(question.where.off) if named[level]
    ]
    where, only = asked_in(tx, question, scope), passing(tx, scope, question.query)
    if only is not None:
        where = replace(where, only=only)
    return question if where is question.where else replace(question, where=where)


def asked_in(tx: Transaction, question: Question, scope: Scope) -> Where:
    """Where a question is asked, by what a scope sees, with the session that it leaves out by
    id.
    """
    where, without = question.where, question.where.without_session
    if without is not None:
        id = Sessions(tx).named(where.scope, without)
        return replace(where, scope=scope, without_session=id)
    return where if scope is where.scope else replace(where, scope=scope)


def readable(tx: Transaction, scope: Scope) -> Scope:
    """What a scope sees where several users share its session: without its user; without the
    session for an outsider.
    """
    session = Sessions(tx).within(scope) if scope.user else None
    if session is None or len(session.users) < 2:
        return scope
    return (
        replace(scope, user=None) if scope.user in session.users else replace(scope, session=None)
    )
