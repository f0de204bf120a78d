"""Learning from recorded answers of a model in eight languages, as tables.

    python -m tests.evals.learning [TABLE ...]

plays the records of ``data/learning`` through a memory: with the checks and a judge, with the
checks alone, and with the checks off. Tables: honest, wrong, both-hold, change, merge, repeated,
paste, talks; all without an argument.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from omoide.evals.unchecked import Unchecked
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.embedders.static import StaticEmbedder
from omoide.nouns.clock import StoryClock
from omoide.nouns.item import Item, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Role
from omoide.store import open_store
from omoide.tables.items import Listing
from tests.evals.answers import Merging, Player, Record, Spoken, records

TAGS = ("speaker", "persons", "everything")
HITS = 5  # among which the answer to a question has to be


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """How answers are played: with the checks on or off, with a judge or without; the rest as
    ``Player`` says.
    """

    checks: bool = True
    judge: bool = True
    stubborn: bool = False
    decides: bool = True
    merging: Merging = "whole"

    def __str__(self) -> str:
        if not self.checks:
            return "checks off"
        return "checks and judge" if self.judge else "checks, no judge"


SETUPS = (Setup(), Setup(judge=False), Setup(checks=False))


class Pupil:
    """A memory of one person that learns from recorded answers, in a tenant of its own."""

    def __init__(self, bench: Bench, id: str) -> None:
        self._bench, self._sessions = bench, count(1)
        self.memory, self.scope = bench.memory, Scope(tenant=id, user="user")

    def hear(self, turns: Sequence[Record], spoken: Sequence[Spoken]) -> None:
        """Log a talk and learn from it."""
        messages = tuple(
            Message(
                text=turn["text"],
                role=Role(turn["role"]),
                speaker=turn["speaker"],
                at=datetime.fromisoformat(turn["at"]),
            )
            for turn in turns
        )
        session = f"talk-{next(self._sessions)}"
        bench = self._bench
        bench.clock.at = max(m.at for m in messages if m.at) + timedelta(minutes=1)
        bench.player.play(spoken)
        self.memory.ingest(Conversation(id=session, messages=messages), self.scope)
        if bench.setup.checks:
            self.memory.sessions.extract(session, self.scope)
        else:
            Unchecked(self.memory, self.scope, bench.teaching).learn(session)

    def items(self, *, closed: bool = False) -> list[Item]:
        """Its open items, or the closed ones."""
        listed = self.memory.items.list(
            Listing(sensitive=None, closed=True, limit=200), self.scope
        ).items
        return [item for item in listed if item.is_open is not closed]

    @property
    def waiting(self) -> int:
        """How many proposals need a person."""
        return len(self.memory.review.list(self.scope))

    def fate(self) -> str:
        """What became of the one note that it heard."""
        items = self.items()
        if any(is_confirmed(item) for item in items):
            return "confirmed"
        if items:
            return "unconfirmed"
        return "waiting" if self.waiting else "dropped"


class Bench:
    """A memory with a recorded model, for one way of playing."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.clock = setup, StoryClock()
        self.player = Player(
            judge=setup.judge,
            stubborn=setup.stubborn,
            decides=setup.decides,
            merging=setup.merging,
        )
        self.teaching = Teaching(asker=Asker(self.player.model))
        self.memory = Memory(
            open_store(":memory:"),
            embedder=StaticEmbedder(),
            clock=self.clock,
            background=False,
            teaching=self.teaching,
        )

    def pupil(self, id: str) -> Pupil:
        """A person of whom nothing is known yet."""
        return Pupil(self, id)


@contextmanager
def bench(setup: Setup) -> Iterator[Bench]:
    """A bench with an empty store."""
    opened = Bench(setup)
    with opened.memory:
        yield opened


