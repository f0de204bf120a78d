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
from omoide.nouns.errors import Deadlock
from omoide.nouns.item import Item
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.item_fields import INHERITED, state_of, with_state
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger, Past
from omoide.wire.coding import decode
from omoide.write.apply import Door
from omoide.write.decide import Add, Candidate, Decision, Neighbour, Reinforce, decide
from omoide.write.index import words_of
from omoide.write.merge import again, instead

# changes of an item, oldest first, each with the state that it left
PastSayings: TypeAlias = "list[tuple[Past, dict[str, Any]]]"


@frozen_record
class Speakers:
    """What is forgotten, as its sources: items, turns, sessions and names of origins."""

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
        said, told = _saying(past), past.before.get("told")
        if said is None and told is not None:
            return any(turn in self.turns for turn in told)
        return past.change.session in self.sessions if said is None else self.said(said)


def is_correction(tx: Transaction, item: Item) -> bool:
    """Whether an item was made to correct another, rather than said by itself."""
    return not any(past.change.action is Action.ADD for past in Ledger(tx).sayings(item))


def said_by_others(tx: Transaction, item: Item, source: Speakers) -> Item | None:
    """How another than the source said again what an item says; None where nobody did. What is
    undone counts no more, nor does how the item was said first: its text may be of several.
    """
    standing = Ledger(tx).standing(item.scope.tenant, item.id)
    found = ((past.change.at, _saying(past)) for past in standing)
    return next(
        (
            replace(said, recorded_at=at)
            for at, said in found
            if said is not None and said.id != item.id and not source.said(said)
        ),
        None,
    )


def is_others(tx: Transaction, item: Item, source: Speakers) -> bool:
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
    tx: Transaction, door: Door, scope: Scope, source: Speakers, spared: Mapping[str, Item]
) -> tuple[int, list[Item]]:
    """Take back what a source did to items that stay; how many these are, and those of them that
    are one with another now.

    spared are its own that others said too, as they did, by the id that goes.
    """
    retelling = _Retelling(tx, door, scope.tenant, source, spared)
    touched = retelling.touched()
    retelling.add_spared()
    found = (retelling.find(id) for id in touched if id not in source.items)
    waiting = [(item, item) for item in found if item is not None]
    waiting += [(source.items[id], said) for id, said in spared.items()]
    done, merged = retelling.retell_all(waiting)
    retelling.link_anew()
    unshift(tx, door, scope.tenant, source.items)
    users = {item.scope.user or "" for item, _ in waiting}
    erase_profiles(tx, door, scope, users, source.items)
    return done, merged


