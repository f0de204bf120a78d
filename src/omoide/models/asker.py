"""Asking a model for something: which one, what of its answer can be read, and once more where nothing can."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from omoide.errors import BadAnswer, ModelMissing
from omoide.models.answers import read_object
from omoide.models.chat import Ask, ChatModel, Purpose
from omoide.models.prompts import schema

S = TypeVar("S")
ONCE_MORE = "\n\nYour last answer could not be used: {}. Give the whole answer again, as one JSON object and nothing else."


class Asker:
    """The models that are configured, by what they are asked for; none at all is a state of its own."""

    def __init__(self, fast: ChatModel | None = None, *, slow: ChatModel | None = None, own: Mapping[Purpose, ChatModel] = {}) -> None:
        self._fast, self._slow, self._own = fast, slow, own

    @property
    def is_on(self) -> bool:
        """Whether there is a model to ask."""
        return self._fast is not None

    def model_id(self, purpose: Purpose) -> str:
        """The model that is asked for something; empty if there is none."""
        model = self._model(purpose)
        return model.id if model else ""

    def ask(self, purpose: Purpose, system: str, text: str, read: Callable[[dict[str, Any]], S]) -> S:
        """What ``read`` makes of a model's answer, a JSON object; where it or the answer cannot be read, it is asked once more.

        read raises ValueError with a reason, without text of the answer, where the object is not what it should be.

        Raises:
            ModelMissing: no model is configured.
            BadAnswer: neither answer could be read; it holds the last one.
            ModelError: the model failed.
        """
        model = self._model(purpose)
        if model is None:
            raise ModelMissing("no language model is configured; name one by OMOIDE_LLM or the setting llm")
        ask = Ask(purpose=purpose, system=system, text=text, schema=schema(purpose))
        problem = ""
        for again in (False, True):
            told = ask.system + ONCE_MORE.replace("{}", problem) if again else ask.system
            answer = model.answer(Ask(purpose=purpose, system=told, text=text, schema=ask.schema))
            try:
                return read(read_object(answer.text))
            except ValueError as error:
                problem = str(error)
        raise BadAnswer(model.id, purpose.value, problem, answer.text)

    def _model(self, purpose: Purpose) -> ChatModel | None:
        slow = self._slow if purpose in (Purpose.CONDENSE, Purpose.DISTIL, Purpose.PROFILE, Purpose.LESSON) else None
        return self._own.get(purpose) or slow or self._fast
