"""Assembly: from a question to a context. It reads the store, and lets a strategy make the text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from omoide.context.budget import Budget
from omoide.context.frozen import frozen
from omoide.context.material import NO_STANDING, STANDING, Material, Standing
from omoide.context.result import Context
from omoide.models.recent import Lately
from omoide.nouns.clock import Clock, user_zone
from omoide.nouns.errors import UnknownName
from omoide.nouns.hit import Hit
from omoide.nouns.item import Item
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.read.masking import shown
from omoide.read.recall import Recaller, readable
from omoide.settings.switches import Switches, level_of
from omoide.store.base import Store, Transaction
from omoide.tables.items import Items
from omoide.tables.sessions import Sessions
from omoide.text.secrets import masking

STRATEGIES = {"frozen": frozen}
LINE_TOKENS = 12  # the least that a hit takes
HITS = (10, 200)  # asked for, at least and at most
SOON, DUE_MOST = timedelta(days=7), 10
KEPT_S = 24 * 3600.0  # how long the stable part of a session is kept


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What a context is to be like; kinds are the secrets that are masked in it."""

    budget: Budget
    strategy: str
    kinds: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """A context, and the hits that are in it."""

    context: Context
    hits: tuple[Hit, ...] = ()


class Assembler:
    """Makes contexts from one store."""

    def __init__(self, store: Store, clock: Clock, recaller: Recaller, switches: Switches) -> None:
        self._store, self._clock, self._recaller = store, clock, recaller
        self._switches = switches
        self._frozen: Lately[Standing] = Lately(kept_s=KEPT_S)

    def context(self, scope: Scope, query: Query, wanted: Wanted) -> Made:
        """The context that a strategy makes for a query.

        Raises:
            InvalidInput, TooLong, UnknownName, InvalidTime: it cannot be asked like this.
            ModelError: the embedder failed.
        """
        if wanted.strategy not in STRATEGIES:
            raise UnknownName("strategy", wanted.strategy, tuple(STRATEGIES))
        with masking(wanted.kinds):
            material = self.material(scope, query, wanted)
        made = STRATEGIES[wanted.strategy](material, wanted.budget)
        ids = frozenset(made.ids)
        return Made(context=made, hits=tuple(hit for hit in material.hits if hit.id in ids))

    def material(self, scope: Scope, query: Query, wanted: Wanted) -> Material:
        """All that a strategy may need: what answers, and what stands whatever is asked."""
        limit = max(HITS[0], min(HITS[1], wanted.budget.tokens // LINE_TOKENS))
        recalled = self._recaller.recall(scope, query, limit)
        now = self._clock.now().astimezone(user_zone())
        with self._store.transaction(tenant=scope.tenant, write=False) as tx:
            seen = readable(tx, scope)
            standing, since, ended = self._standing(tx, seen, query, now)
            due = Items(tx).due(
                seen,
                now=now,
                before=now + SOON,
                overdue=True,
                context=seen.context,
                sensitive=False,
                limit=DUE_MOST,
            )
        return Material(
            now=now,
            question=query.text,
            hits=tuple(shown(list(recalled.hits))),
            answerable=recalled.answerable,
            degraded=recalled.degraded,
            off=tuple(sorted(self._switches.off)),
            standing=standing,
            since=since,
            ended=tuple(shown(ended)),
            due=tuple(shown([item for item in due if self._is_on(item)])),
        )

    def _standing(
        self, tx: Transaction, scope: Scope, query: Query, now: datetime
    ) -> tuple[Standing, Standing, list[Item]]:
        """What stood when the session began, what stands since, and what of the former ended."""
        current = self._read(tx, scope, query.known_at or now, now)
        if scope.session is None or query.known_at is not None:
            return current, NO_STANDING, []
        key = [scope.tenant, scope.agent or "", scope.user or "", scope.session, scope.context]
        kept = self._frozen.get(*key)
        if kept is None:
            session = Sessions(tx).find(scope.tenant, scope.session)
            began = session.started_at if session is not None else None
            kept = self._read(tx, scope, min(began or now, now), now)
            self._frozen.put(kept, *key)
        held = current.ids
        gone = [item.id for item in kept.items if item.id not in held]
        ended = Items(tx).many(scope, gone) if gone else {}
        if len(ended) < len(gone):  # forgotten: nothing of it may stay
            self._frozen.put(current, *key)
            return current, NO_STANDING, []
        new = tuple(item for item in current.items if item.id not in kept.ids)
        return kept, Standing(items=new), [i for i in ended.values() if not i.holds]

    def _read(self, tx: Transaction, scope: Scope, known: datetime, now: datetime) -> Standing:
        items = [
            item
            for category, limit in STANDING.items()
            for item in Items(tx).standing(scope, category, known=known, now=now, limit=limit)
            if self._is_on(item)
        ]
        return Standing(items=tuple(shown(items)), at=known)

    def _is_on(self, item: Item) -> bool:
        return level_of(item.scope) not in self._switches.off
