"""What a model answered, heard while its answer passes by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from omoide.clients.answers import Pieces, messages_in
from omoide.nouns.metadata import parse_json

_DATA, _END = b"data:", b"[DONE]"
_LAST = ("message_stop", "response.completed", "response.incomplete", "response.failed")


class JsonFields(dict[str, Any]):
    """A JSON object whose fields are attributes too, as those of an SDK; None if missing."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)


def read_json(data: bytes) -> Any:
    """JSON with objects as ``JsonFields``."""
    return parse_json(data, object_hook=JsonFields)


def answer_of(data: bytes) -> list[Any]:
    """The messages of a whole answer."""
    return messages_in(read_json(data))


class Heard:
    """A streamed answer: server-sent events, in pieces that may break off anywhere."""

    def __init__(self) -> None:
        self._rest, self._pieces, self.is_over = b"", Pieces(), False

    def events(self, data: bytes) -> Iterator[bytes]:
        """The events that the next bytes bring to an end."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return (line.removeprefix(_DATA).strip() for line in lines if line.startswith(_DATA))

    def hear(self, data: bytes) -> None:
        """Take in an event.

        Raises:
            ValueError: it is not JSON.
        """
        if data == _END:
            self.is_over = True
        elif data:
            event = read_json(data)
            self._pieces.add(event)
            self.is_over = self.is_over or event.type in _LAST

    @property
    def messages(self) -> list[Any]:
        """What was said so far."""
        return self._pieces.messages
