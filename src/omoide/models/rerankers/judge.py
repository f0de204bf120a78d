"""A reranker that asks the language model: one question for all candidates, its answer kept for an
hour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from omoide.models.base import RerankScores
from omoide.models.chat.answers import objects, one_line
from omoide.models.chat.asker import NO_ASKER, Asker
from omoide.models.chat.base import Purpose
from omoide.models.prompts import prompt
from omoide.models.recent import Lately
from omoide.nouns.errors import InvalidInput
from omoide.text.secrets.fields import mask_line

# that the model is shown; with twenty texts some four thousand tokens
QUESTION_CHARS, TEXT_CHARS = 1_000, 600
HIGHEST = 10


class Judge:
    """Scores from 0 to 10, as a model gives them to texts that it is shown under marks, a line
    each.

    An answer counts only if it has one score for every mark and for nothing else. It is kept for an
    hour, by the model, the question and the texts as they were shown, so that a text that was
    corrected is judged anew.
    """

    reach = 20
    optional = True
    point = 1.0  # the first and the twentieth candidate are three to five apart

    def __init__(
        self, asker: Asker = NO_ASKER, kept: Lately[tuple[float, ...]] | None = None
    ) -> None:
        self._asker, self._kept = asker, Lately() if kept is None else kept

    @property
    def id(self) -> str:
        """The model, as a reranker."""
        return f"llm {self._asker.model_id(Purpose.RERANK)}".rstrip()

    def asking(self, asker: Asker) -> Judge:
        """The same, with a memory's own models.

        Raises:
            InvalidInput: none is configured. Where what is configured cannot be used, recall says
                so when it asks.
        """
        if not asker.is_on and asker.wrong is None:
            raise InvalidInput(
                "reranker",
                "llm asks a language model, and none is configured: name one by OMOIDE_LLM or the"
                " setting llm",
            )
        twin = copy(self)
        twin._asker = asker
        return twin

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        """As the protocol says. A single text is not asked about.

        Raises:
            ModelError: the model failed, or what it said cannot be read.
        """
        if len(texts) < 2:
            return np.zeros(len(texts), np.float32)
        question, *shown = _shown(query, texts)
        scores = self._kept.get(self.id, question, *shown)
        if scores is None:
            asked = material(question, shown)
            scores = self._asker.ask(Purpose.RERANK, prompt("rerank"), asked, reader(len(texts)))
            self._kept.put(scores, self.id, question, *shown)
        return np.array(scores, np.float32)


def _shown(query: str, texts: Sequence[str]) -> Iterator[str]:
    """The question and the texts, as a model is shown them."""
    yield mask_line(one_line(query)[:QUESTION_CHARS])
    yield from (mask_line(one_line(text)[:TEXT_CHARS]) for text in texts)


def material(question: str, texts: Sequence[str]) -> str:
    """What a model is shown: the question and the texts, each on a line behind its mark."""
    lines = (f"c{number}: {one_line(text)}" for number, text in enumerate(texts, start=1))
    return "\n".join((f"Question: {one_line(question)}", "", "Texts:", *lines))


def reader(count: int) -> Callable[[dict[str, Any]], tuple[float, ...]]:
    """Reads the scores of so many texts. It raises ValueError where any is missing, named twice,
    unknown or no score.
    """
    marks = [f"c{number}" for number in range(1, count + 1)]

    def read(answer: dict[str, Any]) -> tuple[float, ...]:
        scores: dict[str, float] = {}
        for entry in objects(answer, "scores"):
            mark = entry.get("text")
            if not isinstance(mark, str) or mark not in marks:
                raise ValueError("a score names none of the texts by its mark")
            if mark in scores:
                raise ValueError(f"{mark} has two scores")
            scores[mark] = _score(mark, entry.get("score"))
        if missing := [mark for mark in marks if mark not in scores]:
            raise ValueError(f"{', '.join(missing)}: no score")
        return tuple(scores[mark] for mark in marks)

    return read


def _score(mark: str, told: object) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told <= HIGHEST:
        raise ValueError(f"the score of {mark} is not a number from 0 to {HIGHEST}")
    return float(told)
