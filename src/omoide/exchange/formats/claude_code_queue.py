"""Prompts that a user of Claude Code types while the agent works: a queue, of which a transcript
keeps a log.

A prompt is enqueued; then it is dequeued, and a user's record follows; or removed, as the agent has
taken it in, which mostly leaves a ``queued_command`` attachment; or all are popped for the user to
edit. A prompt that neither a record nor an attachment repeats stands in the log alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from omoide.exchange.shape import Fields

QUEUED_LIMIT = 1_000  # prompts that wait at a time


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt in the queue: its session, its words, and the record that put it there."""

    session: str
    words: str
    record: Fields


class PromptQueue:
    """The prompts of one transcript that no other record has repeated so far."""

    def __init__(self) -> None:
        self._waiting: list[Prompt] = []
        self._removed: list[Prompt] = []  # an attachment may still come
        self._told: Counter[tuple[str, str]] = Counter()  # given by due

    def log(self, session: str, fields: Fields) -> list[Prompt]:
        """Follow one record of the log; gives the prompts that the user took back."""
        words = fields.text("content").strip()
        match fields.text("operation"):
            case "enqueue" if words and len(self._waiting) < QUEUED_LIMIT:
                self._waiting.append(Prompt(session, words, fields))
            case "remove" if prompt := _find(self._waiting, session, words):
                self._waiting.remove(prompt)
                self._removed.append(prompt)
            case "popAll":
                back = [prompt for prompt in self._waiting if prompt.session == session]
                self._waiting = [prompt for prompt in self._waiting if prompt.session != session]
                return back
        return []

    def is_told(self, session: str, words: str) -> bool:
        """An attachment repeats a prompt that ``due`` has given; any other waits no more."""
        key = session, words.strip()
        if self.repeated(*key) or not self._told[key]:
            return False
        self._told[key] -= 1
        return True

    def repeated(self, session: str, words: str) -> bool:
        """Another record says what a prompt says, if there is one; it waits no more."""
        for prompts in (self._removed, self._waiting):
            if prompt := _find(prompts, session, words.strip()):
                prompts.remove(prompt)
                return True
        return False

    def due(self, *, at_end: bool = False) -> list[Prompt]:
        """The prompts that stand in the log alone: those removed, and at the end all that wait."""
        found = self._removed + (self._waiting if at_end else [])
        self._removed = []
        self._waiting = [] if at_end else self._waiting
        self._told.update((prompt.session, prompt.words) for prompt in found)
        return found


def _find(prompts: list[Prompt], session: str, words: str) -> Prompt | None:
    return next((p for p in prompts if (p.session, p.words) == (session, words)), None)
