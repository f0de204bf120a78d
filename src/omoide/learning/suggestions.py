"""Asking a model what of a talk to remember, and what to do with it given what is known. What it
says is believed by nobody yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from omoide.learning.extraction import (
    COMPARED_CHARS,
    Choice,
    Suggestion,
    Window,
    compared_lines,
    known_lines,
    read_choices,
    read_suggestions,
)
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Purpose
from omoide.models.prompts import prompt
from omoide.nouns.item import Item
from omoide.settings.config import Strategy


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggester:
    """A model with what it is told besides the talk: an install's own steering, and who the agent
    is.
    """

    asker: Asker
    strategy: Strategy = "two-calls"
    steering: str = ""
    persona: str = ""

    def suggestions(self, window: Window, known: Mapping[str, Item]) -> list[Suggestion]:
        """What a model would remember of a window; ``known`` is shown by its marks in the strategy
        of one call.

        Raises:
            ModelError: it failed, or what it said is no answer.
        """
        one_call = self.strategy == "one-call"
        rules = [
            prompt("extract"),
            prompt("operations") if one_call else "",
            self.steering,
            self._persona(),
        ]
        text = (
            f"{window.text}\n\nKnown:\n{known_lines(known, COMPARED_CHARS) or 'nothing'}"
            if one_call
            else window.text
        )
        return self.asker.ask(
            Purpose.EXTRACT, "\n".join(rule for rule in rules if rule), text, read_suggestions
        )

    def choices(self, notes: Sequence[Item], known: Mapping[str, Item]) -> dict[int, list[Choice]]:
        """What a model would do with each note, by its number from 1, given items by their marks;
        one question for all.

        After the first of a note come those that say what it replaces besides.

        Raises:
            ModelError: it failed, or what it said is no answer.
        """
        return self.asker.ask(
            Purpose.DECIDE, prompt("decide"), compared_lines(notes, known), read_choices
        )

    def _persona(self) -> str:
        return f"The assistant: {self.persona}" if self.persona else ""
