"""Forgetting a source leaves the store as it would be without it, also where a model learnt from
what the source said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import CannotUndo, ModelError, NotFound
from omoide.nouns.item import Details, Item, Source, Tier
from omoide.nouns.procedure import Failed
from omoide.nouns.reflection import DigestKind
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.listing import Listing
from omoide.write.remember import Statement
from tests.fix_memory import ANA, NINE, on_sqlite

PAGE, BOOK = "https://page.example", "book.pdf"  # PAGE is what is forgotten in the end
ORIGINS = {"ana": None, "book": BOOK, "page": PAGE}
VOICES = sorted(ORIGINS)
_SHOWN = re.compile(r"^(k\d+) \([-\d]+\) (.*)$")
_NOTE = re.compile(r"^(\d+)\. (?:\(of [-\d]+\) )?(.*)$")
_SAID = re.compile(r"^(\d+) (?:\w+|\[tool\]): (.*)$")


@dataclass
class Mind:
    """What the model says: of each text that is said which notes, and of each note what it ends, by
    the words of that.
    """

    notes: dict[str, dict[str, Any]] = field(default_factory=dict)
    # text of a note: text of an item, and the words that it repeats of it
    ends: dict[str, dict[str, str]] = field(default_factory=dict)
    # what is said: text of the item that it ends
    deletes: dict[str, str] = field(default_factory=dict)
    verdicts: dict[frozenset[str], str] = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)  # what was said more than once

    def extract(self, ask: Ask) -> dict[str, Any]:
        """A note for each turn that has one; where the model sees what is known, it ends what the
        turn says has ended.
        """
        said = [found.groups() for line in ask.text.splitlines() if (found := _SAID.match(line))]
        marks = {
            found[2]: found[1] for line in ask.text.splitlines() if (found := _SHOWN.match(line))
        }
        notes = [
            {"quote": text, "turn": int(number), **self.notes[text]}
            for number, text in said
            if text in self.notes
        ]
        for number, text in said:
            if marks.get(self.deletes.get(text, "")):
                ended = self.deletes[text]
                notes.append(
                    {
                        "text": "",
                        "quote": text,
                        "turn": int(number),
                        "op": "delete",
                        "ref": marks[ended],
                        "was": ended,
                    }
                )
        return {"items": notes}

    def decide(self, ask: Ask) -> dict[str, Any]:
        """Each note replaces those of the shown items that it ends."""
        marks = {
            found[2]: found[1] for line in ask.text.splitlines() if (found := _SHOWN.match(line))
        }
        notes = [
            (int(found[1]), found[2])
            for line in ask.text.splitlines()
            if (found := _NOTE.match(line))
        ]
        ended = [
            (n, old, was)
            for n, text in notes
            for old, was in self.ends.get(text, {}).items()
            if old in marks
        ]
        return {
            "decisions": [
                {"note": n, "op": "update", "ref": marks[old], "was": was} for n, old, was in ended
            ]
        }

    def reconcile(self, ask: Ask) -> dict[str, Any]:
        """The verdict that stands for the two."""
        pair = frozenset(line.partition("): ")[2] for line in ask.text.splitlines())
        return {"verdict": self.verdicts.get(pair, "neutral")}

    def reflect(self, ask: Ask) -> dict[str, Any]:
        """What people say is thought of in their own words; not what others said before, of which a
        thought may be known already.
        """
        talk = ask.text.partition("\n\n")[0].splitlines()
        said = [
            found.groups() for line in talk if (found := _SAID.match(line)) and "[tool]" not in line
        ]
        return {
            "reflections": [
                {"level": "user", "text": text, "quote": text, "turn": int(number)}
                for number, text in said
                if text not in self.repeated
            ]
        }

    @staticmethod
    def condense(ask: Ask) -> dict[str, Any]:
        """All lines that there are."""
        lines = [line.removeprefix("- ") for line in ask.text.splitlines() if line.startswith("- ")]
        return {"sections": [{"title": "PREFERENCES", "lines": lines}]}

    @staticmethod
    def profile(ask: Ask) -> dict[str, Any]:
        """Each item as it is."""
        shown = [found.groups() for line in ask.text.splitlines() if (found := _SHOWN.match(line))]
        return {"lines": [{"text": text, "from": [mark]} for mark, text in shown]}

    @staticmethod
    def lesson(ask: Ask) -> dict[str, Any]:
        """What to do about a task, in its own words."""
        task = " ".join(re.findall(r"[a-z]{5,}", ask.text))[:60]
        whole = {
            "when_to_use": f"when {task} is to be done",
            "discovery": f"{task} fails by itself, as was seen",
            "steps": ["Look first"],
        }
        return {
            "name": task[:30],
            "activation": f"Look first, because {task} fails else.",
            "tags": [],
            "confidence": 0.8,
            **whole,
        }

    @staticmethod
    def ping(ask: Ask) -> str:
        """It is there."""
        return "{}"

    def model(self) -> ScriptedModel:
        """It as a model."""
        purposes = {p: getattr(self, p.value) for p in Purpose if hasattr(self, p.value)}
        return ScriptedModel(purposes)


@dataclass
class Life:
    """One store in which a history happens."""

    memory: Memory
    clock: FixedClock
    seeing: Memory  # the same, with a model that sees what is known when it extracts
    kept: dict[str, str] = field(default_factory=dict)  # ids of extractions, by their sessions

    @classmethod
    def begin(cls, mind: Mind, store: Store) -> Life:
        """An empty memory of Ana's."""
        clock, embedder = FixedClock(NINE), FakeEmbedder()

        def opened(strategy: Any) -> Memory:
            teaching = Teaching(asker=Asker(mind.model()), learn_from="all", strategy=strategy)
            memory = Memory(
                store,
                scope=ANA,
                clock=clock,
                background=False,
                embedder=embedder,
                teaching=teaching,
            )
            return memory.acting(Because(actor="ana", tier=Tier.USER))

        return cls(opened("two-calls"), clock, opened("one-call"))

    def item(self, text: str) -> Item | None:
        """The open item of a text."""
        return next(
            (
                item
                for item in self.memory.items.list(Listing(limit=1000)).items
                if item.text == text
            ),
            None,
        )


