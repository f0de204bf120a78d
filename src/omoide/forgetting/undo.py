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

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from omoide.nouns.change import Action, Because, Change
from omoide.nouns.clock import Clock
from omoide.nouns.errors import CannotUndo, InvalidInput, NotFound
from omoide.nouns.ids import ChangeId, ItemId, clean_id
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.record import Listed, Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record_kind import RecordKind, Undoing, kind_named
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger, Past
from omoide.tables.sessions import Sessions
from omoide.write.apply import Door
from omoide.write.kinds.item import earlier
from omoide.write.neighbours import may_stand, stands_already
from omoide.write.remember import check_session
from omoide.write.undoing import was_of_agent

# changes to an item that follow from one to what it rests on
FOLLOWING = (Action.UNCONFIRM, Action.CLEAR)
CLOSING = (Action.SUPERSEDE, Action.RETRACT, Action.ADD)  # changes that may belong to such ones
ENDING = (Action.ADD, Action.REINFORCE, Action.CONFIRM)  # changes that may close other items


@frozen_record
class Kept(Record):
    """A record that undoing many changes leaves as it is, and the later change that keeps it."""

    record: str
    by: ChangeId
    action: Action


@frozen_record
class Undone(Listed[ChangeId]):
    """The ids of the changes that an undoing made, or of a preview those that it would take back.

    forgotten are the records that it would have changed, had they not been forgotten; kept are
    those that were changed since by something else.
    """

    changes: tuple[ChangeId, ...]
    forgotten: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()

    @property
    def _listed(self) -> tuple[ChangeId, ...]:
        return self.changes


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
        with read_only(store, scope.tenant) as tx:
            return _preview(tx, scope, what, clock.now())
    return committed(store, partial(_undo, clock, scope, because, what), tenant=scope.tenant)


@dataclass(frozen=True, slots=True)
class _ToUndo:
    """The changes to take back, newest first, and what an undoing of many passes over."""

    pasts: Sequence[Past]
    forgotten: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()

    @property
    def group(self) -> frozenset[ChangeId]:
        """The ids of the changes."""
        return frozenset(past.change.id for past in self.pasts)

    def undone(self, changes: Iterable[ChangeId]) -> Undone:
        """What came of it."""
        return Undone(changes=tuple(changes), forgotten=self.forgotten, kept=self.kept)


def _preview(tx: Transaction, scope: Scope, what: str, now: datetime) -> Undone:
    """What an undoing would take back, and what it would keep."""
    check_session(tx, scope)
    meant = _meant(tx, scope, what, now)
    group = meant.group
    for past in meant.pasts:
        _check(tx, past, group)
    return meant.undone(past.change.id for past in meant.pasts)


def _undo(clock: Clock, scope: Scope, because: Because, what: str, tx: Transaction) -> Undone:
    with Door(tx, clock, because) as door:
        check_session(tx, scope)
        meant = _meant(tx, scope, what, door.now)
        door.lock_users(scope, (past.change.user for past in meant.pasts))
        undoing = Undoing(scope=scope, tier=because.tier, group=meant.group)
        again = _revert(tx, door, meant.pasts, undoing)
        if again and not door.changes:
            item, other = again[0]
            raise CannotUndo(
                f"what item {item!r} says was said again since, as {other!r}, which is open; undo"
                " the adding of that one, or forget it, first"
            )
        return meant.undone(door.changes)


def _revert(
    tx: Transaction, door: Door, pasts: Sequence[Past], undoing: Undoing
) -> list[tuple[ItemId, ItemId]]:
    """Take changes back; the items that stay closed for it, each with the open one that says the
    same.
    """
    again = []
    alike = may_stand(tx, _opening(tx, door, pasts), door.now)
    for past in pasts:
        _check(tx, past, undoing.group)
        said = _said_again(tx, door, past, alike)
        if said is None:
            revert = _kind_of(past).revert
            assert revert
            revert(tx, door, past, undoing)
        else:
            again.append(said)
    return again


