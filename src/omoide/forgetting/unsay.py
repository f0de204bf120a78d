"""Forgetting a source leaves memory as if it had never spoken: what it did to what others said is
taken back.

An item that others said too stays, as they said it. What the source closed is open again, or gives
way to what came after. What it added to an item, such as a tag or more confidence, goes: the item
is told again from what is kept of each saying.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from omoide.faculties.reflection.kinds import erase_profiles
from omoide.forgetting.nearby import Nearby
from omoide.forgetting.unreconcile import compared_with, unshift
from omoide.nouns.change import Action
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.documents import Words
from omoide.tables.item_fields import INHERITED, state_of
from omoide.tables.items import Items, with_state
from omoide.tables.ledger import Ledger, Past
from omoide.wire.coding import decode
from omoide.write.apply import Door
from omoide.write.decide import Add, Candidate, Decision, Neighbour, Reinforce, decide
from omoide.write.index import item_words
from omoide.write.merge import again, instead

# changes of an item, oldest first, each with the state that it left
Told: TypeAlias = "list[tuple[Past, dict[str, Any]]]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """What is forgotten, as those who said something: items, turns, sessions and names of
    origins.
    """

    items: Mapping[str, Item]
    turns: Collection[str]
    sessions: Collection[str]
    origins: Collection[str]
    # what goes after this, in a transaction of its own
    later: Collection[str] = ()
    # each user's items, read as they are looked for
    nearby: dict[str, Nearby] = field(default_factory=dict)

    def said(self, item: Item) -> bool:
        """Whether a saying was the source's alone."""
        return item.origin in self.origins or item.first_came_from(self.turns)

    def did(self, past: Past) -> bool:
        """Whether a change of an item was the source's."""
        said, told = _said(past), past.before.get("told")
        if said is None and told is not None:
            return any(turn in self.turns for turn in told)
        return past.change.session in self.sessions if said is None else self.said(said)


def is_correction(tx: Transaction, item: Item) -> bool:
    """Whether an item was made to correct another, rather than said by itself."""
    return not any(
        past.change.action is Action.ADD and "said" in past.before
        for past in Ledger(tx).of_record(item.scope.tenant, item.id)
    )


def said_by_others(tx: Transaction, item: Item, source: Source) -> Item | None:
    """How another than the source said again what an item says; None where nobody did. What is
    undone counts no more, nor does how the item was said first: its text may be of several.
    """
    standing = Ledger(tx).standing(item.scope.tenant, item.id)
    found = ((past.change.at, _said(past)) for past in standing)
    return next(
        (
            replace(said, recorded_at=at)
            for at, said in found
            if said is not None and said.id != item.id and not source.said(said)
        ),
        None,
    )


def is_others(tx: Transaction, item: Item, source: Source) -> bool:
    """Whether an item of the source's name only corrects what others said too, whose origin it took
    over.
    """
    while item.supersedes and is_correction(tx, item):
        old = Items(tx).find(item.scope.tenant, item.supersedes)
        if old is None or old.origin != item.origin:
            return False
        if said_by_others(tx, old, source) is not None:
            return True
        item = old
    return False


def unsay(
    tx: Transaction, door: Door, scope: Scope, source: Source, spared: Mapping[str, Item]
) -> tuple[int, list[Item]]:
    """Take back what a source did to items that stay; how many these are, and those of them that
    are one with another now.

    spared are its own that others said too, as they did, by the id that goes.
    """
    tenant = scope.tenant
    touched = _touched(tx, tenant, source)
    for old, said in spared.items():
        own, around = item_words(said)
        added = door.add(replace(said, supersedes=None), Words(own=own, around=around))
        standing = {past.change.id for past in Ledger(tx).standing(tenant, old)}
        for past, _ in _after(_told(tx, source.items[old]), said.id):
            again = _said(past) if past.change.id in standing else None
            if again is not None and not source.said(again):
                door.say_again(added, again)
    for old, said in spared.items():  # once all are there, for one may rest on another
        _hand_on(tx, source, source.items[old], said)
    found = [Items(tx).find(tenant, id) for id in touched if id not in source.items]
    waiting = [(item, item) for item in found if item is not None] + [
        (source.items[id], said) for id, said in spared.items()
    ]
    done, merged = _retell_all(tx, door, source, waiting, spared)
    _link_anew(tx, tenant, source)
    unshift(tx, door, tenant, source.items)
    users = {item.scope.user or "" for item, _ in waiting}
    erase_profiles(tx, door, scope, users, source.items)
    return done, merged


def _retell_all(
    tx: Transaction,
    door: Door,
    source: Source,
    waiting: list[tuple[Item, Item]],
    spared: Mapping[str, Item],
) -> tuple[int, list[Item]]:
    """Write items, each as it was and is, without what a source did to them, the oldest first."""
    were: dict[str, Item] = {item.id: was for was, item in waiting}
    waiting.sort(key=lambda pair: (pair[1].recorded_at, pair[1].id))
    done, merged = set[str](), list[Item]()
    for was, item in waiting:
        now = Items(tx).find(item.scope.tenant, item.id)
        if now is None or item.id in done:
            continue
        done.add(item.id)
        known = _said_before(tx, source, was, now, spared)
        if known is not None:
            _merge(tx, door, source, was, now, known)
            merged.append(now)
            continue
        _retell(tx, door, source, was, now, spared, were)
    return len(done), merged


