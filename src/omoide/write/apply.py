"""The one door to knowledge rows: each call changes rows, index and lineage, and leaves an entry in
the ledger.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from types import TracebackType
from typing import Any, TypeVar

from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock
from omoide.nouns.errors import Conflict
from omoide.nouns.ids import ChangeId, ItemId, TurnId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.documents import Documents, Words
from omoide.tables.embedders import Embedders
from omoide.tables.entities import Entities
from omoide.tables.item_fields import state_of
from omoide.tables.items import Items
from omoide.tables.ledger import Entry, Ledger, item_hash
from omoide.wire.coding import encode
from omoide.write.index import around_words, queue_vectors
from omoide.write.unconfirmed import closed_state, weighed

T = TypeVar("T")

NOTHING: dict[str, Any] = {}  # to be kept besides what a change replaced
NOTHING_LOCKED: dict[tuple[str, str], int] = {}


class Door:
    """Changes to knowledge within one transaction; leaving the block writes them to the ledger.

    An open item is unconfirmed while anything that it rests on is closed, unconfirmed, or gone:
    whatever closes or opens an item decides that for all that rests on it, in the same transaction.

    Partitions are locked before anything of them is read for a decision, always before the ledger,
    so that writers wait for each other and never in a circle.
    """

    def __init__(
        self,
        tx: Transaction,
        clock: Clock,
        because: Because,
        *,
        session: str | None = None,
        locked: Mapping[tuple[str, str], int] = NOTHING_LOCKED,
    ) -> None:
        """locked: the partitions, by tenant and user, that are locked already: their counters."""
        self.tx, self.clock, self._because, self._session = tx, clock, because, session
        self._entries: list[Entry] = []
        self._seqs = dict(locked)
        self._cause: ChangeId | None = None
        self.now = clock.now()

    def __enter__(self) -> Door:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            Ledger(self.tx).write(self._entries)

    @property
    def changes(self) -> list[ChangeId]:
        """The ids of the changes made so far."""
        return [entry.id for entry in self._entries]

    @property
    def items(self) -> Items:
        """The items, in the door's transaction."""
        return Items(self.tx)

    @contextmanager
    def following(self, change: ChangeId) -> Iterator[None]:
        """Let what is changed within belong to a change: undoing either undoes both."""
        before, self._cause = self._cause, change
        try:
            yield
        finally:
            self._cause = before

    def last_of(self, item: Item) -> ChangeId:
        """The id of the last change of an item that was made here."""
        return next(entry.id for entry in reversed(self._entries) if entry.record == item.id)

    def lock(self, scope: Scope) -> int:
        """Make other writers to the scope's partition wait; the counter to stamp rows with."""
        key = (scope.tenant, scope.user or "")
        if key not in self._seqs:
            self._seqs[key] = Documents(self.tx).lock(scope.tenant, scope.user)
        return self._seqs[key]

    def lock_users(self, scope: Scope, users: Iterable[str | None]) -> dict[str, int]:
        """Lock partitions of a tenant in the one order that all writers keep; the counter of each,
        "" being nobody's.
        """
        return {
            user: self.lock(scope.of_user(user or None))
            for user in sorted({user or "" for user in users})
        }

    def add(
        self, item: Item, words: Words, names: Sequence[str] | None = None, said: Item | None = None
    ) -> Item:
        """Add an item with its links, words and vectors; names are those its entities were called
        by. The item as it stands.

        said is what it was before it took over from others; it is kept for when these are
        forgotten.
        """
        seq = self.lock(item.scope)
        salt = os.urandom(16)
        if item.bases:
            self.items.rest(item)
        item = self._weighed(item)
        self.items.add(item, salt=salt)
        Entities(self.tx).link(item, item.entities if names is None else names, self.clock)
        self._index(item, seq, words)
        self.note_item(Action.ADD, item, before=_said(said), salt=salt)
        return item

    @cached_property
    def _wanted(self) -> frozenset[int]:
        """The embedders whose vectors are wanted, by number."""
        return frozenset(Embedders(self.tx).wanted())

    def _index(self, item: Item, seq: int, words: Words) -> None:
        """Index a new item with the vectors of the wanted embedders; a job makes missing ones."""
        wanted = self._wanted
        vectors = tuple((model, vector) for model, vector in words.vectors if model in wanted)
        if len(vectors) < len(words.vectors):
            words = replace(words, vectors=vectors)
        Documents(self.tx).add_item(item, seq, words)
        if len(vectors) < max(1, len(wanted)):
            queue_vectors(self.tx, item.scope.tenant, self.now)

    def supersede(
        self,
        old: Item,
        new: Item,
        words: Words,
        *,
        at: datetime,
        names: Sequence[str] | None = None,
        said: Item | None = None,
    ) -> Item:
        """Close old as of a time in the world, and add new as its successor, which rests neither on
        old nor on what falls with it.

        Raises:
            Conflict: old is closed already, or is new itself.
        """
        _check_may_give_way(old, new)
        if new.bases:
            new = replace(new, bases=self._standing(new, old))
        _, change = self._write(old, self._closed(old, at, new.id), Action.SUPERSEDE)
        added = self.add(replace(new, supersedes=old.id), words, names, said)
        # after the two, which stand side by side in the ledger
        self.topple(old.scope.tenant, old.id, change)
        return added

    def _standing(self, item: Item, falling: Item) -> tuple[ItemId, ...]:
        """The bases of an item without one that falls, and those that fall with it."""
        above = self.items.above(falling.scope.tenant, falling.id)
        gone = {falling.id, *(item.id for item in above)}
        return tuple(base for base in item.bases if base not in gone)

    def _closed(self, item: Item, at: datetime, by: ItemId | None = None) -> Item:
        """An item that is closed as of a time in the world, in favour of another one, if any."""
        return replace(
            item,
            closed_at=max(at, item.valid_from),
            superseded_at=self.now,
            superseded_by=by,
            updated_at=self.now,
        )

    def give_way(
        self,
        old: Item,
        new: Item,
        *,
        at: datetime | None = None,
        told: Sequence[TurnId] | None = None,
        cause: ChangeId | None = None,
        action: Action = Action.SUPERSEDE,
    ) -> Item:
        """Close an item in favour of another that is there already, as of a time in the world; with
        None since when the other is true. cause: the change that confirmed the other one, and told
        the turns that did.
        """
        closed = self._closed(old, at or new.valid_from, new.id)
        return self._set(old, closed, action, cause, _ending(told, new) if cause else NOTHING)

    def retract(
        self,
        item: Item,
        *,
        at: datetime | None = None,
        told: Sequence[TurnId] | None = None,
        note: Item | None = None,
        cause: ChangeId | None = None,
    ) -> Item:
        """Close an item as of a time in the world; with None as never having been true.

        told are the turns that say so together, note what was learnt of them; kept for when one of
        these is forgotten, or undone. cause: the change that the closing belongs to.
        """
        if not item.is_open:
            raise Conflict(f"item {item.id!r} is closed already")
        closed = self._closed(item, at or item.valid_from)
        return self._set(item, closed, Action.RETRACT, cause, _ending(told, note))

    def expire(self, item: Item) -> Item:
        """Close an item that nobody confirmed in its time, as never having been true."""
        return self._set(item, self._closed(item, item.valid_from), Action.EXPIRE)

    def reopen(self, item: Item) -> Item:
        """Hold an item to be true again."""
        opened = replace(
            item, closed_at=None, superseded_at=None, superseded_by=None, updated_at=self.now
        )
        return self._set(item, opened, Action.REOPEN)

    def edit(self, item: Item, edited: Item, action: Action = Action.EDIT) -> Item:
        """Write an item's changed attributes."""
        return self._set(item, replace(edited, updated_at=self.now), action)

    def reinforce(self, item: Item, reinforced: Item, said: Item) -> Item:
        """Write what an item is after it was said again; said is kept for when what said it is
        forgotten.
        """
        after = replace(reinforced, updated_at=self.now)
        return self._set(item, after, Action.REINFORCE, kept=_said(said))

    def unsay(self, item: Item, without: Item, others: Collection[ChangeId] = ()) -> Item:
        """Write what an item is without what is forgotten; of what it was, nothing is kept but what
        others said in some changes.
        """
        Ledger(self.tx).forget_but_sayings(item.scope.tenant, item.id, others)
        return self._set(item, without, Action.UNSAY, kept=None)

    def say_again(self, item: Item, said: Item) -> None:
        """Note that something said an item, which changes nothing of it; kept for when what said it
        first is forgotten.
        """
        self.note_item(Action.REINFORCE, item, before=_said(said))

    def restore(self, item: Item, restored: Item, *, undoes: ChangeId) -> Item:
        """Bring an item's attributes and state back to what they were."""
        return self._set(item, replace(restored, updated_at=self.now), Action.UNDO, undoes)

    def archive(self, item: Item, purge_at: datetime) -> Item:
        """Prune an item: it leaves recall, and is erased at a time unless it is changed before."""
        after = self._set(item, self._pruned(item), Action.ARCHIVE)
        self.items.archive(after, purge_at)
        return after

    def _pruned(self, item: Item) -> Item:
        """An item as pruning leaves it: closed now, unless it is closed or has expired."""
        expired = item.expires_at is not None and item.expires_at <= self.now
        if expired or not item.is_open:
            return item
        return replace(item, closed_at=max(self.now, item.valid_from), superseded_at=self.now)

    def relink(self, tenant: str, items: Iterable[str]) -> None:
        """Let items be found by what their entities are called now."""
        for item in filter(None, (self.items.find(tenant, id) for id in items)):
            Documents(self.tx).set_item(item, self.lock(item.scope), around_words(item))

    def topple(self, tenant: str, id: str, change: ChangeId) -> None:
        """Let what rests on an item be unconfirmed or no longer, as far as that follows from a
        change to it.
        """
        above = self.items.above(tenant, id)
        # all before any is changed
        self.lock_users(Scope(tenant=tenant), (item.scope.user for item in above))
        shaken = deque([id] if above else ())
        while shaken:
            for item in self.items.of_base(tenant, shaken.popleft()):
                if self.weigh(item, change):
                    shaken.append(item.id)

    def weigh(self, item: Item, cause: ChangeId | None = None) -> bool:
        """Give an open item the state that its bases make it have; whether it had another."""
        self.lock(item.scope)
        # another writer may have been there before the lock
        now = self.items.find(item.scope.tenant, item.id)
        if now is None or not now.is_open or self._weighed(now).holds == now.holds:
            return False
        self._write(now, now, Action.UNCONFIRM if now.holds else Action.CLEAR, cause)
        return True

    def mark_unconfirmed(self, item: Item, marked: Item, cause: ChangeId) -> None:
        """Write that an item is unconfirmed, or no longer, as a change has it."""
        self.lock(item.scope)
        self._set(item, marked, Action.UNCONFIRM if item.holds else Action.CLEAR, cause)

    def note_round(self, action: Action, scope: Scope, before: dict[str, Any]) -> ChangeId:
        """Put on the ledger what upkeep did to many items of a partition at once: by what their
        confidence was multiplied, or moved.
        """
        return self.note(action, Kind.ROUND, self.clock.new_id(), scope, before=before)

    def note_item(
        self,
        action: Action,
        item: Item,
        *,
        before: dict[str, Any] | None = None,
        cause: str | None = None,
        salt: bytes | None = None,
    ) -> ChangeId:
        """Put a change of an item on the ledger, with the hash of what it is now."""
        salt = salt or self.items.salt(item.scope.tenant, item.id)
        content = item_hash(item, salt)
        return self.note(
            action, Kind.ITEM, item.id, item.scope, before=before, content=content, cause=cause
        )

    def note_record(
        self,
        action: Action,
        kind: Kind,
        record: Any,
        before: Mapping[str, Any] = NOTHING,
        *,
        content: bytes = b"",
        cause: str | None = None,
    ) -> ChangeId:
        """Put a change of a record on the ledger, with whose agent it is of: it may go later."""
        before, scope = {"agent": record.scope.agent or "", **before}, record.scope
        return self.note(
            action, kind, record.id, scope, before=before, content=content, cause=cause
        )

    def note(
        self,
        action: Action,
        kind: Kind,
        record: str,
        scope: Scope,
        *,
        before: dict[str, Any] | None = None,
        content: bytes = b"",
        cause: str | None = None,
    ) -> ChangeId:
        """Put a change of any record on the ledger, with what it replaced."""
        entry = Entry(
            id=ChangeId(self.clock.new_id()),
            tenant=scope.tenant,
            at=self.now,
            action=action,
            kind=kind,
            record=record,
            user=scope.user,
            session=_session_of(kind, record) or self._session or scope.session,
            actor=self._because.actor,
            reason=self._because.reason,
            cause=cause or self._cause or self._because.cause,
            content=content,
            before=before or {},
        )
        self._entries.append(entry)
        return entry.id

    def _set(
        self,
        before: Item,
        after: Item,
        action: Action,
        cause: ChangeId | None = None,
        kept: dict[str, Any] | None = NOTHING,
    ) -> Item:
        """Write an item's state, and let what rests on it follow."""
        after, change = self._write(before, after, action, cause, kept)
        if before.holds != after.holds:
            self.topple(after.scope.tenant, after.id, change)
        return after

    def _write(
        self,
        before: Item,
        after: Item,
        action: Action,
        cause: ChangeId | None = None,
        kept: dict[str, Any] | None = NOTHING,
    ) -> tuple[Item, ChangeId]:
        """Write an item's state; what it was is kept with kept, or with None not at all."""
        seq = self.lock(after.scope)
        replaced = self._write_links(before, after)
        after = self._weighed(after) if after.is_open else closed_state(after)
        self.items.set(after)
        Documents(self.tx).set_item(after, seq, around_words(after))
        by = {"by": int(self._because.tier)}
        was = None if kept is None else state_of(before) | by | kept | replaced
        return after, self.note_item(action, after, before=was, cause=cause)

    def _write_links(self, before: Item, after: Item) -> dict[str, Any]:
        """Write what an item rests on and is supported by, where that changed; what it was."""
        replaced: dict[str, Any] = {}
        if after.bases != before.bases:
            self.items.rest(after)
            replaced["bases"] = list(before.bases)
        if after.said_again != before.said_again:
            self.items.support(after)
            replaced["said_again"] = list(before.said_again)
        return replaced

    def _weighed(self, item: Item) -> Item:
        """An item as its stored bases let it stand."""
        fallen = bool(item.bases) and bool(self.items.fallen(item.scope.tenant, item.id))
        return weighed(item, fallen=fallen, now=self.now)