def _meant(tx: Transaction, scope: Scope, what: str, now: datetime) -> _ToUndo:
    """The changes meant; of many, those that still stand, the records of those that were forgotten,
    and those that something else changed since.

    Raises:
        NotFound: nothing in this scope goes by that id.
        CannotUndo: all of it was forgotten, undone already, or settled by a person.
    """
    what = clean_id(what, "id")
    one, found = _named(tx, scope, what)
    mine = [past for past in found if _is_theirs(tx, scope, past)]
    if not mine:
        raise _unknown(tx, scope, what)
    if one:
        return _ToUndo(_whole(tx, mine))
    standing, forgotten = _standing(tx, what, mine, now)
    left, kept = _free(tx, _whole(tx, standing))
    return _ToUndo(left, forgotten, kept)


def _unknown(tx: Transaction, scope: Scope, what: str) -> InvalidInput | NotFound:
    """Why nothing goes by an id."""
    if not Items(tx).many(scope, [what]):
        return NotFound("change, session or import", what)
    told = f"{what!r} is an item; its history shows the changes of it, each of which can be undone"
    return InvalidInput("id", told)


def _whole(tx: Transaction, pasts: Sequence[Past]) -> list[Past]:
    """Changes with what is taken back with them, newest first."""
    halves = {
        p.change.id: p
        for past in pasts
        for p in (past, *_partner(tx, past), *_replaced_with(tx, past))
    }
    ended = {p.change.id: p for past in halves.values() for p in _ended_besides(tx, past)}
    return sorted((halves | ended).values(), key=lambda past: -past.seq)


def _free(tx: Transaction, meant: Sequence[Past]) -> tuple[list[Past], tuple[Kept, ...]]:
    """Those of many changes that nothing else came after, with all that belongs to them; and what
    is kept of the others.

    Raises:
        CannotUndo: something came after each.
    """
    left = {past.change.id: past for past in meant}
    kept: dict[str, Kept] = {}
    first: Past | None = None
    while blocked := _blocked(tx, left):
        first = first or left[next(iter(blocked))]
        for id, last in blocked.items():
            record = left[id].change.record
            kept.setdefault(record, Kept(record=record, by=last.id, action=last.action))
        going = [left[id] for id in blocked]
        bound = (
            p for past in going for p in (past, *_partner(tx, past), *_ended_besides(tx, past))
        )
        kept_too = {p.change.id for p in bound}
        left = {id: past for id, past in left.items() if id not in kept_too}
    if first is not None and not left:
        _check(tx, first, frozenset(past.change.id for past in meant))
    return list(left.values()), tuple(kept.values())


def _blocked(tx: Transaction, pasts: Mapping[ChangeId, Past]) -> dict[ChangeId, Change]:
    """Those of some changes that something else came after, each with the last of that."""
    group = frozenset(pasts)
    found = ((id, _blocking(tx, past, group)) for id, past in pasts.items())
    return {id: later[-1] for id, later in found if later}


def _named(tx: Transaction, scope: Scope, what: str) -> tuple[bool, Sequence[Past]]:
    """Whether an id names one change; and the changes that it stands for: of a cause, of a session,
    or the settling of a proposal.
    """
    ledger, tenant = Ledger(tx), scope.tenant
    if one := ledger.get(tenant, what):
        return True, [_followed(ledger, one)]
    session = Sessions(tx).named(scope, what)
    many = ledger.of_cause(tenant, what) or ledger.of_session(tenant, session)
    settling = (Action.REJECT, Action.EXPIRE)  # though a round or something else caused it
    return False, many or [
        past for past in ledger.of_record(tenant, what) if past.change.action in settling
    ]


def _followed(ledger: Ledger, past: Past) -> Past:
    """The change from which one follows, or to which it belongs; another change itself."""
    while (cause := past.change.cause) and (follows := ledger.get(past.change.tenant, cause)):
        ends = past.change.action in CLOSING and follows.change.action in ENDING
        if past.change.action not in FOLLOWING and not ends:
            break
        past = follows
    return past


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
    forgotten = tuple(dict.fromkeys(lost.values()))
    left = [p for p in standing if p.change.id not in lost and not _is_of(p, forgotten)]
    left = [p for p in left if not _kind_of(p).is_settled(tx, p, now, True)]
    left = [p for p in left if not _kind_of(p).is_settled(tx, p, now, len(left) == 1)]
    if not left:
        raise CannotUndo(_nothing_left(what, forgotten=bool(forgotten), standing=bool(standing)))
    return left, forgotten


