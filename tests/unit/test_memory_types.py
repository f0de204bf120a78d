"""The five types of memory, derived from what a record is."""

from __future__ import annotations

import pytest

from omoide import Memory, Query
from omoide.nouns.entity import Entity
from omoide.nouns.errors import InvalidInput
from omoide.nouns.ids import EntityId, SessionId
from omoide.nouns.item import Category
from omoide.nouns.memory_type import OF_CATEGORY, MemoryType, narrowed, types_of
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Message
from tests.fix_memory import ANA, turn_of


@pytest.mark.covers("GM-3", "SO-2")
def test_every_category_is_of_one_type() -> None:
    """Errors and skills are procedural, all else that is known is semantic; no category is
    forgotten when one is added.
    """
    assert set(OF_CATEGORY) == set(Category)
    assert {c for c, of in OF_CATEGORY.items() if of is MemoryType.PROCEDURAL} == {
        Category.ERROR,
        Category.SKILL,
    }
    assert {of for c, of in OF_CATEGORY.items()} == {MemoryType.PROCEDURAL, MemoryType.SEMANTIC}


@pytest.mark.covers("GM-3", "SO-2")
def test_each_record_is_of_its_type(memory: Memory) -> None:
    """What was said is episodic, what is known semantic or procedural, what is linked to people
    social besides; nothing is working.
    """
    memory.ingest([Message(text="The oven is broken")], Scope(user="ana", session="s"))
    oven = memory.remember("The oven needs a new fuse", ANA)
    trick = memory.remember("Bake at 180 degrees, with the fan off", ANA, category="skill")
    sister = memory.remember("Ana's sister is Rita", ANA, entities=["person:rita"])
    boat = memory.remember("The boat is blue", ANA, entities=["thing:boat"])

    of = {
        id: types_of(memory.get(id, ANA))
        for id in (turn_of("s", 0), oven.id, trick.id, sister.id, boat.id)
    }

    assert (
        of[turn_of("s", 0)]
        == types_of(Session(id=SessionId("s"), scope=ANA))
        == {MemoryType.EPISODIC}
    )
    assert of[oven.id] == of[boat.id] == {MemoryType.SEMANTIC}
    assert of[trick.id] == {MemoryType.PROCEDURAL}
    assert of[sister.id] == {MemoryType.SEMANTIC, MemoryType.SOCIAL}
    assert types_of(Entity(id=EntityId("1"), scope=ANA, name="Person:rita")) == {MemoryType.SOCIAL}
    assert types_of(Entity(id=EntityId("2"), scope=ANA, name="thing:boat")) == {MemoryType.SEMANTIC}


@pytest.mark.covers("GM-3", "SO-2")
def test_recall_finds_one_type_alone(memory: Memory) -> None:
    """Inside the search, so that what is of another type takes no place."""
    memory.ingest([Message(text="The oven is broken")], Scope(user="ana", session="s"))
    memory.remember("The oven is in the kitchen", ANA)
    memory.remember("Clean the oven with vinegar", ANA, category="skill")
    memory.remember("Rita lent us the oven", ANA, entities=["person:rita"])

    def found(type: MemoryType, **filters: object) -> list[str]:
        query = Query(text="the oven", **filters)  # type: ignore[arg-type]
        return sorted(hit.text for hit in memory.recall(narrowed(query, type), ANA).hits)

    assert found(MemoryType.EPISODIC) == ["The oven is broken"]
    assert found(MemoryType.SEMANTIC) == ["Rita lent us the oven", "The oven is in the kitchen"]
    assert found(MemoryType.PROCEDURAL) == ["Clean the oven with vinegar"]
    assert found(MemoryType.SOCIAL, entities=("person:rita",)) == ["Rita lent us the oven"]


@pytest.mark.parametrize(
    ("type", "query", "said"),
    [
        (MemoryType.WORKING, Query(text="x"), "not searched"),
        (MemoryType.SOCIAL, Query(text="x"), "name the people"),
        (
            MemoryType.PROCEDURAL,
            Query(text="x", categories=frozenset({Category.FACT})),
            "none of them is procedural",
        ),
    ],
)
def test_what_cannot_be_searched_for_is_said(type: MemoryType, query: Query, said: str) -> None:
    """A filter is never quietly ignored, and never finds everything instead."""
    with pytest.raises(InvalidInput, match=said):
        narrowed(query, type)