@dataclass(frozen=True, slots=True)
class _Retelling:
    """Items that stay are told again without what a source did to them.

    spared are its own that others said too, as they did, by the id that goes.
    """

    tx: Transaction
    door: Door
    tenant: str
    source: Speakers
    spared: Mapping[str, Item]

    @property
    def _items(self) -> Items:
        return Items(self.tx)

    def find(self, id: str | None) -> Item | None:
        """The item of an id; None of none."""
        return self._items.find(self.tenant, id) if id else None

    def touched(self) -> set[str]:
        """Items that the source said something of, or ended, or that took the place of one that it
        did, or gave way to one.
        """
        source, tenant = self.source, self.tenant
        told = Ledger(self.tx).told(tenant) if source.turns or source.origins else []
        found = {past.change.record for past in told if source.did(past)}
        for gone in source.items.values():
            found |= {id for id in (gone.id, gone.supersedes, gone.superseded_by) if id}
        return self._with_successors(found | compared_with(self.tx, tenant, source.items))

    def _with_successors(self, waiting: set[str]) -> set[str]:
        """Items with those that took their place, and what took the place of these."""
        found: set[str] = set()
        while waiting:
            id = waiting.pop()
            found.add(id)
            waiting |= {item.id for item in self._items.successors(self.tenant, id)} - found
        return found

    def add_spared(self) -> None:
        """Add what stays as others said it, and let what rested on the source's rest on that."""
        for old, said in self.spared.items():
            self._add(old, said)
        for old, said in self.spared.items():  # once all are there, for one may rest on another
            self._hand_on(self.source.items[old], said)

    def _add(self, old: str, said: Item) -> None:
        added = self.door.add(replace(said, supersedes=None), words_of(said))
        standing = {past.change.id for past in Ledger(self.tx).standing(self.tenant, old)}
        for past, _ in _after(_history(self.tx, self.source.items[old]), said.id):
            again = _saying(past) if past.change.id in standing else None
            if again is not None and not self.source.said(again):
                self.door.say_again(added, again)

    def _hand_on(self, old: Item, new: Item) -> None:
        """Let what rests on an item, or took its place, rest on another and take that one's;
        corrections had its origin from it.
        """
        self._items.lend(self.tenant, old.id, new.id)
        later = self._items.successors(self.tenant, old.id)
        waiting = [(one, True) for one in later if one.id not in self.source.items]
        while waiting:
            one, is_next = waiting.pop()
            if is_next:
                self._items.follow(one, new.id)
            if is_correction(self.tx, one) and one.origin == old.origin:
                self._items.relabel(replace(one, origin=new.origin))
                after = self._items.successors(self.tenant, one.id)
                waiting += [(each, False) for each in after]

    def retell_all(self, waiting: list[tuple[Item, Item]]) -> tuple[int, list[Item]]:
        """Write items, each as it was and is, without what a source did to them, the oldest first;
        how many, and which of them are one with another now.
        """
        were: dict[str, Item] = {item.id: was for was, item in waiting}
        waiting.sort(key=lambda pair: (pair[1].recorded_at, pair[1].id))
        done, merged = set[str](), list[Item]()
        for was, item in waiting:
            now = self.find(item.id)
            if now is None or item.id in done:
                continue
            done.add(item.id)
            known = self._said_before(was, now)
            if known is None:
                self._retell(was, now, were)
            else:
                self._merge(was, now, known)
                merged.append(now)
        return len(done), merged

    def link_anew(self) -> None:
        """Let items that were similar to one of the source's, and those that others said too, be
        linked to what they would have been.
        """
        linked = [item for id in self.source.items for item in self._items.linked(self.tenant, id)]
        spared = (self.find(said.id) for said in self.spared.values())
        for item in (*linked, *filter(None, spared)):
            if self._stays(item):
                decision = self._decide(item)
                near = decision.similar if isinstance(decision, Add) else None
                self._items.link(item, near.id if near else None)

    def _said_before(self, was: Item, item: Item) -> Item | None:
        """The item that says already what one says, had the source not come between; None where
        that is said by it first.
        """
        start, _, alone = self._start(was, item)
        before = self._before(was)
        if not alone or (before is not None and before.superseded_by == item.id):
            return None
        decision = self._decide(start)
        return self.find(decision.item.id) if isinstance(decision, Reinforce) else None

    def _merge(self, was: Item, item: Item, known: Item) -> None:
        """Let an item be what is said again of another, with all that became of it."""
        start, history, _ = self._start(was, item)
        for later in self._items.successors(self.tenant, item.id):
            self._items.follow(later, known.id)
        self._items.lend(self.tenant, item.id, known.id)
        self._write(known, _retold(again(known, start), history, self.source))

    def _retell(self, was: Item, item: Item, were: Mapping[str, Item]) -> None:
        """Write an item without what a source did to it; it was another that goes, whose changes
        are told again, or itself.

        were is what all of them were before. What only the source's item came between is no reason
        to close what was before it: nobody decided that.
        """
        start, history, alone = self._start(was, item)
        before = self._before(was)
        if alone:
            start = self._followed(start, item, before)
        elif before is not None and before.id in were:
            start = _inherited(start, were[before.id], before)
        self._write(item, self._reopened(_retold(start, history, self.source)))

    def _reopened(self, item: Item) -> Item:
        """An item, open again where it gave way to one that goes; none ends before it begins."""
        if item.superseded_by in self.source.items and item.superseded_by not in self.spared:
            return replace(item, closed_at=None, superseded_at=None, superseded_by=None)
        if item.closed_at is not None:
            return replace(item, closed_at=max(item.closed_at, item.valid_from))
        return item

    def _followed(self, start: Item, item: Item, before: Item | None) -> Item:
        """An item as it begins, after what it took the place of, if anything; that is closed."""
        if before is None or before.superseded_by != item.id:
            self._items.follow(item, None)
            return start
        start = self._take_place(start, item, before)
        self._items.follow(item, before.id)
        return start

    def _take_place(self, start: Item, item: Item, before: Item) -> Item:
        """Close what an item takes the place of; the item as it begins then."""
        falling = {before.id, *(one.id for one in self._items.above(self.tenant, before.id))}
        bases = tuple(base for base in start.bases if base not in falling)
        closed = replace(
            before,
            closed_at=max(item.valid_from, before.valid_from),
            superseded_at=item.recorded_at,
            superseded_by=item.id,
            updated_at=item.recorded_at,
        )
        self._write(before, closed)
        return replace(instead(before, start), bases=bases)

    def _write(self, now: Item, retold: Item) -> None:
        """Write what an item is, if that differs from what it was, or the source said something of
        it that is kept.
        """
        said = {
            past.change.id: self.source.said(saying)
            for past in Ledger(self.tx).of_record(self.tenant, now.id)
            if (saying := _saying(past)) is not None
        }
        same = state_of(retold) == state_of(now) and retold.bases == now.bases
        if same and retold.said_again == now.said_again and not any(said.values()):
            return
        self.door.unsay(now, retold, [id for id, is_gone in said.items() if not is_gone])
        self._let_go_of_successor(now, retold)
        if (nearby := self.source.nearby.get(now.scope.user or "")) is not None:
            nearby.put(retold)

    def _let_go_of_successor(self, now: Item, retold: Item) -> None:
        """Let what took an item's place name it no more, where the item is open again."""
        successor = self.find(now.superseded_by) if retold.is_open else None
        if successor is not None and successor.supersedes == now.id:
            self._items.follow(successor, None)

    def _start(self, was: Item, item: Item) -> tuple[Item, PastSayings, bool]:
        """An item as it was said first, the changes since, and whether it stands alone now, without
        what it took the place of.
        """
        history = _history(self.tx, was)
        if was.id != item.id:
            return item, _after(history, item.id), True  # its bases are those that it said
        if not history or any(not past.kept for past, _ in history[1:]):
            return item, [], False  # what its changes replaced was forgotten with something else
        (beginning, state), *later = history
        first = _saying(beginning)
        if first is None or was.supersedes is None:
            return with_state(item, state), later, False
        bases = [base for base in first.bases if self.find(base) is not None]
        own = state_of(first) | {"bases": bases, "said_again": []}
        return with_state(item, own), later, True

    def _before(self, old: Item) -> Item | None:
        """What an item took the place of, without the source's between; one that stays as others
        said it goes by its new id.
        """
        id: str | None = old.supersedes
        while id is not None and id in self.source.items and id not in self.spared:
            id = self.source.items[id].supersedes
        return self.find(self.spared[id].id if id is not None and id in self.spared else id)

    def _decide(self, new: Item) -> Decision:
        """What would have become of an item when it was said, had the source said nothing."""
        user, nearby = new.scope.user or "", self.source.nearby
        if user not in nearby:
            nearby[user] = Nearby(filter(self._stays, self._items.of_user(self.tenant, user)))
        older = nearby[user].near(new.text, lambda other: self._stood(other, new))
        as_it_was = (replace(old, superseded_at=None) for old in older)
        return decide(Candidate.of(new), [Neighbour.of(old) for old in as_it_was])

    def _stays(self, item: Item) -> bool:
        """Whether an item goes neither now nor after this."""
        return item.id not in self.source.items and item.id not in self.source.later

    def _stood(self, other: Item, new: Item) -> bool:
        """Whether an item was open when another was said."""
        if (other.recorded_at, other.id) >= (new.recorded_at, new.id):
            return False
        if other.superseded_at is None:
            return True
        return other.superseded_at > new.recorded_at and other.superseded_by is not None


