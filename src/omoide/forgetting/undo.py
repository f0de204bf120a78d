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
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import overload

from omoide.faculties.procedures.door import revert_procedure
from omoide.faculties.reflection.door import find_reflected, revert_reflected
from omoide.nouns.access import may_take_back, owns, takes_part
from omoide.nouns.change import Action, Because, Change
from omoide.nouns.clock import Clock, from_micros
from omoide.nouns.errors import CannotUndo, InvalidInput, NotFound
from omoide.nouns.ids import ChangeId, ItemId, clean_id
from omoide.nouns.item import Item, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.reflection import Digest, Reflection
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.review.decisions import is_proposed_again, is_settled, revert_proposal, revert_proposing
from omoide.store.base import Store, Transaction, committed
from omoide.tables.items import Items, with_state
from omoide.tables.ledger import Ledger, Past
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.write.apply import Door
from omoide.write.entities import is_theirs as entity_is_theirs
from omoide.write.entities import revert_entity
from omoide.write.neighbours import may_stand, stands_already
from omoide.write.remember import check_session
from omoide.write.tool_calls import are_forgotten, revert_calls
from omoide.write.trust import check_word

FOLLOWING = (
    Action.DOUBT,
    Action.CLEAR,
)  # changes to an item that follow from one to what it rests on


@dataclass(frozen=True, kw_only=True, slots=True)
class Undone(Sequence[ChangeId]):
    """The ids of the changes that an undoing made; forgotten are the records that it would have
    changed, had they not been forgotten.
    """

    changes: tuple[ChangeId, ...]
    forgotten: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.changes)

    @overload
    def __getitem__(self, index: int) -> ChangeId: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ChangeId, ...]: ...

    def __getitem__(self, index: int | slice) -> ChangeId | tuple[ChangeId, ...]:
        return self.changes[index]


def undo(store: Store, clock: Clock, scope: Scope, because: Because, what: str) -> Undone:
    """Take back a change by its id, or all changes of a session, or of an import or other cause;
    the new changes' ids.

    A supersession is one thing: taking back either of its two changes takes back both. So is a
    change with the doubt that it cast on what rests on its item, or lifted; and the adding of an
    item with what it ended besides. Of many changes those are passed over, and named, of which what
    they changed was forgotten since; passed over, too, is an item that would be open again where
    another that was said since says the same and is open. What waits for a person waits no more
    with the change that had it wait, if nothing else had; what a person settled stays so.

    Raises:
        NotFound: nothing in this scope goes by that id.
        CannotUndo: it was forgotten, undone already, or changed or said again since; the message
            says by what.
        Forbidden: an item is the word of somebody more trusted than who acts.
    """
    return committed(store, partial(_undo, clock, scope, because, what))


def _undo(clock: Clock, scope: Scope, because: Because, what: str, tx: Transaction) -> Undone:
    with Door(tx, clock, because) as door:
        check_session(tx, scope)
        pasts, forgotten = _meant(tx, scope, what, door.now)
        for user in sorted({p.change.user or "" for p in pasts}):
            door.lock(scope.of_user(user or None))
        group, again = frozenset(p.change.id for p in pasts), dict[ItemId, ItemId]()
        alike = may_stand(tx, _opening(tx, door, pasts), door.now)
        for past in pasts:
            _check(tx, past.change, group)
            said = _said_again(tx, door, past, alike)
            if said is None:
                _revert(tx, door, scope, past, because.tier, group)
            else:
                again |= said
        if again and not door.changes:
            raise CannotUndo(_said_since(*next(iter(again.items()))))
        return Undone(changes=tuple(door.changes), forgotten=forgotten)