Step = Callable[[Life], None]
PEOPLE = ("person:ann", "person:ben", "project:boat")


def links(text: str) -> dict[str, Any]:
    """The category and the entities of what a text says, the same every time."""
    chance = Random(text)
    return {
        "category": chance.choice(["fact", "preference", "note"]),
        "entities": chance.sample(PEOPLE, chance.randint(0, 2)),
    }


def talking(voice: str, session: str, said: list[tuple[str, str]], *, one_call: bool) -> Step:
    """A talk is imported, or had, and learnt from."""

    def talk(life: Life) -> None:
        scope, told = (
            Scope(user="ana", session=session),
            [{"role": role, "content": text, "name": "Ana"} for text, role in said],
        )
        life.memory.acting(Because(actor="import", cause=ORIGINS[voice])).ingest(told, scope)
        for extraction in (life.seeing if one_call else life.memory).sessions.extract(session):
            life.kept[session] = extraction.id

    return talk


def reflecting(session: str, *, condense: bool) -> Step:
    """A session is reflected on, and what waits is condensed."""

    def reflect(life: Life) -> None:
        life.memory.reflections.add(session)
        if condense:
            life.memory.reflections.condense()

    return reflect


def failing(session: str, task: str) -> Step:
    """Something fails in a session, and a lesson is learnt of it."""

    def fail(life: Life) -> None:
        life.memory.procedures.learn(
            Failed(task=task, title=task), Scope(user="ana", session=session)
        )

    return fail


def seeding(voice: str, text: str) -> Step:
    """Something is known from elsewhere, and compared with what is known, later."""

    def seed(life: Life) -> None:
        source = Source.USER if voice == "ana" else Source.IMPORT
        life.memory.items.add_many(
            [
                Statement(
                    text=text, details=Details(source=source, origin=ORIGINS[voice]), **links(text)
                )
            ]
        )
        life.memory.admin.tidy(only=["reconcile"])

    return seed


def undoing(session: str) -> Step:
    """What was learnt from a session is taken back."""

    def undo(life: Life) -> None:
        with suppress(NotFound, CannotUndo):  # nothing was, or it was changed since
            life.memory.undo(life.kept[session])

    return undo


