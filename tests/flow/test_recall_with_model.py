"""A language model in recall, where it is asked for: it orders what was found, and asks once more
in other words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import Script, ScriptedAnswer, ScriptedModel
from omoide.models.rerankers.judge import Judge
from omoide.nouns.errors import InvalidInput, ModelUnreachable
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.store.base import Store
from omoide.tables.calls import ModelCalls
from tests.fix_memory import ANA, NINE, OpenMemory

BEST, THOROUGH = (
    Query(text="green tea", preset="best"),
    Query(text="What did the doctor prescribe?", preset="thorough"),
)
Asking = Callable[..., tuple[Memory, ScriptedModel]]


@pytest.fixture
def asking(open_memory: OpenMemory) -> Asking:
    """Opens a memory whose recall may ask a scripted model."""

    def open(script: Script, **parts: Any) -> tuple[Memory, ScriptedModel]:
        model = ScriptedModel(script)
        return open_memory(teaching=Teaching(asker=Asker(model)), **parts), model

    return open


def prefers(wanted: str) -> Callable[[Ask], ScriptedAnswer]:
    """A judge that gives one text all, the others nothing."""

    def answer(ask: Ask) -> ScriptedAnswer:
        marked = re.findall(r"^(c\d+): (.*)$", ask.text, re.MULTILINE)
        return {
            "scores": [
                {"text": mark, "score": 10 if text == wanted else 0} for mark, text in marked
            ]
        }

    return answer


def uses(store: Store, tenant: str = "default") -> dict[str, int]:
    """How often a tenant's models were asked, by what for."""
    with store.transaction(tenant=None, write=False) as tx:
        return {
            use.purpose: use.calls for use in ModelCalls(tx).uses(tenant, NINE - timedelta(days=1))
        }


@pytest.mark.covers("SO-83")
def test_a_model_orders_what_was_found(asking: Asking, store: Store) -> None:
    """With the preset best alone; the call is counted, and within the hour none is made for the
    same question.
    """
    memory, model = asking({Purpose.RERANK: prefers("tea from Uji")}, reranker=Judge())
    for text in ("green tea", "tea from Uji", "tea is green"):
        memory.remember(text)
    memory.recall("green tea")
    assert not model.asked

    best = memory.recall(BEST)

    assert best.hits[0].text == "tea from Uji"
    assert ("rerank", "llm scripted") in [(step.name, step.note) for step in best.trace]
    assert not best.degraded
    assert memory.recall(BEST).hits == best.hits
    assert uses(store) == {"rerank": 1}


@pytest.mark.covers("SO-83")
@pytest.mark.parametrize(
    "said", [ModelUnreachable("down"), "no JSON", {"scores": [{"text": "c9", "score": 1}]}]
)
def test_a_judge_that_fails_changes_nothing(said: ScriptedAnswer, asking: Asking) -> None:
    """Order and scores are those of the preset default, and the answer names what is missing."""
    memory, _ = asking({Purpose.RERANK: lambda ask: said}, reranker=Judge())
    for n in range(8):
        memory.remember(f"green tea number x{n}" + " in a cup" * (n % 3))

    best = memory.recall(BEST, limit=5)

    assert [(hit.id, hit.score) for hit in best.hits] == [
        (hit.id, hit.score) for hit in memory.recall("green tea", limit=5).hits
    ]
    (named,) = best.degraded
    assert named.startswith("rerank: ")
    assert "number x" not in named


@pytest.mark.covers("SO-83")
def test_a_model_reads_the_first_twenty(asking: Asking) -> None:
    """What it did not read comes after what it did."""
    memory, model = asking(
        {
            Purpose.RERANK: lambda ask: {
                "scores": [{"text": f"c{n}", "score": 0} for n in range(1, 21)]
            }
        },
        reranker=Judge(),
    )
    for n in range(30):
        memory.remember(f"green tea number x{n}")

    best = memory.recall(BEST, limit=25)

    assert len(best.hits) == 25
    assert len(re.findall(r"^c\d+: ", model.asked[0].text, re.MULTILINE)) == 20


def test_a_judge_needs_a_model(open_memory: OpenMemory) -> None:
    """A memory that has none is not opened with one."""
    with pytest.raises(InvalidInput, match="llm"):
        open_memory(reranker=Judge())
    with pytest.raises(InvalidInput, match="llm"):
        Memory.open(":memory:", reranker="llm", embedder=None, user="ana")
    model = ScriptedModel({Purpose.RERANK: prefers("tea from Uji")})
    with Memory.open(
        ":memory:", reranker="llm", embedder=None, llm=model, user="ana", background=False
    ) as memory:
        memory.remember("green tea")
        memory.remember("tea from Uji")
        assert memory.recall(BEST).hits[0].text == "tea from Uji"


