"""Assembly: from a question to a context. It reads the store, and lets a strategy make the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from omoide.context.budget import Budget
from omoide.context.layout import rules_block
from omoide.context.material import Material
from omoide.context.result import Context
from omoide.context.standing import StandingReader, held_then
from omoide.context.strategies import Need, Strategy, find_strategy
from omoide.nouns.clock import Clock, user_zone
from omoide.nouns.hit import Hit, Recall
from omoide.nouns.item import Item
from omoide.nouns.query import Query
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import Profile
from omoide.nouns.scope import Scope
from omoide.read.masking import shown
from omoide.read.question import readable
from omoide.read.recall import Recaller
from omoide.settings.switches import Switches, level_of
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.items import Items
from omoide.text.given_time import read_time
from omoide.text.secrets import masking

LINE_TOKENS = 12  # the least that a hit takes
HITS = (10, 200)  # asked for, at least and at most
SOON, DUE_MOST = timedelta(days=7), 10
OFF = "Memory is off: in this conversation nothing is recalled, and nothing is remembered."
NOTHING = Recall(hits=(), answerable=0.0)


@frozen_record
class WantedContext:
    """What a context is to be like; kinds are the secrets that are masked in it."""

    budget: Budget
    strategy: str
    kinds: frozenset[str]


@frozen_record
class Assembled:
    """A context, and the hits that are in it."""

    context: Context
    hits: tuple[Hit, ...] = ()


class Assembler:
    """Makes contexts from one store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        recaller: Recaller,
        switches: Switches,
        profile: Callable[[Scope], Profile | None],
    ) -> None:
        self._store, self._clock, self._recaller = store, clock, recaller
        self._switches, self._profile = switches, profile
        self._standing = StandingReader(switches)

    def context(self, scope: Scope, query: Query, wanted: WantedContext) -> Assembled:
        """The context that a strategy makes for a query.

        Raises:
            InvalidInput, TooLong, UnknownName, InvalidTime: it cannot be asked like this.
            ModelError: the embedder failed.
        """
        strategy, own = find_strategy(wanted.strategy)
        budget = replace(own, count=wanted.budget.count) if own else wanted.budget
        if not self._switches.is_on:
            return Assembled(context=off_context(wanted.strategy, self._switches.off, budget))
        material = self.material(scope, query, budget, strategy.needs, wanted.kinds)
        made = _within(strategy, material, budget)
        ids = frozenset(made.ids)
        return Assembled(context=made, hits=tuple(hit for hit in material.hits if hit.id in ids))

    def material(
        self,
        scope: Scope,
        query: Query,
        budget: Budget,
        needs: frozenset[Need],
        kinds: frozenset[str],
    ) -> Material:
        """What a strategy needs, with secrets of these kinds masked: what answers, and what stands
        whatever is asked.
        """
        with masking(kinds):
            return self._read(scope, query, budget, needs)

    def _read(self, scope: Scope, query: Query, budget: Budget, needs: frozenset[Need]) -> Material:
        recalled = self._recalled(scope, query, budget) if Need.HITS in needs else NOTHING
        now = self._clock.now().astimezone(user_zone())
        profile = self._profile(scope) if Need.PROFILE in needs else None
        material = Material(
            now=now,
            question=query.text,
            answerable=recalled.answerable,
            degraded=recalled.degraded,
            off=tuple(sorted(self._switches.off)),
            profile=profile and shown(profile),
        )
        with read_only(self._store, scope.tenant) as tx:
            seen = readable(tx, scope)
            material = replace(material, hits=shown(recalled.hits))
            return self._with_standing(tx, seen, material, query, needs)

    def _recalled(self, scope: Scope, query: Query, budget: Budget) -> Recall:
        limit = max(HITS[0], min(HITS[1], budget.tokens // LINE_TOKENS))
        return self._recaller.recall(scope, query, limit, whole=True)

    def _with_standing(
        self,
        tx: Transaction,
        scope: Scope,
        material: Material,
        query: Query,
        needs: frozenset[Need],
    ) -> Material:
        now = material.now
        as_of = read_time(query.as_of, "as_of", now)
        if Need.STANDING in needs:
            known_at = read_time(query.known_at, "known_at", now)
            stand = self._standing.at(tx, scope, now, known_at).then(as_of)
            material = replace(
                material, standing=stand.standing, since=stand.since, ended=stand.ended
            )
        if Need.CORE in needs:
            material = replace(material, standing=self._standing.core(tx, scope, now))
        if Need.DIGESTS in needs:
            taught = self._standing.taught(tx, scope, now)
            material = replace(
                material,
                digests=taught.digests,
                reflections=taught.reflections,
                recent=held_then(taught.recent, as_of),
            )
        if Need.DUE in needs:
            material = replace(material, due=tuple(self._due(tx, scope, now)))
        return material

    def _due(self, tx: Transaction, scope: Scope, now: datetime) -> list[Item]:
        """What is due within a week or overdue; nothing sensitive."""
        due = Items(tx).due(
            scope,
            now=now,
            before=now + SOON,
            overdue=True,
            context=scope.context,
            sensitive=False,
            limit=DUE_MOST,
        )
        on = [item for item in due if level_of(item.scope) not in self._switches.off]
        return list(shown(on))


def _within(strategy: Strategy, material: Material, budget: Budget) -> Context:
    """The context that a strategy makes. Where a caller counts the tokens, lines together may take
    more than each by itself: then it is made again with less, until it fits.
    """
    made, room, step = strategy.make(material, budget), budget, 1
    while budget.count and room.limit and (over := budget.size(made.text) - budget.limit) > 0:
        room, step = room.less(step * over), 2 * step  # in few steps, whatever is counted
        made = strategy.make(material, room)
    return made


def off_context(strategy: str, off: frozenset[str], budget: Budget) -> Context:
    """The context where memory of users and of the agent is off: it says so."""
    rules = rules_block(OFF, budget)
    return Context(
        text=OFF,
        stable=OFF,
        blocks=(rules,),
        strategy=strategy,
        tokens=rules.tokens,
        off=tuple(sorted(off)),
    )