def _meant(
    tx: Transaction, scope: Scope, what: str, now: datetime
) -> tuple[list[Past], tuple[str, ...]]:
    """The changes meant, newest first; of many, those that still stand, and the records of those
    that were forgotten.

    Raises:
        NotFound: nothing in this scope goes by that id.
        CannotUndo: all of it was forgotten, undone already, or settled by a person.
    """
    ledger, what = Ledger(tx), clean_id(what, "id")
    one = ledger.get(scope.tenant, what)
    while one and one.change.action in FOLLOWING and one.change.cause:
        one = ledger.get(scope.tenant, one.change.cause)
    found = (
        [one]
        if one
        else ledger.of_cause(scope.tenant, what)
        or ledger.of_session(scope.tenant, what)
        or _settled(ledger, scope, what)
    )
    mine = [p for p in found if _is_theirs(tx, scope, p)]
    if not mine and Items(tx).many(scope, [what]):
        raise InvalidInput(
            "id",
            f"{what!r} is an item; its history shows the changes of it, each of which can be"
            " undone",
        )
    if not mine:
        raise NotFound("change, session or import", what)
    forgotten: dict[str, None] = {}
    if one is None:
        done = (p for p in mine if p.change.action not in (Action.UNDO, *FOLLOWING))
        standing = [p for p in done if p.change.id not in _taken_back(tx, p.change)]
        lost = {p.change.id: p.change.record for p in standing if _is_forgotten(tx, p, now)}
        forgotten = dict.fromkeys(lost.values())
        left = (
            p
            for p in standing
            if p.change.id not in lost
            and (p.change.kind is Kind.SESSION or p.change.record not in forgotten)
        )
        mine = [p for p in left if not is_settled(tx, p)]
        mine = [
            p
            for p in mine
            if len(mine) == 1
            or not (p.change.kind is Kind.PROPOSAL and is_proposed_again(tx, p, now))
        ]
        if not mine:
            raise CannotUndo(
                _nothing_left(what, forgotten=bool(forgotten), standing=bool(standing))
            )
    halves = {p.change.id: p for past in mine for p in (past, *_partner(tx, past))}
    whole = halves | {p.change.id: p for past in halves.values() for p in _ended_besides(tx, past)}
    return sorted(whole.values(), key=lambda p: -p.change.seq), tuple(forgotten)


def _settled(ledger: Ledger, scope: Scope, proposal: str) -> list[Past]:
    """The rejections and expiries of a proposal, though a round or something else caused them."""
    return [
        p
        for p in ledger.of_record(scope.tenant, proposal)
        if p.change.action in (Action.REJECT, Action.EXPIRE)
    ]


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


def _is_forgotten(tx: Transaction, past: Past, now: datetime) -> bool:
    """Whether what a change changed is forgotten, or what it was before."""
    if past.change.kind is Kind.ROUND:
        return are_forgotten(tx, past, now)
    # the turns that it was of
    if past.change.action is Action.FORGET or (past.change.kind is Kind.SESSION and not past.kept):
        return True
    history = Ledger(tx).of_record(past.change.tenant, past.change.record)
    later = {p.change.action for p in history if p.change.seq > past.change.seq}
    lost = not past.kept and past.change.action is not Action.ADD
    return Action.FORGET in later or (Action.UNSAY in later and lost)


def _is_theirs(tx: Transaction, scope: Scope, past: Past) -> bool:
    """Whether a change is the asker's to undo: of their own record, or of one that is nobody's in
    particular.

    Of a record that is gone the owner is all that is known.
    """
    change = past.change
    if change.user not in (None, scope.user):
        return False
    match change.kind:
        case Kind.ITEM:
            item = Items(tx).find(change.tenant, change.record)
            return item is None or (
                item.scope.agent in (None, scope.agent) and _takes_part(tx, scope, item)
            )
        case Kind.ENTITY:
            return entity_is_theirs(tx, scope, past)
        case Kind.REFLECTION | Kind.DIGEST:
            reflected = find_reflected(tx, change)
            return reflected is None or (
                reflected.scope.agent in (None, scope.agent) and _takes_part(tx, scope, reflected)
            )
        case Kind.ROUND:
            return True
        case Kind.PROCEDURE:
            return past.before.get("agent", "") in ("", scope.agent or "")
        case Kind.SESSION | Kind.TURN:
            session = Sessions(tx).find(change.tenant, change.session or change.record)
            return session is None or owns(scope, session) or _said_it_all(tx, scope, session, past)
        case Kind.PROPOSAL:
            return past.before.get("agent", "") in ("", scope.agent or "")


def _said_it_all(tx: Transaction, scope: Scope, session: Session, past: Past) -> bool:
    """Whether a change of a session is of turns that are all the asker's own."""
    turns = _turns_of(tx, session, past)
    return bool(turns) and all(may_take_back(scope, session, turn) for turn in turns)


