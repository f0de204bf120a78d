"""Reflect: after facts were extracted from a session's turns, one more question to a model forms
reflections from them.

It is a job of its own, enqueued in the transaction that learns from the turns, and counts them as
reflected on in the transaction that adds the reflections. Learning and reflecting fail and are
tried again each by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from omoide.faculties.reflection.condensation import Condenser
from omoide.faculties.reflection.door import add_reflected
from omoide.faculties.reflection.suggestions import (
    Grounds,
    Pondered,
    Reflected,
    judged,
    material,
    ponder,
    read_thoughts,
    rules,
    to_judge,
)
from omoide.jobs.leases import Leases
from omoide.jobs.queue import Effect
from omoide.learning.extraction import Window, windows
from omoide.learning.session_work import job_of, names_in, next_turns, schedule
from omoide.learning.teaching import Teaching
from omoide.models.chat.base import Purpose
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.errors import Conflict, NotFound
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import DigestKind, kind_of
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.settings.switches import reflection_scopes, user_of
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.digests import Digests
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.jobs import REFLECT_JOB, Job, Jobs
from omoide.tables.reflections import Reflections
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.telemetry.logs import get_logger
from omoide.write.apply import Door
from omoide.write.proposals import let_wait, must_wait

KNOWN_MOST, FACTS_MOST = 20, 40  # reflections of a scope, and new facts, that a model is shown

# what is left to do in the transaction that makes it last
Reflecting = Callable[[Transaction], Reflected]
_log = get_logger(__name__)


@frozen_record
class _ReflectedTalk:
    """The part of a session that is to be reflected on, after a little of what was before it, and
    on what grounds.
    """

    session: Session
    before: tuple[Turn, ...]
    turns: tuple[Turn, ...]
    stood: int
    grounds: Grounds


class Reflector:
    """Reflects on sessions. Only the model's answers are waited for outside the transaction."""

    def __init__(
        self, store: Store, clock: Clock, teaching: Teaching, condenser: Condenser
    ) -> None:
        self._store, self._clock, self._teaching = store, clock, teaching
        self._condenser, self._leases = condenser, Leases(store, clock)

    def reflect(self, tenant: str, session: str, *, first: int | None = None) -> list[Reflected]:
        """Reflect now on all that was said in a session and not reflected on yet, or again from a
        position on, part by part.

        A session that another reflects on is waited for.

        Raises:
            NotFound: no such session.
            ModelError: the model failed; what was formed before that stays.
            Conflict: another still reflects on it, or it was forgotten meanwhile.
        """
        with read_only(self._store, tenant) as tx:
            found = Sessions(tx).find(tenant, session)
        if found is None:
            raise NotFound("session", session)
        done: list[Reflected] = []
        with self._leases.taken(job_of(found, REFLECT_JOB)) as job:
            while (reflecting := self._prepare(tenant, session, first=first)) is not None:
                done.append(
                    committed(
                        self._store, partial(self._keep_by_hand, job, reflecting), tenant=tenant
                    )
                )
                first = done[-1].end
            committed(
                self._store, lambda tx: Jobs(tx).finish(job, self._clock.now()), tenant=tenant
            )
        return done

    def _keep_by_hand(self, job: Job, reflecting: Reflecting, tx: Transaction) -> Reflected:
        reflected, now = reflecting(tx), self._clock.now()
        if not Jobs(tx).hold(job, now, now + self._leases.length):
            raise Conflict(
                f"session {job.session!r} is another's to reflect on by now, or forgotten; nothing"
                " of what was done here lasts"
            )
        return reflected

    def job(self, job: Job) -> Effect | None:
        """Reflect on a session that is in line, up to where it was learnt from: the effect is
        applied with the end of the job.
        """
        reflecting = self._prepare(job.tenant, job.session, only_learnt=True)
        if reflecting is None:
            return None

        def effect(tx: Transaction) -> None:
            reflected = reflecting(tx)
            if Sessions(tx).reflected_to(job.tenant, job.session)[1] > reflected.end:
                schedule(tx, job, self._clock.now())

        return effect

    def _prepare(
        self, tenant: str, session: str, *, first: int | None = None, only_learnt: bool = False
    ) -> Reflecting | None:
        talk = self._talk(tenant, session, first, only_learnt)
        if talk is None:
            return None
        id = self._clock.new_id()
        pondered = tuple(self._ponder(talk))
        return lambda tx: self._keep(tx, id, talk, pondered)

    def _talk(
        self, tenant: str, id: str, first: int | None, only_learnt: bool
    ) -> _ReflectedTalk | None:
        with read_only(self._store, tenant) as tx:
            session = Sessions(tx).find(tenant, id)
            if session is None:
                raise NotFound("session", id)
            stood, learnt = Sessions(tx).reflected_to(tenant, id)
            start, end = stood if first is None else first, learnt if only_learnt else None
            before, fresh = next_turns(tx, session, start, end=end)
            if session.private or not fresh:
                return None
            return _ReflectedTalk(
                session=session,
                before=before,
                turns=fresh,
                stood=stood,
                grounds=self._grounds(tx, session, fresh),
            )

    def _grounds(self, tx: Transaction, session: Session, turns: Sequence[Turn]) -> Grounds:
        """Where reflections on a session go, and what a model is to know of it already."""
        agent, user = session.scope.agent, user_of(session, turns, session.owner)
        scopes = {
            kind_of(scope): scope
            for scope in reflection_scopes(self._teaching.switches, session, user, agent)
        }
        if DigestKind.USER in scopes:
            scopes[DigestKind.USER] = replace(scopes[DigestKind.USER], agent=agent)
        facts = (
            item
            for turn in turns
            for item in Items(tx).of_turn(session.scope.tenant, turn.id)
            if item.holds and not item.is_private
        )
        return Grounds(
            scopes=scopes,
            known={kind: tuple(_known(tx, scope)) for kind, scope in scopes.items()},
            facts=tuple(dict.fromkeys(item.text for item in facts))[-FACTS_MOST:],
            things=Entities(tx).names(session.scope),
            names=names_in(session, turns),
            learn_from=self._teaching.learn_from,
        )

    def _ponder(self, talk: _ReflectedTalk) -> Iterator[Pondered]:
        """What a model reflects on, window by window; each knows what came of those before it."""
        grounds, teaching = talk.grounds, self._teaching
        for window in windows(talk.turns, talk.before, everybody=grounds.learn_from == "all"):
            system, text = (
                rules(grounds, teaching.persona, teaching.steering),
                material(grounds, window),
            )
            thoughts = teaching.asker.ask(Purpose.REFLECT, system, text, read_thoughts)
            found = self._judged(ponder(thoughts, window, grounds, self._clock), window)
            yield from found
            formed = [one.reflection for one in found if one.reflection]
            known = {
                kind: (*texts, *(one.text for one in formed if one.kind is kind))
                for kind, texts in grounds.known.items()
            }
            grounds = replace(grounds, known=known)

    def _judged(self, found: Sequence[Pondered], window: Window) -> list[Pondered]:
        """The same after a judge's word on them, where one is asked."""
        lines, sources = to_judge(found, window)
        said = self._teaching.questions.line_verdicts(list(lines.values()), sources)
        verdicts = {place: said.get(n) for n, place in enumerate(lines)}
        return [judged(one, verdicts.get(place)) for place, one in enumerate(found)]

    def _keep(
        self, tx: Transaction, id: str, talk: _ReflectedTalk, pondered: Sequence[Pondered]
    ) -> Reflected:
        session, tenant = talk.session, talk.session.scope.tenant
        because = Because(
            actor="reflection", reason=self._teaching.asker.model_id(Purpose.REFLECT), cause=id
        )
        first, end = talk.turns[0].position, talk.turns[-1].position + 1
        with Door(tx, self._clock, because, session=session.id) as door:
            door.lock_users(session.scope, (one.user for one in talk.grounds.scopes.values()))
            if not Sessions(tx).reflect(tenant, session.id, stood=talk.stood, end=end):
                raise Conflict(
                    f"session {session.id!r} was reflected on by another meanwhile, or forgotten"
                )
            judged = tuple(self._weighed(_still_there(tx, one)) for one in pondered)
            formed = [one.reflection for one in judged if one.reflection and not one.waits]
            for reflection in formed:
                add_reflected(tx, door, reflection)
            waiting = [
                (one.reflection, one.flags) for one in judged if one.reflection and one.waits
            ]
            for reflection, flags in waiting:
                let_wait(
                    door,
                    reflection.scope,
                    reflection,
                    flags=flags,
                    session=session.id,
                    told=reflection.source_turns,
                )
        self._condenser.enqueue(tx, list(dict.fromkeys(one.scope for one in formed)))
        refused = len(judged) - len(formed) - len(waiting)
        _log.info(
            "reflected on a session", formed=len(formed), waiting=len(waiting), refused=refused
        )
        return Reflected(id=id, session=session.id, first=first, end=end, pondered=judged)

    def _weighed(self, one: Pondered) -> Pondered:
        """The same, with whether it waits for a person."""
        if one.reflection is None:
            return one
        return replace(one, waits=must_wait(self._teaching.review, one.reflection, one.flags))


def _known(tx: Transaction, scope: Scope) -> Iterator[str]:
    digest = Digests(tx).readable(scope, kind_of(scope))
    yield from [digest.text] if digest else []
    yield from (str(reflection) for reflection in Reflections(tx).newest(scope, KNOWN_MOST))


def _still_there(tx: Transaction, one: Pondered) -> Pondered:
    """The same, unless the turn it rests on was forgotten meanwhile."""
    if one.reflection is None or all(
        Turns(tx).find(one.reflection.scope.tenant, turn) for turn in one.reflection.source_turns
    ):
        return one
    return replace(one, text="", reflection=None, refused="its turn was forgotten")
