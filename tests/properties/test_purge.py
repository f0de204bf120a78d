"""Forgetting a source leaves the store as it would be had the source never spoken."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import NotFound
from omoide.nouns.ids import ItemId, TurnId
from omoide.nouns.item import Details, Item, Source, Tier
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.store import open_store
from omoide.tables.listing import Listing
from omoide.write.apply import Door
from tests.fix_memory import ANA, NINE

PAGE = "https://page.example"  # what is forgotten in the end
VOICES = {
    "ana": Details(source=Source.USER),
    "agent": Details(source=Source.TOOL),
    "page": Details(source=Source.IMPORT, origin=PAGE),
    "book": Details(source=Source.IMPORT, origin="book.pdf"),
}
SUBJECTS = (
    "pays {} euros of rent every month",
    "has {} cats at home",
    "runs {} kilometres on Sundays",
)


@dataclass
class Life:
    """One store in which a history happens, with what each of its steps made."""

    memory: Memory
    clock: FixedClock
    made: dict[int, str] = field(default_factory=dict)

    @classmethod
    def begin(cls) -> Life:
        """An empty memory of Ana's."""
        clock = FixedClock(NINE)
        memory = Memory(open_store(":memory:"), scope=ANA, clock=clock, background=False)
        return cls(memory.acting(Because(actor="ana", tier=Tier.USER)), clock)

    def item(self, step: int) -> Item | None:
        """The item that a step said, if it is open."""
        try:
            found = self.memory.get(self.made[step]) if step in self.made else None
        except NotFound:
            return None
        return found if isinstance(found, Item) and found.is_open else None


Step = Callable[[Life], str | None]


def saying(voice: str, text: str, tags: list[str], bases: list[int], turn: int | None) -> Step:
    """Somebody says something, perhaps concluded from items or read in a session."""

    def say(life: Life) -> str | None:
        rests = tuple(ItemId(life.made[base]) for base in bases)
        turns = (TurnId(life.made[turn]),) if turn is not None else ()
        details = replace(VOICES[voice], bases=rests, source_turns=turns)
        people = Random(text).sample(("person:ann", "person:ben", "project:boat"), len(text) % 3)
        return life.memory.remember(
            text,
            category=Random(text).choice(["fact", "preference"]),
            tags=tags,
            entities=people,
            details=details,
        ).id

    return say


def talking(voice: str, texts: list[str], session: str) -> Step:
    """A talk is imported, or Ana says something in it by hand. Of the texts, the last is new."""

    def talk(life: Life) -> str | None:
        scope = Scope(user="ana", session=session)
        cause = VOICES[voice].origin
        told = [Message(text=text, key=text) for text in texts]
        return (
            life.memory.acting(Because(actor="import", cause=cause)).ingest(told, scope).turns[-1]
        )

    return talk


def changing(step: int, how: str, value: str) -> Step:
    """Ana changes what somebody else than the page said."""

    def change(life: Life) -> str | None:
        item = life.item(step)
        assert item is not None
        if how == "correct":
            return life.memory.correct(item.id, value, details=VOICES["ana"]).id
        if how == "retract":
            with (
                life.memory.store.transaction(tenant=None) as tx,
                Door(tx, life.clock, Because(tier=Tier.USER)) as door,
            ):
                door.retract(item)
        elif how == "pin":
            life.memory.items.pin(item.id)
        elif how == "tag":
            life.memory.items.edit(item.id, tags=[value])
        else:
            life.memory.items.feedback(item.id, helpful=how == "helpful")
        return None

    return change


