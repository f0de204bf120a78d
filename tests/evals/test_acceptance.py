"""What recall must do however it is asked: by each preset, and by each arm alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from omoide.evals.systems import ARMS, query_of
from omoide.memory import Memory
from omoide.models import load_reranker
from omoide.models.embedders.fake import FakeEmbedder, Fault
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import ModelError
from omoide.read.presets import PRESETS
from tests.fix_memory import NINE, OpenMemory

ASKED = (*PRESETS, *ARMS)
WITHOUT_VECTORS = {"fast", "keyword"}
QUESTION = "Where did Ana's office move yesterday?"


@pytest.fixture
def moved(memory: Memory, clock: FixedClock) -> Memory:
    """A fact and its correction a day later, both about an entity, and asked on the day after."""
    old = memory.remember("Ana's office moved to Porto", entities=["person:ana"])
    clock.move(days=1)
    memory.correct(old.id, "Ana's office moved to Lisbon")
    clock.move(days=1)
    return memory


@pytest.mark.covers("GM-176")
@pytest.mark.parametrize("system", ASKED)
def test_what_is_superseded_is_found_no_more(system: str, moved: Memory) -> None:
    """The successor is found; what it replaced is not, though it shares all words but one, the
    entity and nearly the time.
    """
    assert [hit.text for hit in moved.recall(replace(query_of(system), text=QUESTION)).hits] == [
        "Ana's office moved to Lisbon"
    ]


@pytest.mark.covers("GM-176")
@pytest.mark.parametrize("system", ASKED)
def test_times_are_filtered(system: str, memory: Memory, clock: FixedClock) -> None:
    """A window brings what happened within it and nothing else."""
    for done in ("painted the hall blue", "bought a copper kettle", "hired two gardeners"):
        memory.remember(f"Ana's office {done}", entities=["person:ana"])
        clock.move(days=1)
    question = f"What did Ana's office do on {NINE + timedelta(days=1):%d %B %Y}?"
    asked = replace(
        query_of(system),
        text=question,
        since=NINE + timedelta(hours=12),
        until=NINE + timedelta(hours=36),
    )

    assert [hit.text for hit in memory.recall(asked).hits] == [
        "Ana's office bought a copper kettle"
    ]


@pytest.mark.covers("GM-176")
@pytest.mark.parametrize("system", ASKED)
def test_an_embedder_that_is_down_is_an_error(
    system: str, moved: Memory, embedder: FakeEmbedder
) -> None:
    """Whatever asks for vectors fails; what does not never notices."""
    embedder.fault = Fault.DOWN
    asked = replace(query_of(system), text=QUESTION)

    if system in WITHOUT_VECTORS:
        assert moved.recall(asked).hits
    else:
        with pytest.raises(ModelError):
            moved.recall(asked)


@pytest.mark.covers("GM-176")
@pytest.mark.parametrize("system", sorted(PRESETS))
def test_every_question_gets_ten_hits(system: str, memory: Memory) -> None:
    """How a question is worded does not change how many hits it gets."""
    for number in range(15):
        memory.remember(
            f"boat number {number} {'abcdefghijklmno'[number] * 5} in harbour {number * 7}"
        )

    def count(question: str) -> int:
        return len(memory.recall(replace(query_of(system), text=question)).hits)

    assert [count(question) for question in ("boat?", "how boat?", "compare boat")] == [10, 10, 10]


@pytest.mark.parametrize("system", ASKED)
def test_finding_nothing_is_no_degradation(system: str, open_memory: OpenMemory) -> None:
    """An empty memory with all its parts says nothing of parts that are missing."""
    memory = open_memory(reranker=load_reranker("maxsim"))

    degraded = memory.recall(replace(query_of(system), text=QUESTION)).degraded
    # thorough needs one
    assert [said for said in degraded if not said.startswith("again: no language model")] == []
