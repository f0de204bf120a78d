"""The verbs by which talk, and the use of tools, are learnt from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from omoide.learning.capture import Capture
from omoide.learning.consider import Extraction
from omoide.learning.sweep import line_up, unlearnt
from omoide.learning.teaching import Teaching
from omoide.learning.usage_analysis import Analysis, Analyst
from omoide.nouns.access import owns
from omoide.nouns.change import Because
from omoide.nouns.chore import UPKEEP, Chore
from omoide.nouns.errors import Forbidden, NotFound
from omoide.nouns.item import Details
from omoide.nouns.scope import Scope
from omoide.read.listings import check_page
from omoide.settings.levels import Level, kept
from omoide.settings.switches import Switches
from omoide.store.base import Transaction, committed
from omoide.tables.jobs import EXTRACT_JOB, Jobs
from omoide.tables.sessions import Unlearnt
from omoide.upkeep.decay import decay_of
from omoide.upkeep.tidying import Tidying, never
from omoide.verbs.bound import Bound
from omoide.write.checks import check_time


class Learning(Bound):
    """Learning from sessions, by hand or when they end; by itself it happens as the setting
    ``capture`` says.
    """

    _capture: Capture
    _analyst: Analyst
    _tidying: Tidying
    _teaching: Teaching
    level: Level

    @property
    def switches(self) -> Switches:
        """What of users and of the agent is learnt and recalled; by ``is_on`` an agent knows
        whether it needs context and search.
        """
        return self._teaching.switches

    def _lasting(self, scope: Scope, details: Details) -> Details:
        """The details of something to be remembered, lasting no longer than the level allows, if
        its memory is not off.
        """
        details = kept(self.level, scope, details)
        self.switches.check_on(scope, details)
        return details

    def begin(self, scope: Scope | None = None) -> Scope:
        """The scope with a new session: for an agent that starts, or whose talk begins anew.

        A session that the scope names is over, as by ``end``. What of the user's went unused for
        long becomes less sure by the time that went by, as in a round of upkeep, so that any number
        of starts lower it once.
        """
        scope = self._in(scope)
        if scope.session is not None:
            with suppress(NotFound):  # nothing was said in it
                self.end(scope.session, scope)
        because = Because(actor=UPKEEP, reason=Chore.DECAY.value)
        decay_of(
            self.store, self.clock, Scope(tenant=scope.tenant, user=scope.user), because, never
        )
        return replace(scope, session=self.clock.new_id())

    def extract(
        self,
        session: str,
        scope: Scope | None = None,
        *,
        again: bool = False,
        dry_run: bool = False,
    ) -> list[Extraction]:
        """Learn now from what nothing was learnt from yet in a session, or again from all of it; in
        a dry run only tell what would be.

        Each part of the session is learnt from in one transaction, which ``undo`` takes back by the
        extraction's id; where it is a user's word, acting as the user alone. Learning again changes
        nothing where the same is learnt.

        A session is learnt from by one at a time: where a worker or another caller is at it, this
        one waits, up to five minutes, and goes on with what is left. What the other learnt
        meanwhile comes first, ``by_another``, with its id alone.

        Raises:
            NotFound: no such session in this scope.
            ModelMissing: no language model is configured.
            ModelError: the model failed; what was learnt before that stays.
            Conflict: another still learns from it, or the same turns were changed or forgotten
                meanwhile.
        """
        scope = self._in(scope)
        with self.store.transaction(tenant=scope.tenant, write=False) as tx:
            self._session(tx, scope, session)
        done = self._capture.extract(
            scope.tenant, session, first=0 if again else None, dry_run=dry_run
        )
        self._tidying.wake()  # jobs of the user waited for this one
        return done

    def end(self, session: str, scope: Scope | None = None) -> None:
        """Say that a session is over: what was said is learnt from as soon as a worker gets to it.
        More may still be said.

        Raises:
            NotFound: no such session in this scope.
        """
        scope = self._in(scope)

        def write(tx: Transaction) -> None:
            found = self._session(tx, scope, session)
            if not found.private:
                id, user = f"{EXTRACT_JOB}:{session}", found.owner or ""
                Jobs(tx).schedule(
                    scope.tenant,
                    id,
                    EXTRACT_JOB,
                    user=user,
                    args={"session": session},
                    run_at=self.clock.now(),
                )

        committed(self.store, write, tenant=scope.tenant)
        self._tidying.wake()

    def catch_up(
        self,
        scope: Scope | None = None,
        *,
        since: datetime | None = None,
        limit: int = 100,
        dry_run: bool = False,
    ) -> list[Unlearnt]:
        """Put the scope's user's sessions in line that are in none and were not learnt from to
        their end, however old; those it were.

        Nobody's, where the scope names no user. Private ones and those that are still going on are
        none of them; nor is one that gave up, which ``replay`` tries again. The fullest come first,
        as many as ``limit``; call again for more. In a dry run only tell.

        Raises:
            InvalidInput, InvalidTime: limit or since cannot be.
        """
        scope, now = self._in(scope), self.clock.now()
        check_page(limit)
        after = check_time(since, "since")

        def find(tx: Transaction) -> list[Unlearnt]:
            found = unlearnt(tx, scope.tenant, now, after=after, user=scope.user or "", limit=limit)
            return [one for one in found if owns(scope, one.session)]

        if dry_run:
            with self.store.transaction(tenant=scope.tenant, write=False) as tx:
                return find(tx)
        done = committed(
            self.store,
            lambda tx: [one for one in find(tx) if line_up(tx, one.session, now)],
            tenant=scope.tenant,
        )
        self._tidying.wake()
        return done

    def analyse(self, scope: Scope | None = None, *, dry_run: bool = False) -> Analysis:
        """Let a model look at how the scope's agent used tools for its user in the last seven days,
        and propose facts, for review.

        It sees counts alone: of messages, tools, what follows what, programs that were run, sorts
        of errors. Nothing that was said, asked for or found is among them. In a dry run only tell
        what it would be shown. By itself it happens where the setting ``analyse`` says when.

        Raises:
            Forbidden: what is told to this memory lasts for a session or a project only; usage is
                that of all of them.
            ModelMissing: no language model is configured.
            ModelError: the model failed.
        """
        if self.level is not Level.PERSISTENT:
            raise Forbidden(
                f"a memory of level {self.level.value} keeps nothing that all of a user's sessions"
                " show together"
            )
        return self._analyst.analyse(self._in(scope), dry_run=dry_run)