def shape(memory: Memory) -> Any:
    """All that is held and found, ids and the ledger aside."""
    items = memory.items.list(Listing(closed=True, sensitive=None, limit=1000)).items
    said = memory.sessions.turns(limit=1000)
    texts: dict[str, str] = {item.id: item.text for item in items} | {
        turn.id: turn.text for turn in said
    }

    def told(item: Item) -> Any:
        versions = (texts.get(item.supersedes or ""), texts.get(item.superseded_by or ""))
        links = (
            sorted(texts[base] for base in item.bases),
            [texts[turn] for turn in item.source_turns],
            versions,
        )
        state = (item.is_open, item.is_open and item.unconfirmed_at is not None)
        times = (item.closed_at, item.superseded_at, item.valid_from, item.valid_until)
        about = (
            item.category,
            item.entities,
            item.tags,
            item.pinned,
            item.helpful,
            item.recorded_at,
        )
        return (
            item.text,
            links,
            state,
            times,
            about,
            (round(item.confidence, 6), item.tier, item.source, item.origin),
        )

    turns = [(turn.session, turn.text) for turn in said]
    sessions = [
        (one.session.id, one.session.started_at, one.session.last_at, one.preview)
        for one in memory.sessions.list(limit=100)
    ]
    entities = [(entity.name, entity.aliases, entity.items) for entity in memory.entities.list()]
    questions = ("euros of rent", "cats at home", "kilometres on Sundays", "talk")
    answers = [
        [hit.text for hit in memory.recall(question, limit=30).hits] for question in questions
    ]
    return (
        sorted(map(told, items), key=repr),
        [item.text for item in items],
        turns,
        sessions,
        entities,
        answers,
    )


def history(chance: Random, life: Life, without: Life) -> int:
    """Let a history happen in one life, and in the other what of it is not the page's; how many
    steps were the page's.

    All of them talk in one session, too: an export of it repeats what the same has brought before,
    the page's what all have. Once the page has spoken of something, of the others one speaks of the
    same, once: what several say after each other is told again as it was taken then, and not
    decided anew.
    """
    pages, said, sessions = 0, list[tuple[int, str]](), list[tuple[int, str]]()
    chat: list[tuple[str, str]] = []  # who first said which text in the session of all
    paged, answered = (
        set[str](),
        set[str](),
    )  # subjects of which the page spoke, and of these, on which somebody else did since
    for n in range(chance.randint(8, 20)):
        voice = chance.choice(sorted(VOICES))
        own = [step for step, whose in said if whose != "page"]
        can_change = [step for step in own if life.item(step) and without.item(step)]
        kind = chance.choice(["say", "say", "say", "talk", "chat", "change"])
        if kind == "talk" and voice in ("page", "book"):
            step = talking(voice, [f"a talk of the {voice}, part {n}"], f"s{n}")
            sessions.append((n, voice))
        elif kind == "chat":
            known = [text for whose, text in chat if voice == "page" or whose == voice == "book"]
            chat.append((voice, f"a talk with the {voice}, part {n}"))
            step = talking(voice, [*known, chat[-1][1]], "chat")
            sessions.append((n, voice))
        elif kind == "change" and can_change:
            voice = "ana"
            how = chance.choice(["correct", "retract", "pin", "tag", "helpful", "harmful"])
            step = changing(chance.choice(can_change), how, f"something new, number {n} of all")
        else:
            about = chance.choice(SUBJECTS)
            if voice != "page" and about in answered:
                continue
            answered |= {about} if voice != "page" and about in paged else set()
            paged |= {about} if voice == "page" else set()
            text = about.format(chance.randint(1, 4))
            near = [
                step
                for step, whose in said
                if whose == voice or (whose != "page" and voice != "page") or voice == "page"
            ]
            bases = [chance.choice(near)] if near and chance.random() < 0.2 else []
            heard = [step for step, whose in sessions if whose == voice]
            turn = chance.choice(heard) if heard and chance.random() < 0.5 else None
            step = saying(
                voice,
                f"Ana {text}",
                chance.sample(["a", "b", "c"], chance.randint(0, 2)),
                bases,
                turn,
            )
            said.append((n, voice))
        pages += voice == "page"
        for one in (life, without) if voice != "page" else (life,):
            made = step(one)
            if made is not None:
                one.made[n] = made
        life.clock.move(minutes=1)
        without.clock.move(minutes=1)
    return pages


@pytest.mark.parametrize("seed", range(200))
def test_forgetting_a_source_leaves_what_would_be_without_it(seed: int) -> None:
    """Of a random history the page's part is forgotten; the other life never saw it. Threat A9."""
    life, without = Life.begin(), Life.begin()
    if history(Random(seed), life, without):
        with suppress(NotFound):  # all that it said was ignored
            life.memory.items.forget(origin=PAGE)
        assert shape(life.memory) == shape(without.memory)
        assert life.memory.admin.verify().problems == ()
        assert life.memory.admin.doctor() == []
