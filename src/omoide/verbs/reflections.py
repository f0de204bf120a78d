"""The verbs of reflections: what sessions teach about how to act, its digests, the profile."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.faculties.reflection.suggestions import Reflected
from omoide.nouns.access import Right
from omoide.nouns.errors import OmoideError, UnknownName
from omoide.nouns.reflection import Digest, DigestKind, Profile, Reflection, kind_of
from omoide.nouns.scope import Scope
from omoide.read.listings import check_page
from omoide.read.question import readable
from omoide.settings.levels import Level, check_place
from omoide.store.base import read_only
from omoide.tables.digests import Digests
from omoide.tables.reflections import Reflections
from omoide.verbs.bound import Bound
from omoide.wire.verbs import Returns, verb

CONDENSED = tuple(kind.value for kind in DigestKind if kind is not DigestKind.PROFILE)


class ReflectionVerbs(Bound):
    """Reflections, digests and the profile; the setting ``reflect`` makes them by itself."""

    @verb(Right.READ, "list()", returns=Returns.PAGE, idempotent=True)
    def list(
        self, scope: Scope | None = None, *, waiting: bool = False, limit: int = 50
    ) -> Sequence[Reflection]:
        """Return reflections of the scope's session, user and agent, latest first; with ``waiting``
        only those that no digest absorbed yet.

        Raises:
            InvalidInput: the limit is out of range.
        """
        check_page(limit)
        scope = self._in(scope)
        with read_only(self.store, scope.tenant) as tx:
            return Reflections(tx).page(
                readable(tx, scope),
                limit,
                absorbed=not waiting,
                context=self._context(scope),
            )

    @verb(
        Right.WRITE,
        'add("chat-1")',
        subject="session",
        returns=Returns.PAGE,
        long=True,
        asks_model=True,
    )
    def add(
        self, session: str, scope: Scope | None = None, *, again: bool = False
    ) -> Sequence[Reflected]:
        """Reflect now on the turns of a session that were not reflected on yet; with ``again``, on
        all of them.

        Each part of the session is one transaction, which ``undo`` takes back by its id. If a
        worker holds the session's job lock, the call waits, then processes the remaining turns.

        Raises:
            NotFound: no such session in this scope.
            ModelMissing: no language model is configured.
            ModelError: the model failed; what was formed before that stays.
            Conflict: another still reflects on it after five minutes, or it was forgotten
                meanwhile.
        """
        engine, scope = self._engine, self._in(scope)
        id = self._asked_session(scope, session)
        reflected = engine.reflector.reflect(scope.tenant, id, first=0 if again else None)
        engine.tidying.wake()
        return reflected

    @verb(Right.READ, "digests()", returns=Returns.PAGE, idempotent=True)
    def digests(self, scope: Scope | None = None, *, history: bool = False) -> Sequence[Digest]:
        """Return the digests of the scope's session, user and agent; with ``history`` all versions,
        latest first.
        """
        scope = self._in(scope)
        with read_only(self.store, scope.tenant) as tx:
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

    @verb(Right.WRITE, 'condense(kind="user")', returns=Returns.PAGE, long=True, asks_model=True)
    def condense(self, scope: Scope | None = None, *, kind: str | None = None) -> Sequence[Digest]:
        """Condense the waiting reflections of the scope's session, user and agent, or of one of
        these, however few there are.

        Each is condensed by itself: if one fails, the others still are.

        Raises:
            UnknownName: no such kind.
            ModelMissing: no language model is configured.
            ModelError: the model failed, or its answer cannot become a digest; the old one stands.
            Conflict: another condensed the same meanwhile.
        """
        if kind not in (None, *CONDENSED):
            raise UnknownName("kind", str(kind), CONDENSED)
        scope = self._in(scope)
        with read_only(self.store, scope.tenant) as tx:
            seen = Reflections(tx).scopes(readable(tx, scope), context=self._context(scope))
        made, failed = [], []
        for one in (tally.scope for tally in seen):
            if kind in (None, kind_of(one).value):
                try:
                    made.append(self._engine.condenser.condense(one))
                except OmoideError as error:
                    failed.append(error)
        if failed:
            raise failed[0]
        return [digest for digest in made if digest is not None]

    @verb(Right.READ, "profile()", asks_model=True, mcp="read")
    def profile(self, scope: Scope | None = None) -> Profile | None:
        """Return what is known about the scope's user in a few lines, the most important first;
        None if nothing is. Ask for it when a session starts.

        A model makes it, once until something changes; without a model, or if it fails, the profile
        is the items themselves.
        """
        self._engine.uses.write()
        return self._engine.profiler.profile(self._in(scope))

    def _context(self, scope: Scope) -> str:
        """The only context that is seen beside the global one; empty where all are."""
        level = self._engine.level
        check_place(level, scope)
        return scope.context if level is Level.PROJECT else ""
