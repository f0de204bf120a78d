"""What a model answered, heard while its answer passes by."""

from __future__ import annotations

import json
from typing import Any

from omoide.clients.answers import Pieces, messages_in

_DATA, _END = b"data:", b"[DONE]"
_LAST = ("message_stop", "response.completed", "response.incomplete", "response.failed")


class Fields(dict[str, Any]):
    """An object of JSON whose fields are attributes too, as those of an SDK; None where it has
    none.
    """

    def __getattr__(self, name: str) -> Any:
        return self.get(name)


def read_json(data: bytes) -> Any:
    """JSON with objects as ``Fields``."""
    return json.loads(data, object_hook=Fields)


def answer_of(data: bytes) -> list[Any]:
    """The messages of a whole answer."""
    return messages_in(read_json(data))


class Heard:
    """A streamed answer: server-sent events, in pieces that may break off anywhere."""

    def __init__(self) -> None:
        self._rest, self._pieces, self.is_over = b"", Pieces(), False

    def hear(self, data: bytes) -> None:
        """Take in the next bytes.

        Raises:
            ValueError: an event is not JSON.
        """
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(_DATA):
                self._event(line.removeprefix(_DATA).strip())

    @property
    def messages(self) -> list[Any]:
        """What was said so far."""
        return self._pieces.messages

    def _event(self, data: bytes) -> None:
        if data == _END:
            self.is_over = True
        elif data:
            event = read_json(data)
            self._pieces.add(event)
            self.is_over = self.is_over or event.type in _LAST
