"""The one door to knowledge rows: each call changes rows, index and lineage, and leaves an entry in
the ledger.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Any, TypeVar

from omoide.grounding.instructions import has_instruction
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock, to_micros
from omoide.nouns.errors import Conflict
from omoide.nouns.ids import ChangeId, ItemId, TurnId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.store.base import Store, Transaction, committed
from omoide.tables.columns import pack_json
from omoide.tables.documents import Documents, Words
from omoide.tables.embedders import Embedders
from omoide.tables.entities import Entities
from omoide.tables.item_fields import hashed_of, state_of
from omoide.tables.items import Items
from omoide.tables.jobs import EMBED_JOB, Jobs
from omoide.tables.ledger import Entry, Ledger
from omoide.tables.turns import Turns, turn_id
from omoide.wire.coding import encode
from omoide.write.index import around_words
from omoide.write.unconfirmed import closed_state, weighed

T = TypeVar("T")

NOTHING: dict[str, Any] = {}  # to be kept besides what a change replaced


class Door:
    """Changes to knowledge within one transaction; leaving the block writes them to the ledger.

    An open item is unconfirmed while anything that it rests on is closed, unconfirmed, or gone:
    whatever closes or opens an item decides that for all that rests on it, in the same transaction.

    Partitions are locked before anything of them is read for a decision, always before the ledger,
    so that writers wait for each other and never in a circle.
    """

    def __init__(
        self, tx: Transaction, clock: Clock, because: Because, *, session: str | None = None
    ) -> None:
        self._tx, self._clock, self._because, self._session = tx, clock, because, session
        self._entries: list[Entry] = []
        self._seqs: dict[tuple[str, str], int] = {}
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
            Ledger(self._tx).write(self._entries)

    @property
    def changes(self) -> list[ChangeId]:
        """The ids of the changes made so far."""
        return [entry.id for entry in self._entries]

    @property
    def items(self) -> Items:
        """The items, in the door's transaction."""
        return Items(self._tx)

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

    def new_item_id(self) -> ItemId:
        """An id for an item."""
        return ItemId(self._clock.new_id())

    def lock(self, scope: Scope) -> int:
        """Make other writers to the scope's partition wait; the counter to stamp rows with."""
        key = (scope.tenant, scope.user or "")
        if key not in self._seqs:
            self._seqs[key] = Documents(self._tx).lock(scope.tenant, scope.user)
        return self._seqs[key]

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
            Items(self._tx).rest(item)
        item = self._weighed(item)
        Items(self._tx).add(item, salt=salt)
        Entities(self._tx).link(item, item.entities if names is None else names, self._clock)
        wanted = Embedders(self._tx).wanted()
        vectors = tuple((model, vector) for model, vector in words.vectors if model in wanted)
        Documents(self._tx).add_item(item, seq, replace(words, vectors=vectors))
        if len(vectors) < max(1, len(wanted)):
            Jobs(self._tx).add(
                item.scope.tenant, EMBED_JOB, EMBED_JOB, user="", args={}, run_at=self.now
            )
        self.note(
            Action.ADD,
            Kind.ITEM,
            item.id,
            item.scope,
            content=item_hash(item, salt),
            before=_said(said),
        )
        return item

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
        if not old.is_open:
            raise Conflict(
                f"item {old.id!r} is closed already, superseded by {old.superseded_by or 'nothing'}"
            )
        if old.id == new.id:
            raise Conflict(f"item {old.id!r} cannot supersede itself")
        closed = replace(
            old,
            closed_at=max(at, old.valid_from),
            superseded_at=self.now,
            superseded_by=new.id,
            updated_at=self.now,
        )
        if new.bases:
            falling = {
                old.id,
                *(item.id for item in Items(self._tx).above(old.scope.tenant, old.id)),
            }
            new = replace(new, bases=tuple(base for base in new.bases if base not in falling))
        _, change = self._write(old, closed, Action.SUPERSEDE)
        added = self.add(replace(new, supersedes=old.id), words, names, said)
        # after the two, which stand side by side in the ledger
        self.topple(old.scope.tenant, old.id, change)
        return added

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
        end = max(at or new.valid_from, old.valid_from)
        closed = replace(
            old, closed_at=end, superseded_at=self.now, superseded_by=new.id, updated_at=self.now
        )
        kept = _ending(told, new) if cause else NOTHING
        return self._set(old, closed, action, cause, kept)

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
        end = item.valid_from if at is None else max(at, item.valid_from)
        closed = replace(item, closed_at=end, superseded_at=self.now, updated_at=self.now)
        return self._set(item, closed, Action.RETRACT, cause, _ending(told, note))

    def expire(self, item: Item) -> Item:
        """Close an item that nobody confirmed in its time, as never having been true."""
        closed = replace(
            item, closed_at=item.valid_from, superseded_at=self.now, updated_at=self.now
        )
        return self._set(item, closed, Action.EXPIRE)

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
        return self._set(
            item, replace(reinforced, updated_at=self.now), Action.REINFORCE, kept=_said(said)
        )

    def unsay(self, item: Item, without: Item, others: Collection[ChangeId] = ()) -> Item:
        """Write what an item is without what is forgotten; of what it was, nothing is kept but what
        others said in some changes.
        """
        Ledger(self._tx).forget_but_sayings(item.scope.tenant, item.id, others)
        return self._set(item, without, Action.UNSAY, kept=None)

    def say_again(self, item: Item, said: Item) -> None:
        """Note that something said an item, which changes nothing of it; kept for when what said it
        first is forgotten.
        """
        content = item_hash(item, Items(self._tx).salt(item.scope.tenant, item.id))
        self.note(
            Action.REINFORCE,
            Kind.ITEM,
            item.id,
            item.scope,
            content=content,
            before=_said(said),
        )

    def restore(self, item: Item, restored: Item, *, undoes: ChangeId) -> Item:
        """Bring an item's attributes and state back to what they were."""
        return self._set(item, replace(restored, updated_at=self.now), Action.UNDO, undoes)

    def log(
        self,
        session: Session,
        turns: Sequence[Turn],
        words: Sequence[Sequence[Words]],
        *,
        origin: str,
    ) -> None:
        """Append turns to a session's log and index them."""
        shared = len(session.users) > 1
        scope = replace(session.scope, user=None if shared else session.scope.user)
        seq = self.lock(scope)
        standing = {turn.id for turn in turns if has_instruction(turn)}
        Turns(self._tx).add(session, turns, origin=origin, standing=standing)
        only = session.id if shared or session.private else ""
        Documents(self._tx).add_turns(scope, seq, zip(turns, words, strict=True), only_session=only)
        salt = os.urandom(16)
        before = {"salt": salt.hex(), "first": turns[0].position, "count": len(turns)}
        self.note(
            Action.LOG,
            Kind.SESSION,
            session.id,
            scope,
            content=turns_hash(turns, salt),
            before=before,
        )

    def keep_to_session(self, session: Session, users: Iterable[str | None]) -> None:
        """Let what was said in a session before it became private be found from within it only."""
        for user in sorted(users, key=lambda user: user or ""):
            seq = self.lock(replace(session.scope, user=user))
            Documents(self._tx).keep_to_session(session.scope.tenant, user, session.id, seq)

    def hide_turns(
        self,
        session: Session,
        turns: Sequence[Turn],
        *,
        hide: bool,
        undoes: ChangeId,
        kept: Mapping[str, Any] = NOTHING,
    ) -> None:
        """Take turns that follow each other out of recall, or bring them back; the log keeps them.
        kept is kept beside the change.
        """
        tenant, at = session.scope.tenant, self.now if hide else None
        owners = {
            turn.id: Documents(self._tx).of(tenant, Kind.TURN, turn.id)[0]["user_id"]
            for turn in turns
        }
        seqs = {
            user: self.lock(replace(session.scope, user=user or None))
            for user in sorted(set(owners.values()))
        }
        Turns(self._tx).hide(tenant, session.id, turns[0].position, turns[-1].position + 1, at)
        for turn in turns:
            Documents(self._tx).hide_turn(tenant, turn.id, seqs[owners[turn.id]], at)
        before = {"first": turns[0].position, "count": len(turns), "hid": hide, **kept}
        self.note(Action.UNDO, Kind.SESSION, session.id, session.scope, before=before, cause=undoes)

    def archive(self, item: Item, purge_at: datetime) -> Item:
        """Prune an item: it leaves recall, and is erased at a time unless it is changed before."""
        expired = item.expires_at is not None and item.expires_at <= self.now
        closed = (
            item
            if expired or not item.is_open
            else replace(item, closed_at=max(self.now, item.valid_from), superseded_at=self.now)
        )
        after = self._set(item, closed, Action.ARCHIVE)
        Items(self._tx).archive(after, purge_at)
        return after

    def archive_turns(
        self,
        session: Session,
        first: int,
        end: int,
        purge_at: datetime,
        *,
        undoes: ChangeId | None = None,
    ) -> int:
        """Prune turns of a session: they leave recall, and what was said is erased at a time; of
        how many.
        """
        seqs = self._lock_turns(session, first, end)
        found = Turns(self._tx).archive(
            session.scope.tenant, session.id, first, end, at=self.now, purge_at=purge_at
        )
        self._show_turns(
            session,
            {position: seqs[position] for position in found & seqs.keys()},
            hidden_at=self.now,
        )
        before = {
            "first": first,
            "count": end - first,
            "purge_at": to_micros(purge_at),
            "archived": True,
        }
        if found:
            self.note(
                Action.UNDO if undoes else Action.ARCHIVE,
                Kind.SESSION,
                session.id,
                session.scope,
                before=before,
                cause=undoes,
            )
        return len(found)

    def unarchive_turns(self, session: Session, before: dict[str, Any], *, undoes: ChangeId) -> int:
        """Bring pruned turns back, as far as they are still there; how many. before is what the
        ledger holds of their pruning.
        """
        first, end = before["first"], before["first"] + before["count"]
        seqs = self._lock_turns(session, first, end)
        found = Turns(self._tx).unarchive(session.scope.tenant, session.id, first, end)
        self._show_turns(
            session, {position: seqs[position] for position in found & seqs.keys()}, hidden_at=None
        )
        self.note(
            Action.UNDO,
            Kind.SESSION,
            session.id,
            session.scope,
            before=before | {"archived": False},
            cause=undoes,
        )
        return len(found)

    def _lock_turns(self, session: Session, first: int, end: int) -> dict[int, int]:
        """Lock the partitions that a session's turns are found in; the counter of each turn's, by
        its position.
        """
        documents, tenant = Documents(self._tx), session.scope.tenant
        users = {
            n: row["user_id"]
            for n in range(first, end)
            for row in documents.of(tenant, Kind.TURN, turn_id(session.id, n))[:1]
        }
        seqs = {
            user: self.lock(replace(session.scope, user=user or None))
            for user in sorted(set(users.values()))
        }
        return {position: seqs[user] for position, user in users.items()}

    def _show_turns(
        self, session: Session, seqs: Mapping[int, int], *, hidden_at: datetime | None
    ) -> None:
        for position, seq in sorted(seqs.items()):
            Documents(self._tx).hide_turn(
                session.scope.tenant, turn_id(session.id, position), seq, hidden_at
            )

    def relink(self, tenant: str, items: Iterable[str]) -> None:
        """Let items be found by what their entities are called now."""
        for id in items:
            item = Items(self._tx).find(tenant, id)
            if item is not None:
                Documents(self._tx).set_item(item, self.lock(item.scope), around_words(item))

    def topple(self, tenant: str, id: str, change: ChangeId) -> None:
        """Let what rests on an item be unconfirmed or no longer, as far as that follows from a
        change to it.
        """
        above = Items(self._tx).above(tenant, id)
        # all before any is changed
        for scope in sorted({item.scope for item in above}, key=lambda scope: scope.user or ""):
            self.lock(scope)
        shaken = deque([id] if above else ())
        while shaken:
            for item in Items(self._tx).of_base(tenant, shaken.popleft()):
                if self.weigh(item, change):
                    shaken.append(item.id)

    def weigh(self, item: Item, cause: ChangeId | None = None) -> bool:
        """Give an open item the state that its bases make it have; whether it had another."""
        self.lock(item.scope)
        # another writer may have been there before the lock
        now = Items(self._tx).find(item.scope.tenant, item.id)
        if now is None or not now.is_open or self._weighed(now).holds == now.holds:
            return False
        self._write(now, now, Action.UNCONFIRM if now.holds else Action.CLEAR, cause)
        return True

    def mark_unconfirmed(self, item: Item, marked: Item, cause: ChangeId) -> None:
        """Write that an item is unconfirmed, or no longer, as a change has it."""
        self.lock(item.scope)
        action = Action.UNCONFIRM if item.holds else Action.CLEAR
        after, change = self._write(item, marked, action, cause)
        if item.holds != after.holds:
            self.topple(after.scope.tenant, after.id, change)

    def note_round(self, action: Action, scope: Scope, before: dict[str, Any]) -> ChangeId:
        """Put on the ledger what upkeep did to many items of a partition at once: by what their
        confidence was multiplied, or moved.
        """
        return self.note(action, Kind.ROUND, self._clock.new_id(), scope, before=before)

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
        id = ChangeId(self._clock.new_id())
        session = {Kind.SESSION: record, Kind.TURN: record.rpartition("#")[0]}.get(kind)
        self._entries.append(
            Entry(
                id=id,
                tenant=scope.tenant,
                at=self.now,
                action=action,
                kind=kind,
                record=record,
                user=scope.user,
                session=session or self._session or scope.session,
                actor=self._because.actor,
                reason=self._because.reason,
                cause=cause or self._cause or self._because.cause,
                content=content,
                before=before or {},
            )
        )
        return id

    def _set(
        self,
        before: Item,
        after: Item,
        action: Action,
        undoes: ChangeId | None = None,
        kept: dict[str, Any] | None = NOTHING,
    ) -> Item:
        after, change = self._write(before, after, action, undoes, kept)
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
        replaced = state_of(before) | {"by": int(self._because.tier)} | (kept or {})
        if after.bases != before.bases:
            Items(self._tx).rest(after)
            replaced["bases"] = list(before.bases)
        if after.said_again != before.said_again:
            Items(self._tx).support(after)
            replaced["said_again"] = list(before.said_again)
        after = self._weighed(after) if after.is_open else closed_state(after)
        Items(self._tx).set(after)
        Documents(self._tx).set_item(after, seq, around_words(after))
        content = item_hash(after, Items(self._tx).salt(after.scope.tenant, after.id))
        before_it = {} if kept is None else replaced
        return after, self.note(
            action, Kind.ITEM, after.id, after.scope, content=content, before=before_it, cause=cause
        )

    def _weighed(self, item: Item) -> Item:
        """An item as its stored bases let it stand."""
        fallen = bool(item.bases) and bool(Items(self._tx).fallen(item.scope.tenant, item.id))
        return weighed(item, fallen=fallen, now=self.now)


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


