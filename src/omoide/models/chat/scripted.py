"""A model for tests that says what it was told to, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from omoide.models.chat.base import Ask, Completion, Purpose, estimated
from omoide.nouns.errors import ModelError

ScriptedAnswer: TypeAlias = "str | Mapping[str, Any] | Exception"
Script: TypeAlias = (
    "Callable[[Ask], ScriptedAnswer] | Sequence[ScriptedAnswer]"
    " | Mapping[Purpose, Sequence[ScriptedAnswer] | Callable[[Ask], ScriptedAnswer]]"
)


PIECE = 7  # characters that are told at a time
# what a script for other purposes says to a revision and as a judge: nothing
SILENT: Mapping[Purpose, Mapping[str, Any]] = {
    Purpose.REVISE: {"notes": []},
    Purpose.JUDGE: {"verdicts": []},
}


class ScriptedModel:
    """Answers from a function, a list in order, or either for each purpose. What is not text is
    told as JSON; an error is raised. One that has nothing on revision and judgement leaves all to
    the checks.
    """

    def __init__(self, script: Script, *, id: str = "scripted") -> None:
        self.id = id
        self.asked: list[Ask] = []
        self._script = script
        self._told: dict[Purpose | None, int] = {}
        self._lock = threading.Lock()

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says.

        Raises:
            ModelError: it was told to fail, or has nothing left to say.
        """
        said = self._said(ask)
        if isinstance(said, Exception):
            raise said
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        return estimated(ask, self.id, text)

    def _said(self, ask: Ask) -> ScriptedAnswer:
        """What the script has for a question; a function is called without the lock."""
        with self._lock:
            self.asked.append(ask)
            script = self._script
            if isinstance(script, Mapping):
                quiet = SILENT.get(ask.purpose)
                script = script.get(ask.purpose, (lambda _: quiet) if quiet else ())
            if not callable(script):
                return self._next(ask, script)
        return script(ask)

    def stream(self, ask: Ask, hear: Callable[[str], None]) -> Completion:
        """As the protocol says, a few characters at a time."""
        answer = self.answer(ask)
        for start in range(0, len(answer.text), PIECE):
            hear(answer.text[start : start + PIECE])
        return answer

    def _next(self, ask: Ask, script: Sequence[ScriptedAnswer]) -> ScriptedAnswer:
        key = ask.purpose if isinstance(self._script, Mapping) else None
        place = self._told[key] = self._told.get(key, -1) + 1
        return (
            script[place]
            if place < len(script)
            else ModelError(f"{self.id}: nothing left to say for {ask.purpose}")
        )
