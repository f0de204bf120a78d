"""Why a record was not recalled: the first gate it failed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from omoide.memory import Memory
from omoide.models.base import RerankScores
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.item import Category, Details
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.write.remember import Statement
from tests.fix_memory import ANA, BEN, NINE, OpenMemory, turn_of

DAY = timedelta(days=1)


def gate(
    memory: Memory, id: str, scope: Scope | None = None, *, limit: int = 10, **query: Any
) -> str:
    """The gate that an item fails for a question about wombats."""
    return memory.why_not(Query(**({"text": "wombat plan"} | query)), id, scope, limit=limit).gate


def test_what_is_recalled_says_so(memory: Memory) -> None:
    """With its place and what each arm said."""
    item = memory.remember("the wombat plan").item

    why = memory.why_not("wombat plan", item.id)

    assert why.gate == "recalled"
    assert "hit 1 of 1" in why.detail
    assert "text rank 1" in why.detail


def test_filters_are_named(memory: Memory, clock: FixedClock) -> None:
    """Each gate in turn, for items."""
    item = memory.remember("the wombat plan", tags=["a"], details=Details(valid_from=NINE)).item

    assert gate(memory, item.id, kinds=frozenset({Kind.TURN})) == "kind"
    assert gate(memory, item.id, categories=frozenset({Category.NOTE})) == "category"
    assert gate(memory, item.id, contexts=frozenset({"work"})) == "context"
    assert gate(memory, item.id, since=NINE + DAY) == "time"
    assert gate(memory, item.id, until=NINE) == "time"
    assert gate(memory, item.id, known_at=NINE - DAY) == "known"
    assert gate(memory, item.id, as_of=NINE - DAY) == "valid"
    assert gate(memory, item.id, tags=("b",)) == "filters"
    assert gate(memory, item.id, metadata={"n": 1}) == "filters"
    assert gate(memory, item.id, text="zzz", preset="keyword") == "search"


def test_marks_are_named(memory: Memory, clock: FixedClock) -> None:
    """Sensitive, muted, closed, expired, no longer valid."""
    hidden = memory.remember("the wombat plan is secret", details=Details(sensitive=True)).item
    muted = memory.remember("a boring wombat plan of old").item
    memory.items.edit(muted.id, muted=True)
    old = memory.remember("wombat plan version one hundred").item
    new = memory.correct(old.id, "wombat plan version two").item
    brief = memory.remember(
        "wombat plan for an hour", details=Details(expires_at=NINE + timedelta(hours=1))
    ).item
    past = memory.remember(
        "wombat plan until noon", details=Details(valid_until=NINE + timedelta(hours=3))
    ).item
    clock.move(days=1)

    assert [gate(memory, i.id) for i in (hidden, muted, old, brief, past)] == [
        "sensitive",
        "muted",
        "valid",
        "expired",
        "valid",
    ]
    assert new.id in memory.why_not("wombat plan", old.id).detail


def test_scopes_are_named(memory: Memory) -> None:
    """What one may not see is not there; what is kept to a session is said to be."""
    item = memory.remember("the wombat plan").item
    memory.ingest(
        [Message(text="the wombat plan was said")], Scope(user="ana", session="p"), private=True
    )

    assert gate(memory, item.id, BEN) == gate(memory, "no such", BEN) == "scope"
    told = [memory.why_not("x", id, BEN).detail.replace(id, "ID") for id in (item.id, "no such")]
    assert told[0] == told[1]
    assert gate(memory, turn_of("p", 0), ANA) == "scope"
    assert gate(memory, turn_of("p", 0), Scope(user="ana", session="p")) == "recalled"


def test_turns_are_explained_too(memory: Memory) -> None:
    """By kind, session and time."""
    memory.ingest([Message(text="the wombat plan")], Scope(user="ana", session="s"))

    assert gate(memory, turn_of("s", 0)) == "recalled"
    assert gate(memory, turn_of("s", 0), kinds=frozenset({Kind.ITEM})) == "kind"
    assert gate(memory, turn_of("s", 0), categories=frozenset({Category.NOTE})) == "category"
    assert gate(memory, turn_of("s", 0), without_session="s") == "session"
    assert gate(memory, turn_of("s", 0), since=NINE + DAY) == "time"


def test_rank_and_budget_are_named(memory: Memory) -> None:
    """What came too late, or did not fit."""
    last = memory.remember(
        "a plan that among many other things also speaks of a wombat now and then"
    ).item
    memory.remember("wombat plan draft")

    assert gate(memory, last.id, limit=1) == "rank"
    assert gate(memory, last.id, budget_tokens=4) == "budget"


@pytest.mark.parametrize("preset", ["fast", "default", "keyword", "rrf"])
def test_what_was_found_and_came_late_is_named_by_its_rank(preset: str, memory: Memory) -> None:
    """However late it came: it was found, so more words would not help, but a greater limit
    would.
    """
    ids = [
        memory.remember(f"wombat {word} plan {word}").id
        for word in "ash bay cob dew elm fir gum hay ivy oak".split()
    ]

    gates = [gate(memory, id, limit=1, preset=preset) for id in ids]

    assert sorted(gates) == ["rank"] * 9 + ["recalled"]


class Contrary:
    """A reranker that dislikes what comes to it first."""

    id = "contrary"

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        self.disliked = texts[0]
        return np.array([float(n > 0) for n in range(len(texts))], np.float32)


def test_what_a_reranker_thought_little_of_is_named_by_its_rank(open_memory: OpenMemory) -> None:
    """The place told is that after reranking, not that by which it came to the reranker."""
    reranker = Contrary()
    memory = open_memory(reranker=reranker)
    items = memory.items.add_many(
        Statement(text=f"the wombat {word} plan {word}")
        for word in "ash bay cob dew elm fir".split()
    )
    memory.recall(Query(text="wombat plan", preset="best"), limit=2)
    first = next(item for item in items if item.text == reranker.disliked)

    why = memory.why_not(Query(text="wombat plan", preset="best"), first.id, limit=2)

    assert (why.gate, why.detail[:12]) == ("rank", "it came 6th ")


def test_every_hit_is_recalled_and_nothing_else(memory: Memory) -> None:
    """why_not and recall never disagree."""
    ids = [
        memory.remember(f"wombat {word} plan {word}").id
        for word in "ash bay cob dew elm fir gum hay ivy oak".split()
    ]
    for limit in (1, 3, 7):
        hits = {h.id for h in memory.recall("wombat plan", limit=limit).hits}
        assert {id for id in ids if gate(memory, id, limit=limit) == "recalled"} == hits


def test_a_question_that_cannot_be_asked_is_refused(memory: Memory) -> None:
    """As by recall."""
    item = memory.remember("the wombat plan").item

    with pytest.raises(UnknownName):
        gate(memory, item.id, preset="magic")
    with pytest.raises(InvalidInput):
        memory.why_not("x", "a\0")
