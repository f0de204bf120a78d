"""The text of an answer, read out of JSON while that is still being written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

_ANSWER = re.compile(r'"answer"\s*:\s*"')
_STRING = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')


class Streamed:
    """Hears pieces of a JSON answer and says the text of its ``answer``, as far as it is there."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._heard, self._from = say, "", -1
        self.said = ""

    def __call__(self, piece: str) -> None:
        """Hear one more piece."""
        self._heard += piece
        if self._from < 0 and (start := _ANSWER.search(self._heard)):
            self._from = start.end()
        if self._from < 0:
            return
        whole = _STRING.match(self._heard, self._from)
        text = _decoded(whole[0] if whole else "")
        if new := text[len(self.said) :]:
            self.said = text
            self._say(new)


def _decoded(written: str) -> str:
    """The text that a JSON string stands for; half of a pair of surrogates waits for the other."""
    text: str = json.loads(f'"{written}"', strict=False)
    return text[:-1] if text and "\ud800" <= text[-1] <= "\udbff" else text
