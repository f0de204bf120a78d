"""From messages as they are read to conversations, in parts of bounded size, with ids that stay the
same.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from omoide.exchange.accounts import WordAccount
from omoide.exchange.options import ImportOptions
from omoide.exchange.problems import PARTICIPANTS, BadRecord, Findings, Omission, Problem
from omoide.exchange.shape import Fields, array, line, present, record
from omoide.nouns.errors import InvalidInput, InvalidScope
from omoide.nouns.ids import ID_LIMIT, clean_id
from omoide.nouns.metadata import Json
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import TURN_LIMIT, Message, Role
from omoide.text.sameness import name_key

PART_MESSAGES = 5_000  # messages of one part
PART_BYTES = 8 * 2**20  # bytes of memory of one part, its records included
MESSAGE_BYTES = 1_000  # about what a message takes beside its text
ATTACHMENTS_LIMIT = 100  # attachments noted of one message
ATTACHMENT_BYTES = 2_500  # at most, of one note
ORDINALS_LIMIT = 20_000  # messages compared for being equal
OTHERS_SHOWN = 20  # participants named when the user is not among them
_KEY_LENGTH = 32  # hex digits: 128 bits

Facts: TypeAlias = dict[str, Json]


def digest(*fields: str | int) -> str:
    """A short fingerprint of the fields; different fields give different ones."""
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()[:_KEY_LENGTH]


def _conversation_id(format: str, own: str) -> str:
    """The id of a conversation: the format and the export's own id, or its fingerprint where it
    cannot be one.
    """
    try:
        return clean_id(f"{format}:{clean_id(own, 'id')}", "id")
    except InvalidScope:
        return f"{format}:{digest(own)}"


class Ordinals:
    """Keys for messages that have none of their own: the same message gets the same key in every
    import.

    Equal messages are told apart by their order among those of the same day, so that neither a
    second import nor a clock set back changes a key.
    """

    def __init__(self, format: str, chat: str) -> None:
        self._format, self._chat = format, chat
        self._day = ""
        self._seen: Counter[str] = Counter()

    def key(self, stamp: str, sender: str, text: str) -> str:
        """The key of the message that says it was sent at stamp, which begins with its date."""
        if stamp[:10] != self._day or len(self._seen) > ORDINALS_LIMIT:
            self._day = stamp[:10]
            self._seen.clear()
        plain = digest(self._format, self._chat, stamp, sender, text)
        self._seen[plain] += 1
        if (ordinal := self._seen[plain]) == 1:
            return plain
        return digest(self._format, self._chat, stamp, sender, ordinal, text)


@dataclass(slots=True)
class _OpenPart:
    """The messages since the last part, their keys and speakers, and about how many bytes."""

    messages: list[Message] = field(default_factory=list)
    keys: set[str | None] = field(default_factory=set)
    people: dict[str, Participant] = field(default_factory=dict)
    weight: int = 0

    def add(self, message: Message) -> None:
        """Count a message in; ``messages`` gets it where it has a time."""
        if message.at is not None:
            self.messages.append(message)
        self.keys.add(message.key)
        files = len(array(message.metadata.get("attachments")))
        self.weight += sys.getsizeof(message.text) + MESSAGE_BYTES + ATTACHMENT_BYTES * files
        name, role = message.speaker, message.role
        if name and role is not Role.SYSTEM:
            self.people.setdefault(name, Participant(name=name, user=message.user, role=role))


class OpenConversation:
    """One conversation while it is read.

    ``add`` messages in their order; take a part whenever ``is_full``, and at the end. All parts
    have the same id; together they are the conversation.
    """

    def __init__(
        self,
        format: str,
        own: str,
        options: ImportOptions,
        *,
        title: str = "",
        facts: Facts | None = None,
    ) -> None:
        """own: the export's own id of it."""
        self._format, self._user = format, options.user
        self.title, self.facts = title, dict(facts or {})
        self.known_as(own)
        self.place = ""  # of the record that is read now
        self.last_at: datetime | None = None
        self.ends_at: datetime | None = None  # for messages, if none of them has a time
        self._part, self._number = _OpenPart(), 0
        self._untimed: list[tuple[str, Message]] = []  # with their places, before the first time
        # from all of the chat, as each part's metadata replaces the one's before
        self._left_out: Counter[str] = Counter()
        self._told = self._left_out.copy()  # with the last part
        self._attempt = _Attempt(self)
        self._account = WordAccount()  # of the record that is read now
        self._record: Json = None
        self._passed: Set[str] = frozenset()
        # since they were last given
        self._problems: list[Problem] = []
        self._omissions: dict[str, Omission] = {}

    def known_as(self, own: str) -> None:
        """Take the export's own id of it, where that stands after its first messages."""
        self.id = _conversation_id(self._format, own)

    @property
    def is_full(self) -> bool:
        """A part is due."""
        count = len(self._part.messages) + len(self._untimed)
        return count >= PART_MESSAGES or self._part.weight >= PART_BYTES

    def reading(self, place: str) -> _Attempt:
        """While the record at place is read: where it cannot be, it becomes a problem, and its
        words that went nowhere are counted.
        """
        self.place = place
        return self._attempt

    def fields(self, value: Json, passed: Set[str] = frozenset()) -> Fields:
        """The record that is read now. When it was read, each field is counted that has words which
        were neither added nor told; not those in passed, which tell of the program or repeat.
        """
        self._record, self._passed = value, passed
        return record(value)

    def tell(self, *values: Json) -> None:
        """Let words of the record that is read now count as told, as they are otherwise shown."""
        self._account.tell(*values)

    def settle(self) -> None:
        """End the record that is read now: count its words that went nowhere."""
        account, self._account = self._account, WordAccount()
        value, self._record = self._record, None
        account.tell(self.title, self.facts)
        unread = [*account.unread(value, self._passed)]
        for path in unread:
            self.leave_out(f"words in {path}")
        if account.is_empty and not unread:
            self.leave_out("empty")

    def due(self) -> Findings:
        """The problems since the last time, and a part where one is full."""
        return self._due() if self._problems or self.is_full else iter(())

    def _due(self) -> Findings:
        yield from self._take_problems()
        if self.is_full:
            yield from self.readings()

    def _take_problems(self) -> list[Problem]:
        problems, self._problems = self._problems, []
        return problems

    def note(self, bad: BadRecord) -> None:
        """Let the record that is read now be a problem."""
        self._problems.append(Problem(self.place, str(bad)))

    def leave_out(self, why: str, *told: Json) -> None:
        """Count a record that is not imported, at the place that is read now; the counts stand in
        the metadata under ``left_out``. What is told of it by that is not counted again.
        """
        self._account.tell(*told)
        self._left_out[why] += 1
        known = self._omissions.get(why, Omission(why, 0, self.place or self.id))
        self._omissions[why] = replace(known, count=known.count + 1)

    def add(
        self,
        text: str,
        role: Role,
        speaker: str,
        *,
        at: datetime | None,
        key: str,
        is_me: bool = False,
        facts: Facts | None = None,
    ) -> None:
        """Add a message. Without a time it has that of the message before, or else of the first
        that has one, marked ``"time": "estimated"``.

        A message without words is left out, counted as ``attachment`` if it has some, else as
        ``empty``; so is one with the key of another in this part, counted as ``repeated``.

        Raises:
            BadRecord: over TURN_LIMIT characters.
        """
        facts = _bounded(facts or {}, is_timed=at is not None)
        key = digest(key) if len(key) > ID_LIMIT else key
        self._account.tell(text, speaker, facts)
        if not text.strip():
            return self._add_empty(facts)
        if key in self._part.keys:
            return self.leave_out("repeated")
        if len(text) > TURN_LIMIT:
            raise BadRecord(f"{len(text)} characters, the limit is {TURN_LIMIT}")
        self.last_at = at or self.last_at
        message = Message(
            text=text,
            role=role,
            speaker=line(speaker) or None,
            user=self._user if is_me else None,
            at=self.last_at,
            key=key,
            metadata=facts,
        )
        return self._keep(message)

    def _add_empty(self, facts: Facts) -> None:
        """Count a message without words; one with nothing at all when its record was read, unless
        that has words that are not understood.
        """
        if "attachments" in facts:
            self.leave_out("attachment")
        else:
            self._account.is_empty = True

    def _keep(self, message: Message) -> None:
        """Add a message; where no time is known yet, it waits for one."""
        self._date(message.at)
        self._part.add(message)
        if message.at is None:
            self._untimed.append((self.place, message))

    def readings(self) -> Findings:
        """The problems since the last time, what ``take`` gives, messages that can have no time,
        and what was left out since the last time.
        """
        yield from self._take_problems()
        self._date(self.ends_at)
        for place, _ in self._untimed:
            yield Problem(place or self.id, "no time")
        self._untimed.clear()
        yield from self.take()
        yield from self._omissions.values()
        self._omissions.clear()

    def _date(self, at: datetime | None) -> None:
        """Give that time to the messages that wait for one."""
        if at is not None and self._untimed:
            self._part.messages += [replace(message, at=at) for _, message in self._untimed]
            self._untimed.clear()

    def take(self) -> Iterator[Conversation]:
        """The messages since the last part as one part, with what was left out of all parts so far;
        nothing if nothing is new.
        """
        part = self._part
        if not part.messages and not (self._number and self._left_out != self._told):
            return
        self._number += 1
        yield Conversation(
            id=self.id,
            messages=tuple(part.messages),
            title=line(self.title),
            channel=self._format,
            participants=tuple(part.people.values()),
            metadata={"format": self._format, **self.facts, **self._counts()},
        )
        self._part, self._told = _OpenPart(), self._left_out.copy()

    def _counts(self) -> Facts:
        """What was left out so far, and which part this is."""
        part = self._number if self._number > 1 else None
        return present(left_out=dict(self._left_out), part=part)


