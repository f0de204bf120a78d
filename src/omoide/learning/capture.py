"""A session's talk becomes items: the pipeline makes candidates of it, and one transaction applies
what becomes of them.

Nothing is lost on the way: the turns are in the log before any model is asked, and a session counts
as learnt from only in the transaction that applies what was learnt. Learning from the same turns
again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias

from omoide.jobs.leases import LEASE, PATIENCE, Leases
from omoide.jobs.queue import Effect
from omoide.learning.application import Application
from omoide.learning.grounding import Destination
from omoide.learning.neighbours import Compared, Library
from omoide.learning.pipeline import Pipeline
from omoide.learning.report import Extraction, Fate
from omoide.learning.session_work import job_of, names_in, next_turns, schedule
from omoide.learning.teaching import Teaching
from omoide.models.chat.base import Purpose
from omoide.models.embedders.encoders import Encoders
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.errors import Conflict, NotFound
from omoide.nouns.ids import ItemId, SessionId
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.settings.switches import fact_scopes, user_of
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.items import Items
from omoide.tables.jobs import EXTRACT_JOB, REFLECT_JOB, Job, Jobs
from omoide.tables.ledger import Ledger
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.telemetry.logs import get_logger
from omoide.telemetry.model_calls import paid_by
from omoide.write.apply import Door
from omoide.write.preview import Supposed

ACTOR = "extraction"  # who learns, on the ledger

# what is left to do in the transaction that applies it
Learning: TypeAlias = Callable[[Transaction], Extraction]

_log = get_logger(__name__)


@frozen_record
class _CapturedTalk:
    """The part of a session that is to be learnt from, after a little of what was before it, and
    where to.
    """

    session: Session
    before: tuple[Turn, ...]
    turns: tuple[Turn, ...]
    stood: int  # up to where the session was learnt from
    place: Destination
    began: datetime


@frozen_record
class _AskedSession:
    """A session when somebody asks to learn from it: its job, up to where it was learnt from, and
    the ledger's last number.
    """

    job: Job
    stood: int
    seq: int


class Capture:
    """Learns from sessions. The slow part, models and searches, comes before the transaction that
    applies what was learnt.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        encoders: Callable[[], Encoders],
        teaching: Teaching,
        *,
        dry: bool = False,
        lease: timedelta = LEASE,
    ) -> None:
        self._store, self._clock, self._encoders = store, clock, encoders
        self._teaching, self._dry = teaching, dry
        self._leases = Leases(store, clock, lease)

    def extract(
        self,
        tenant: str,
        session: str,
        *,
        first: int | None = None,
        preview: bool = False,
        cause: str | None = None,
        patience: timedelta = PATIENCE,
    ) -> list[Extraction]:
        """Learn from what nothing was learnt from yet, or again from a position on, part by part;
        with preview only tell what would be.

        A session that another learns from is waited for; what that one learnt comes first, by its
        id alone. A later part of a preview knows what those before it would have learnt. cause: the
        id under which it is on the ledger; None: one of its own for each part.

        Raises:
            NotFound: no such session.
            ModelError: the model failed; what was learnt before that stays.
            Conflict: another still learns from it, or the same turns were changed or forgotten
                meanwhile.
        """
        found = self._find(tenant, session)
        if preview:
            return self._try_out(found, first, cause, patience)
        with self._leases.taken(found.job, patience) as job:
            done = self._meanwhile(found) if first is None else []
            new = self._part_by_part(
                found.job,
                first,
                cause,
                lambda learning: committed(
                    self._store, partial(self._keep, job, learning), tenant=tenant
                ),
            )
            if not new or new[-1].more:  # else the job ended with the last part
                committed(
                    self._store, lambda tx: Jobs(tx).finish(job, self._clock.now()), tenant=tenant
                )
        return done + new

    def _keep(self, job: Job, learning: Learning, tx: Transaction) -> Extraction:
        """Apply a part, while the session's job is this caller's; the job ends with the last one,
        however often it was asked for.
        """
        extraction, now = learning(tx), self._clock.now()
        ours = (
            Jobs(tx).hold(job, now, now + self._leases.length)
            if extraction.more
            else Jobs(tx).end(job, now)
        )
        if not ours:
            raise Conflict(
                f"session {job.session!r} is another's to learn from by now, or forgotten; nothing"
                " of what was done here lasts"
            )
        return extraction

    def _try_out(
        self, found: _AskedSession, first: int | None, cause: str | None, patience: timedelta
    ) -> list[Extraction]:
        """What learning would do. It writes nothing, so it holds no job: where another was first,
        it looks anew at what is left.
        """
        while True:
            self._leases.wait(found.job, patience)
            supposed = Supposed(self._store)
            suppose = partial(supposed.suppose, tenant=found.job.tenant)
            trial = Capture(supposed, self._clock, self._encoders, self._teaching, dry=True)
            begun = self._find(found.job.tenant, found.job.session)
            done = self._meanwhile(found) if first is None else []
            try:
                return done + trial._part_by_part(found.job, first, cause, suppose)
            except Conflict:
                if self._find(found.job.tenant, found.job.session).stood == begun.stood:
                    raise

    def _part_by_part(
        self, job: Job, first: int | None, cause: str | None, do: Callable[[Learning], Extraction]
    ) -> list[Extraction]:
        done: list[Extraction] = []
        while not done or done[-1].more:
            start = done[-1].end if done else first
            learning = self.prepare(job.tenant, job.session, first=start, cause=cause)
            if learning is None:
                break
            done.append(do(learning))
        return done

    def _find(self, tenant: str, id: str) -> _AskedSession:
        with read_only(self._store, tenant) as tx:
            session, stood = _standing(tx, tenant, id)
            seq = Ledger(tx).head(tenant).seq
            return _AskedSession(job=job_of(session, EXTRACT_JOB), stood=stood, seq=seq)

    def _meanwhile(self, found: _AskedSession) -> list[Extraction]:
        """What another learnt from a session since it was found, if it did: by the id of its last
        part.
        """
        tenant, id = found.job.tenant, found.job.session
        stands = self._find(tenant, id).stood
        if stands <= found.stood:
            return []
        with read_only(self._store, tenant) as tx:
            since = (p for p in Ledger(tx).of_session(tenant, id) if p.seq > found.seq)
            changes = (past.change for past in since)  # newest first
            causes = [one.cause for one in changes if one.actor == ACTOR and one.cause]
        other = next(iter(causes), "")
        return [
            Extraction(
                id=other, session=SessionId(id), first=found.stood, end=stands, by_another=True
            )
        ]

    def job(self, job: Job) -> Effect | None:
        """Learn from a session that is in line: the effect is applied with the end of the job. More
        turns make it wait in line again.
        """
        learning = self.prepare(job.tenant, job.session)
        if learning is None:
            return None

        def effect(tx: Transaction) -> None:
            if learning(tx).more:
                schedule(tx, job, self._clock.now())

        return effect

    def prepare(
        self, tenant: str, session: str, *, first: int | None = None, cause: str | None = None
    ) -> Learning | None:
        """What is to be applied to learn from a session's next turns, from where it stands or a
        position on; None where there are none.

        Raises:
            NotFound: no such session.
            ModelError: the model failed.
        """
        talk = self._talk(tenant, session, first)
        if talk is None:
            return None
        id = cause or self._clock.new_id()
        with paid_by(tenant):
            compared = self._compare(talk)
        return lambda tx: self._learn(tx, id, talk, compared)

    def _talk(self, tenant: str, id: str, first: int | None) -> _CapturedTalk | None:
        with read_only(self._store, tenant) as tx:
            session, stood = _standing(tx, tenant, id)
            before, fresh = next_turns(tx, session, stood if first is None else first)
        if not fresh:
            return None
        place, began = self.place(session, fresh), self._clock.now()
        return _CapturedTalk(
            session=session, before=before, turns=fresh, stood=stood, place=place, began=began
        )

    def place(self, session: Session, turns: Sequence[Turn]) -> Destination:
        """Where facts of a session go: nowhere if it is private, and to no user if several take
        part.
        """
        if session.private:
            return Destination(user=None, agent=None)
        agent = session.scope.agent
        scopes = fact_scopes(
            self._teaching.switches, session, user_of(session, turns, session.owner), agent
        )
        return Destination(
            user=next((replace(scope, agent=agent) for scope in scopes if scope.user), None),
            agent=next((scope for scope in scopes if not scope.user), None),
            names=names_in(session, turns),
            learn_from=self._teaching.learn_from,
        )

    def _compare(self, talk: _CapturedTalk) -> list[Compared]:
        """What a model suggests, ready to be applied."""
        scope = talk.place.user or talk.place.agent
        if scope is None:
            return []
        pipeline = Pipeline(
            questions=self._teaching.questions,
            library=Library(self._store, scope.tenant, self._clock, self._encoders()),
            clock=self._clock,
            place=talk.place,
        )
        return pipeline.run(talk.turns, talk.before, scope)

    def _learn(
        self, tx: Transaction, id: str, talk: _CapturedTalk, compared: Sequence[Compared]
    ) -> Extraction:
        """Apply what a talk comes to."""
        because = Because(
            actor=ACTOR, reason=self._teaching.asker.model_id(Purpose.EXTRACT), cause=id
        )
        with Door(tx, self._clock, because, session=talk.session.id) as door:
            homes = (scope for scope in (talk.place.user, talk.place.agent) if scope is not None)
            # as everywhere, so that writers never wait in a circle
            door.lock_users(talk.session.scope, (home.user for home in homes))
            more = _hold(tx, talk)
            application = Application(
                tx=tx,
                door=door,
                clock=self._clock,
                session=talk.session,
                mode=self._teaching.review,
                learnt=_learnt(tx, talk),
            )
            considered = application.apply(compared)
        self._put_in_line(tx, talk.session)
        extraction = Extraction(
            id=id,
            session=talk.session.id,
            first=talk.turns[0].position,
            end=talk.turns[-1].position + 1,
            considered=considered,
            more=more,
        )
        self._tell(talk, extraction)
        return extraction

    def _put_in_line(self, tx: Transaction, session: Session) -> None:
        """Let the session be reflected on, where that is wanted."""
        if self._teaching.reflect and not session.private:
            schedule(tx, job_of(session, REFLECT_JOB), self._clock.now())

    def _tell(self, talk: _CapturedTalk, extraction: Extraction) -> None:
        """Log what was learnt, in counts; not of a preview."""
        if self._dry:
            return
        _log.info(
            "learnt from a session",
            session=talk.session.id,
            user=talk.session.owner,
            seconds=(self._clock.now() - talk.began).total_seconds(),
            **{fate.value: extraction.count(fate) for fate in Fate},
        )


