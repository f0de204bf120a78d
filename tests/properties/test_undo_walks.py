"""Whatever was done, undoing it step by step leads back through every state, and undoing that leads forth again."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from omoide.errors import OmoideError
from omoide.memory import Memory
from omoide.records import Because, Details, Message, Scope, Source, Tier
from omoide.tables.items import Listing
from tests.fix_memory import NINE

PEOPLE = ("person:ann", "person:annie", "person:ben", "person:nan")
TEXTS = ("{} likes green tea", "{} lives in Rome", "{} has no cat", "{} is 30")


def state(memory: Memory) -> tuple[Any, ...]:
    """All that reads show: open items, entities with their items, turns, and what a search finds."""
    items = memory.items(Listing(limit=1000, sensitive=None)).items
    entities = {e.name: (e.aliases, e.items) for e in memory.entities()}
    found = sorted(hit.text for hit in memory.recall("green tea Rome cat ann ben", limit=100).hits)
    shown = sorted((i.id, i.text, i.tags, i.pinned, i.muted, i.tier, i.entities, i.valid_until, i.category) for i in items)
    rests = sorted((i.id, i.bases, i.doubted_at is None) for i in items)
    return shown, rests, entities, [t.text for t in memory.turns()], found


def step(memory: Memory, chance: Random) -> None:
    """One thing done by chance; it may be refused."""
    items = memory.items(Listing(limit=1000, sensitive=None)).items
    pick = chance.choice(items).id if items else "none"
    one, other = chance.sample(PEOPLE, 2)
    bases = tuple(item.id for item in items if chance.random() < 0.2)
    details = Details(source=chance.choice([Source.USER, Source.TOOL, Source.IMPORT]), bases=bases)
    acts: list[Callable[[], object]] = [
        lambda: memory.remember(chance.choice(TEXTS).format(one), entities=chance.sample(PEOPLE, chance.randint(0, 2)), details=details),
        lambda: memory.correct(pick, chance.choice(TEXTS).format(other) + " now", details=details),
        lambda: memory.edit(pick, None, tags=[one], category=chance.choice(["fact", "note"])),
        lambda: memory.pin(pick),
        lambda: memory.ingest([Message(text=f"{one} said hello {chance.random()}")], Scope(user="ana", session=chance.choice("st"))),
        lambda: memory.name(one, chance.choice(["Nan", "Annie", "Benny", None])),
        lambda: memory.merge(one, other),
        lambda: memory.split(one, chance.choice(["person:annie", "Nan", "Benny"])),
    ]  # fmt: skip
    chance.choice(acts)()


def changes(memory: Memory) -> list[str]:
    """The ids of all changes, oldest first."""
    return [change.id for change in memory.diff(NINE.replace(year=2000), include_sensitive=True).changes]


@pytest.mark.parametrize("seed", range(25))
def test_undoing_leads_back_and_forth_through_every_state(seed: int, memory: Memory) -> None:
    """Each step's changes are taken back newest first; then those undoings, the other way round."""
    memory = memory.acting(Because(tier=Tier.USER))
    chance, states, steps = Random(seed), [state(memory)], list[list[str]]()
    for _ in range(12):
        before = changes(memory)
        try:
            step(memory, chance)
        except OmoideError:
            assert changes(memory) == before
        if made := changes(memory)[len(before) :]:
            steps.append(made)
            states.append(state(memory))
    assert steps
    for _ in range(2):
        undone = []
        came = []
        for made in reversed(steps):
            undone.append(memory.undo(made[-1]))
            came.append(state(memory))
        assert came == states[-2::-1]
        steps, states = [list(ids) for ids in undone], states[::-1]
    assert memory.verify().problems == ()
    assert memory.doctor() == []