class _Attempt:
    """While a record of a chat is read."""

    def __init__(self, chat: OpenConversation) -> None:
        self._chat = chat

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, BadRecord):
            self._chat.note(error)
        self._chat.settle()
        return isinstance(error, BadRecord)


def _bounded(facts: Facts, *, is_timed: bool) -> Facts:
    """A message's metadata, with no more attachments than are kept."""
    kept = dict(facts)
    if not is_timed:
        kept["time"] = "estimated"
    if "attachments" in kept:
        kept["attachments"] = array(kept["attachments"])[:ATTACHMENTS_LIMIT]
    return kept


class Me:
    """Which participant of a group chat is the user."""

    def __init__(self, options: ImportOptions) -> None:
        self._wanted = options.me
        self._user = options.user
        self._known: set[str] = set()
        self._ids: set[str] = set()
        self._others: dict[str, None] = {}
        self._found = False
        if options.me is not None:
            self._known.add(name_key(options.me))

    def learn(self, name: str) -> None:
        """The export itself says that this is its owner; kept unless the caller named somebody."""
        if self._wanted is None and self._user is not None:
            self._known.add(name_key(name))

    def is_one_of(self, name: str, id: str = "") -> bool:
        """The participant shown as name is the user, whatever the case; id is the export's own for
        them.

        Raises:
            InvalidInput: two participants of different ids have the name that was given for the
                user.
        """
        by_id = bool(id) and name_key(id) in self._known
        by_name = name_key(name) in self._known
        if by_name and id and not by_id:
            self._ids.add(id)
            if len(self._ids) > 1:
                raise InvalidInput(
                    "me",
                    f"several participants are called {name!r}; name one of the ids"
                    f" {', '.join(sorted(self._ids))}",
                )
        self._found = self._found or by_id or by_name
        if len(self._others) < OTHERS_SHOWN:
            self._others[name] = None
        return by_id or by_name

    def missing(self) -> Iterator[Problem]:
        """That the named participant never spoke, if so, and who did."""
        if self._wanted is not None and not self._found:
            more = ", …" if len(self._others) == OTHERS_SHOWN else ""
            shown = f"there are: {', '.join(self._others)}{more}"
            who = shown if self._others else "no participant says anything"
            yield Problem(PARTICIPANTS, f"{self._wanted!r} says nothing here; {who}")