def _inherited(new: Item, was: Item, old: Item) -> Item:
    """A correction with what it took over from what it corrects, where that was another way
    before.
    """
    same = [name for name in INHERITED if getattr(new, name) == getattr(was, name)]
    return replace(new, **{name: getattr(old, name) for name in same})


def _after(history: PastSayings, id: str) -> PastSayings:
    """The changes of an item since something was said of it, by the id of what was said.

    Raises:
        Deadlock: another writer took that back after it was gathered.
    """
    sayings: list[str | None] = [
        said.id if (said := _saying(past)) is not None else None for past, _ in history
    ]
    if id not in sayings:
        raise Deadlock(f"what was said as {id!r} was forgotten meanwhile; try again")
    return history[sayings.index(id) + 1 :]


def _saying(past: Past) -> Item | None:
    """What was said that made a change, where that is kept."""
    return decode(Item, past.before["said"]) if "said" in past.before else None


def _history(tx: Transaction, item: Item) -> PastSayings:
    history: PastSayings = []
    left = state_of(item) | {"bases": list(item.bases), "said_again": list(item.said_again)}
    for past in reversed(Ledger(tx).of_record(item.scope.tenant, item.id)):
        history.append((past, left))
        left = left | {name: value for name, value in past.before.items() if name in left}
    return history[::-1]


def _retold(item: Item, history: PastSayings, source: Speakers) -> Item:
    """An item after these changes, but for those of a source."""
    gone = set[str]()  # changes that the source made
    for past, left in history:
        if _is_gone(past, left, source):
            gone.add(past.change.id)
        elif (said := _saying(past)) is not None:
            item = replace(again(item, said), updated_at=past.change.at)
        else:
            item = _changed(item, past, left, is_back=past.change.cause in gone)
    return item


def _is_gone(past: Past, left: Mapping[str, Any], source: Speakers) -> bool:
    """Whether a change was the source's, or gave way to an item of its, or only followed."""
    action = past.change.action
    if action in (Action.SUPERSEDE, Action.MERGE) and left["superseded_by"] in source.items:
        return True
    return action in (Action.UNCONFIRM, Action.CLEAR) or source.did(past)


def _changed(item: Item, past: Past, left: Mapping[str, Any], *, is_back: bool) -> Item:
    """An item after a change; is_back: it took back one that does not count."""
    changed = {name: value for name, value in left.items() if past.before.get(name, value) != value}
    if is_back:
        changed.pop("updated_at", None)
    kept = {"bases": item.bases, "said_again": item.said_again}
    item = with_state(item, state_of(item) | kept | changed)
    if past.change.action is Action.RETRACT and left["closed_at"] == left["valid_from"]:
        return replace(item, closed_at=item.valid_from)  # as never having been true
    return item
