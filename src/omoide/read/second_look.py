"""Looking once more: a question that seems to have no answer, put into other words by a model, and
what both found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from omoide.models.chat.answers import one_line
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Purpose
from omoide.models.prompts import prompt
from omoide.models.recent import Lately
from omoide.nouns.hit import Hit
from omoide.read.trust import heed_tiers, unconfirmed_last
from omoide.text.letters import fold
from omoide.text.secrets.fields import mask_line
from omoide.text.words import QueryTerm

SHOWN, SHOWN_CHARS = 5, 300  # hits, and characters of each, that the model sees
QUESTION_CHARS = 1_000  # of the question, and at most of the new one
_NUMBERS = re.compile(r"\d+")


class Rephrasing:
    """Questions in other words, by a model; each kept for an hour, so that the same question finds
    the same.
    """

    def __init__(self, asker: Asker, kept: Lately[str] | None = None) -> None:
        self._asker, self._kept = asker, Lately() if kept is None else kept

    def of(self, question: str, hits: Sequence[Hit]) -> str:
        """A question in other words, made in view of the best hits.

        Raises:
            ModelError: the model failed, or what it said is no other question.
        """
        asked = mask_line(one_line(question)[:QUESTION_CHARS])
        found = [mask_line(one_line(hit.text)[:SHOWN_CHARS]) for hit in hits[:SHOWN]]
        told = (self._asker.model_id(Purpose.REPHRASE), asked, *found)
        if (kept := self._kept.get(*told)) is not None:
            return kept
        rephrased = self._asker.ask(
            Purpose.REPHRASE, prompt("rephrase"), material(asked, found), reader(asked)
        )
        self._kept.put(rephrased, *told)
        return rephrased


def material(question: str, found: Sequence[str]) -> str:
    """What a model is shown: the question, and what it found, a line each."""
    return "\n".join(
        (
            f"Question: {one_line(question)}",
            "",
            "Found:",
            *(f"- {one_line(text)}" for text in found or ["nothing"]),
        )
    )


def reader(question: str) -> Callable[[dict[str, Any]], str]:
    """Reads a question in other words. It raises ValueError where there is none, it is the same
    one, too long, or names a new number.
    """

    def read(answer: dict[str, Any]) -> str:
        said = one_line(answer.get("question"))
        if not said:
            raise ValueError("the answer has no question")
        if len(said) > QUESTION_CHARS:
            raise ValueError(
                f"the question has {len(said)} characters, the limit is {QUESTION_CHARS}"
            )
        if fold(said) == fold(question):
            raise ValueError("the question is in the same words")
        if not set(_NUMBERS.findall(said)) <= set(_NUMBERS.findall(question)):
            raise ValueError("the question names a number that was not asked for")
        return said

    return read


def joined(first: Sequence[Hit], second: Sequence[Hit], terms: Sequence[QueryTerm]) -> list[Hit]:
    """The hits of two searches for what terms ask, best first: each once, by the greater of its
    scores.

    Of equal ones, what the first found comes first.
    """
    hits: dict[str, Hit] = {}
    for hit in (*first, *second):
        if hit.id not in hits or hit.score > hits[hit.id].score:
            hits[hit.id] = hit
    return unconfirmed_last(
        heed_tiers(sorted(hits.values(), key=lambda hit: -hit.score), terms), terms
    )
