"""What every language model promises. A model only proposes: whatever it says is checked by who
asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Protocol, TypeAlias, runtime_checkable

from omoide.nouns.errors import ModelError
from omoide.nouns.metadata import Json
from omoide.nouns.record.frozen import frozen_record


class Purpose(StrEnum):
    """What a model is asked for."""

    EXTRACT = "extract"
    REVISE = "revise"
    JUDGE = "judge"
    DECIDE = "decide"
    REFLECT = "reflect"
    CONDENSE = "condense"
    DISTIL = "distil"
    RECONCILE = "reconcile"
    PROFILE = "profile"
    LESSON = "lesson"
    ANALYSE = "analyse"
    RERANK = "rerank"
    REPHRASE = "rephrase"
    CHAT = "chat"
    ANSWER = "answer"
    PING = "ping"


@frozen_record
class Ask:
    """One question: instructions, the material they are about, and the answer's JSON schema."""

    purpose: Purpose
    system: str
    text: str
    schema: Mapping[str, Json]
    max_tokens: int = 2048
    temperature: float = 0.1


@frozen_record
class Completion:
    """What a model said, raw, and what that took. cost_usd is None where the price is not known."""

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0
    cut: bool = False  # it ran out of tokens: what is there is not all


@runtime_checkable
class ChatModel(Protocol):
    """Answers questions. Safe to call from several threads at once."""

    @property
    def id(self) -> str:
        """Which model this is, such as ``openai:gpt-5-mini``; no secret is in it."""
        ...

    def answer(self, ask: Ask) -> Completion:
        """The answer to one question.

        Raises:
            ModelError: it failed or refused.
        """
        ...


@runtime_checkable
class Priced(Protocol):
    """A chat model that tells of every answer what it costs, if its price is known; where money is
    limited, no other is asked.
    """

    @property
    def is_priced(self) -> bool:
        """Whether what it costs is known, or it is free."""
        ...


@runtime_checkable
class Checkable(Protocol):
    """A chat model that can tell, without being asked anything, that it cannot answer."""

    def check(self) -> None:
        """That what it needs is there. Takes a second at most.

        Raises:
            ModelError: something is missing, such as its key or its server.
        """
        ...


@runtime_checkable
class Streaming(Protocol):
    """A chat model that tells its answer piece by piece while it makes it."""

    def stream(self, ask: Ask, hear: Callable[[str], None]) -> Completion:
        """The answer to one question; ``hear`` gets each piece of its text as it comes.

        Raises:
            ModelError: it failed or refused.
        """
        ...


Plain: TypeAlias = Callable[[Ask], str]


def estimated(ask: Ask, model: str, text: str, *, cost_usd: float | None = None) -> Completion:
    """An answer whose tokens are estimated, four characters each."""
    return Completion(
        text=text,
        model=model,
        input_tokens=(len(ask.system) + len(ask.text)) // 4,
        output_tokens=len(text) // 4,
        cost_usd=cost_usd,
    )


class CallableModel:
    """A function as a model: it gets the question and gives the text of the answer. Its tokens are
    estimated, four characters each.
    """

    def __init__(self, function: Plain, *, id: str = "") -> None:
        self._function = function
        self.id = id or f"callable:{getattr(function, '__name__', type(function).__name__)}"

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says. What the function raises comes through as it is.

        Raises:
            ModelError: it gave something other than text, as an async function does.
        """
        text = self._function(ask)
        if not isinstance(text, str):
            raise ModelError(f"{self.id} gave {type(text).__name__}, not text")
        return estimated(ask, self.id, text)
