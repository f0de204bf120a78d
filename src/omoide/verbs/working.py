"""The verbs about work that waits to be done: seeing it, and trying again what gave up."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.nouns.chore import Tidied
from omoide.nouns.errors import NotFound, UnknownName
from omoide.nouns.scope import Scope
from omoide.read.listings import check_page
from omoide.read.uses import Uses
from omoide.store.base import committed
from omoide.tables.jobs import Jobs, Queued
from omoide.upkeep.rounds import Rounds
from omoide.upkeep.tidying import Tidying
from omoide.verbs.bound import Bound
from omoide.write.checks import check_line

STATES = ("ready", "leased", "dead")
JOB_LIMIT = 300  # characters of an id: a kind, and the id of what it is about


class Working(Bound):
    """Jobs: made by other verbs, done in the background, by ``tidy`` or by ``omoide worker``."""

    _tidying: Tidying
    _rounds: Rounds
    _uses: Uses

    @property
    def upkeep(self) -> Tidying:
        """What does the jobs; ``with memory.upkeep.worker(threads=4) as worker`` lets more threads
        do them.
        """
        return self._tidying

    def tidy(self, *, only: Sequence[str] | None = None) -> Tidied:
        """Do a round of upkeep over the whole store, or with only these chores of one: vectors,
        decay, reconcile, distil, condense, prune.

        What it changes of a scope's memories is taken back by ``undo`` with the round's id.

        Raises:
            UnknownName: no such chore.
            ModelError: a model failed; what was done stays, and the rest is done by the next round.
        """
        self._uses.write()
        return self._rounds.tidy(only)

    def jobs(
        self, scope: Scope | None = None, *, state: str | None = None, limit: int = 100
    ) -> list[Queued]:
        """A scope's jobs, and those of nobody in particular, in the order of their times:
        ``ready``, ``leased`` or ``dead``.

        Dead ones gave up; each says why.
        """
        if state not in (None, *STATES):
            raise UnknownName("state", str(state), STATES)
        check_page(limit)
        with self.store.transaction(tenant=self._in(scope).tenant, write=False) as tx:
            return Jobs(tx).page(self._in(scope), state or "", limit, self.clock.now())

    def replay(
        self, id: str | None = None, scope: Scope | None = None, *, kind: str | None = None
    ) -> int:
        """Let a job that gave up be tried again, or all of a kind, or all; how many. Also one that
        waits for its next try.

        Raises:
            NotFound: no job of that id in this scope gave up or waits for another try.
        """
        for value, field in ((id, "id"), (kind, "kind")):
            check_line(value or "", field, JOB_LIMIT)
        count = committed(
            self.store,
            lambda tx: Jobs(tx).replay(self.clock.now(), self._in(scope), id=id, kind=kind),
            tenant=self._in(scope).tenant,
        )
        if id is not None and not count:
            raise NotFound("failed job", id)
        self._tidying.wake()
        return count

    def raw_answer(self, id: str, scope: Scope | None = None) -> str:
        """What a model said that made a job fail: word for word but for secrets, up to 20,000
        characters; empty if nothing.

        Raises:
            NotFound: no such job in this scope.
        """
        check_line(id, "id", JOB_LIMIT)
        with self.store.transaction(tenant=self._in(scope).tenant, write=False) as tx:
            answer = Jobs(tx).answer(self._in(scope), id)
        if answer is None:
            raise NotFound("job", id)
        return answer