def _link_anew(tx: Transaction, tenant: str, source: Source) -> None:
    """Let items that were similar to one of the source's be linked to what they would have been."""
    for id in source.items:
        for item in Items(tx).linked(tenant, id):
            decision = None if item.id in source.items else _decide(tx, source, item)
            near = decision.similar if isinstance(decision, Add) else None
            Items(tx).link(item, near.id if near else None)


def _said_before(
    tx: Transaction, source: Source, was: Item, item: Item, spared: Mapping[str, Item]
) -> Item | None:
    """The item that says already what one says, had the source not come between; None where that is
    said by it first.
    """
    start, _, alone = _start(tx, source, was, item)
    before = _before(tx, source, was, spared)
    if not alone or (before is not None and before.superseded_by == item.id):
        return None
    decision = _decide(tx, source, start)
    return (
        Items(tx).find(item.scope.tenant, decision.item.id)
        if isinstance(decision, Reinforce)
        else None
    )


def _merge(tx: Transaction, door: Door, source: Source, was: Item, item: Item, known: Item) -> None:
    """Let an item be what is said again of another, with all that became of it."""
    start, told, _ = _start(tx, source, was, item)
    for later in Items(tx).successors(item.scope.tenant, item.id):
        Items(tx).follow(later, known.id)
    Items(tx).lend(item.scope.tenant, item.id, known.id)
    _write(tx, door, source, known, _again(again(known, start), told, source))


def _hand_on(tx: Transaction, source: Source, old: Item, new: Item) -> None:
    """Let what rests on an item, or took its place, rest on another and take that one's;
    corrections had its origin from it.
    """
    Items(tx).lend(new.scope.tenant, old.id, new.id)
    waiting = [
        (later, True)
        for later in Items(tx).successors(new.scope.tenant, old.id)
        if later.id not in source.items
    ]
    while waiting:
        later, is_next = waiting.pop()
        if is_next:
            Items(tx).follow(later, new.id)
        if is_correction(tx, later) and later.origin == old.origin:
            Items(tx).relabel(replace(later, origin=new.origin))
            waiting += [(one, False) for one in Items(tx).successors(new.scope.tenant, later.id)]


def _touched(tx: Transaction, tenant: str, source: Source) -> set[str]:
    """Items that the source said something of, or ended, or that took the place of one that it did,
    or gave way to one.
    """
    told = Ledger(tx).told(tenant) if source.turns or source.origins else []
    waiting = {past.change.record for past in told if source.did(past)}
    waiting |= {
        id
        for gone in source.items.values()
        for id in (gone.id, gone.supersedes, gone.superseded_by)
        if id
    }
    waiting |= compared_with(tx, tenant, source.items)
    touched: set[str] = set()
    while waiting:
        id = waiting.pop()
        touched.add(id)
        waiting |= {item.id for item in Items(tx).successors(tenant, id)} - touched
    return touched


def _retell(
    tx: Transaction,
    door: Door,
    source: Source,
    was: Item,
    item: Item,
    spared: Mapping[str, Item],
    were: Mapping[str, Item],
) -> None:
    """Write an item without what a source did to it; it was another that goes, whose changes are
    told again, or itself.

    were is what all of them were before. What only the source's item came between is no reason to
    close what was before it: nobody decided that.
    """
    start, told, alone = _start(tx, source, was, item)
    before = _before(tx, source, was, spared)
    if alone:
        if before is not None and before.superseded_by != item.id:
            before = None
        if before is not None:
            start = _take_place(tx, door, source, start, item, before)
        Items(tx).follow(item, before.id if before is not None else None)
    elif before is not None and before.id in were:
        start = _inherited(start, were[before.id], before)
    retold = _again(start, told, source)
    if retold.superseded_by in source.items and retold.superseded_by not in spared:
        retold = replace(retold, closed_at=None, superseded_at=None, superseded_by=None)
    if retold.closed_at is not None:
        retold = replace(retold, closed_at=max(retold.closed_at, retold.valid_from))
    _write(tx, door, source, item, retold)


def _take_place(
    tx: Transaction, door: Door, source: Source, start: Item, item: Item, before: Item
) -> Item:
    """Close what an item takes the place of; the item as it begins then."""
    falling = {before.id, *(one.id for one in Items(tx).above(item.scope.tenant, before.id))}
    bases = tuple(base for base in start.bases if base not in falling)
    closed = replace(
        before,
        closed_at=max(item.valid_from, before.valid_from),
        superseded_at=item.recorded_at,
        superseded_by=item.id,
        updated_at=item.recorded_at,
    )
    _write(tx, door, source, before, closed)
    return replace(instead(before, start), bases=bases)


def _inherited(new: Item, was: Item, old: Item) -> Item:
    """A correction with what it took over from what it corrects, where that was another way
    before.
    """
    same = [name for name in INHERITED if getattr(new, name) == getattr(was, name)]
    return replace(new, **{name: getattr(old, name) for name in same})