def _check_may_give_way(old: Item, new: Item) -> None:
    if not old.is_open:
        raise Conflict(
            f"item {old.id!r} is closed already, superseded by {old.superseded_by or 'nothing'}"
        )
    if old.id == new.id:
        raise Conflict(f"item {old.id!r} cannot supersede itself")


def _session_of(kind: Kind, record: str) -> str | None:
    """The session that a record is, or is part of, as its id tells."""
    return {Kind.SESSION: record, Kind.TURN: record.rpartition("#")[0]}.get(kind)


def through(
    store: Store,
    clock: Clock,
    because: Because,
    change: Callable[[Transaction, Door], T],
    *,
    tenant: str,
    session: str | None = None,
) -> T:
    """What a change gives that is made through the door, in a write transaction of its tenant; run
    anew as by committed.

    Raises:
        Deadlock: as committed does.
    """

    def write(tx: Transaction) -> T:
        with Door(tx, clock, because, session=session) as door:
            return change(tx, door)

    return committed(store, write, tenant=tenant)


@dataclass(frozen=True, slots=True)
class Writer:
    """Who changes knowledge, where, and why."""

    store: Store
    clock: Clock
    scope: Scope
    because: Because

    def write(self, change: Callable[[Transaction, Door], T]) -> T:
        """What a change gives that is made through the door, in a transaction of the scope."""
        tenant, session = self.scope.tenant, self.scope.session
        return through(self.store, self.clock, self.because, change, tenant=tenant, session=session)

    def read(self) -> AbstractContextManager[Transaction]:
        """A transaction that only reads."""
        return read_only(self.store, self.scope.tenant)


def _said(item: Item | None) -> dict[str, Any]:
    """What was said, without the words of another item that it was meant to close."""
    return {} if item is None else {"said": encode(replace(item, meant=None))}


def _ending(told: Sequence[TurnId] | None, note: Item | None) -> dict[str, Any]:
    ending: dict[str, Any] = {} if told is None else {"told": list(told)}
    return ending if note is None else ending | {"note": note.id}
