"""What stands whatever is asked, read once until something changes; frozen for a session.

Two caches, by all names of the scope, so that a second user of a session never sees the first
one's: what holds now, until the ledger grows or its time is over; and what held when a session
began, as long as nothing of it is forgotten or hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta

from omoide.context.blocks import block_name
from omoide.context.material import NO_STANDING, STANDING, Standing
from omoide.models.recent import Lately
from omoide.nouns.hit import Hit
from omoide.nouns.item import Category, Item
from omoide.nouns.kind import Kind
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import Digest, DigestKind, Reflection
from omoide.nouns.scope import GLOBAL, Scope
from omoide.nouns.turn import Turn
from omoide.read.masking import shown
from omoide.settings.switches import Switches, level_of
from omoide.store.base import Transaction
from omoide.tables.digests import Digests
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger
from omoide.tables.listing import Listing
from omoide.tables.reflections import Reflections
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns

KEPT_S = 300.0  # how long what holds now is kept, if nothing changes
SESSION_S = 24 * 3600.0  # how long what held when a session began is kept
CORE_MOST, PINNED_MOST = 20, 1_000  # blocks, and pinned items that are looked at
SAID_MOST = 20  # turns with a standing instruction, the newest
RECENT_MOST, RECENT = 40, timedelta(days=7)  # facts that are shown because they are new
REFLECTIONS_MOST = 20  # of each of agent, user and session


@frozen_record
class Stand:
    """What stands now beside what is frozen: what came since, and what ended."""

    standing: Standing = NO_STANDING
    since: Standing = NO_STANDING
    ended: tuple[Item, ...] = ()

    def then(self, as_of: datetime | None) -> Stand:
        """What of it held at a time; None: all of it."""
        of_then = replace(self.standing, items=held_then(self.standing.items, as_of))
        new = replace(self.since, items=held_then(self.since.items, as_of))
        return replace(self, standing=of_then, since=new)


@frozen_record
class Taught:
    """What sessions taught, and what was learnt lately."""

    digests: dict[DigestKind, Digest] = field(default_factory=dict)
    reflections: dict[DigestKind, tuple[Reflection, ...]] = field(default_factory=dict)
    recent: tuple[Item, ...] = ()


class StandingReader:
    """Reads what stands, inside the caller's transaction."""

    def __init__(self, switches: Switches) -> None:
        self._switches = switches
        self._frozen: Lately[Standing] = Lately(kept_s=SESSION_S)
        self._current: Lately[Standing] = Lately(kept_s=KEPT_S)
        self._taught: Lately[Taught] = Lately(kept_s=KEPT_S)

    def at(self, tx: Transaction, scope: Scope, now: datetime, known: datetime | None) -> Stand:
        """What stood when the scope's session began, what stands since, and what of it ended; for
        a time in the past, or outside of sessions, only what stood then.
        """
        if known is not None:
            return Stand(standing=self._read(tx, scope, min(known, now), now))
        current = self._now(tx, scope, now)
        if scope.session is None:
            return Stand(standing=current)
        kept = self._frozen.get(*names_of(scope))
        if kept is None:
            kept = self._read(tx, scope, _began(tx, scope, now), now)
        stand = self._since(tx, scope, kept, current)
        self._frozen.put(stand.standing, *names_of(scope))
        return stand

    def _since(self, tx: Transaction, scope: Scope, kept: Standing, current: Standing) -> Stand:
        """What was kept, what came since, and what of it ended; what stands now, where something of
        it must leave the prompt.
        """
        gone = [item.id for item in kept.items if item.id not in current.ids]
        there = Items(tx).many(scope, gone) if gone else {}
        left = any(id not in there or self._must_leave(there[id], scope) for id in gone)
        if left or not _still_said(kept, current):
            return Stand(standing=current)
        new = tuple(item for item in current.items if item.id not in kept.ids)
        said = tuple(hit for hit in current.said if hit.id not in kept.ids)
        ended = [item for item in there.values() if not item.holds]
        since = Standing(items=new, said=said)
        return Stand(standing=kept, since=since, ended=tuple(shown(ended)))

    def _must_leave(self, item: Item, scope: Scope) -> bool:
        """Whether nothing of an item may stay in a prompt: it is sensitive, muted, of another area
        of life or switched off by now.
        """
        elsewhere = item.scope.context not in (GLOBAL, scope.context)
        return item.sensitive or item.muted or elsewhere or not self._is_on(item)

    def core(self, tx: Transaction, scope: Scope, now: datetime) -> Standing:
        """The pinned blocks that a model edits itself."""
        pinned = Items(tx).pinned(scope, now, PINNED_MOST)
        blocks = [item for item in pinned if block_name(item) and self._is_on(item)]
        return Standing(core=tuple(shown(blocks[:CORE_MOST])))

    def taught(self, tx: Transaction, scope: Scope, now: datetime) -> Taught:
        """Digests, reflections that no digest absorbed, and facts of the last days."""
        key = (*names_of(scope), str(Ledger(tx).head(scope.tenant).seq))
        taught = self._taught.get(*key)
        if taught is None:
            taught = self._read_taught(tx, scope, now)
            self._taught.put(taught, *key)
        recent = tuple(
            item
            for item in taught.recent
            if _is_valid(item, now) and item.created_at > now - RECENT
        )
        return replace(taught, recent=recent)

    def _now(self, tx: Transaction, scope: Scope, now: datetime) -> Standing:
        key = (*names_of(scope), str(Ledger(tx).head(scope.tenant).seq))
        current = self._current.get(*key)
        if current is None:
            current = self._read(tx, scope, now, now)
            self._current.put(current, *key)
        return replace(current, items=tuple(i for i in current.items if _is_valid(i, now)))

    def _read(self, tx: Transaction, scope: Scope, known: datetime, now: datetime) -> Standing:
        found = Items(tx).standing(scope, STANDING, known=known, now=now)
        items = shown([item for item in found if self._is_on(item)])
        is_on = level_of(scope) not in self._off
        turns = Turns(tx).standing(scope, known=known, limit=SAID_MOST) if is_on else []
        said = shown([_hit(turn) for turn in turns])
        return Standing(items=tuple(items), at=known, said=tuple(said))

    def _read_taught(self, tx: Transaction, scope: Scope, now: datetime) -> Taught:
        context = "" if scope.context == GLOBAL else scope.context
        digests = Digests(tx).seen(scope, context=context)
        waiting = Reflections(tx).page(scope, 3 * REFLECTIONS_MOST, absorbed=False, context=context)
        listing = Listing(sort="created_at", limit=RECENT_MOST, context=context, with_global=True)
        recent = [
            item
            for item in Items(tx).page(scope, listing, now)
            if item.created_at > now - RECENT and not item.muted and self._is_on(item)
        ]
        return Taught(
            digests={d.kind: shown(d) for d in digests if level_of(d.scope) not in self._off},
            reflections=_by_kind([r for r in waiting if level_of(r.scope) not in self._off]),
            recent=tuple(shown(recent)),
        )

    @property
    def _off(self) -> frozenset[str]:
        return self._switches.off

    def _is_on(self, item: Item) -> bool:
        return level_of(item.scope) not in self._off