def saying(voice: str, text: str) -> Step:
    """Somebody has it remembered; all weigh the same, as of a lower word that repeats a higher one
    nothing is kept.
    """
    details = Details(source=Source.USER, origin=ORIGINS[voice])

    def say(life: Life) -> None:
        life.memory.remember(text, details=details, **links(text))

    return say


def outline(life: Life) -> None:
    """A profile is asked for."""
    life.memory.reflections.profile()


def changing(text: str, how: str) -> Step:
    """Ana has a word on an item."""

    def change(life: Life) -> None:
        item = life.item(text)
        assert item is not None
        if how == "pin":
            life.memory.items.pin(item.id)
        elif how == "tag":
            life.memory.items.edit(item.id, tags=["mine"])
        else:
            life.memory.items.feedback(item.id, helpful=how == "helpful")

    return change


@dataclass
class Teller:
    """Makes up a history, by chance: the steps and whose they are.

    What the page touched, others touch once at most, and end never: a model was shown what was
    there then, and is not asked anew. Nor do they let the same wait that the page lets wait: it
    waits once, as the page's.
    """

    chance: Random
    mind: Mind
    # texts that were said, with the word that is theirs alone
    facts: dict[str, str] = field(default_factory=dict)
    by: dict[str, list[str]] = field(default_factory=dict)  # who did something with each
    sessions: list[tuple[str, str]] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)
    # sessions of the page from which nothing is known any more
    dropped: set[str] = field(default_factory=set)
    doubted: set[str] = field(default_factory=set)  # texts whose end waits, as the page's
    done: set[str] = field(default_factory=set)
    # what is to be said nearly the same of, and who said it
    seeds: dict[str, str] = field(default_factory=dict)

    def word(self) -> str:
        """A word that nothing else has."""
        while True:
            word = "".join(
                self.chance.choice("bdfgklmnprstvz") + self.chance.choice("aeiou") for _ in range(4)
            )
            if word not in self.done:
                self.done.add(word)
                return word

    def may(self, voice: str, text: str, *, end: bool = False) -> bool:
        """Whether a voice may do something with what was said."""
        others = self.by.get(text, [])
        if voice == "page":
            return True
        if "page" not in others:
            return True
        since = others[len(others) - others[::-1].index("page") :]
        return not end and text not in self.ended and not since

    def touch(self, voice: str, text: str) -> str:
        """Note who did something with a text."""
        self.by.setdefault(text, []).append(voice)
        return text

    def fresh(self, voice: str) -> str:
        """Something new, with a number."""
        one, two = self.word(), self.word()
        text = f"my {one} has {self.chance.randint(2, 9)} {two} pieces"
        self.facts[text] = one
        return self.touch(voice, text)

    def turn(self, voice: str) -> tuple[str, str]:
        """One thing said in a talk, with by whom: new, said again, changed, ending others,
        doubtful, or without words of what it ends.

        What is no person's is new: of what a tool repeats nothing is kept.
        """
        known = [text for text in self.facts if text not in self.ended and self.may(voice, text)]
        endable = [text for text in known if self.may(voice, text, end=True)]
        kind = self.chance.choice(["new", "again", "number", "end", "end", "unlike", "doubt"])
        plain = [
            text
            for text in known
            if text not in self.mind.ends or "page" not in (*self.by[text], voice)
        ]
        if kind == "again" and plain:
            text = self.touch(voice, self.chance.choice(plain))
        elif kind == "number" and endable:
            old = self.chance.choice(endable)
            text = re.sub(
                r"\d+", lambda number: str(int(number[0]) + self.chance.randint(10, 80)), old
            )
            self.facts.setdefault(text, self.facts[old])
            self.end(voice, [old])
            self.touch(voice, text)
        elif kind in ("end", "unlike") and endable:
            ended = self.chance.sample(endable, min(len(endable), self.chance.randint(1, 3)))
            kind = "end" if voice != "page" and not self.doubted.isdisjoint(ended) else kind
            self.doubted |= set(ended) if voice == "page" and kind == "unlike" else set()
            text = (
                f"{self.word()} and {self.word()} {self.word()} for"
                f" {' and '.join(self.facts[one] for one in ended)}"
            )
            self.facts[text] = text.split()[0]
            self.mind.ends[text] = {
                one: one if kind == "end" else "of quite another matter" for one in ended
            }
            if kind == "end":
                self.end(voice, ended)
            self.touch(voice, text)
        else:
            kind, text = ("doubt" if kind == "doubt" else "new"), self.fresh(voice)
            if kind == "doubt":
                del self.facts[text]
                self.mind.notes[text] = {"text": f"{text} of 1999"}
        self.mind.repeated |= {text} if text in self.mind.notes else set()
        self.mind.notes.setdefault(text, {"text": text, **links(text)})
        return text, "tool" if kind == "new" and self.chance.random() < 0.5 else "user"

    def end(self, voice: str, texts: list[str]) -> None:
        """Note that they are no longer so."""
        for text in texts:
            self.touch(voice, text)
            self.ended.add(text)

    def talk(self, voice: str, n: int) -> Step:
        """A talk of some turns."""
        session = f"s{n}"
        self.sessions.append((session, voice))
        said = [self.turn(voice) for _ in range(self.chance.randint(1, 3))]
        return talking(voice, session, said, one_call=False)

    def delete(self, voice: str, n: int) -> Step | None:
        """A talk in which something is said to be no longer so."""
        endable = [
            text
            for text in self.facts
            if text not in self.ended and self.may(voice, text, end=True)
        ]
        if not endable:
            return None
        old = self.chance.choice(endable)
        self.end(voice, [old])
        said = f"I don't have that any more: {old}"
        self.mind.deletes[said] = old
        return talking(voice, f"s{n}", [(said, "user")], one_call=True)

    def seed(self, voice: str) -> Step | None:
        """What says nearly the same as another has."""
        half = next(
            (
                text
                for text in self.seeds
                if self.seeds[text] != voice and "page" in (voice, self.seeds[text])
            ),
            None,
        )
        if half is not None:
            del self.seeds[half]
            text = half.replace("kitchen", "garden")
            self.mind.verdicts[frozenset((half, text))] = self.chance.choice(
                ["reinforce", "contradict", "weaken", "neutral"]
            )
            return seeding(voice, text)
        words = " ".join(self.word() for _ in range(8))
        self.seeds[f"Ana keeps {words} in the kitchen"] = voice
        return seeding(voice, f"Ana keeps {words} in the kitchen")

    def steps(self, lives: tuple[Life, Life]) -> Iterator[tuple[str, Step]]:
        """The steps, as they are to happen, each with whose it is; where one cannot be done now,
        somebody talks.
        """
        kinds = [
            "talk",
            "talk",
            "talk",
            "delete",
            "reflect",
            "lesson",
            "seed",
            "say",
            "change",
            "undo",
            "profile",
        ]
        for n in range(self.chance.randint(6, 14)):
            voice, kind = self.chance.choice(VOICES), self.chance.choice(kinds)
            voice = {"change": "ana", "profile": "ana", "undo": "page"}.get(kind, voice)
            yield (
                voice,
                self.of_items(kind, voice, n, lives)
                or self.of_sessions(kind, voice)
                or self.talk(voice, n),
            )

    def of_items(self, kind: str, voice: str, n: int, lives: tuple[Life, Life]) -> Step | None:
        """A step of that kind that is about items; None where it is another kind, or there are
        none.
        """
        known = [text for text in self.facts if text not in self.ended and self.may(voice, text)]
        own = [
            text
            for text in self.facts
            if "page" not in self.by[text] and all(life.item(text) for life in lives)
        ]
        if kind == "delete":
            return self.delete(voice, n)
        if kind == "seed":
            return self.seed(voice)
        if kind == "say":
            return saying(
                voice, self.touch(voice, self.chance.choice(known)) if known else self.fresh(voice)
            )
        if kind == "change" and own:
            return changing(
                self.chance.choice(own), self.chance.choice(["pin", "tag", "helpful", "harmful"])
            )
        return outline if kind == "profile" else None

    def of_sessions(self, kind: str, voice: str) -> Step | None:
        """A step of that kind that is about what was said; None where it is another kind, or
        nothing was.
        """
        mine = [session for session, whose in self.sessions if whose == voice]
        if kind == "reflect" and mine:
            return reflecting(self.chance.choice(mine), condense=self.chance.random() < 0.5)
        if kind == "lesson" and mine:
            return failing(self.chance.choice(mine), f"to {self.word()} the {self.word()}")
        left = [session for session in mine if session not in self.dropped]
        if kind == "undo" and left:
            self.dropped.add(left[-1])
            return undoing(left[-1])
        return None


