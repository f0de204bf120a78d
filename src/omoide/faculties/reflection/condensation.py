"""Condense: the reflections of a scope that wait become a new version of its digest.

A model's text takes the place of the old one only if it keeps to its words and adds nothing. Where
it does not, the old version stands, the reflections wait on, and the job fails with what the model
said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from urllib.parse import quote

from omoide.faculties.reflection.digest_text import (
    Matter,
    marked_sources,
    material,
    read_draft,
    rules,
    settled,
)
from omoide.faculties.reflection.door import add_digest
from omoide.jobs.queue import Effect
from omoide.learning.drafts import Writing
from omoide.learning.teaching import Teaching
from omoide.models.chat.base import Purpose
from omoide.nouns.change import Action, Because
from omoide.nouns.chore import Chore, Done, Round, for_model
from omoide.nouns.clock import Clock, local
from omoide.nouns.errors import BadAnswer, Conflict
from omoide.nouns.ids import SessionId
from omoide.nouns.item import Tier
from omoide.nouns.kind import Kind
from omoide.nouns.metadata import Json
from omoide.nouns.proposal import Proposal
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import Digest, DigestId, Reflection, kind_of
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.digests import Digests
from omoide.tables.entities import Entities
from omoide.tables.jobs import CONDENSE_JOB, Job, Jobs
from omoide.tables.proposals import Proposals
from omoide.tables.reflections import Reflections
from omoide.write.apply import Door
from omoide.write.proposals import end, let_wait, must_wait

AT_ONCE = 100  # reflections that one version absorbs
SCOPES = 10  # condensed in one round of a tenant

# what is left to do in the transaction that makes it last
Condensing = Callable[[Transaction], Digest | None]


@frozen_record
class _Heap:
    """What is to be condensed, as it was read."""

    scope: Scope
    reflections: tuple[Reflection, ...]
    old: Digest | None
    version: int

    @property
    def tiers(self) -> list[Tier]:
        """Whose word each thing is that it holds."""
        return [one.tier for one in self.reflections] + ([self.old.tier] if self.old else [])


class Condenser:
    """Condenses scopes, each by itself."""

    def __init__(self, store: Store, clock: Clock, teaching: Teaching) -> None:
        self._store, self._clock, self._teaching = store, clock, teaching

    def __call__(self, at: Round) -> Done:
        """Condense the scopes of a tenant of which enough waits, ten at most; without a model they
        stay in line.

        Raises:
            ModelError: the model failed; what was condensed before that stays.
        """
        counts = {"digests": 0}
        with read_only(self._store, at.tenant) as tx:
            full = [
                tally.scope
                for tally in Reflections(tx).buffers(at.tenant)
                if tally.total >= self._least(tally.scope)
            ]
            due = [
                scope
                for scope in full
                if not _was_shown(tx, scope, Reflections(tx).waiting(scope, AT_ONCE))
            ]
        if due and not self._teaching.asker.is_on:
            self.put_in_line(at.tenant, due)
            return Done(chore=Chore.CONDENSE, counts=counts, waits=for_model(len(due), "digest"))
        for scope in due:
            if at.stop() or counts["digests"] == SCOPES:
                break
            try:
                counts["digests"] += self.condense(scope, cause=at.because.cause) is not None
            except (
                BadAnswer,
                Conflict,
            ):  # what it said may not become the digest, or another condenses it just now
                continue
        return Done(chore=Chore.CONDENSE, counts=counts)

    def condense(self, scope: Scope, *, cause: str | None = None) -> Digest | None:
        """Condense now what waits of a scope, however little; None where nothing does, or what a
        model made of it waits for review.

        Raises:
            ModelError: the model failed, or what it said may not become the digest.
            Conflict: another condensed the same meanwhile.
        """
        condensing = self._prepare(scope, least=1, cause=cause)
        if condensing is None:
            return None
        return committed(self._store, condensing, tenant=scope.tenant)

    def job(self, job: Job) -> Effect | None:
        """Condense a scope that is in line, if enough waits still: the effect is applied with the
        end of the job.
        """
        scope = _scope_of(job)
        condensing = self._prepare(scope, least=self._least(scope))
        if condensing is None:
            return None

        def effect(tx: Transaction) -> None:
            condensing(tx)
            self.enqueue(tx, (scope,))

        return effect

    def enqueue(self, tx: Transaction, scopes: Collection[Scope]) -> None:
        """Let those of the scopes be condensed of which enough waits."""
        for scope in scopes:
            if Reflections(tx).count_waiting(scope) >= self._least(scope):
                enqueue(tx, scope, self._clock.now())

    def put_in_line(self, tenant: str, scopes: Collection[Scope]) -> None:
        """The same in a transaction of its own."""
        committed(self._store, lambda tx: self.enqueue(tx, scopes), tenant=tenant)

    def _least(self, scope: Scope) -> int:
        """How many reflections are enough."""
        return self._teaching.digests[kind_of(scope)].reflections

    def _prepare(self, scope: Scope, *, least: int, cause: str | None = None) -> Condensing | None:
        """What is to be applied to condense what waits of a scope; None where too little does."""
        heap = self._heap(scope, least)
        if heap is None:
            return None
        digest = self._condensed(heap)
        return lambda tx: self._keep(tx, heap, digest, cause or digest.id)

    def _heap(self, scope: Scope, least: int) -> _Heap | None:
        """What waits of a scope, if it is enough and no person was shown it already."""
        kind = kind_of(scope)
        with read_only(self._store, scope.tenant) as tx:
            waiting = tuple(Reflections(tx).waiting(scope, AT_ONCE))
            heap = _Heap(
                scope=scope,
                reflections=waiting,
                old=Digests(tx).current(scope, kind),
                version=Digests(tx).latest(scope, kind) + 1,
            )
            shown = _was_shown(tx, scope, waiting, settled=least > 1)
            return None if len(waiting) < least or shown else heap

    def _condensed(self, heap: _Heap) -> Digest:
        """What a model makes of a heap.

        Raises:
            ModelError: it failed, or what it said may not become the digest.
        """
        scope, waiting, questions = heap.scope, heap.reflections, self._teaching.questions
        matter = self._matter(heap)
        asker = questions.asker.for_user(scope.user)
        condensed = replace(questions, asker=asker).write(
            Writing(
                purpose=Purpose.CONDENSE,
                rules=rules(matter.kind, matter.size, self._teaching.persona),
                material=material(matter.old, matter.reflections, matter.now),
                sources=marked_sources(matter),
                read=partial(read_draft, matter),
                settle=partial(settled, matter),
            )
        )
        return Digest(
            id=DigestId(self._clock.new_id()),
            scope=scope,
            kind=matter.kind,
            version=heap.version,
            text=condensed.text,
            word_limit=matter.size.words,
            model=asker.model_id(Purpose.CONDENSE),
            made_at=matter.now,
            tier=min(heap.tiers),
            sources=tuple(sorted(one.id for one in waiting)),
            dropped=condensed.dropped,
        )

    def _matter(self, heap: _Heap) -> Matter:
        with read_only(self._store, heap.scope.tenant) as tx:
            names = Entities(tx).names(heap.scope)
        kind = kind_of(heap.scope)
        return Matter(
            kind=kind,
            size=self._teaching.digests[kind],
            old=heap.old.text if heap.old else "",
            reflections=tuple(reflection.text for reflection in heap.reflections),
            now=local(self._clock.now()),
            names=names,
        )

    def _keep(self, tx: Transaction, heap: _Heap, digest: Digest, cause: str) -> Digest | None:
        waits = must_wait(self._teaching.review, digest, (), best=max(heap.tiers))
        because = Because(actor="condense", reason=digest.model, cause=cause)
        if waits:
            self._end_stale(tx, digest)
        with Door(tx, self._clock, because) as door:
            if not waits:
                add_digest(tx, door, digest, instead_of=heap.old)
                return digest
            target, home = heap.old.id if heap.old else None, digest.scope.session
            session = SessionId(home) if home else None
            let_wait(door, digest.scope, digest, target=target, session=session)
            return None

    def _end_stale(self, tx: Transaction, digest: Digest) -> None:
        """Let a new digest wait in the place of one that cannot hold any more."""
        because = Because(actor="condense", cause=digest.id)
        with Door(tx, self._clock, because) as door:
            door.lock(digest.scope)
            for one, made in _shown(tx, digest.scope):
                if one.settled_at is None and _is_stale(tx, one, made):
                    end(tx, door, one, Action.EXPIRE, because)


def _was_shown(
    tx: Transaction, scope: Scope, reflections: Sequence[Reflection], *, settled: bool = True
) -> bool:
    """Whether a digest of a scope waits for review, and may hold; with settled also whether one of
    all these reflections was rejected.
    """
    for one, digest in _shown(tx, scope):
        if one.settled_at is None:
            if not _is_stale(tx, one, digest):
                return True
        elif settled and {reflection.id for reflection in reflections} <= set(digest.sources):
            return True
    return False


def _shown(tx: Transaction, scope: Scope) -> list[tuple[Proposal, Digest]]:
    """What waits of a scope's digests, or was settled."""
    found = [(one, one.made) for one in Proposals(tx).of_kind(scope, Kind.DIGEST)]
    return [
        (one, made)
        for one, made in found
        if isinstance(made, Digest) and made.kind is kind_of(scope)
    ]


