"""The verbs of jobs: background work that waits, runs, or failed."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.nouns.access import Right
from omoide.nouns.chore import Ran
from omoide.nouns.errors import NotFound, UnknownName
from omoide.nouns.scope import Scope
from omoide.read.listings import check_page
from omoide.store.base import committed, read_only
from omoide.tables.jobs import Jobs, Queued
from omoide.verbs.bound import Bound
from omoide.wire.verbs import Returns, verb
from omoide.write.checks import check_line

STATES = ("ready", "leased", "dead")
JOB_LIMIT = 300  # characters of an id: a kind, and the id of what it is about


class JobVerbs(Bound):
    """Jobs: made by other verbs, run in the background, by ``admin.tidy`` or ``omoide worker``."""

    @verb(Right.READ, 'list(state="dead")', returns=Returns.PAGE, idempotent=True)
    def list(
        self, scope: Scope | None = None, *, state: str | None = None, limit: int = 100
    ) -> Sequence[Queued]:
        """Return the scope's jobs, and those of no user, in the order of their times.

        Jobs of the store itself, such as making vectors, tell of everybody's work. Only an
        administrator sees them, in a scope without a user, agent or session.

        ``state`` is ``ready``, ``leased`` or ``dead``. A dead job failed for good, and says why.

        Raises:
            UnknownName: no such state.
            InvalidInput: the limit is out of range.
        """
        if state not in (None, *STATES):
            raise UnknownName("state", str(state), STATES)
        check_page(limit)
        scope = self._in(scope)
        with read_only(self.store, scope.tenant) as tx:
            return Jobs(tx).page(
                scope, state or "", limit, self.clock.now(), whole=self._sees_whole(scope)
            )

    @verb(Right.WRITE, 'replay(kind="extract")', idempotent=True)
    def replay(
        self, id: str | None = None, scope: Scope | None = None, *, kind: str | None = None
    ) -> int:
        """Retry a dead job, all of a kind, or all; return how many. A job that waits for its next
        try is retried at once.

        Raises:
            NotFound: no job of that id in this scope is dead or waits for another try.
        """
        for value, field in ((id, "id"), (kind, "kind")):
            check_line(value or "", field, JOB_LIMIT)
        asker = self._in(scope)
        count = committed(
            self.store,
            lambda tx: Jobs(tx).replay(
                self.clock.now(), asker, id=id, kind=kind, whole=self._sees_whole(asker)
            ),
            tenant=asker.tenant,
        )
        if id is not None and not count:
            raise NotFound("failed job", id)
        self._engine.tidying.wake()
        return count

    @verb(Right.ADMIN, "run(limit=10)", long=True, asks_model=True)
    def run(self, *, limit: int = 100, kind: str | None = None) -> Ran:
        """Run the jobs of the store that are due now, at most ``limit``, or only those of a kind;
        return what ran.

        A job that fails waits for its next try, as with ``omoide worker``.

        Raises:
            UnknownName: this memory runs no jobs of that kind.
            InvalidInput: the limit is out of range.
        """
        check_page(limit)
        tidying = self._engine.tidying
        if kind is not None and kind not in tidying.queue.handlers:
            raise UnknownName("kind", kind, tuple(sorted(tidying.queue.handlers)))
        done = tidying.run(limit, None if kind is None else {kind})
        return Ran(
            done=done.done,
            failed=done.failed,
            dead=done.dead,
            kinds=dict(done.kinds),
            error="" if done.error is None else type(done.error).__name__,
        )

    @verb(Right.READ, 'answer("extract:chat-1")', subject="id", idempotent=True)
    def answer(self, id: str, scope: Scope | None = None) -> str:
        """Return the model's answer that made a job fail: its words without secrets, up to 20,000
        characters; empty if there is none.

        Raises:
            NotFound: no such job in this scope.
        """
        check_line(id, "id", JOB_LIMIT)
        scope = self._in(scope)
        with read_only(self.store, scope.tenant) as tx:
            answer = Jobs(tx).answer(scope, id, whole=self._sees_whole(scope))
        if answer is None:
            raise NotFound("job", id)
        return answer
