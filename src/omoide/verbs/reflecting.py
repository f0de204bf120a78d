"""The verbs of what changes how an agent behaves: reflections, digests and the profile."""

from __future__ import annotations

from omoide.faculties.profile.generation import Profiler
from omoide.faculties.reflection.condensation import Condenser
from omoide.faculties.reflection.formation import Reflector
from omoide.faculties.reflection.suggestions import Reflected
from omoide.jobs.queue import Handler
from omoide.learning.teaching import Teaching
from omoide.nouns.errors import OmoideError, UnknownName
from omoide.nouns.reflection import Digest, DigestKind, Profile, Reflection, kind_of
from omoide.nouns.scope import Scope
from omoide.read.listings import check_page
from omoide.read.recall import readable
from omoide.settings.levels import Level, check_place
from omoide.tables.digests import Digests
from omoide.tables.jobs import CONDENSE_JOB, REFLECT_JOB
from omoide.tables.reflections import Reflections
from omoide.upkeep.tidying import Tidying
from omoide.verbs.bound import Bound

CONDENSED = tuple(kind.value for kind in DigestKind if kind is not DigestKind.PROFILE)


class Reflecting(Bound):
    """Reflecting on sessions, and what comes of it; by itself it happens where the setting
    ``reflect`` is on.
    """

    _reflector: Reflector
    _condenser: Condenser
    _profiler: Profiler
    _tidying: Tidying
    level: Level

    def _context(self, scope: Scope | None) -> str:
        """The context that alone is seen beside the global one; empty where all are."""
        check_place(self.level, self._in(scope))
        return self._in(scope).context if self.level is Level.PROJECT else ""

    def _reflect_with(self, teaching: Teaching) -> dict[str, Handler]:
        """What does the jobs of reflecting and condensing."""
        self._condenser = Condenser(self.store, self.clock, teaching)
        self._reflector = Reflector(self.store, self.clock, teaching, self._condenser)
        self._profiler = Profiler(self.store, self.clock, teaching)
        return {REFLECT_JOB: self._reflector.job, CONDENSE_JOB: self._condenser.job}

    def reflect(
        self, session: str, scope: Scope | None = None, *, again: bool = False
    ) -> list[Reflected]:
        """Reflect now on what was said in a session and not reflected on yet, or again on all of
        it.

        Each part of the session is reflected on in one transaction, which ``undo`` takes back by
        its id. Where a worker or another caller is at it, this one waits, and goes on with what is
        left.

        Raises:
            NotFound: no such session in this scope.
            ModelMissing: no language model is configured.
            ModelError: the model failed; what was formed before that stays.
            Conflict: another still reflects on it after five minutes, or it was forgotten
                meanwhile.
        """
        scope = self._in(scope)
        with self.store.transaction(tenant=scope.tenant, write=False) as tx:
            self._session(tx, scope, session)
        reflected = self._reflector.reflect(scope.tenant, session, first=0 if again else None)
        self._tidying.wake()
        return reflected

    def reflections(
        self, scope: Scope | None = None, *, waiting: bool = False, limit: int = 50
    ) -> list[Reflection]:
        """Reflections of the scope's session, user and agent, latest first; with waiting only those
        that no digest absorbed yet.
        """
        check_page(limit)
        scope = self._in(scope)
        with self.store.transaction(tenant=scope.tenant, write=False) as tx:
            return Reflections(tx).page(
                readable(tx, scope),
                limit,
                absorbed=not waiting,
                context=self._context(scope),
            )

    def digests(self, scope: Scope | None = None, *, history: bool = False) -> list[Digest]:
        """The digests of the scope's session, user and agent; with history every version of them,
        of each the latest first.
        """
        scope = self._in(scope)
        with self.store.transaction(tenant=scope.tenant, write=False) as tx:
            current = Digests(tx).seen(readable(tx, scope), context=self._context(scope))
            return (
                [
                    version
                    for one in current
                    for version in Digests(tx).versions(one.scope, one.kind)
                ]
                if history
                else current
            )

    def condense(self, scope: Scope | None = None, *, kind: str | None = None) -> list[Digest]:
        """Condense now what waits of the scope's session, user and agent, or of one of these,
        however little it is.

        Each is condensed by itself: where one fails, the others still are.

        Raises:
            UnknownName: no such kind.
            ModelMissing: no language model is configured.
            ModelError: the model failed, or what it said may not become a digest; the old one
                stands.
            Conflict: another condensed the same meanwhile.
        """
        if kind not in (None, *CONDENSED):
            raise UnknownName("kind", str(kind), CONDENSED)
        scope = self._in(scope)
        with self.store.transaction(tenant=scope.tenant, write=False) as tx:
            seen = Reflections(tx).scopes(readable(tx, scope), context=self._context(scope))
        made, failed = [], []
        for tally in seen:
            if kind in (None, kind_of(tally.scope).value):
                try:
                    made.append(self._condenser.condense(tally.scope))
                except OmoideError as error:
                    failed.append(error)
        if failed:
            raise failed[0]
        return [digest for digest in made if digest is not None]

    def profile(self, scope: Scope | None = None) -> Profile | None:
        """What is known about the scope's user in a few lines, by importance; None if nothing is.
        To be asked for when a session starts.

        A model makes it, once until something changes; without one, or where it fails, it is the
        items themselves.
        """
        return self._profiler.profile(self._in(scope))
