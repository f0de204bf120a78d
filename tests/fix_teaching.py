"""Memories that learn from talk with a model that says what a test tells it to."""

from __future__ import annotations

from typing import Any

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import SILENT, Script, ScriptedModel
from omoide.nouns.scope import Scope
from tests.fix_memory import ANA, OpenMemory

Note = dict[str, Any]
TALK = Scope(user="ana", session="talk")


def note(text: str, quote: str = "", *, turn: int = 1, category: str = "fact", **more: Any) -> Note:
    """Something that a model would have remembered; without a quote it quotes its own text."""
    return {"text": text, "quote": quote or text, "turn": turn, "category": category, **more}


def says(*notes: Note) -> dict[str, Any]:
    """An answer with these notes."""
    return {"items": list(notes)}


def told(*decisions: tuple[str, ...]) -> dict[str, Any]:
    """An answer that decides on notes 1, 2 and so on: what to do, with which mark, and which of its
    words no longer hold.
    """
    names = ("op", "ref", "was", "text")
    return {
        "decisions": [
            {"note": n, **dict(zip(names, one, strict=False))}
            for n, one in enumerate(decisions, start=1)
        ]
    }


def undecided(ask: Ask) -> dict[str, Any]:
    """No decision."""
    return told()


class Taught:
    """Opens memories that learn with scripted answers, and keeps what the last one's model was
    asked.
    """

    def __init__(self, open_memory: OpenMemory) -> None:
        self._open = open_memory
        self.model = ScriptedModel(())

    @property
    def asked(self) -> list[Ask]:
        """The questions so far, in order, but those to a judge and for a revision."""
        return [ask for ask in self.model.asked if ask.purpose not in SILENT]

    def __call__(
        self, *extract: Any, decide: Any = None, script: Script | None = None, **settings: Any
    ) -> Memory:
        """A memory with the answers of extraction in order, and those of the decision; or with a
        script for both.
        """
        told = script or {Purpose.EXTRACT: list(extract), Purpose.DECIDE: decide or undecided}
        self.model = ScriptedModel(told)
        return self._open(teaching=Teaching(asker=Asker(self.model), **settings))


@pytest.fixture
def taught(open_memory: OpenMemory) -> Taught:
    """Opens memories that learn."""
    return Taught(open_memory)


def say(
    memory: Memory, *texts: str, scope: Scope = TALK, role: str = "user", name: str = "Ana"
) -> None:
    """Log what one speaker says."""
    memory.ingest([{"role": role, "content": text, "name": name} for text in texts], scope)


def texts(memory: Memory, scope: Scope = ANA) -> list[str]:
    """The open items, in order."""
    return sorted(item.text for item in memory.items.list(scope=scope).items)