def _turns_of(tx: Transaction, session: Session, past: Past) -> list[Turn]:
    """The turns that a logging, or an undoing of one, is about."""
    return Turns(tx).stretch(
        session.scope.tenant, session.id, past.before.get("first", 0), past.before.get("count", 0)
    )


def _takes_part(tx: Transaction, scope: Scope, record: Item | Reflection | Digest) -> bool:
    """Whether the session that alone knows a record, if any, is one in which the asker may change
    it.
    """
    session = (
        Sessions(tx).find(scope.tenant, record.scope.session) if record.scope.session else None
    )
    return (
        session is None
        or record.scope.session == scope.session
        or owns(scope, session)
        or takes_part(scope, session)
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
    mate = ledger.at(tenant, root.change.seq + away) if away else None
    if mate is None or {root.change.action, mate.change.action} != {Action.SUPERSEDE, Action.ADD}:
        return []
    closed, added = (root, mate) if away == 1 else (mate, root)
    new = Items(tx).find(tenant, added.change.record)
    if new is None or new.supersedes != closed.change.record:
        return []
    return _likewise(tx, past, root, mate)


def _ended_besides(tx: Transaction, past: Past) -> list[Past]:
    """The closings of what ended with an item's adding or its being said again, those that stand;
    of an undoing of that, their undoings.
    """
    ledger, tenant = Ledger(tx), past.change.tenant
    root = ledger.root(past)
    if (
        root.change.kind is not Kind.ITEM
        or root.change.action not in (Action.ADD, Action.REINFORCE)
        or not root.change.cause
    ):
        return []
    ended = [
        p
        for p in ledger.of_cause(tenant, root.change.cause)
        if p.before.get("note") == root.change.record
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
    return (
        item is None
        or item.is_open == (past.before.get("superseded_at") is None)
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


def _check(tx: Transaction, change: Change, group: frozenset[ChangeId]) -> None:
    """That nothing stands in the way of taking a change back.

    Raises:
        CannotUndo: something does.
    """
    if change.action is Action.FORGET:
        raise CannotUndo(
            f"change {change.id!r} forgot {change.kind.value} {change.record!r}; nothing is left to"
            " bring back"
        )
    if change.action is Action.MASK:
        raise CannotUndo(f"change {change.id!r} masked a secret, which was not kept")
    gone = _taken_back(tx, change)
    if change.id in gone:
        raise CannotUndo(f"change {change.id!r} is undone already")
    later = [
        p.change
        for p in Ledger(tx).of_record(change.tenant, change.record)
        if p.change.seq > change.seq
    ]
    blocking = [
        c
        for c in later
        if c.id not in group
        and c.id not in gone
        and c.action not in (Action.UNDO, Action.PROPOSE, *FOLLOWING)
    ]
    if change.kind is not Kind.SESSION and blocking:
        last = blocking[-1]
        raise CannotUndo(
            f"{change.kind.value} {change.record!r} was changed since, by {last.id!r}"
            f" ({last.action.value}); undo that first"
        )


def _revert(
    tx: Transaction, door: Door, scope: Scope, past: Past, tier: Tier, group: frozenset[ChangeId]
) -> None:
    match past.change.kind:
        case Kind.ITEM:
            _revert_item(tx, door, past, tier)
        case Kind.SESSION:
            _revert_log(tx, door, scope, past)
        case Kind.ENTITY:
            revert_entity(tx, door, past)
        case Kind.REFLECTION | Kind.DIGEST:
            revert_reflected(tx, door, past)
        case Kind.ROUND:
            _revert_round(tx, door, scope, past)
        case Kind.PROCEDURE:
            _revert_procedure(tx, door, past)
        case Kind.TURN:
            raise CannotUndo(f"change {past.change.id!r} is of a turn, which is never changed")
        case Kind.PROPOSAL:
            if Ledger(tx).root(past).change.action is Action.PROPOSE:
                revert_proposing(tx, door, past, group)
            else:
                revert_proposal(tx, door, past, tier)


def _revert_item(tx: Transaction, door: Door, past: Past, tier: Tier) -> None:
    item = Items(tx).find(past.change.tenant, past.change.record)
    if item is None:
        raise CannotUndo(
            f"item {past.change.record!r} was forgotten; nothing is left to bring back"
        )
    earlier = _earlier(item, past, door)
    if past.change.action not in (
        Action.FEEDBACK,
        Action.ARCHIVE,
    ):  # anybody's to give, or upkeep's, and anybody's to take back
        check_word(tx, item, earlier, tier)
    door.restore(item, earlier, undoes=past.change.id)


def _opening(tx: Transaction, door: Door, pasts: Sequence[Past]) -> Iterator[Item]:
    """The closed items that undoing changes would open again, as they would be."""
    for past in pasts:
        item = (
            Items(tx).find(past.change.tenant, past.change.record)
            if past.change.kind is Kind.ITEM and past.kept
            else None
        )
        if (
            item is not None
            and not item.is_open
            and (earlier := _earlier(item, past, door)).is_open
        ):
            yield earlier


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
    earlier = _earlier(item, past, door)
    other = stands_already(tx, earlier, alike.get(item.id, ())) if earlier.is_open else None
    return None if other is None else {item.id: other.id}


def _earlier(item: Item, past: Past, door: Door) -> Item:
    if past.change.action is Action.ADD:
        return replace(item, closed_at=item.valid_from, superseded_at=door.now, superseded_by=None)
    if not past.kept:
        raise CannotUndo(f"what change {past.change.id!r} replaced is no longer kept")
    # the door weighs it by its bases as they are now
    return replace(with_state(item, past.before), doubted_at=item.doubted_at)


def _revert_round(tx: Transaction, door: Door, scope: Scope, past: Past) -> None:
    """Give items the confidence back that they lost or got, as far as they are still there, or
    bring pruned calls back; or the reverse.
    """
    if not past.kept:
        raise CannotUndo(f"what change {past.change.id!r} replaced is no longer kept")
    if "calls" in past.before:
        revert_calls(tx, door, past)
        return
    factors = {id: 1 / factor for id, factor in past.before.get("factors", {}).items()}
    shifts = {id: -shift for id, shift in past.before.get("shifts", {}).items()}
    Items(tx).scale(scope.tenant, factors)
    Items(tx).shift(scope.tenant, shifts)
    before = {"factors": factors, "shifts": shifts}
    door.note(
        Action.UNDO,
        Kind.ROUND,
        past.change.record,
        scope.of_user(past.change.user),
        before=before,
        cause=past.change.id,
    )


def _revert_procedure(tx: Transaction, door: Door, past: Past) -> None:
    if not past.kept:
        raise CannotUndo(
            f"procedure {past.change.record!r} was forgotten; nothing is left to bring back"
        )
    revert_procedure(tx, door, past)


def _revert_log(tx: Transaction, door: Door, scope: Scope, past: Past) -> None:
    session = Sessions(tx).find(scope.tenant, past.change.record)
    if session is None or not past.kept:
        raise CannotUndo(
            f"session {past.change.record!r} was forgotten; nothing is left to bring back"
        )
    if "archived" in past.before:
        _revert_archiving(tx, door, session, past)
        return
    turns = _turns_of(tx, session, past)
    # undoing the logging hides; undoing that undoing brings back
    hide = not past.before.get("hid", False)
    there = (
        {}
        if hide
        else Turns(tx).positions(session.scope.tenant, session.id, [t.key for t in turns if t.key])
    )
    again = [t for t in turns if t.key in there]
    if again:
        raise CannotUndo(
            f"turn {again[0].id!r} was logged again since, in session {session.id!r}; undo that"
            " first"
        )
    if turns:
        door.hide_turns(session, turns, hide=hide, undoes=past.change.id)
    Sessions(tx).hide(
        scope.tenant,
        session.id,
        door.now if not Turns(tx).shown(scope.tenant, session.id) else None,
    )


def _revert_archiving(tx: Transaction, door: Door, session: Session, past: Past) -> None:
    """Bring back what of a session was pruned, or prune it again, with the same time to be erased
    at.
    """
    tenant, before = session.scope.tenant, past.before
    if not before["archived"]:
        end = before["first"] + before["count"]
        door.archive_turns(
            session, before["first"], end, from_micros(before["purge_at"]), undoes=past.change.id
        )
    elif not door.unarchive_turns(session, before, undoes=past.change.id):
        raise CannotUndo(
            f"the turns of session {session.id!r} were in the archive until"
            f" {from_micros(before['purge_at']):%Y-%m-%d}"
        )
    Sessions(tx).hide(tenant, session.id, None if Turns(tx).shown(tenant, session.id) else door.now)