def _is_of(past: Past, records: Collection[str]) -> bool:
    """Whether a change is of one of some records; one of a session is of the turns in it."""
    return past.change.kind is not Kind.SESSION and past.change.record in records


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


def _partner(tx: Transaction, past: Past) -> list[Past]:
    """The other half of a supersession, or of its undoing: the successor's adding, or the
    predecessor's closing.
    """
    ledger, tenant = Ledger(tx), past.change.tenant
    root = ledger.root(past)
    away = {Action.SUPERSEDE: 1, Action.ADD: -1}.get(root.change.action, 0)
    if root.change.kind is not Kind.ITEM or not away:
        return []
    # the two are always written one after the other
    mate = ledger.at(tenant, root.seq + away)
    if mate is None or {root.change.action, mate.change.action} != {Action.SUPERSEDE, Action.ADD}:
        return []
    closed, added = (root, mate) if away == 1 else (mate, root)
    new = Items(tx).find(tenant, added.change.record)
    is_pair = new is not None and new.supersedes == closed.change.record
    return _likewise(tx, past, root, mate) if is_pair else []


def _replaced_with(tx: Transaction, past: Past) -> list[Past]:
    """Of the logging of an edit and the replacings of earlier words that follow from it the others,
    those that stand; of an undoing of one, the undoings of the others.
    """
    ledger, tenant = Ledger(tx), past.change.tenant
    root = ledger.root(past)
    is_replacing = "replaced" in root.before
    logging = ledger.get(tenant, root.change.cause or "") if is_replacing else root
    if logging is None or logging.change.action is not Action.LOG:
        return []
    replacings = (p for p in ledger.of_cause(tenant, logging.change.id) if "replaced" in p.before)
    others = (one for one in (logging, *replacings) if one.change.id != root.change.id)
    mates = (mate for one in others for mate in _likewise(tx, past, root, one))
    return [mate for mate in mates if mate.change.id not in _taken_back(tx, mate.change)]


def _ended_besides(tx: Transaction, past: Past) -> list[Past]:
    """The closings of what ended with an item's adding, its confirming or its being said again,
    those that stand; of an undoing of that, their undoings.
    """
    ledger = Ledger(tx)
    root = ledger.root(past)
    if root.change.kind is not Kind.ITEM or root.change.action not in ENDING:
        return []
    found = (
        mate
        for cause in filter(None, (root.change.cause, root.change.id))
        for closing in ledger.of_cause(past.change.tenant, cause)
        if _ended_with(closing, root, cause)
        for mate in _likewise(tx, past, root, closing)
    )
    return [mate for mate in found if not _is_done(tx, mate)]


def _ended_with(closing: Past, root: Past, cause: str) -> bool:
    """Whether a change of that cause closed something for another change."""
    if closing.before.get("note") == root.change.record:
        return True
    return cause == root.change.id and closing.change.action in CLOSING


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
        if past.kept and (before := _before(tx, door, past)) is not None and before.is_open:
            yield before


def _before(tx: Transaction, door: Door, past: Past) -> Item | None:
    """A closed item as it was before a change; None where the change is of anything else."""
    if past.change.kind is not Kind.ITEM:
        return None
    item = Items(tx).find(past.change.tenant, past.change.record)
    return None if item is None or item.is_open else earlier(item, past, door)


def _said_again(
    tx: Transaction, door: Door, past: Past, alike: Mapping[ItemId, Sequence[str]]
) -> tuple[ItemId, ItemId] | None:
    """The item that undoing a change would open again, with another one that says the same and is
    open.
    """
    before = _before(tx, door, past)
    if before is None or not before.is_open:
        return None
    other = stands_already(tx, before, alike.get(before.id, ()))
    return None if other is None else (before.id, other.id)
