"""Undo: what the ledger says happened is taken back, newest first, all of it or nothing. Vectors
stay as they are.

A change can be undone while nothing later touched its record. An added item is retracted (it stays
in history) and what it superseded opened again, an edited one given its attributes back; turns that
were logged leave recall and stay in the log; entities are parted, joined or made again; what went
unused is as sure as before; what was pruned is back, and a proposal that was rejected or expired
waits again. An undoing is a change like others, so it can be undone too. Forget cannot: nothing is
left to bring back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, overload

from omoide.nouns.change import Action, Because, Change
from omoide.nouns.clock import Clock
from omoide.nouns.errors import CannotUndo, InvalidInput, NotFound
from omoide.nouns.ids import ChangeId, ItemId, clean_id
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import RecordKind, Undoing, kind_named
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, committed
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger, Past
from omoide.tables.sessions import Sessions
from omoide.write.apply import Door
from omoide.write.kinds.item import earlier
from omoide.write.neighbours import may_stand, stands_already
from omoide.write.remember import check_session
from omoide.write.undoing import was_of_agent

FOLLOWING = (
    Action.UNCONFIRM,
    Action.CLEAR,
)  # changes to an item that follow from one to what it rests on
CLOSING = (Action.SUPERSEDE, Action.RETRACT, Action.ADD)  # changes that may belong to such ones
ENDING = (Action.ADD, Action.REINFORCE, Action.CONFIRM)  # changes that may close other items


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """A record that an undoing of many changes leaves as it is, and the later change for which it
    does.
    """

    record: str
    by: ChangeId
    action: Action


@dataclass(frozen=True, kw_only=True, slots=True)
class Undone(Sequence[ChangeId]):
    """The ids of the changes that an undoing made, or of a preview those that it would take back.

    forgotten are the records that it would have changed, had they not been forgotten; kept are
    those that were changed since by something else.
    """

    changes: tuple[ChangeId, ...]
    forgotten: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()

    def __len__(self) -> int:
        return len(self.changes)

    @overload
    def __getitem__(self, index: int) -> ChangeId: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ChangeId, ...]: ...

    def __getitem__(self, index: int | slice) -> ChangeId | tuple[ChangeId, ...]:
        return self.changes[index]


def undo(
    store: Store,
    clock: Clock,
    scope: Scope,
    because: Because,
    what: str,
    *,
    preview: bool = False,
) -> Undone:
    """Take back a change by its id, or all changes of a session, or of an import or other cause;
    the new changes' ids.

    A supersession is one thing: taking back either of its two changes takes back both. So is a
    change with the state that it gave what rests on its item; and the adding or confirming of an
    item with what it ended besides. Of many changes those are passed over, and named, of which what
    they changed was forgotten since; passed over, too, is an item that would be open again where
    another that was said since says the same and is open. Of many changes those to records that
    something else changed since are kept too, with all that belongs to them. What waits for a
    person waits no more with the change that had it wait, if nothing else had; what a person
    settled stays so.

    Raises:
        NotFound: nothing in this scope goes by that id.
        CannotUndo: it was forgotten, undone already, or changed or said again since; the message
            says by what.
        Forbidden: an item is the word of somebody more trusted than who acts.
    """
    if preview:
        with store.transaction(tenant=scope.tenant, write=False) as tx:
            return _preview(tx, scope, what, clock.now())
    return committed(store, partial(_undo, clock, scope, because, what), tenant=scope.tenant)


def _preview(tx: Transaction, scope: Scope, what: str, now: datetime) -> Undone:
    """What an undoing would take back, and what it would keep."""
    check_session(tx, scope)
    pasts, forgotten, kept = _meant(tx, scope, what, now)
    group = frozenset(past.change.id for past in pasts)
    for past in pasts:
        _check(tx, past, group)
    ids = tuple(past.change.id for past in pasts)
    return Undone(changes=ids, forgotten=forgotten, kept=kept)


def _undo(clock: Clock, scope: Scope, because: Because, what: str, tx: Transaction) -> Undone:
    with Door(tx, clock, because) as door:
        check_session(tx, scope)
        pasts, forgotten, kept = _meant(tx, scope, what, door.now)
        for user in sorted({p.change.user or "" for p in pasts}):
            door.lock(scope.of_user(user or None))
        group, again = frozenset(p.change.id for p in pasts), dict[ItemId, ItemId]()
        undoing = Undoing(scope=scope, tier=because.tier, group=group)
        alike = may_stand(tx, _opening(tx, door, pasts), door.now)
        for past in pasts:
            _check(tx, past, group)
            said = _said_again(tx, door, past, alike)
            if said is None:
                revert = _kind_of(past).revert
                assert revert
                revert(tx, door, past, undoing)
            else:
                again |= said
        if again and not door.changes:
            raise CannotUndo(_said_since(*next(iter(again.items()))))
        return Undone(changes=tuple(door.changes), forgotten=forgotten, kept=kept)


def _meant(
    tx: Transaction, scope: Scope, what: str, now: datetime
) -> tuple[list[Past], tuple[str, ...], tuple[Kept, ...]]:
    """The changes meant, newest first; of many, those that still stand, the records of those that
    were forgotten, and those that something else changed since.

    Raises:
        NotFound: nothing in this scope goes by that id.
        CannotUndo: all of it was forgotten, undone already, or settled by a person.
    """
    what = clean_id(what, "id")
    one, found = _named(tx, scope, what)
    mine = [past for past in found if _is_theirs(tx, scope, past)]
    if not mine and Items(tx).many(scope, [what]):
        raise InvalidInput(
            "id",
            f"{what!r} is an item; its history shows the changes of it, each of which can be"
            " undone",
        )
    if not mine:
        raise NotFound("change, session or import", what)
    mine, forgotten = (mine, ()) if one else _standing(tx, what, mine, now)
    halves = {p.change.id: p for past in mine for p in (past, *_partner(tx, past))}
    whole = halves | {p.change.id: p for past in halves.values() for p in _ended_besides(tx, past)}
    meant = sorted(whole.values(), key=lambda p: -p.seq)
    kept: tuple[Kept, ...] = ()
    if not one:
        meant, kept = _free(tx, meant)
    return meant, forgotten, kept


def _free(tx: Transaction, meant: Sequence[Past]) -> tuple[list[Past], tuple[Kept, ...]]:
    """Those of many changes that nothing else came after, with all that belongs to them; and what
    is kept of the others.

    Raises:
        CannotUndo: something came after each.
    """
    left = {past.change.id: past for past in meant}
    kept: dict[str, Kept] = {}
    first: Past | None = None
    while True:
        blocked = {
            id: by[-1] for id, past in left.items() if (by := _blocking(tx, past, frozenset(left)))
        }
        if not blocked:
            break
        for id, last in blocked.items():
            change = left[id].change
            first = first or left[id]
            kept.setdefault(
                change.record, Kept(record=change.record, by=last.id, action=last.action)
            )
        halves = [left[id] for id in blocked]
        bound = {p.change.id for past in halves for p in _bound(tx, past)} | blocked.keys()
        left = {id: past for id, past in left.items() if id not in bound}
    if first is not None and not left:
        _check(tx, first, frozenset(past.change.id for past in meant))
    return list(left.values()), tuple(kept.values())


def _bound(tx: Transaction, past: Past) -> list[Past]:
    """What belongs to a change, so that it is kept with it."""
    return [*_partner(tx, past), *_ended_besides(tx, past)]


def _named(tx: Transaction, scope: Scope, what: str) -> tuple[bool, Sequence[Past]]:
    """Whether an id names one change; and the changes that it stands for: of a cause, of a session,
    or the settling of a proposal.
    """
    ledger, tenant = Ledger(tx), scope.tenant
    one = ledger.get(tenant, what)
    while one and one.change.cause and (follows := ledger.get(tenant, one.change.cause)):
        ends = one.change.action in CLOSING and follows.change.action in ENDING
        if one.change.action not in FOLLOWING and not ends:
            break
        one = follows
    if one:
        return True, [one]
    # though a round or something else caused it
    settled = (
        past
        for past in ledger.of_record(tenant, what)
        if past.change.action in (Action.REJECT, Action.EXPIRE)
    )
    session = Sessions(tx).named(scope, what)
    many = ledger.of_cause(tenant, what) or ledger.of_session(tenant, session) or list(settled)
    return False, many


def _standing(
    tx: Transaction, what: str, found: Sequence[Past], now: datetime
) -> tuple[list[Past], tuple[str, ...]]:
    """Those of many changes that stand and can be taken back, and the records of those that were
    forgotten.

    Raises:
        CannotUndo: none can.
    """
    done = (p for p in found if p.change.action not in (Action.UNDO, *FOLLOWING))
    standing = [p for p in done if p.change.id not in _taken_back(tx, p.change)]
    lost = {p.change.id: p.change.record for p in standing if _is_forgotten(tx, p, now)}
    forgotten = dict.fromkeys(lost.values())
    left = [
        p
        for p in standing
        if p.change.id not in lost
        and (p.change.kind is Kind.SESSION or p.change.record not in forgotten)
    ]
    left = [p for p in left if not _kind_of(p).is_settled(tx, p, now, True)]
    left = [p for p in left if not _kind_of(p).is_settled(tx, p, now, len(left) == 1)]
    if not left:
        raise CannotUndo(_nothing_left(what, forgotten=bool(forgotten), standing=bool(standing)))
    return left, tuple(forgotten)


def _kind_of(past: Past) -> RecordKind[Any]:
    return kind_named(past.change.kind)


def _is_forgotten(tx: Transaction, past: Past, now: datetime) -> bool:
    """Whether what a change changed is forgotten, or what it was before."""
    change = past.change
    if change.action is Action.FORGET or _kind_of(past).is_lost(tx, past, now):
        return True
    history = Ledger(tx).of_record(change.tenant, change.record)
    later = {p.change.action for p in history if p.seq > past.seq}
    lost = not past.kept and change.action is not Action.ADD
    return Action.FORGET in later or (Action.UNSAY in later and lost)


def _is_theirs(tx: Transaction, scope: Scope, past: Past) -> bool:
    """Whether a change is the asker's to undo: of their own record, or of one that is nobody's in
    particular.
    """
    may_undo = _kind_of(past).may_undo
    if past.change.user not in (None, scope.user):
        return False
    return may_undo(tx, scope, past) if may_undo else was_of_agent(scope, past)


def _nothing_left(what: str, *, forgotten: bool, standing: bool) -> str:
    """Why there is nothing to take back of what an id stands for."""
    if forgotten:
        return f"all that {what!r} changed was forgotten; nothing is left to bring back"
    if standing:
        return (
            f"all that {what!r} let wait was settled, or proposed again, since; nothing is left to"
            " take back"
        )
    return f"all that {what!r} changed is undone already"


def _said_since(item: ItemId, other: ItemId) -> str:
    return (
        f"what item {item!r} says was said again since, as {other!r}, which is open; undo the"
        " adding of that one, or forget it, first"
    )


def _partner(tx: Transaction, past: Past) -> list[Past]:
    """The other half of a supersession, or of its undoing: the successor's adding, or the
    predecessor's closing.
    """
    ledger, tenant = Ledger(tx), past.change.tenant
    root = ledger.root(past)
    away = (
        {Action.SUPERSEDE: 1, Action.ADD: -1}.get(root.change.action)
        if root.change.kind is Kind.ITEM
        else None
    )
    # the two are always written one after the other
    mate = ledger.at(tenant, root.seq + away) if away else None
    if mate is None or {root.change.action, mate.change.action} != {Action.SUPERSEDE, Action.ADD}:
        return []
    closed, added = (root, mate) if away == 1 else (mate, root)
    new = Items(tx).find(tenant, added.change.record)
    if new is None or new.supersedes != closed.change.record:
        return []
    return _likewise(tx, past, root, mate)


def _ended_besides(tx: Transaction, past: Past) -> list[Past]:
    """The closings of what ended with an item's adding, its confirming or its being said again,
    those that stand; of an undoing of that, their undoings.
    """
    ledger, tenant = Ledger(tx), past.change.tenant
    root = ledger.root(past)
    if root.change.kind is not Kind.ITEM or root.change.action not in ENDING:
        return []
    ended = [
        p
        for cause in filter(None, (root.change.cause, root.change.id))
        for p in ledger.of_cause(tenant, cause)
        if p.before.get("note") == root.change.record
        or (cause == root.change.id and p.change.action in CLOSING)
    ]
    return [
        found
        for closing in ended
        for found in _likewise(tx, past, root, closing)
        if not _is_done(tx, found)
    ]


def _is_done(tx: Transaction, past: Past) -> bool:
    """Whether what the taking back of a closing, or of its undoing, would do is so already: by
    hand, or since the item is forgotten.
    """
    item = Items(tx).find(past.change.tenant, past.change.record)
    added = past.change.action is Action.ADD
    return (
        item is None
        or item.is_open == (not added and past.before.get("superseded_at") is None)
        or past.change.id in _taken_back(tx, past.change)
    )


def _likewise(tx: Transaction, past: Past, root: Past, mate: Past) -> list[Past]:
    """What is to be taken back of a change that belongs to another, with that one, or with an
    undoing of it.
    """
    if root.change.id == past.change.id:
        return [mate]
    ledger, tenant = Ledger(tx), past.change.tenant
    standing = [
        p for p in ledger.standing(tenant, mate.change.record) if p.change.action is Action.UNDO
    ]
    return [p for p in standing if ledger.root(p).change.id == mate.change.id][-1:]


def _taken_back(tx: Transaction, change: Change) -> set[ChangeId]:
    """Which changes of a record are undone, by undoings that still stand."""
    ledger = Ledger(tx)
    standing = {past.change.id for past in ledger.standing(change.tenant, change.record)}
    return {past.change.id for past in ledger.of_record(change.tenant, change.record)} - standing


def _check(tx: Transaction, past: Past, group: frozenset[ChangeId]) -> None:
    """That nothing stands in the way of taking a change back.

    Raises:
        CannotUndo: something does.
    """
    change = past.change
    if change.action is Action.FORGET:
        raise CannotUndo(
            f"change {change.id!r} forgot {change.kind.value} {change.record!r}; nothing is left to"
            " bring back"
        )
    if change.action is Action.MASK:
        raise CannotUndo(f"change {change.id!r} masked a secret, which was not kept")
    if change.id in _taken_back(tx, change):
        raise CannotUndo(f"change {change.id!r} is undone already")
    if blocking := _blocking(tx, past, group):
        last = blocking[-1]
        raise CannotUndo(
            f"{change.kind.value} {change.record!r} was changed since, by {last.id!r}"
            f" ({last.action.value}); undo that first"
        )


def _blocking(tx: Transaction, past: Past, group: frozenset[ChangeId]) -> list[Change]:
    """The later changes of a record that stand and are not among those taken back with one."""
    change = past.change
    if change.kind is Kind.SESSION:
        return []
    gone = _taken_back(tx, change)
    return [
        p.change
        for p in Ledger(tx).of_record(change.tenant, change.record)
        if p.seq > past.seq
        and p.change.id not in group
        and p.change.id not in gone
        and p.change.action not in (Action.UNDO, Action.PROPOSE, *FOLLOWING)
    ]


def _opening(tx: Transaction, door: Door, pasts: Sequence[Past]) -> Iterator[Item]:
    """The closed items that undoing changes would open again, as they would be."""
    for past in pasts:
        item = (
            Items(tx).find(past.change.tenant, past.change.record)
            if past.change.kind is Kind.ITEM and past.kept
            else None
        )
        if item is not None and not item.is_open and (before := earlier(item, past, door)).is_open:
            yield before


def _said_again(
    tx: Transaction, door: Door, past: Past, alike: Mapping[ItemId, Sequence[str]]
) -> dict[ItemId, ItemId] | None:
    """The item that undoing a change would open again, with another one that says the same and is
    open.
    """
    item = (
        Items(tx).find(past.change.tenant, past.change.record)
        if past.change.kind is Kind.ITEM
        else None
    )
    if item is None or item.is_open:
        return None
    before = earlier(item, past, door)
    other = stands_already(tx, before, alike.get(item.id, ())) if before.is_open else None
    return None if other is None else {item.id: other.id}
