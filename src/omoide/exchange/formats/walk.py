"""A file of chats that is read message by message, and what is left of it where it breaks off."""

from __future__ import annotations

from collections.abc import Callable, Set

from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.parts import OpenConversation
from omoide.exchange.problems import BrokenFile, Findings, Problem
from omoide.exchange.shape import Fields


class Walk:
    """The way through one file."""

    def __init__(self, name: str, passed: Set[str] = frozenset()) -> None:
        """passed: fields of messages that tell of the program, or repeat."""
        self._name, self._passed, self._place = name, passed, "the start"
        self._chat: OpenConversation | None = None

    def messages(
        self, reader: JsonReader, chat: OpenConversation, before: str, add: Callable[[Fields], None]
    ) -> Findings:
        """The messages of the array that stands next, each given to ``add``, as the parts of chat.

        Their places read ``<file>: <before>message <number from 1>``.
        """
        self._chat = chat
        for count in reader.records():
            self._place = f"{before}message {count}"
            with chat.reading(f"{self._name}: {self._place}"):
                add(chat.fields(reader.value(), self._passed))
            yield from chat.due()
        yield from chat.readings()

    def until_broken(self, findings: Findings, reader: JsonReader) -> Findings:
        """The findings, and what the reader passed over; where the file breaks off, the rest of the
        chat that was read, and why.
        """
        try:
            yield from findings
            yield from reader.left_out(self._name)
        except BrokenFile as broken:
            if self._chat:
                yield from self._chat.readings()
            yield Problem(f"{self._name}: from {self._place} on", str(broken))
