"""The sample: four months in the messages of Callum and Inês, each with their assistant Mira and
all three together.

Everything in it is made up. Callum writes English, Inês mostly Portuguese.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from omoide import Because, Conversation, Details, Memory, Message, Role, Scope
from omoide.nouns.clock import StoryClock
from omoide.nouns.ids import ItemId, TurnId
from omoide.nouns.item import Source, Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.session import Participant

ASSISTANT = "Mira"
USERS: Mapping[str, str] = {"Callum": "callum", "Inês": "ines"}
TOGETHER = "family"  # the one session that both take part in
PRIVATE = frozenset({"callum/0515"})  # seen from within itself alone, even by Callum


def scope_of(who: str) -> Scope:
    """Where a person asks about their own conversations, or, for ``family``, both about the shared
    one.
    """
    return Scope(session=TOGETHER, shared=True) if who == TOGETHER else Scope(user=who)


@frozen_record
class SampleLine:
    """One message of the sample; key names it within its session."""

    session: str
    key: str
    at: datetime
    speaker: str
    text: str

    @property
    def user(self) -> str | None:
        """The speaker's user id; None for the assistant."""
        return USERS.get(self.speaker)

    @property
    def whose(self) -> str | None:
        """The user whose session it is; None where both take part."""
        return None if self.session == TOGETHER else self.session.partition("/")[0]


@frozen_record
class Note:
    """Something to remember explicitly; with a name that came before, it corrects that."""

    name: str
    at: datetime
    text: str
    user: str | None = None  # None: for the whole household
    category: str = "fact"
    entities: tuple[str, ...] = ()
    source: tuple[str, ...] = ()  # session#key
    since: datetime | None = None
    due: datetime | None = None


def _records(name: str) -> Iterator[dict[str, Any]]:
    for line in (files("omoide.demo") / "data" / name).read_text("utf-8").splitlines():
        record = json.loads(line)
        yield {
            key: datetime.fromisoformat(value) if key in ("at", "since", "due") else value
            for key, value in record.items()
        }


@cache
def lines() -> tuple[SampleLine, ...]:
    """The messages, in the order in which they were said."""
    return tuple(SampleLine(**record) for record in _records("turns.jsonl"))


@cache
def notes() -> tuple[Note, ...]:
    """What is remembered explicitly, in order of time."""
    return tuple(
        Note(
            **record | {key: tuple(record[key]) for key in ("entities", "source") if key in record}
        )
        for record in _records("items.jsonl")
    )


def story_clock() -> StoryClock:
    """A clock at the sample's first message, whose ids are the same each time."""
    return StoryClock(lines()[0].at, Random(2025).randbytes)


class Player:
    """Plays the sample into a memory: each message is logged, each note remembered."""

    def __init__(self, memory: Memory, clock: StoryClock) -> None:
        self._memory, self._clock = memory, clock
        self.turns: dict[str, TurnId] = {}  # by session#key
        # by name; by name alone the latest version, as "job 1" the first
        self.items: dict[str, ItemId] = {}

    def play(self) -> Iterator[SampleLine | Note]:
        """Each message and note, after it was taken in."""
        events: list[SampleLine | Note] = [*lines(), *notes()]
        for event in sorted(events, key=lambda event: event.at):
            self._clock.at = event.at
            if isinstance(event, SampleLine):
                self.say(event)
            else:
                self._note(event)
            yield event

    def say(self, line: SampleLine) -> None:
        """Log one message."""
        people = (
            Participant(name=name, user=user)
            for name, user in USERS.items()
            if line.whose in (None, user)
        )
        message = Message(
            text=line.text,
            role=Role.USER if line.user else Role.ASSISTANT,
            speaker=line.speaker,
            user=line.user,
            at=line.at,
            key=line.key,
        )
        assistant = Participant(name=ASSISTANT, role=Role.ASSISTANT)
        talk = Conversation(
            id=line.session,
            messages=(message,),
            channel="chat",
            participants=(*people, assistant),
        )
        scope = Scope(user=line.whose, shared=line.whose is None)
        logged = self._memory.ingest(talk, scope, private=line.session in PRIVATE)
        self.turns[f"{line.session}#{line.key}"] = logged.turns[0]

    def _note(self, note: Note) -> None:
        memory = self._memory.acting(Because(actor="demo", reason="said so", tier=Tier.USER))
        turns = tuple(self.turns[name] for name in note.source)
        details = Details(source=Source.USER, source_turns=turns)
        if (known := self.items.get(note.name)) is not None:
            owner = Scope(user=next(one.user for one in notes() if one.name == note.name))
            told = memory.correct(known, note.text, owner, at=note.since, details=details)
        else:
            told = memory.remember(
                note.text,
                Scope(user=note.user, shared=note.user is None),
                category=note.category,
                entities=note.entities,
                due_at=note.due,
                details=details,
            )
        version = sum(name.startswith(f"{note.name} ") for name in self.items) + 1
        self.items |= {note.name: told.id, f"{note.name} {version}": told.id}
