"""Whatever was done, undoing it step by step leads back through every state, and undoing that leads
forth again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import CannotUndo, OmoideError
from omoide.nouns.item import Details, Source, Tier
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message, Role
from omoide.settings.retention import Retention
from omoide.tables.listing import Listing
from tests.fix_memory import NINE, OpenMemory

DOUBTFUL = ("I own {} boats", "I owe {} euros to Ben", "I know {} songs")
PEOPLE = ("person:ann", "person:annie", "person:ben", "person:nan")
TEXTS = ("{} likes green tea", "{} lives in Rome", "{} has no cat", "{} is 30")


def state(memory: Memory) -> tuple[Any, ...]:
    """All that reads show: open items, entities with their items, turns, what a search finds, and
    what waits.

    Confidence aside, which every search raises.
    """
    items = memory.items.list(Listing(limit=1000, sensitive=None)).items
    entities = {e.name: (e.aliases, e.items) for e in memory.entities.list()}
    found = sorted(hit.text for hit in memory.recall("green tea Rome cat ann ben", limit=100).hits)
    shown = sorted(
        (i.id, i.text, i.tags, i.pinned, i.muted, i.tier, i.entities, i.valid_until, i.category)
        for i in items
    )
    rests = sorted((i.id, i.bases, i.unconfirmed_at is None) for i in items)
    waiting = {
        shown.proposal.id: (shown.text, shown.proposal.wish, shown.proposal.target)
        for shown in memory.review.list(limit=1000)
    }
    return shown, rests, entities, [t.text for t in memory.sessions.turns()], found, waiting


def step(memory: Memory, chance: Random) -> None:
    """One thing done by chance; it may be refused."""
    items = memory.items.list(Listing(limit=1000, sensitive=None)).items
    pick = chance.choice(items).id if items else "none"
    one, other = chance.sample(PEOPLE, 2)
    bases = tuple(item.id for item in items if chance.random() < 0.2)
    details = Details(source=chance.choice([Source.USER, Source.TOOL, Source.IMPORT]), bases=bases)
    acts: list[Callable[[], object]] = [
        lambda: memory.remember(
            chance.choice(TEXTS).format(one),
            entities=chance.sample(PEOPLE, chance.randint(0, 2)),
            details=details,
        ),
        lambda: memory.correct(pick, chance.choice(TEXTS).format(other) + " now", details=details),
        lambda: memory.items.edit(pick, None, tags=[one], category=chance.choice(["fact", "note"])),
        lambda: memory.items.pin(pick),
        lambda: memory.ingest(
            [Message(text=f"{one} said hello {chance.random()}")],
            Scope(user="ana", session=chance.choice("uv")),
        ),
        lambda: memory.entities.name(one, chance.choice(["Nan", "Annie", "Benny", None])),
        lambda: memory.entities.merge(one, other),
        lambda: memory.entities.split(one, chance.choice(["person:annie", "Nan", "Benny"])),
        *upkeep(memory),
        *reviewing(memory, chance),
    ]
    chance.choice(acts)()


def upkeep(memory: Memory) -> list[Callable[[], object]]:
    """What goes on by itself once months have passed."""
    return [
        partial(memory.admin.tidy, only=[chore])
        for chore in ("decay", "prune", "distil", "reconcile")
    ]


def reviewing(memory: Memory, chance: Random) -> list[Callable[[], object]]:
    """Learning from talk, all of which is to wait, and a person's word on what waits."""
    waiting = memory.review.list(limit=1000)

    def settle(how: str) -> None:
        shown = chance.choice(waiting)
        if how == "approve":
            memory.review.approve(shown.proposal.id, shown.seal)
        else:
            memory.review.reject(shown.proposal.id)

    return [
        lambda: memory.sessions.extract(chance.choice("st")),
        *((partial(settle, "approve"), partial(settle, "reject")) if waiting else ()),
    ]


def begin(memory: Memory, clock: FixedClock, chance: Random) -> None:
    """Things that were said and known half a year ago, and not used since."""
    for text in TEXTS:
        memory.remember(text.format(chance.choice(PEOPLE)), details=Details(source=Source.TOOL))
    for session in "st":
        said = chance.choice(DOUBTFUL).format(chance.randint(2, 9))
        memory.ingest(
            [Message(text=said, role=Role.USER, speaker="Ana")], Scope(user="ana", session=session)
        )
    clock.move(days=180)


def changes(memory: Memory) -> list[str]:
    """The ids of all changes, oldest first."""
    return [
        change.id for change in memory.diff(NINE.replace(year=2000), include_sensitive=True).changes
    ]


def used_up(memory: Memory) -> set[str | None]:
    """The proposals that were approved: what came of one is taken back, and it does not wait
    again.
    """
    return {
        change.cause
        for change in memory.diff(NINE.replace(year=2000), include_sensitive=True).changes
        if change.reason == "approved"
    }


def without(told: tuple[Any, ...], used: set[str | None]) -> tuple[Any, ...]:
    """A state without proposals that were used up."""
    *rest, waiting = told
    return *rest, {id: shown for id, shown in waiting.items() if id not in used}


def take_back(memory: Memory, made: Sequence[str]) -> list[str]:
    """Undo all changes of a step, newest first; what goes together goes by the first of them."""
    before = len(changes(memory))
    for id in reversed(made):
        try:
            memory.undo(id)
        except CannotUndo as error:
            # an approval used it up
            if "undone already" not in str(error) and "no longer waits" not in str(error):
                raise
    return changes(memory)[before:]


def doubting(ask: Ask) -> dict[str, Any]:
    """A model that has what is said remembered with a year that nobody said, sums up, and finds
    contradictions.
    """
    said = re.findall(r"^(\d+) \w+: (I .*)$", ask.text, re.MULTILINE)
    match ask.purpose:
        case Purpose.EXTRACT:
            return {
                "items": [
                    {"text": f"{text} since 1999", "quote": text, "turn": int(number)}
                    for number, text in said
                ]
            }
        case Purpose.DISTIL:
            return {"summary": " ".join(text for _, text in said) or "hello"}
        case Purpose.RECONCILE:
            return {"verdict": "contradict"}
        case _:
            return {"decisions": []}


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """One that learns, decays and prunes."""
    retention = Retention(prune_after=timedelta(days=90), archive_for=timedelta(days=3_000))
    return open_memory(teaching=Teaching(asker=Asker(ScriptedModel(doubting)), retention=retention))


@pytest.mark.parametrize("seed", range(25))
def test_undoing_leads_back_and_forth_through_every_state(
    seed: int, memory: Memory, clock: FixedClock
) -> None:
    """Each step's changes are taken back newest first; then those undoings, the other way round."""
    memory = memory.acting(Because(tier=Tier.USER))
    chance, steps = Random(seed), list[list[str]]()
    begin(memory, clock, chance)
    states = [state(memory)]
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
            undone.append(take_back(memory, made))
            came.append(state(memory))
        used = used_up(memory)
        assert [without(one, used) for one in came] == [
            without(one, used) for one in states[-2::-1]
        ]
        steps, states = [list(ids) for ids in undone], states[::-1]
    assert memory.admin.verify().problems == ()
    assert memory.admin.doctor() == []
