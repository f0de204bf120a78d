"""Pruning: what was learnt from and has rested for long leaves recall, and after a stated time the
store.

The archive is a state of the rows: until its time is over, undo brings back what was pruned. Never
pruned is a session with a turn that nothing was learnt from yet, or with enough of them that are in
no summary. Items keep their quotes; of a turn that is erased in the end, it stays that it was said,
so that forgetting still finds what was learnt from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from omoide.faculties.procedures.door import enable
from omoide.faculties.reflection.door import withdraw_reflection
from omoide.forgetting.erasure import erase_item
from omoide.nouns.change import Action
from omoide.nouns.chore import Chore, Done, Round
from omoide.nouns.clock import Clock
from omoide.nouns.item import Item, Unconfirmed
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure, to_prune
from omoide.nouns.reflection import Reflection
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.review.decisions import expire, purge
from omoide.settings.retention import Retention
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.calls import ModelCalls
from omoide.tables.documents import Documents
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger
from omoide.tables.procedures import Procedures
from omoide.tables.reflections import Reflections
from omoide.tables.sessions import Sessions
from omoide.tables.tools import ToolCalls
from omoide.tables.turns import Turns
from omoide.upkeep.distil import LEAST
from omoide.write.apply import Door, through
from omoide.write.tool_calls import archive_calls
from omoide.write.turn_log import archive_turns

# items less sure than this are pruned, once nobody has used them for as long as sessions are kept
LESS = 0.1
PAGE = 200

T = TypeVar("T")


class Pruner:
    """Prunes a tenant: expired items always, the rest where a time is set for it."""

    def __init__(self, store: Store, clock: Clock, retention: Retention) -> None:
        self._store, self._clock, self._retention = store, clock, retention

    def __call__(self, at: Round) -> Done:
        """First what was pruned before and whose time is over is erased, then more is pruned."""
        counts: Counter[str] = Counter(dict.fromkeys(("sessions", "turns", "items"), 0))
        counts["erased"] = self._erase(at)
        for session in self._found(at, self._resting):
            counts["turns"] += self._archive_session(at, session)
            counts["sessions"] += 1
        for item in self._found(at, self._unneeded):
            counts["items"] += self._archive_item(at, item)
        counts["never confirmed"] = self._never_confirmed(at)
        counts["procedures"] = self._prune_procedures(at)
        counts["tool calls"] = self._prune_calls(at)
        counts["proposals"] = expire(self._store, self._clock, at.tenant, at.because)
        return Done(chore=Chore.PRUNE, counts=dict(counts), waits=self._kept(at))

    def _found(
        self, at: Round, find: Callable[[Transaction, str, datetime], Iterable[T]]
    ) -> Iterator[T]:
        """What is found in a tenant, again and again, until nothing is or the round is to stop."""
        while not at.stop():
            with read_only(self._store, at.tenant) as tx:
                page = list(find(tx, at.tenant, self._clock.now()))
            if not page:
                return
            yield from page

    def _through(self, at: Round, write: Callable[[Transaction, Door], T]) -> T:
        return through(self._store, self._clock, at.because, write, tenant=at.tenant)

    def _erase(self, at: Round) -> int:
        """Erase what was pruned, and notes of model calls, once the time of each is over."""
        turns = self._found(
            at, lambda tx, of, now: filter(None, [Turns(tx).to_purge(of, now, PAGE)])
        )
        erased = sum(self._purge_turns(at.tenant, page) for page in turns)
        items = self._found(at, lambda tx, of, now: Items(tx).to_purge(of, now, 1))
        erased += sum(self._purge_item(at, item) for item in items)
        store, tenant, now = self._store, at.tenant, self._clock.now()
        erased += committed(store, lambda tx: ToolCalls(tx).purge(tenant, now), tenant=tenant)
        old = now - self._retention.calls_for
        erased += committed(store, lambda tx: ModelCalls(tx).drop(old), tenant=None)  # of all
        return erased + purge(store, tenant, now - self._retention.archive_for)

    def _purge_turns(self, tenant: str, turns: list[Turn]) -> int:
        def write(tx: Transaction) -> None:
            documents = Documents(tx)
            rows = (row for turn in turns for row in documents.of(tenant, Kind.TURN, turn.id))
            users = {row["user_id"] for row in rows}
            seqs = {user: documents.lock(tenant, user or None) for user in sorted(users)}
            for turn in turns:
                Turns(tx).purge(tenant, turn)
                documents.forget(tenant, Kind.TURN, turn.id, seqs)
            for session in sorted({turn.session for turn in turns}):
                Ledger(tx).forget(tenant, session)  # what proved the texts proves them no more

        committed(self._store, write, tenant=tenant)
        return len(turns)

    def _purge_item(self, at: Round, item: Item) -> int:
        def write(tx: Transaction, door: Door) -> int:
            door.lock(item.scope)
            return erase_item(tx, door, item)

        return self._through(at, write)

    def _resting(self, tx: Transaction, tenant: str, now: datetime) -> list[Session]:
        """The session that has rested longest, and for long enough."""
        after = self._retention.prune_after
        if after is None:
            return []
        return Sessions(tx).to_prune(tenant, before=now - after, least=LEAST, limit=1)

    def _archive_session(self, at: Round, session: Session) -> int:
        """Archive a session's turns, unless somebody has said more in it meanwhile."""

        def write(tx: Transaction, door: Door) -> int:
            door.lock(session.scope)
            now = Sessions(tx).lock(at.tenant, session.id)
            if now is None or now.last_at != session.last_at:
                return 0
            count = archive_turns(door, now, 0, now.turns, door.now + self._retention.archive_for)
            Sessions(tx).hide(at.tenant, session.id, door.now)
            return count

        return self._through(at, write)

    def _unneeded(self, tx: Transaction, tenant: str, now: datetime) -> list[Item]:
        """Items that expired; else those that faded; else those beyond the most that are kept."""
        table, after, most = Items(tx), self._retention.prune_after, self._retention.items_most
        items = table.expired(tenant, now, PAGE)
        if not items and after is not None:
            items = table.faded(tenant, less=LESS, before=now - after, limit=PAGE)
        if not items and most:
            items = table.beyond(tenant, most=most, now=now, limit=PAGE)
        return items

    def _archive_item(self, at: Round, item: Item) -> int:
        """Archive an item, unless it was changed meanwhile; that it was used is no change."""

        def write(tx: Transaction, door: Door) -> int:
            door.lock(item.scope)
            now = Items(tx).find(at.tenant, item.id)
            used = ("uses", "last_used_at", "confidence")
            if now is None or replace(now, **{name: getattr(item, name) for name in used}) != item:
                return 0
            door.archive(now, door.now + self._retention.archive_for)
            return 1

        return self._through(at, write)

    def _never_confirmed(self, at: Round) -> int:
        """End the items and reflections that nobody confirmed in their time; history keeps them,
        and undo brings them back.
        """
        at = replace(at, because=replace(at.because, reason=Unconfirmed.NEVER.value))
        spared = self._retention.unconfirmed_for
        items = self._found(
            at, lambda tx, of, now: Items(tx).never_confirmed(of, now - spared, PAGE)
        )
        done = sum(self._close(at, item) for item in items)
        reflections = self._found(
            at, lambda tx, of, now: Reflections(tx).never_confirmed(of, now - spared, PAGE)
        )
        return done + sum(self._withdraw(at, one) for one in reflections)

    def _withdraw(self, at: Round, reflection: Reflection) -> int:
        def write(tx: Transaction, door: Door) -> int:
            now = Reflections(tx).find(at.tenant, reflection.id)
            if now is None or now.unconfirmed is None or now.withdrawn_at is not None:
                return 0
            withdraw_reflection(tx, door, now, Action.EXPIRE)
            return 1

        return self._through(at, write)

    def _close(self, at: Round, item: Item) -> int:
        def write(tx: Transaction, door: Door) -> int:
            door.lock(item.scope)
            now = Items(tx).find(at.tenant, item.id)
            if now is None or not now.is_open or now.unconfirmed is not Unconfirmed.NEVER:
                return 0
            door.expire(now)
            return 1

        return self._through(at, write)

    def _prune_procedures(self, at: Round) -> int:
        """Switch off what nobody used for ninety days and another procedure of the same place is
        better than.
        """
        if self._retention.prune_after is None or at.stop():
            return 0
        with read_only(self._store, at.tenant) as tx:
            places: dict[Scope, list[Procedure]] = {}
            for one in Procedures(tx).after(at.tenant, "", 1_000_000):
                if one.is_current:
                    places.setdefault(one.scope, []).append(one)
        old = [one for place in places.values() for one in to_prune(place, self._clock.now())]
        for one in old:
            self._through(at, partial(enable, procedure=one, enabled=False))
        return len(old)

    def _prune_calls(self, at: Round) -> int:
        after, now = self._retention.prune_after, self._clock.now()
        if after is None or at.stop():
            return 0

        def write(tx: Transaction, door: Door) -> int:
            times = {"before": now - after, "purge_at": now + self._retention.archive_for}
            users = ToolCalls(tx).to_prune(at.tenant, times["before"])
            scopes = (Scope(tenant=at.tenant, user=user or None) for user in users)
            return sum(archive_calls(tx, door, scope, **times) for scope in scopes)

        return self._through(at, write)

    def _kept(self, at: Round) -> str:
        after = self._retention.prune_after
        if after is None:
            return ""
        with read_only(self._store, at.tenant) as tx:
            kept = Sessions(tx).resting(at.tenant, self._clock.now() - after)
        some = "1 old session is" if kept == 1 else f"{kept} old sessions are"
        return f"{some} kept until learned from" if kept else ""