def held_then(items: Sequence[Item], as_of: datetime | None) -> tuple[Item, ...]:
    """Those of items that hold which held at a time, too; preferences in any case, since they say
    how to answer now. None: all of them.
    """
    return tuple(
        item
        for item in items
        if as_of is None or item.category is Category.PREFERENCE or item.valid_from <= as_of
    )


def names_of(scope: Scope) -> tuple[str, ...]:
    """All names of a scope, by which what is kept for it is found again."""
    return (
        scope.tenant,
        scope.agent or "",
        scope.user or "",
        scope.session or "",
        scope.context,
    )


def _began(tx: Transaction, scope: Scope, now: datetime) -> datetime:
    session = Sessions(tx).find(scope.tenant, scope.session or "")
    began = session.started_at if session is not None else None
    return min(began or now, now)


def _still_said(kept: Standing, current: Standing) -> bool:
    """Whether each turn of what is kept still stands, by itself or by an item made of it."""
    told = {turn for item in current.items for turn in item.source_turns}
    return {hit.id for hit in kept.said} <= {*told, *(hit.id for hit in current.said)}


def _hit(turn: Turn) -> Hit:
    return Hit(kind=Kind.TURN, id=turn.id, text=turn.text, score=0.0, at=turn.at, turn=turn)


def _is_valid(item: Item, now: datetime) -> bool:
    return all(end is None or end > now for end in (item.expires_at, item.valid_until))


def _by_kind(found: Sequence[Reflection]) -> dict[DigestKind, tuple[Reflection, ...]]:
    kinds: dict[DigestKind, list[Reflection]] = {}
    for one in found:
        kinds.setdefault(one.kind, []).append(shown(one))
    return {kind: tuple(ones[:REFLECTIONS_MOST]) for kind, ones in kinds.items()}
