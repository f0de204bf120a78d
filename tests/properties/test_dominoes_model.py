"""Whatever happens to items that rest on each other, those are unconfirmed that a plain model
says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Details, Item, Tier
from omoide.tables.listing import Listing
from omoide.write.apply import Door
from omoide.write.remember import Statement
from tests.fix_memory import OpenMemory


@dataclass
class Graph:
    """What is known of each item by hand: whether it is open, what it rests on, and what it took
    the place of.
    """

    is_open: dict[str, bool] = field(default_factory=dict)
    bases: dict[str, frozenset[str]] = field(default_factory=dict)
    earlier: dict[str, str] = field(default_factory=dict)

    def holds(self, id: str) -> bool:
        """There, open, and so is all that it rests on."""
        return self.is_open.get(id, False) and all(map(self.holds, self.bases[id]))

    def unconfirmed(self) -> set[str]:
        """The open items that rest on something that does not hold."""
        return {id for id, is_open in self.is_open.items() if is_open and not self.holds(id)}

    def above(self, id: str) -> set[str]:
        """What rests on an item, over others too."""
        near = {other for other, bases in self.bases.items() if id in bases}
        return near.union(*map(self.above, near)) if near else near

    def versions(self, id: str) -> set[str]:
        """All that took each other's place, down to an item and on from it."""
        found = {id}
        while True:
            more = {a for pair in self.earlier.items() for a in pair if found & set(pair)}
            if more <= found:
                return found
            found |= more

    def forget(self, id: str) -> None:
        """Erase an item with its versions, and what rested on erased ones alone."""
        gone = self.versions(id)
        while True:
            alone = {other for other, bases in self.bases.items() if bases and bases <= gone} - gone
            if not alone:
                break
            gone |= {version for other in alone for version in self.versions(other)}
        for erased in gone & self.is_open.keys():
            del self.is_open[erased], self.bases[erased]
        self.earlier = {new: old for new, old in self.earlier.items() if new not in gone}


class Walk:
    """A memory and its model, changed together."""

    def __init__(self, memory: Memory, chance: Random) -> None:
        self.memory, self.chance, self.graph = memory, chance, Graph()
        # what was changed, and how the model takes it back
        self.done: list[tuple[str, Callable[[], None]]] = []

    def some(self, ids: set[str]) -> str | None:
        """One of these, by chance; None of none."""
        return self.chance.choice(sorted(ids)) if ids else None

    def one_open(self) -> str | None:
        """One that is open, by chance."""
        return self.some({id for id, is_open in self.graph.is_open.items() if is_open})

    def note(self, id: str, back: Callable[[], None]) -> None:
        """Remember the last change of an item."""
        self.done.append((self.memory.history(id).changes[-1].id, back))

    def details(self) -> Details:
        """Bases by chance, closed and unconfirmed ones too."""
        ids = sorted(self.graph.is_open)
        return Details(
            bases=tuple(
                map(ItemId, self.chance.sample(ids, min(len(ids), self.chance.randint(0, 3))))
            )
        )

    def add(self) -> None:
        """A new item."""
        details = self.details()
        id = self.memory.items.add_many(
            [Statement(text=f"statement {self.chance.random()}", details=details)]
        )[0].id
        self.graph.is_open[id], self.graph.bases[id] = True, frozenset(details.bases)
        self.note(id, lambda: self.graph.is_open.update({id: False}))

    def correct(self) -> None:
        """An item gives way to one that may rest on others, but never on what falls by that."""
        old = self.one_open()
        if old is not None:
            details, falling = self.details(), self.graph.above(old)
            id = self.memory.correct(old, f"statement {self.chance.random()}", details=details).id
            self.graph.is_open |= {old: False, id: True}
            self.graph.bases[id], self.graph.earlier[id] = (
                frozenset(details.bases) - {old} - falling,
                old,
            )
            self.note(id, lambda: self.graph.is_open.update({old: True, id: False}))

    def retract(self) -> None:
        """An item is no longer held."""
        id = self.one_open()
        if id is not None:
            item = self.memory.get(id)
            assert isinstance(item, Item)
            with (
                self.memory.store.transaction(tenant=None) as tx,
                Door(tx, self.memory.clock, Because()) as door,
            ):
                door.retract(item)
            self.graph.is_open[id] = False
            self.note(id, lambda: self.graph.is_open.update({id: True}))

    def reopen(self) -> None:
        """One that is closed is held again, or one unconfirmed all the same."""
        taken = {old for new, old in self.graph.earlier.items() if self.graph.is_open[new]}
        id = self.some(
            {id for id, is_open in self.graph.is_open.items() if not is_open} - taken
            | self.graph.unconfirmed()
        )
        if id is not None:
            was_open, bases = self.graph.is_open[id], self.graph.bases[id]
            self.memory.items.reopen(id)
            self.graph.is_open[id] = True
            if was_open:
                self.graph.bases[id] = frozenset(filter(self.graph.holds, bases))
            self.note(
                id,
                lambda: (
                    self.graph.is_open.update({id: was_open}),
                    self.graph.bases.update({id: bases}),
                )[0],
            )

    def forget(self) -> None:
        """One is erased, seldom; nothing from before is undone."""
        id = self.some(set(self.graph.is_open))
        if id is not None and self.chance.random() < 0.3:
            self.memory.forget(id)
            self.graph.forget(id)
            self.done.clear()

    def undo(self) -> None:
        """The last change is taken back."""
        if self.done:
            change, back = self.done.pop()
            self.memory.undo(change)
            back()


@pytest.mark.parametrize("seed", range(30))
def test_those_are_unconfirmed_that_a_plain_model_says(seed: int, open_memory: OpenMemory) -> None:
    """Adding, correcting, retracting, reopening, confirming, forgetting and undoing, by chance;
    looked at after every step.
    """
    memory = open_memory(embedder=None).acting(Because(tier=Tier.USER))
    chance = Random(seed)
    walk = Walk(memory, chance)
    for _ in range(30):
        chance.choice(
            [walk.add, walk.add, walk.correct, walk.retract, walk.reopen, walk.forget, walk.undo]
        )()
        items = memory.items.list(Listing(closed=True, limit=1000)).items
        assert {item.id: item.is_open for item in items} == walk.graph.is_open
        assert {
            item.id for item in items if item.is_open and item.unconfirmed_at
        } == walk.graph.unconfirmed()
        assert {
            item.id for item in memory.items.list(Listing(unconfirmed=True, limit=1000)).items
        } == walk.graph.unconfirmed()
    assert memory.admin.verify().problems == ()
    assert memory.admin.doctor() == []
