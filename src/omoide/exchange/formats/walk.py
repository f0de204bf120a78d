"""A file of chats that is read message by message, and what is left of it where it breaks off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from omoide.exchange.accounts import unread_words
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.parts import OpenConversation
from omoide.exchange.problems import BrokenFile, Findings, Problem
from omoide.exchange.shape import Fields
from omoide.nouns.metadata import Json


def until_broken(name: str, findings: Findings, rest: Findings) -> Findings:
    """The findings of a file; where it breaks off, why; in the end the rest of what was read."""
    try:
        yield from findings
    except BrokenFile as broken:
        yield Problem(name, str(broken))
    yield from rest


class Walk:
    """The way through one file."""

    def __init__(self, name: str, passed: Set[str] = frozenset()) -> None:
        """passed: fields of messages that tell of the program, or repeat."""
        self._name, self._passed, self._place = name, passed, "the start"
        self._chat: OpenConversation | None = None
        self._count = 0  # of messages

    def messages(
        self, reader: JsonReader, chat: OpenConversation, before: str, add: Callable[[Fields], None]
    ) -> Findings:
        """The messages of the array that stands next, each given to ``add``, as the parts of chat.

        Their places read ``<file>: <before>message <number from 1>``.
        """
        self._chat = chat
        for count in reader.records():
            self._place, self._count = f"{before}message {count}", self._count + 1
            with chat.reading(f"{self._name}: {self._place}"):
                add(chat.fields(reader.value(), self._passed))
            yield from chat.due()
        yield from chat.readings()

    def objects(self, reader: JsonReader) -> Iterator[JsonReader]:
        """Stand before the object that a file holds, or before each in its array."""
        for _ in reader.items() if reader.kind == "array" else (1,):
            yield reader

    def head(self, fields: Fields, *told: Json) -> Findings:
        """What a file says beside its messages, and is not told, as omissions."""
        return unread_words(fields, self._name, *told, passed=self._passed)

    def until_broken(self, findings: Findings, reader: JsonReader) -> Findings:
        """The findings, and what the reader passed over; where the file breaks off, the rest of the
        chat that was read, and why.
        """
        try:
            yield from findings
            yield from reader.left_out(self._name)
            if not self._count:
                yield Problem(self._name, "holds no list of messages")
        except BrokenFile as broken:
            if self._chat:
                yield from self._chat.readings()
            yield Problem(f"{self._name}: from {self._place} on", str(broken))
