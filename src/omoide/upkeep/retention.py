"""Pruning: what was learnt from and has rested for long leaves recall, and after a stated time the
store.

The archive is a state of the rows: until its time is over, undo brings back what was pruned. Never
pruned is a session with a turn that nothing was learnt from yet, or with enough of them that are in
no summary. Items keep their quotes; of a turn that is erased in the end, it stays that it was said,
so that forgetting still finds what was learnt from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

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
from omoide.store.base import Store, Transaction, committed
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


class Pruner:
    """Prunes a tenant: expired items always, the rest where a time is set for it."""

    def __init__(self, store: Store, clock: Clock, retention: Retention) -> None:
        self._store, self._clock, self._retention = store, clock, retention

    def __call__(self, at: Round) -> Done:
        """First what was pruned before and whose time is over is erased, then more is pruned."""
        counts = Counter(
            dict.fromkeys(
                (
                    "sessions",
                    "turns",
                    "items",
                    "never confirmed",
                    "procedures",
                    "tool calls",
                    "erased",
                ),
                0,
            )
        )
        for turns in self._over(at):
            counts["erased"] += self._purge_turns(at, turns)
        for item in self._items_over(at):
            counts["erased"] += self._purge_item(at, item)
        counts["erased"] += self._purge_rest(at)
        for session in self._sessions(at):
            counts["turns"] += self._archive_session(at, session)
            counts["sessions"] += 1
        for item in self._items(at):
            counts["items"] += self._archive_item(at, item)
        for item in self._never_confirmed(at):
            counts["never confirmed"] += self._close(at, item)
        for reflection in self._unconfirmed_reflections(at):
            counts["never confirmed"] += self._withdraw(at, reflection)
        counts["procedures"] = self._prune_procedures(at)
        counts["tool calls"] = self._prune_calls(at)
        counts["proposals"] = expire(self._store, self._clock, at.tenant, at.because)
        return Done(chore=Chore.PRUNE, counts=dict(counts), waits=self._kept(at))

    def _over(self, at: Round) -> Iterator[list[Turn]]:
        while not at.stop():
            with self._store.transaction(tenant=at.tenant, write=False) as tx:
                turns = Turns(tx).to_purge(at.tenant, self._clock.now(), PAGE)
            if not turns:
                return
            yield turns

    def _purge_turns(self, at: Round, turns: list[Turn]) -> int:
        def write(tx: Transaction) -> None:
            documents = Documents(tx)
            users = {
                row["user_id"]
                for turn in turns
                for row in documents.of(at.tenant, Kind.TURN, turn.id)
            }
            seqs = {user: documents.lock(at.tenant, user or None) for user in sorted(users)}
            for turn in turns:
                Turns(tx).purge(at.tenant, turn)
                documents.forget(at.tenant, Kind.TURN, turn.id, seqs)
            for session in sorted({turn.session for turn in turns}):
                Ledger(tx).forget(at.tenant, session)  # what proved the texts proves them no more

        committed(self._store, write, tenant=at.tenant)
        return len(turns)

    def _items_over(self, at: Round) -> Iterator[Item]:
        while not at.stop():
            with self._store.transaction(tenant=at.tenant, write=False) as tx:
                items = Items(tx).to_purge(at.tenant, self._clock.now(), 1)
            if not items:
                return
            yield items[0]

    def _purge_item(self, at: Round, item: Item) -> int:
        def write(tx: Transaction, door: Door) -> int:
            door.lock(item.scope)
            return erase_item(tx, door, item)

        return through(self._store, self._clock, at.because, write, tenant=at.tenant)

    def _sessions(self, at: Round) -> Iterator[Session]:
        after = self._retention.prune_after
        while after is not None and not at.stop():
            with self._store.transaction(tenant=at.tenant, write=False) as tx:
                found = Sessions(tx).to_prune(
                    at.tenant, before=self._clock.now() - after, least=LEAST, limit=1
                )
            if not found:
                return
            yield found[0]

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

        return through(self._store, self._clock, at.because, write, tenant=at.tenant)

    def _items(self, at: Round) -> Iterator[Item]:
        now, after = self._clock.now(), self._retention.prune_after
        while not at.stop():
            with self._store.transaction(tenant=at.tenant, write=False) as tx:
                items = Items(tx).expired(at.tenant, now, PAGE)
                if not items and after is not None:
                    items = Items(tx).faded(at.tenant, less=LESS, before=now - after, limit=PAGE)
                if not items and self._retention.items_most:
                    items = Items(tx).beyond(
                        at.tenant, most=self._retention.items_most, now=now, limit=PAGE
                    )
            if not items:
                return
            yield from items

    def _archive_item(self, at: Round, item: Item) -> int:
        def write(tx: Transaction, door: Door) -> int:
            door.lock(item.scope)
            now = Items(tx).find(at.tenant, item.id)
            if (
                now is None
                or replace(
                    now, uses=item.uses, last_used_at=item.last_used_at, confidence=item.confidence
                )
                != item
            ):
                return 0
            door.archive(now, door.now + self._retention.archive_for)
            return 1

        return through(self._store, self._clock, at.because, write, tenant=at.tenant)

    def _never_confirmed(self, at: Round) -> Iterator[Item]:
        before = self._clock.now() - self._retention.unconfirmed_for
        while not at.stop():
            with self._store.transaction(tenant=at.tenant, write=False) as tx:
                items = Items(tx).never_confirmed(at.tenant, before, PAGE)
            if not items:
                return
            yield from items

    def _unconfirmed_reflections(self, at: Round) -> Iterator[Reflection]:
        before = self._clock.now() - self._retention.unconfirmed_for
        while not at.stop():
            with self._store.transaction(tenant=at.tenant, write=False) as tx:
                found = Reflections(tx).never_confirmed(at.tenant, before, PAGE)
            if not found:
                return
            yield from found

    def _withdraw(self, at: Round, reflection: Reflection) -> int:
        """Withdraw a reflection that nobody confirmed in its time; undo brings it back."""

        def write(tx: Transaction, door: Door) -> int:
            now = Reflections(tx).find(at.tenant, reflection.id)
            if now is None or now.unconfirmed is None or now.withdrawn_at is not None:
                return 0
            withdraw_reflection(tx, door, now, Action.EXPIRE)
            return 1

        because = replace(at.because, reason=Unconfirmed.NEVER.value)
        return through(self._store, self._clock, because, write, tenant=at.tenant)

    def _close(self, at: Round, item: Item) -> int:
        """Close an item that nobody confirmed in its time; history keeps it, and undo opens it."""

        def write(tx: Transaction, door: Door) -> int:
            door.lock(item.scope)
            now = Items(tx).find(at.tenant, item.id)
            if now is None or not now.is_open or now.unconfirmed is not Unconfirmed.NEVER:
                return 0
            door.expire(now)
            return 1

        because = replace(at.because, reason=Unconfirmed.NEVER.value)
        return through(self._store, self._clock, because, write, tenant=at.tenant)

    def _prune_procedures(self, at: Round) -> int:
        """Switch off what nobody used for ninety days and another procedure of the same place is
        better than.
        """
        if self._retention.prune_after is None or at.stop():
            return 0
        with self._store.transaction(tenant=at.tenant, write=False) as tx:
            places: dict[Scope, list[Procedure]] = {}
            for one in Procedures(tx).after(at.tenant, "", 1_000_000):
                if one.is_current:
                    places.setdefault(one.scope, []).append(one)
        old = [one for place in places.values() for one in to_prune(place, self._clock.now())]
        for one in old:
            through(
                self._store,
                self._clock,
                at.because,
                partial(enable, procedure=one, enabled=False),
                tenant=at.tenant,
            )
        return len(old)

    def _prune_calls(self, at: Round) -> int:
        if self._retention.prune_after is None or at.stop():
            return 0
        now = self._clock.now()
        times = {
            "before": now - self._retention.prune_after,
            "purge_at": now + self._retention.archive_for,
        }

        def write(tx: Transaction, door: Door) -> int:
            users = ToolCalls(tx).to_prune(at.tenant, times["before"])
            return sum(
                archive_calls(tx, door, Scope(tenant=at.tenant, user=user or None), **times)
                for user in users
            )

        return through(self._store, self._clock, at.because, write, tenant=at.tenant)

    def _purge_rest(self, at: Round) -> int:
        """Erase tool calls, proposals that were rejected or expired, and notes of model calls, each
        once its time is over.
        """
        now = self._clock.now()
        calls = committed(
            self._store, lambda tx: ToolCalls(tx).purge(at.tenant, now), tenant=at.tenant
        )
        calls += committed(
            self._store,
            lambda tx: ModelCalls(tx).drop(now - self._retention.calls_for),
            tenant=None,
        )  # those of all tenants
        return calls + purge(self._store, at.tenant, now - self._retention.archive_for)

    def _kept(self, at: Round) -> str:
        after = self._retention.prune_after
        if after is None:
            return ""
        with self._store.transaction(tenant=at.tenant, write=False) as tx:
            kept = Sessions(tx).resting(at.tenant, self._clock.now() - after)
        some = "1 old session is" if kept == 1 else f"{kept} old sessions are"
        return f"{some} kept until learnt from" if kept else ""
