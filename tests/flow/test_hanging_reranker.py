"""A reranker that hangs: the hits come in time all the same, as they would without it, and the
answer says so.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from omoide.memory import Memory
from omoide.models.base import RerankScores
from omoide.models.chat.patient import PATIENCE
from omoide.nouns.errors import InvalidInput, ModelTimeout
from omoide.nouns.hit import Recall
from omoide.nouns.query import Query
from omoide.settings.config import load_config
from tests.fix_memory import OpenMemory

SOON_S, MUCH_S = 0.2, 10.0


class Hanging:
    """A reranker that likes long texts, and gives no answer until it is let go."""

    id, timeout_s = "hanging", SOON_S

    def __init__(self) -> None:
        self.free, self.asked = threading.Event(), 0

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        """As the protocol says, at some time."""
        self.asked += 1
        self.free.wait(60)
        return np.array([len(text) for text in texts], np.float32)


class HangingReader(Hanging):
    """One that reads ahead, and hangs at that."""

    def read(self, texts: Sequence[str]) -> list[bytes]:
        """As the protocol says, at some time."""
        self.asked += 1
        self.free.wait(60)
        return [text.encode() for text in texts]

    def score_read(self, query: str, readings: Sequence[bytes]) -> RerankScores:
        """The longest first."""
        return np.array([len(reading) for reading in readings], np.float32)


@pytest.fixture(params=[Hanging, HangingReader])
def hanging(request: pytest.FixtureRequest) -> Iterator[Hanging]:
    """It is let go at the end, so that no thread stays."""
    reranker: Hanging = request.param()
    yield reranker
    reranker.free.set()


def told(memory: Memory) -> None:
    """Enough that a reranker's order differs."""
    memory.remember("green tea")
    memory.remember("the grandmother used to drink black tea on her terrace in summer")
    memory.remember("tea is grown in Assam, and green tea there hardly")


def asked(memory: Memory, preset: str) -> Recall:
    """The answer to one question."""
    return memory.recall(Query(text="green tea", preset=preset))


def shown(answer: Recall) -> list[tuple[str, Any]]:
    """Hits with their scores, about."""
    return [(hit.text, pytest.approx(hit.score)) for hit in answer.hits]


def test_the_hits_are_those_of_default_and_the_answer_says_why(
    open_memory: OpenMemory, hanging: Hanging
) -> None:
    """In time; once it answers again it orders them."""
    memory = open_memory(reranker=hanging)
    told(memory)
    began = time.monotonic()

    answer = asked(memory, "best")

    assert time.monotonic() - began < MUCH_S
    plain = asked(memory, "default")
    assert [(hit.text, hit.score) for hit in answer.hits] == shown(plain)
    assert answer.answerable == pytest.approx(plain.answerable)
    assert answer.degraded == (
        "rerank: hanging: no answer within 0.2 seconds; the hits are those of the preset default",
    )
    hanging.free.set()
    better = asked(memory, "best")
    assert better.degraded == ()
    assert "rerank" in [step.name for step in better.trace]


def test_one_that_hangs_again_and_again_is_left_alone(
    open_memory: OpenMemory, hanging: Hanging
) -> None:
    """No more of its threads gather, and nobody waits for it meanwhile."""
    memory = open_memory(reranker=hanging)
    told(memory)
    for _ in range(PATIENCE.failures):
        asked(memory, "best")
    called = hanging.asked

    answer = asked(memory, "best")

    assert hanging.asked == called  # so nobody waited for it
    assert answer.hits
    assert "left alone for now" in answer.degraded[0]


def test_why_not_answers_beside_one_that_hangs(open_memory: OpenMemory, hanging: Hanging) -> None:
    """By the order without it."""
    memory = open_memory(reranker=hanging)
    told(memory)
    last = asked(memory, "default").hits[-1]

    found = memory.why_not(Query(text="green tea", preset="best"), last.id, limit=1)

    assert found.gate in ("rank", "similar")


def test_reading_ahead_ends_in_time(open_memory: OpenMemory) -> None:
    """Who asked for it is told; what it did not read is read once it answers."""
    reader = HangingReader()
    memory = open_memory(reranker=reader)
    told(memory)
    try:
        with pytest.raises(ModelTimeout, match="hanging: no answer within"):
            memory.admin.tidy(only=("vectors",))
    finally:
        reader.free.set()
    before = reader.asked
    memory.admin.tidy(only=("vectors",))
    assert reader.asked == before + 1
    asked(memory, "best")
    assert reader.asked == before + 1


def test_how_long_is_waited_is_a_setting() -> None:
    """Half a minute unless told; never no time at all."""
    assert load_config(environment={"OMOIDE_RERANKER_TIMEOUT_S": "2.5"}).reranker_timeout_s == 2.5
    assert load_config(environment={}).reranker_timeout_s == 30
    with pytest.raises(InvalidInput):
        load_config(environment={}, reranker_timeout_s=0)