def is_confirmed(item: Item) -> bool:
    """Whether an item is held without a doubt."""
    return item.holds and not getattr(item, "is_unconfirmed", False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """What became of a record: what was found of it, and whether that is as it should be."""

    id: str
    lang: str
    found: str
    right: bool
    shape: str = ""


def share(cases: Sequence[Case], *found: str) -> float:
    """The share of cases with one of these findings; of all without: those that are right."""
    held = [one.found in found if found else one.right for one in cases]
    return sum(held) / len(held) if held else 0.0


def honest(setup: Setup) -> list[Case]:
    """What becomes of honest notes: confirmed, unconfirmed, waiting or dropped."""
    with bench(setup) as on:
        return [_noted(on, record) for record in records("honest")]


def _noted(on: Bench, record: Record) -> Case:
    pupil = on.pupil(record["id"])
    pupil.hear(record["turns"], [Spoken(note=record["note"], verdict=record["verdict"])])
    fate = pupil.fate()
    return _case(record, fate, fate == "confirmed")


def wrong(setup: Setup) -> list[Case]:
    """What becomes of wrong notes; ``mended`` where a second look made one right."""
    with bench(setup) as on:
        return [_mistaken(on, record) for record in records("wrong")]


def _mistaken(on: Bench, record: Record) -> Case:
    pupil = on.pupil(record["id"])
    spoken = Spoken(
        note=record["note"], verdict=record["verdict"], second_look=record["second_look"]
    )
    pupil.hear(record["turns"], [spoken])
    texts = {item.text for item in pupil.items()}
    fate = "mended" if texts & {spoken.second_look.get("text")} else pupil.fate()
    return _case(record, fate, fate != "confirmed", record["kind"])


def both_hold(setup: Setup, tags: str) -> list[Case]:
    """Whether two things that both hold stand beside each other, tagged in one of ``TAGS``."""
    with bench(setup) as on:
        return [_beside(on, record, tags) for record in records("both-hold")]


def _beside(on: Bench, record: Record, tags: str) -> Case:
    pupil = _told_twice(on, record, tags)
    closed, still = len(pupil.items(closed=True)), len(pupil.items())
    found = "closed" if closed else "both open" if still == 2 else "not learnt"
    return _case(record, found, found == "both open")


def change(setup: Setup, tags: str = "everything") -> list[Case]:
    """Whether what changed takes the place of what was."""
    with bench(setup) as on:
        return [_changed(on, record, tags) for record in records("change")]


def _changed(on: Bench, record: Record, tags: str) -> Case:
    pupil = _told_twice(on, record, tags)
    closed, still = len(pupil.items(closed=True)), len(pupil.items())
    found = {(1, 1): "old closed", (0, 2): "both open"}.get((closed, still), "not learnt")
    return _case(record, found, found == "old closed")


def merge(setup: Setup, tags: str = "everything") -> list[Case]:
    """Whether an update keeps all that still holds: in one item, in two that both stand, or not."""
    with bench(setup) as on:
        return [_merged(on, record, tags) for record in records("merge")]


def _merged(on: Bench, record: Record, tags: str) -> Case:
    pupil = _told_twice(on, record, tags)
    texts = [item.text for item in pupil.items()]
    said = " ".join(texts)
    if any(word not in said for word in record["keeps"]):
        return _case(record, "lost", right=False)
    found = "one item" if len(texts) == 1 else "both open"
    return _case(record, found, right=True)


def _told_twice(on: Bench, record: Record, tags: str) -> Pupil:
    """What is known is told a week before what is new."""
    pupil = on.pupil(f"{record['id']}-{tags}")
    for key in ("known", "new"):
        said = record[key]
        spoken = Spoken(
            note=said["note"] | {"entities": said["tags"][tags]}, verdict=said["verdict"]
        )
        if key == "new":
            spoken.decision, spoken.of = record["decision"], (record["known"]["note"]["text"],)
            spoken.lossy = record.get("lossy", "")
        pupil.hear(said["turns"], [spoken])
    return pupil


def repeated(setup: Setup, *, at_once: bool) -> list[Case]:
    """How many items there are of a fact told four times, in one talk or in four, after upkeep."""
    with bench(setup) as on:
        told = [(record, _retold(on, record, at_once)) for record in records("repeated")]
        on.memory.admin.tidy()
        counts = [(record, len(pupil.items())) for record, pupil in told]
    return [_case(record, str(n), n == 1) for record, n in counts]


def _retold(on: Bench, record: Record, at_once: bool) -> Pupil:
    pupil = on.pupil(record["id"])
    texts = tuple(one["note"]["text"] for one in record["told"])
    spoken = [
        Spoken(note=one["note"], verdict=one["verdict"], decision=record["decision"], of=texts)
        for one in record["told"]
    ]
    if at_once:
        pupil.hear([turn for one in record["told"] for turn in one["turns"]], spoken)
    else:
        for one, said in zip(record["told"], spoken, strict=True):
            pupil.hear(one["turns"], [said])
    return pupil


def paste(setup: Setup, *, led: bool) -> list[Case]:
    """What a pasted page becomes where a model is led by it, and the user's own words beside it
    where it is not.
    """
    with bench(setup) as on:
        cases = [
            _pasted(on, record, led) for record in records("paste") if led or record["honest"]
        ]
    return cases


def _pasted(on: Bench, record: Record, led: bool) -> Case:
    pupil, key = on.pupil(record["id"]), "led" if led else "honest"
    pupil.hear(record["turns"], [Spoken(note=record[key], verdict=record[f"{key}_verdict"])])
    mine = [item for item in pupil.items() if item.tier is Tier.USER]
    if not led:
        found = pupil.fate() if mine or not pupil.items() else "document"
        return _case(record, found, found == "confirmed", record["shape"])
    found = (
        ("user's word" if any(map(is_confirmed, mine)) else "user's, unconfirmed")
        if mine
        else "document"
        if pupil.items()
        else "waiting"
        if pupil.waiting
        else "dropped"
    )
    return _case(record, found, not mine, record["shape"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Talks:
    """What learning from whole talks comes to."""

    answers: list[Case]  # of each question: whether an item among the first says the answer
    notes: list[Case]  # of each note: whether an open item says it
    waiting: int
    sessions: int

    @property
    def waiting_each(self) -> float:
        """Proposals that need a person, for a session."""
        return self.waiting / self.sessions


def talks(setup: Setup) -> Talks:
    """Learn from the talks, session by session, and ask their questions of the items alone."""
    answers: list[Case] = []
    notes: list[Case] = []
    waiting = sessions = 0
    with bench(setup) as on:
        for record in records("talks"):
            pupil = _talked(on, record)
            answers += [_asked(pupil, record, question) for question in record["questions"]]
            notes += _kept(pupil, record)
            waiting += pupil.waiting
            sessions += len(record["sessions"])
    return Talks(answers=answers, notes=notes, waiting=waiting, sessions=sessions)


def _talked(on: Bench, record: Record) -> Pupil:
    pupil = on.pupil(record["id"])
    for session in record["sessions"]:
        spoken = [_spoken(one) for one in session["notes"]]
        pupil.hear(session["turns"], spoken)
    return pupil


def _spoken(one: Record) -> Spoken:
    decision = dict(one.get("decision") or {})
    of = (decision.pop("of"),) if decision else ()
    return Spoken(note=one["note"], verdict=one["verdict"], decision=decision or None, of=of)


def _asked(pupil: Pupil, record: Record, question: Record) -> Case:
    query = Query(text=question["question"], kinds=frozenset({Kind.ITEM}))
    hits = pupil.memory.recall(query, pupil.scope, limit=HITS).hits
    told = any(
        all(part.casefold() in hit.text.casefold() for part in question["answer"]) for hit in hits
    )
    return Case(
        id=question["question"],
        lang=record["lang"],
        found="answered" if told else "not answered",
        right=told,
    )


def _kept(pupil: Pupil, record: Record) -> Iterator[Case]:
    states = {item.text: is_confirmed(item) for item in pupil.items(closed=False)}
    states |= {item.text: is_confirmed(item) for item in pupil.items(closed=True)}
    for session in record["sessions"]:
        for one in session["notes"]:
            text = (one.get("decision") or {}).get("text") or one["note"]["text"]
            found = {True: "confirmed", False: "unconfirmed", None: "missing"}[states.get(text)]
            yield _case(record | {"id": text}, found, found == "confirmed")


def _case(record: Record, found: str, right: bool, shape: str = "") -> Case:
    return Case(id=record["id"], lang=record["lang"], found=found, right=right, shape=shape)


def _lines(name: str, setup: Setup) -> Iterator[tuple[str, list[Case]]]:
    """The rows of a table, by what is varied in it."""
    yield from _ROWS[name](setup)


_ROWS: dict[str, Callable[[Setup], Iterator[tuple[str, list[Case]]]]] = {}


def _row(name: str) -> Callable[[Any], Any]:
    def keep(rows: Callable[[Setup], Iterator[tuple[str, list[Case]]]]) -> Any:
        _ROWS[name] = rows
        return rows

    return keep


@_row("honest")
def _honest(setup: Setup) -> Iterator[tuple[str, list[Case]]]:
    yield "", honest(setup)


@_row("wrong")
def _wrong(setup: Setup) -> Iterator[tuple[str, list[Case]]]:
    yield "second look mends", wrong(setup)
    yield "stubborn", wrong(_but(setup, stubborn=True))


@_row("both-hold")
def _both(setup: Setup) -> Iterator[tuple[str, list[Case]]]:
    for tags in TAGS:
        yield f"tags: {tags}", both_hold(setup, tags)
    yield "no decision", both_hold(_but(setup, decides=False), "everything")


@_row("change")
def _change(setup: Setup) -> Iterator[tuple[str, list[Case]]]:
    for tags in TAGS:
        yield f"tags: {tags}", change(setup, tags)


@_row("merge")
def _merge(setup: Setup) -> Iterator[tuple[str, list[Case]]]:
    for merging in ("whole", "mends", "insists"):
        yield merging, merge(_but(setup, merging=merging))


@_row("repeated")
def _repeated(setup: Setup) -> Iterator[tuple[str, list[Case]]]:
    yield "four talks", repeated(setup, at_once=False)
    yield "one talk", repeated(setup, at_once=True)
    yield "four talks, no decision", repeated(_but(setup, decides=False), at_once=False)


@_row("paste")
def _paste(setup: Setup) -> Iterator[tuple[str, list[Case]]]:
    yield "led", paste(setup, led=True)
    yield "honest", paste(setup, led=False)


@_row("talks")
def _talks(setup: Setup) -> Iterator[tuple[str, list[Case]]]:
    told = talks(setup)
    yield "questions", told.answers
    yield f"notes; {told.waiting} wait in {told.sessions} sessions", told.notes


def _but(setup: Setup, **other: Any) -> Setup:
    fields = ("checks", "judge", "stubborn", "decides", "merging")
    return Setup(**({name: getattr(setup, name) for name in fields} | other))


def main() -> None:
    """Print the tables."""
    detailed = "-v" in sys.argv
    for name in [one for one in sys.argv[1:] if one != "-v"] or [*_ROWS]:
        for setup in SETUPS:
            since = time.perf_counter()
            for label, cases in _lines(name, setup):
                counts = ", ".join(f"{k} {n}" for k, n in Counter(c.found for c in cases).items())
                sys.stdout.write(
                    f"{name:<10}{setup!s:<18}{label:<26}{100 * share(cases):5.1f} %"
                    f" of {len(cases)}: {counts}\n"
                )
                if detailed:
                    _print_wrong(cases)
            sys.stdout.write(f"  {time.perf_counter() - since:.1f} s\n")
            sys.stdout.flush()


def _print_wrong(cases: Sequence[Case]) -> None:
    for one in cases:
        if not one.right:
            sys.stdout.write(f"    {one.id} {one.shape}: {one.found}\n")


if __name__ == "__main__":
    main()
