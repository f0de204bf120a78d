"""Lessons: from a task that failed, by a proposer of its own; found by their own vectors.

Learning a lesson is never critical: what cannot be learnt is not, and the task stays as it ended.
What goes to another agent waits until a person enables it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from omoide.faculties.procedures.door import (
    add_procedure,
    check_switching,
    enable,
    failure_text,
    lesson_tier,
    of_advice,
    read_advice,
    teaches,
    told_lines,
    unfounded,
    would_supersede,
)
from omoide.grounding.claims import Flag
from omoide.jobs.queue import Effect
from omoide.learning.teaching import Teaching
from omoide.models.base import checked
from omoide.models.chat.base import Purpose
from omoide.models.embedders.encoders import Encoders, NumberedEmbedder
from omoide.models.prompts import prompt
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.embedder import Vector
from omoide.nouns.errors import (
    BadAnswer,
    Forbidden,
    InvalidInput,
    ModelUnreachable,
    NotFound,
    OutOfBudget,
    StoreError,
)
from omoide.nouns.ids import SessionId
from omoide.nouns.item import NO_DETAILS, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.metadata import Json
from omoide.nouns.procedure import (
    NON_INFERABLE,
    TAGS,
    TOOLS,
    Advice,
    Failed,
    Lesson,
    Procedure,
    ProcedureId,
    Provenance,
    handed_on,
)
from omoide.nouns.scope import Scope
from omoide.nouns.skill_file import read_skill, skill_name, skill_text
from omoide.read.trust import heed_lessons
from omoide.settings.switches import level_of
from omoide.settings.whole_file import whole_file
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.jobs import LESSON_JOB, Job, Jobs
from omoide.tables.procedures import Procedures
from omoide.tables.proposals import Proposals
from omoide.tables.sessions import Sessions
from omoide.telemetry.logs import get_logger
from omoide.telemetry.model_calls import paid_by
from omoide.write.apply import Door, through
from omoide.write.proposals import let_wait, must_wait

SEEN = 1_000  # procedures of an asker that are looked through

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Learnt:
    """A procedure that a model advised, what of it nobody told that model, and the session that it
    is from, if one is known.
    """

    procedure: Procedure
    flags: frozenset[Flag]
    session: SessionId | None = None


@dataclass(frozen=True, slots=True)
class Practice:
    """Learns procedures, and finds them."""

    store: Store
    clock: Clock
    teaching: Teaching
    encoders: Callable[[], Encoders]
    # held by who makes recipes
    making: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    def learn(self, scope: Scope, because: Because, failed: Failed) -> Procedure | None:
        """The lesson of a failure, stored; None where nothing is to be learnt, the lesson waits for
        review, or the model is out of reach.

        Raises:
            Forbidden: nothing may be learnt from the scope's session.
            ModelMissing, ModelRefused: no model is configured, or it will not answer.
        """
        with read_only(self.store, scope.tenant) as tx:
            standing = self._sources(tx, scope)
        told = failure_text(failed)
        _, advice = self.ask(scope, prompt("lesson"), told)
        if advice is None:
            return None
        return self.add_of(
            because, self._lesson(advice, scope, told, failed.task, failed.tools), standing
        )

    def put_in_line(self, scope: Scope, failed: Failed) -> None:
        """Let a worker learn the lesson of a failure. Where not even that can be noted, it is a
        warning: the task has failed already.
        """
        args: dict[str, Json] = {
            "agent": scope.agent or "",
            "task": failed.task,
            "tools": list(failed.tools),
            "told": failure_text(failed),
        }
        args |= {"session": scope.session} if scope.session else {}
        now, id = self.clock.now(), f"{LESSON_JOB}:{self.clock.new_id()}"

        def write(tx: Transaction) -> None:
            self._sources(tx, scope)
            Jobs(tx).add(scope.tenant, id, LESSON_JOB, user=scope.user or "", args=args, run_at=now)

        try:
            committed(self.store, write, tenant=scope.tenant)
        except (Forbidden, StoreError) as error:
            _log.warning("a failure is not queued for a lesson", error=type(error).__name__)

    def job(self, job: Job) -> Effect | None:
        """Learn the lesson of a failure that is in line: the effect is applied with the end of the
        job.
        """
        scope = Scope(
            tenant=job.tenant,
            user=job.user or None,
            agent=job.args["agent"] or None,
            session=job.session or None,
        )
        if not self._may(job, scope):
            return None
        advice = self.teaching.asker.for_user(scope.user).ask(
            Purpose.LESSON, prompt("lesson"), job.args["told"], read_advice
        )
        if advice is None:
            return None
        lesson = self._lesson(advice, scope, job.args["told"], job.args["task"], job.args["tools"])

        def effect(tx: Transaction) -> Callable[[], None] | None:
            if scope.session and Sessions(tx).teaches(scope.tenant, scope.session) is False:
                return None
            with Door(tx, self.clock, Because(actor="lesson", cause=lesson.procedure.id)) as door:
                added = self._keep(tx, door, lesson)
            return None if added is None else partial(self.file, added)

        return effect

    def recall(self, scope: Scope, goal: str, *, limit: int, least: float) -> list[Lesson]:
        """The procedures nearest to a goal, those at least that near and of no level that is off;
        none without an embedder.

        Raises:
            ModelError: the embedder failed.
        """
        loaded = self.encoders().serving
        if loaded is None:
            return []
        with read_only(self.store, scope.tenant) as tx:
            seen = Procedures(tx).page(scope, current=True, limit=SEEN)
            current = [one for one in seen if level_of(one.scope) not in self.teaching.switches.off]
            vectors = Procedures(tx).vectors(scope, loaded.model.number)
        if not current:
            return []
        vectors |= self._make([one for one in current if one.id not in vectors], loaded)
        scores = (
            np.stack([vectors[one.id] for one in current])
            @ checked(loaded.embedder, [goal], query=True)[0]
        )
        found = sorted(zip(current, map(float, scores), strict=True), key=lambda pair: -pair[1])
        lessons = heed_lessons(
            [Lesson(procedure=one, score=score) for one, score in found if score >= least]
        )[:limit]

        def write(tx: Transaction) -> None:
            for lesson in lessons:
                Procedures(tx).use(scope.tenant, lesson.procedure.id, self.clock.now())

        committed(self.store, write, tenant=scope.tenant)
        return lessons

    def get(self, scope: Scope, id: str) -> Procedure:
        """A procedure.

        Raises:
            NotFound: there is none of that id in this scope.
        """
        with read_only(self.store, scope.tenant) as tx:
            found = Procedures(tx).get(scope, id)
        if found is None:
            raise NotFound("procedure", id)
        return found

    def enable(self, scope: Scope, because: Because, id: str, *, enabled: bool) -> Procedure:
        """Let a procedure be recalled, or no more.

        Raises:
            NotFound: there is none of that id in this scope.
            Forbidden: it is the word of somebody more trusted than who acts; or it is for a person
                to let it be recalled.
        """
        procedure = self.get(scope, id)
        check_switching(procedure, because.tier, self.teaching.review, enabled=enabled)
        return through(
            self.store,
            self.clock,
            because,
            lambda tx, door: enable(tx, door, procedure, enabled=enabled),
            tenant=procedure.scope.tenant,
        )

    def hand_on(
        self, scope: Scope, because: Because, id: str, agents: Sequence[str]
    ) -> list[Procedure]:
        """A procedure for other agents; none of them sees it until it is enabled.

        Raises:
            NotFound: there is none of that id in this scope.
            Forbidden: memory of the level that it would be of is off.
        """
        copies = handed_on(self.get(scope, id), agents)
        for copy in copies:
            self.teaching.switches.check_on(copy.scope, NO_DETAILS)
        return [
            self._add(
                because,
                replace(one, id=ProcedureId(self.clock.new_id()), created_at=self.clock.now()),
            )
            for one in copies
        ]

    def take_in(
        self, scope: Scope, because: Because, text: str, *, as_mine: bool = False
    ) -> Procedure:
        """What a SKILL.md says as a procedure, a document's word or with as_mine that of the person
        who acts.

        One of the same source gives way to it, unless that is the word of somebody more trusted
        than who acts.

        Raises:
            InvalidInput: it is no such file.
            Forbidden: it is to be a person's own word, and none acts; or memory of that level is
                off.
        """
        self.teaching.switches.check_on(scope, NO_DETAILS)
        if as_mine and because.tier is not Tier.USER:
            raise Forbidden(
                "whose own word a file is to be is a person; who speaks for them says so with"
                " acting(Because(tier=Tier.USER))"
            )
        advice, tools, source = read_skill(text)
        about = {
            "provenance": Provenance.FILE,
            "origin": source or f"file:{advice.name}",
            "tags": advice.tags,
            "tools": tools,
        }
        procedure = replace(
            of_advice(advice, self.clock, scope, about),
            tier=Tier.USER if as_mine else Tier.DOCUMENT,
        )
        return self._add(because, procedure, by=because.tier)

    def write(self, procedure: Procedure, folder: Path) -> Path:
        """Write a procedure's SKILL.md; where.

        Raises:
            InvalidInput: it cannot be written.
        """
        target = folder / skill_name(procedure)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput("folder", f"cannot be written to: {error.strerror}") from None
        with whole_file(target, shared=True) as out:
            out.write(skill_text(procedure))
        return target

    def _lesson(
        self, advice: Advice, scope: Scope, told: str, task: str, tools: Sequence[str]
    ) -> _Learnt:
        tags = tuple(dict.fromkeys((NON_INFERABLE, *advice.tags)))[:TAGS]
        used = tuple(dict.fromkeys(tools))[:TOOLS]
        about = {
            "provenance": Provenance.FAILURE,
            "origin": f"failure:{task}",
            "tags": tags,
            "tools": used,
            "tier": lesson_tier(told),
        }
        about |= {"sources": (scope.session,) if scope.session else ()}
        return self.learnt(of_advice(advice, self.clock, scope, about), advice, told, scope.session)

    def learnt(
        self, procedure: Procedure, advice: Advice, told: str, session: str | None
    ) -> _Learnt:
        """A procedure with what of it was not told."""
        flags = unfounded(advice, told_lines(told), self.clock.now())
        return _Learnt(
            procedure=procedure, flags=flags, session=SessionId(session) if session else None
        )

    def _keep(self, tx: Transaction, door: Door, learnt: _Learnt) -> Procedure | None:
        """Add what was learnt, or let it wait for a person: then None."""
        procedure = learnt.procedure
        if not must_wait(self.teaching.review, procedure, learnt.flags):
            return add_procedure(tx, door, procedure)
        let_wait(
            door,
            procedure.scope,
            procedure,
            target=would_supersede(tx, procedure),
            flags=learnt.flags,
            session=learnt.session,
            told=[source for source in procedure.sources if "#" in source],
        )
        _log.info("a procedure waits for review", provenance=procedure.provenance.value)
        return None

    def ask(self, scope: Scope, rules: str, text: str) -> tuple[bool, Advice | None]:
        """Whether a model answered, and the advice in that, if there is any."""
        try:
            with paid_by(scope.tenant):
                return True, self.teaching.asker.for_user(scope.user).ask(
                    Purpose.LESSON, rules, text, read_advice
                )
        except (BadAnswer, ModelUnreachable, OutOfBudget) as error:
            _log.warning("no lesson learnt", error=type(error).__name__)
            return False, None

    def _add(self, because: Because, procedure: Procedure, *, by: Tier | None = None) -> Procedure:
        added = through(
            self.store,
            self.clock,
            _by_id(because, procedure),
            lambda tx, door: add_procedure(tx, door, procedure, by=by),
            tenant=procedure.scope.tenant,
        )
        self.file(added)
        return added

    def add_of(self, because: Because, learnt: _Learnt, sources: Sequence[str]) -> Procedure | None:
        """Add what was made of these; None where it waits, or one was meanwhile forgotten, closed
        or had a recipe made of it by another.
        """
        made = learnt.procedure

        def write(tx: Transaction, door: Door) -> Procedure | None:
            door.lock(made.scope)
            if not all(teaches(tx, made.scope.tenant, id) for id in sources):
                return None
            origins = {made.origin, *made.sources}
            if made.provenance is Provenance.SUCCESS and origins & recipe_origins(tx, made.scope):
                return None
            return self._keep(tx, door, learnt)

        added = through(
            self.store, self.clock, _by_id(because, made), write, tenant=made.scope.tenant
        )
        if added is not None:
            self.file(added)
        return added

    def _sources(self, tx: Transaction, scope: Scope) -> tuple[str, ...]:
        """The session that a failure was in, if it was logged.

        Raises:
            Forbidden: it is private, of several users, or undone; or memory of that level is off.
        """
        self.teaching.switches.check_on(scope, NO_DETAILS)
        teaches = Sessions(tx).teaches(scope.tenant, scope.session) if scope.session else None
        if teaches is False:
            why = "is private, of several users, or undone: nothing that outlasts it is made of it"
            raise Forbidden(
                f"session {scope.session!r} {why}; to learn from the failure all the same, leave"
                " the session out of the scope"
            )
        return (scope.session,) if scope.session and teaches else ()

    def _may(self, job: Job, scope: Scope) -> bool:
        """Whether a failure in line may be learnt from still."""
        try:
            with read_only(self.store, scope.tenant) as tx:
                self._sources(tx, scope)
        except Forbidden as error:
            _log.warning("a failure is not learnt from", job=job.id, error=type(error).__name__)
            return False
        return True

    def file(self, procedure: Procedure) -> None:
        """Write a new procedure where the setting says; one that cannot be written is learnt all
        the same.
        """
        if self.teaching.skills is not None and procedure.enabled:
            try:
                self.write(procedure, self.teaching.skills)
            except InvalidInput as error:
                _log.warning("skill not written", error=type(error).__name__)

    def _make(
        self, lacking: Sequence[Procedure], loaded: NumberedEmbedder
    ) -> dict[ProcedureId, Vector]:
        """Make the vectors that procedures lack, of when to use them and what they are."""
        if not lacking:
            return {}
        made = checked(loaded.embedder, [f"{one.when_to_use} {one.discovery}" for one in lacking])

        def write(tx: Transaction) -> None:
            for one, vector in zip(lacking, made, strict=True):
                Procedures(tx).add_vector(one.scope.tenant, one.id, loaded.model.number, vector)

        committed(self.store, write, tenant=lacking[0].scope.tenant)
        return {one.id: vector for one, vector in zip(lacking, made, strict=True)}


def _by_id(because: Because, procedure: Procedure) -> Because:
    """With the procedure as the cause where there is no other, so that its id takes back its adding
    with what gave way to it.
    """
    return because if because.cause else replace(because, cause=procedure.id)


def recipe_origins(tx: Transaction, scope: Scope) -> set[str]:
    """Where the procedures of a place come from, by their origins and sources: those that there
    are, that wait, and that were rejected.
    """
    place = Scope(tenant=scope.tenant, user=scope.user, agent=scope.agent)
    settled = [
        one.made
        for one in Proposals(tx).of_kind(place, Kind.PROCEDURE)
        if isinstance(one.made, Procedure)
    ]
    recipes = [
        one
        for one in (*Procedures(tx).page(scope, current=False, limit=SEEN), *settled)
        if one.provenance is Provenance.SUCCESS
    ]
    return {one.origin for one in recipes} | {id for one in recipes for id in one.sources}