def _hold(tx: Transaction, talk: _CapturedTalk) -> bool:
    """Count a talk as learnt from; whether more turns come after it.

    Raises:
        Conflict: it was learnt from, changed or forgotten meanwhile.
    """
    session, tenant = talk.session, talk.session.scope.tenant
    present = Sessions(tx).extract(tenant, session.id, stood=talk.stood, turns=talk.turns)
    turns = Turns(tx).shown_from(tenant, session.id, talk.turns[0].position, len(talk.turns) + 1)
    same = present is not None and (present.private, present.users) == (
        session.private,
        session.users,
    )
    if not same or tuple(turns[: len(talk.turns)]) != talk.turns:
        raise Conflict(f"session {session.id!r} was learnt from, changed or forgotten meanwhile")
    return len(turns) > len(talk.turns)


def _learnt(tx: Transaction, talk: _CapturedTalk) -> list[ItemId]:
    """What was learnt from the same turns before, closed or not."""
    before = [turn for turn in talk.turns if turn.position < talk.stood]
    return [
        item.id for turn in before for item in Items(tx).of_turn(talk.session.scope.tenant, turn.id)
    ]


def _standing(tx: Transaction, tenant: str, id: str) -> tuple[Session, int]:
    """A session, and the position of its first turn that nothing was learnt from yet.

    Raises:
        NotFound: there is none of that id.
    """
    standing = Sessions(tx).standing(tenant, id)
    if standing is None:
        raise NotFound("session", id)
    return standing
