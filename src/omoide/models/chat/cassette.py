"""Answers of a model kept in a file, so that what was asked once is answered the same again,
without the model.

A cassette is a file of JSON lines, each a question with its answer. A question is known by its
purpose, instructions, material and schema; where the same one was answered several times, these
answers come in their order, and the last one from then on.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from pathlib import Path

from omoide.models.chat.base import Ask, ChatModel, Completion, Purpose, estimated
from omoide.nouns.errors import InvalidInput, ModelMissing
from omoide.nouns.metadata import Json


class Cassette:
    """A model that says what it once said, and that it is there. A question that it was never asked
    is an error.
    """

    def __init__(self, path: Path | str) -> None:
        """
        Raises:
            InvalidInput: the file cannot be read, or is no cassette.
        """
        self.id, self.is_priced = f"cassette:{Path(path).name}", True  # it is free
        self._told: dict[str, int] = {}
        self._lock = threading.Lock()
        try:
            self._answers = _answers(Path(path))
        except (OSError, ValueError, KeyError, TypeError) as error:
            told = f"{path} cannot be read: {type(error).__name__}"
            raise InvalidInput("cassette", told) from None

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says.

        Raises:
            ModelMissing: it was never asked this.
        """
        if ask.purpose is Purpose.PING:
            return Completion(text="{}", model=self.id)
        key = key_of(ask.purpose, ask.system, ask.text, ask.schema)
        known = self._answers.get(key)
        if known is None:
            raise ModelMissing(
                f"{self.id} holds no answer to this question to {ask.purpose.value}; it was"
                " recorded with another talk, other settings or instructions: record it again"
                " with a model and a Recorder"
            )
        with self._lock:
            place = self._told[key] = self._told.get(key, -1) + 1
        return estimated(ask, self.id, known[min(place, len(known) - 1)], cost_usd=0.0)


def _answers(path: Path) -> dict[str, list[str]]:
    """The answers of a file by their questions, in order."""
    answers: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        told = json.loads(line)
        key = key_of(told["purpose"], told["system"], told["text"], told["schema"])
        answers.setdefault(key, []).append(str(told["answer"]))
    return answers


class Recorder:
    """A model whose answers are kept in a file as it gives them. The file holds what people said:
    keep it as private as that.
    """

    def __init__(self, model: ChatModel, path: Path | str) -> None:
        self.id, self._model, self._path = model.id, model, Path(path)
        self._lock = threading.Lock()

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says."""
        answer = self._model.answer(ask)
        told = {
            "purpose": ask.purpose.value,
            "system": ask.system,
            "text": ask.text,
            "schema": ask.schema,
            "answer": answer.text,
        }
        line = json.dumps(told, ensure_ascii=True, sort_keys=True)
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        return answer


def key_of(purpose: str, system: str, text: str, schema: Mapping[str, Json]) -> str:
    """What a question is known by."""
    return hashlib.sha256(
        json.dumps([purpose, system, text, schema], sort_keys=True).encode()
    ).hexdigest()
