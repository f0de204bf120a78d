"""Which of the five types of memory, as agents' designers name them, a record is of. Derived from
what it is, stored nowhere.

Working memory is what a recall packs into a prompt, within its ``budget_tokens``: nothing stored is
of that type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from types import MappingProxyType

from omoide.nouns.entity import Entity
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Category, Item
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn


class MemoryType(StrEnum):
    """A tier of memory."""

    WORKING = "working"  # what is in the prompt now
    EPISODIC = "episodic"  # what happened: turns and sessions
    SEMANTIC = "semantic"  # what is so
    PROCEDURAL = "procedural"  # what to do, and what not to do again
    SOCIAL = "social"  # people, and what is known of them


_HOW_TO = frozenset({Category.ERROR, Category.SKILL})
OF_CATEGORY: Mapping[Category, MemoryType] = MappingProxyType(
    {
        category: MemoryType.PROCEDURAL if category in _HOW_TO else MemoryType.SEMANTIC
        for category in Category
    }
)
# what entities are called by that are people
PEOPLE = frozenset({"person", "team", "organisation", "organization"})


def types_of(record: Item | Turn | Session | Entity) -> frozenset[MemoryType]:
    """The types a record is of: one by what it is, and social too where it is linked to people."""
    if isinstance(record, Turn | Session):
        return frozenset({MemoryType.EPISODIC})
    if isinstance(record, Entity):
        return frozenset({MemoryType.SOCIAL if is_people(record.name) else MemoryType.SEMANTIC})
    social = {MemoryType.SOCIAL} if any(map(is_people, record.entities)) else set()
    return frozenset({OF_CATEGORY[record.category]} | social)


def is_people(entity: str) -> bool:
    """Whether an entity's name, such as ``person:ana``, is that of a person or of several."""
    return entity.partition(":")[0].casefold() in PEOPLE


def narrowed(query: Query, type: MemoryType) -> Query:
    """The query, to find only what is of one type. For social memory it must name the people, in
    ``entities``.

    Raises:
        InvalidInput: working memory, which is not stored; social memory of nobody; or categories of
            another type.
    """
    if type is MemoryType.WORKING:
        raise InvalidInput(
            "type", "working memory is what a recall puts into a prompt; it is not searched"
        )
    if type is MemoryType.EPISODIC:
        return replace(query, kinds=frozenset({Kind.TURN}))
    if type is MemoryType.SOCIAL:
        if not query.entities:
            raise InvalidInput(
                "entities", "name the people whose social memory is meant, such as person:ana"
            )
        return replace(query, kinds=frozenset({Kind.ITEM}))
    categories = frozenset(category for category, of in OF_CATEGORY.items() if of is type) & (
        query.categories or frozenset(Category)
    )
    if not categories:
        raise InvalidInput("categories", f"none of them is {type.value}")
    return replace(query, kinds=frozenset({Kind.ITEM}), categories=categories)
