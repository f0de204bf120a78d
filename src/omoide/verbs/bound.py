"""What every group of verbs has: the engine, and the place that its calls act in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import tzinfo
from typing import Any, Self

from omoide.nouns.access import Principal, Right, owns, takes_part
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock, in_zone
from omoide.nouns.errors import NotFound, OwnerMissing, ScopeConflict
from omoide.nouns.ids import SessionId, clean_id
from omoide.nouns.scope import DEFAULT_TENANT, GLOBAL, NAMES, NOWHERE, Scope
from omoide.nouns.session import Session
from omoide.read.masking import asks_for_sensitive, shown
from omoide.read.notes import with_notes
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.jobs import is_nameless
from omoide.tables.sessions import Sessions
from omoide.telemetry.damage import damage_noted
from omoide.telemetry.tracing import span
from omoide.text.secrets import masking, stored_kinds
from omoide.verbs.engine import Engine
from omoide.verbs.other_names import OtherNames
from omoide.verbs.place import Place
from omoide.wire.arguments import checked
from omoide.wire.verbs import Verb
from omoide.write.apply import Writer
from omoide.write.checks import check_because
from omoide.write.remember import Remembered


class Bound(OtherNames):
    """A group of verbs over one engine, bound to a place."""

    def __init__(self, engine: Engine, place: Place) -> None:
        self._engine, self._place = engine, place

    def __repr__(self) -> str:
        store, scope = self._engine.store, self._place.bound.filled(self._place.usual)
        place = store.path or store.engine  # which has no password
        names = {name: getattr(scope, name) for name in (*NAMES, "shared")}
        told = (f"{n}={value!r}" for n, value in names.items() if value != getattr(NOWHERE, n))
        return f"{type(self).__name__}({', '.join((repr(place), *told))})"

    @property
    def store(self) -> Store:
        """The store that all verbs act on."""
        return self._engine.store

    @property
    def clock(self) -> Clock:
        """Where the time and new ids come from."""
        return self._engine.clock

    @property
    def scope(self) -> Scope:
        """Where calls act that name no scope."""
        return self._place.scope()

    def zone(self, scope: Scope | None = None) -> tzinfo | None:
        """The time zone of the scope's user, in which days are meant and shown; None: the
        machine's.
        """
        try:
            found = self._place.scope(scope)
        except ScopeConflict:  # which the call itself tells
            return self._engine.zones.usual
        return self._engine.zones.of(found.tenant, found.user)

    @checked
    def at(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        context: str = GLOBAL,
        tenant: str = DEFAULT_TENANT,
        shared: bool = False,
    ) -> Self:
        """Return the same memory bound to a user, agent, session or context: its calls act there.

        With ``shared`` it is bound to no user: what it writes belongs to everybody.

        Raises:
            InvalidScope: a name cannot be one, or both a user and ``shared`` are given.
            ScopeConflict: this memory is bound to another one already.
        """
        given = Scope(
            tenant=tenant, agent=agent, user=user, session=session, context=context, shared=shared
        )
        return self._twin(self._place.at(given))

    @checked
    def acting(self, because: Because) -> Self:
        """Return the same memory with its changes put down to an actor, a reason and a cause."""
        return self._twin(replace(self._place, because=check_because(because)))

    @checked
    def for_principal(self, principal: Principal) -> Self:
        """Return the same memory for somebody else who asks, within their scope and rights."""
        return self._twin(replace(self._place, principal=principal))

    def _twin(self, place: Place) -> Self:
        """The same group of the same engine in another place."""
        twin = object.__new__(type(self))
        twin._engine, twin._place = self._engine, place
        return twin

    def _in(self, scope: Scope | None) -> Scope:
        """The scope that a call acts in, its session by id."""
        found = self._place.scope(scope)
        if found.session is None:
            return found
        return replace(found, session=self._session_id(found, found.session))

    def _session_id(self, scope: Scope, name: str) -> SessionId:
        """The id of the session that a call names."""
        with read_only(self.store, scope.tenant) as tx:
            return Sessions(tx).named(scope, clean_id(name, "session"))

    def _sees_whole(self, scope: Scope) -> bool:
        """Whether the asker may see jobs of the store itself."""
        return is_nameless(scope) and Right.ADMIN in self._place.principal.rights

    def _owned(self, scope: Scope | None) -> Scope:
        """The scope that a call writes in, which names an owner.

        Raises:
            OwnerMissing: it names none.
        """
        scope = self._in(scope)
        self._check_owner(scope)
        return scope

    def _check_owner(self, scope: Scope, users: Iterable[str | None] = ()) -> None:
        """That a scope, or what is said in it, names an owner: a user, an agent, a session that
        users take part in, or everybody on purpose.

        Raises:
            OwnerMissing: it names none of them.
        """
        if scope.user or scope.agent or scope.shared or any(users):
            return
        if scope.session is not None:
            with read_only(self.store, scope.tenant) as tx:
                id = Sessions(tx).named(scope, scope.session)
                session = Sessions(tx).find(scope.tenant, id)
            if session is not None and session.users:
                return
        raise OwnerMissing

    def _writer(self, scope: Scope | None) -> Writer:
        """Who changes knowledge in a scope, as far as it was used until now."""
        self._engine.uses.write()
        return Writer(self.store, self.clock, self._in(scope), self._because)

    @property
    def _because(self) -> Because:
        return self._place.because

    def _run(self, declared: Verb, call: Callable[[], Any]) -> Any:
        """Run a verb for the principal: no secret comes in while it runs, and none goes out that
        was stored before, but for what is kept and asked for.

        Raises:
            Forbidden: the principal lacks the right that the verb needs.
        """
        self._place.principal.check_right(declared.right, declared.full_name)
        engine, named = self._engine, (*call.args, *call.keywords.values())  # type: ignore[attr-defined]
        zone = self.zone(next((one for one in named if isinstance(one, Scope)), None))
        with (
            masking(engine.masks, kept=engine.kept),
            in_zone(zone),
            span(declared.operation),
        ):
            with damage_noted() as damage:
                result = call()
            result = with_notes(result, damage) if damage else result
            kinds = stored_kinds() if asks_for_sensitive(call) else engine.masks
        with masking(kinds):
            if isinstance(result, Remembered):
                return replace(result, item=shown(result.item))
            return shown(result)

    def _asked_session(self, scope: Scope, name: str) -> SessionId:
        """The id of a session that the asker may have learnt from.

        Raises:
            NotFound: no such session in this scope.
        """
        with read_only(self.store, scope.tenant) as tx:
            return self._session(tx, scope, name).id

    @staticmethod
    def _session(tx: Transaction, scope: Scope, name: str) -> Session:
        """A session that the asker may have learned from.

        Raises:
            NotFound: no such session in this scope.
        """
        id = Sessions(tx).named(scope, clean_id(name, "session"))
        session = Sessions(tx).find(scope.tenant, id)
        if session is None or not (owns(scope, session) or takes_part(scope, session)):
            raise NotFound("session", name)
        return session