def _is_stale(tx: Transaction, proposal: Proposal, digest: Digest) -> bool:
    """Whether a digest cannot hold any more: the version before was taken back, or a reflection
    that it is made of.
    """
    current = Digests(tx).current(digest.scope, digest.kind)
    sources = (Reflections(tx).find(digest.scope.tenant, id) for id in digest.sources)
    return (current and current.id) != proposal.target or not all(
        one is not None and one.waits for one in sources
    )


def enqueue(tx: Transaction, scope: Scope, at: datetime) -> None:
    """Let a scope be condensed, if enough waits by then."""
    args: dict[str, Json] = {"agent": scope.agent, "user": scope.user, "context": scope.context}
    args |= {"session": scope.session} if scope.session else {}
    Jobs(tx).schedule(
        scope.tenant, job_id(scope), CONDENSE_JOB, user=scope.user or "", args=args, run_at=at
    )


def job_id(scope: Scope) -> str:
    """The id of the job that condenses a scope."""
    parts = (
        kind_of(scope).value,
        scope.context,
        scope.agent or "",
        scope.user or "",
        scope.session or "",
    )
    return ":".join((CONDENSE_JOB, *(quote(part, safe="") for part in parts)))


def _scope_of(job: Job) -> Scope:
    return Scope(
        tenant=job.tenant,
        agent=job.args.get("agent"),
        user=job.args.get("user"),
        session=job.args.get("session"),
        context=job.args["context"],
    )