@pytest.mark.covers("SO-83")
def test_a_question_that_seems_unanswered_is_asked_once_more(asking: Asking, store: Store) -> None:
    """In a model's words, in view of what was found; what both found comes together."""
    memory, model = asking(
        {Purpose.REPHRASE: lambda ask: {"question": "Which antibiotics did the physician order?"}}
    )
    memory.remember("The doctor lives in the house that Ana likes so much for its garden")
    physician = memory.remember("The physician ordered antibiotics")
    assert physician.id not in [hit.id for hit in memory.recall(THOROUGH.text, limit=1).hits]

    found = memory.recall(THOROUGH, limit=1)

    assert [hit.id for hit in found.hits] == [physician.id]
    (ask,) = model.asked
    assert ask.text.startswith("Question: What did the doctor prescribe?\n\nFound:\n- ")
    assert ("again", "Which antibiotics did the physician order?") in [
        (step.name, step.note) for step in found.trace
    ]
    assert memory.recall(THOROUGH, limit=1).hits == found.hits
    assert uses(store) == {"rephrase": 1}


@pytest.mark.covers("SO-83")
@pytest.mark.parametrize("preset", ["default", "best", "fast", "keyword", "rrf"])
def test_nobody_else_is_asked_twice(preset: str, asking: Asking) -> None:
    """No other preset asks, and none does where the answer seems to be held."""
    memory, model = asking(())
    memory.remember("The doctor prescribed antibiotics to Ana")

    memory.recall(Query(text="Where does the ferry leave?", preset=preset))
    memory.recall(Query(text="The doctor prescribed antibiotics to Ana", preset="thorough"))
    memory.recall(Query(text=" ", kinds=frozenset(), preset="thorough"))

    assert not model.asked


@pytest.mark.covers("SO-83")
@pytest.mark.parametrize(
    "said",
    [
        ModelUnreachable("down"),
        {"question": " "},
        {"question": ["a"]},
        {"question": "what did the DOCTOR  prescribe?"},
        {"question": "What was prescribed in 2019?"},
        {"question": "long " * 400},
        {"answer": "antibiotics"},
    ],
    ids=["down", "empty", "no text", "same", "new number", "long", "other shape"],
)
def test_words_that_cannot_be_used_change_nothing(said: ScriptedAnswer, asking: Asking) -> None:
    """The hits are those of the question as it was asked, and the answer says why."""
    memory, _ = asking({Purpose.REPHRASE: lambda ask: said})
    memory.remember("Ana likes the garden")
    memory.remember("The physician ordered antibiotics")

    found = memory.recall(THOROUGH)

    assert found.hits == memory.recall(Query(text=THOROUGH.text, preset="best")).hits
    assert [note for note in found.degraded if note.startswith("again: ")]


@pytest.mark.covers("SO-83")
def test_without_a_model_it_is_said_that_none_was_asked(open_memory: OpenMemory) -> None:
    """And all else is as with the preset best."""
    memory = open_memory()
    memory.remember("Ana likes the garden")

    best, found = (
        memory.recall(Query(text=THOROUGH.text, preset=preset)) for preset in ("best", "thorough")
    )

    assert (found.hits, found.answerable) == (best.hits, best.answerable)
    assert set(found.degraded) - set(best.degraded) == {
        "again: no language model is configured; set one with omoide config llm PROVIDER:MODEL, or in Python"
        " with Memory.open(llm=…)"
    }


def test_the_second_question_keeps_to_scope_and_filters(asking: Asking) -> None:
    """Other words open no other memory, and the call is the tenant's that asks."""
    memory, _ = asking(
        {Purpose.REPHRASE: lambda ask: {"question": "Which antibiotics did the physician order?"}}
    )
    other, elsewhere = Scope(user="ben"), Scope(tenant="acme", user="ana")
    memory.remember("The physician ordered antibiotics for Ben", other)
    memory.remember("The physician ordered antibiotics", category="note")
    memory.remember("Ana likes the garden")

    found = memory.recall(
        Query(text=THOROUGH.text, preset="thorough", categories=frozenset({"fact"})),  # type: ignore[arg-type]
        ANA,
    )

    assert [hit.text for hit in found.hits] == ["Ana likes the garden"]
    memory.recall(THOROUGH, elsewhere)
    assert uses(memory.store, "acme") == {"rephrase": 1}