def happen(teller: Teller, life: Life, without: Life) -> int:
    """Let a history happen in one life, and in the other what of it is not the page's; how many
    steps were the page's.
    """
    pages = 0
    for voice, step in teller.steps((life, without)):
        pages += voice == "page"
        for one in (life, without) if voice != "page" else (life,):
            with suppress(ModelError):  # nothing to condense well, say
                step(one)
        for one in (life, without):
            one.clock.move(minutes=1)
    return pages


def shape(life: Life) -> dict[str, Any]:
    """All that is held and waits, ids, the ledger and counts of use aside; digests after what waits
    is condensed.
    """
    memory = life.memory
    memory.admin.tidy(only=["vectors"])
    items = memory.items.list(Listing(closed=True, sensitive=None, limit=1000)).items
    texts: dict[str, str] = {item.id: item.text for item in items}

    def told(item: Item) -> Any:
        versions = (texts.get(item.supersedes or ""), texts.get(item.superseded_by or ""))
        times = (item.closed_at, item.superseded_at, item.valid_from, item.valid_until)
        about = (
            item.tags,
            item.pinned,
            item.helpful,
            item.harmful,
            item.recorded_at,
            round(item.confidence, 6),
            item.tier,
            item.source,
        )
        doubted = item.is_open and item.unconfirmed_at is not None
        return (
            item.text,
            item.is_open,
            doubted,
            versions,
            times,
            about,
            item.origin,
            item.source_turns,
            item.quote,
        )

    waiting = [
        (
            one.proposal.wish,
            one.text,
            texts.get(one.proposal.target or "", ""),
            one.proposal.flags,
            one.proposal.session,
        )
        for one in memory.review.list(limit=1000)
    ]
    memory.reflections.condense()
    return {
        "items": sorted(map(told, items), key=repr),
        "order": [item.text for item in items],
        "entities": [
            (entity.name, entity.aliases, entity.items)
            for entity in memory.entities.list(limit=1000)
        ],
        "waiting": sorted(waiting, key=repr),
        "turns": [
            (turn.session, turn.position, turn.text) for turn in memory.sessions.turns(limit=1000)
        ],
        "reflections": sorted(
            (one.text, one.source_turns) for one in memory.reflections.list(limit=1000)
        ),
        "digests": [
            sorted(one.text.splitlines())
            for one in memory.reflections.digests()
            if one.kind is not DigestKind.PROFILE
        ],
        "profile": sorted(profile.lines) if (profile := memory.reflections.profile()) else [],
        "procedures": sorted(
            (one.name, one.superseded_by is None) for one in memory.procedures.list(limit=1000)
        ),
        "found": [
            sorted(hit.text for hit in memory.recall(text, limit=20).hits)
            for text in ("pieces", "for and", "kitchen", "ann ben")
        ],
    }


@on_sqlite
@pytest.mark.parametrize("seed", range(200))
def test_forgetting_a_source_leaves_what_would_have_been_learnt_without_it(
    seed: int, store: Store
) -> None:
    """Of a random history the page's part is forgotten; the other life never saw it."""
    check(seed, store)


@pytest.mark.parametrize("seed", range(1_000, 1_008))
def test_forgetting_a_source_leaves_the_same_on_each_engine(seed: int, store: Store) -> None:
    """As with others, on the engine of the store; the life that never saw it is in a file of
    SQLite's.
    """
    check(seed, store)


def check(seed: int, store: Store) -> None:
    """Let a history of that number happen in a store, forget the page's part, and compare with a
    life that never saw it.
    """
    mind = Mind()
    with closing(open_store(":memory:")) as other:
        life, without = Life.begin(mind, store), Life.begin(mind, other)
        if not happen(Teller(Random(seed), mind), life, without):
            return
        with suppress(NotFound):  # all that it said was ignored
            life.memory.items.forget(origin=PAGE)
        assert shape(life) == shape(without)
        assert life.memory.admin.verify().problems == ()
        assert life.memory.admin.doctor() == []