def _write(tx: Transaction, door: Door, source: Source, now: Item, retold: Item) -> None:
    """Write what an item is, if that differs from what it was, or the source said something of it
    that is kept.
    """
    said = {
        past.change.id: source.said(saying)
        for past in Ledger(tx).of_record(now.scope.tenant, now.id)
        if (saying := _said(past)) is not None
    }
    same = state_of(retold) == state_of(now) and retold.bases == now.bases
    if not same or retold.said_again != now.said_again or any(said.values()):
        door.unsay(now, retold, [id for id, is_gone in said.items() if not is_gone])
        _let_go_of_successor(tx, now, retold)
        if (nearby := source.nearby.get(now.scope.user or "")) is not None:
            nearby.put(retold)


def _let_go_of_successor(tx: Transaction, now: Item, retold: Item) -> None:
    """Let what took an item's place name it no more, where the item is open again."""
    if retold.is_open and now.superseded_by is not None:
        successor = Items(tx).find(now.scope.tenant, now.superseded_by)
        if successor is not None and successor.supersedes == now.id:
            Items(tx).follow(successor, None)


def _start(tx: Transaction, source: Source, was: Item, item: Item) -> tuple[Item, Told, bool]:
    """An item as it was said first, the changes since, and whether it stands alone now, without
    what it took the place of.
    """
    told = _told(tx, was)
    if was.id != item.id:
        return item, _after(told, item.id), True  # its bases are those that it said
    if not told or any(not past.kept for past, _ in told[1:]):
        return item, [], False  # what its changes replaced was forgotten with something else
    first = _said(told[0][0])
    if first is not None and was.supersedes is not None:
        bases = [
            base for base in first.bases if Items(tx).find(item.scope.tenant, base) is not None
        ]
        kept = {"bases": bases, "said_again": []}
        return with_state(item, state_of(first) | kept), told[1:], True
    return with_state(item, told[0][1]), told[1:], False


def _after(told: Told, saying: str) -> Told:
    """The changes of an item since something was said of it, by the id of what was said."""
    place = next(
        n
        for n, (past, _) in enumerate(told)
        if (said := _said(past)) is not None and said.id == saying
    )
    return told[place + 1 :]


def _said(past: Past) -> Item | None:
    """What was said that made a change, where that is kept."""
    return decode(Item, past.before["said"]) if "said" in past.before else None


def _told(tx: Transaction, item: Item) -> Told:
    told: Told = []
    left = state_of(item) | {"bases": list(item.bases), "said_again": list(item.said_again)}
    for past in reversed(Ledger(tx).of_record(item.scope.tenant, item.id)):
        told.append((past, left))
        left = left | {name: value for name, value in past.before.items() if name in left}
    return told[::-1]


def _again(item: Item, told: Told, source: Source) -> Item:
    """An item after these changes, but for those of a source."""
    gone = set[str]()  # changes that the source made
    for past, left in told:
        said = _said(past)
        closed_by_it = (
            past.change.action in (Action.SUPERSEDE, Action.MERGE)
            and left["superseded_by"] in source.items
        )
        if (
            source.did(past)
            or closed_by_it
            or past.change.action in (Action.UNCONFIRM, Action.CLEAR)
        ):
            gone.add(past.change.id)
            continue
        if said is not None:
            item = replace(again(item, said), updated_at=past.change.at)
        else:
            changed = {
                name: value for name, value in left.items() if past.before.get(name, value) != value
            }
            if past.change.cause in gone:  # it was taken back only
                changed.pop("updated_at", None)
            kept = {"bases": item.bases, "said_again": item.said_again}
            item = with_state(item, state_of(item) | kept | changed)
            if past.change.action is Action.RETRACT and left["closed_at"] == left["valid_from"]:
                item = replace(item, closed_at=item.valid_from)  # as never having been true
    return item


def _before(tx: Transaction, source: Source, old: Item, spared: Mapping[str, Item]) -> Item | None:
    """What an item took the place of, without the source's between; one that stays as others said
    it goes by its new id.
    """
    id = old.supersedes
    while id is not None and id in source.items and id not in spared:
        id = source.items[id].supersedes
    id = spared[id].id if id is not None and id in spared else id
    return Items(tx).find(old.scope.tenant, id) if id else None


def _decide(tx: Transaction, source: Source, new: Item) -> Decision:
    """What would have become of an item when it was said, had the source said nothing."""
    user = new.scope.user or ""
    if user not in source.nearby:
        source.nearby[user] = Nearby(Items(tx).of_user(new.scope.tenant, user))

    def stood(other: Item) -> bool:
        return (
            other.id not in source.items
            and other.id not in source.later
            and (other.recorded_at, other.id) < (new.recorded_at, new.id)
            and (
                other.superseded_at is None
                or (other.superseded_at > new.recorded_at and other.superseded_by is not None)
            )
        )

    older = source.nearby[user].near(new.text, stood)
    as_it_was = [replace(old, superseded_at=None) for old in older]
    return decide(Candidate.of(new), [Neighbour.of(old) for old in as_it_was])