def _said(item: Item | None) -> dict[str, Any]:
    """What was said, without the words of another item that it was meant to close."""
    return {} if item is None else {"said": encode(replace(item, meant=None))}


def _ending(told: Sequence[TurnId] | None, note: Item | None) -> dict[str, Any]:
    return ({} if told is None else {"told": list(told)}) | (
        {} if note is None else {"note": note.id}
    )


def item_hash(item: Item, salt: bytes) -> bytes:
    """What the ledger keeps of an item: a hash of its text and state, keyed by a salt that is
    erased with it.

    Confidence is left out, since rounds of upkeep move that of many items by one change.
    """
    told = pack_json([item.text, hashed_of(item)])
    return hashlib.blake2b(told.encode(), digest_size=16, key=salt).digest()


def old_item_hash(item: Item, salt: bytes) -> bytes:
    """The hash of an item that a person marked as confirmed when that was a mark of its own."""
    told = pack_json([item.text, hashed_of(item) | {"confirmed": 1}])
    return hashlib.blake2b(told.encode(), digest_size=16, key=salt).digest()


def turns_hash(turns: Sequence[Turn], salt: bytes) -> bytes:
    """What the ledger keeps of turns: a hash of their texts, keyed by a salt that is erased with
    them.
    """
    return hashlib.blake2b(
        pack_json([turn.text for turn in turns]).encode(), digest_size=16, key=salt
    ).digest()
