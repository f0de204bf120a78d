"""What an erasure searches for, and whether a record still holds it: each kind knows where it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide.faculties.searches.saved_search import SearchFilters
from omoide.kinds import KINDS
from omoide.memory import Memory
from omoide.nouns.item import Details
from omoide.nouns.record_kind import RecordKind, kind_named
from omoide.nouns.reflection import Reflection, ReflectionId
from omoide.store.base import read_only
from omoide.tables.reflections import Reflections
from tests.fix_memory import NINE
from tests.torture.test_t19_kinds import MAKES, MINE

SEARCHED = [kind for kind in KINDS if kind.proof is not kind_named("round").proof]
QUOTE, QUESTION = "she said that it shines", 'wann hat die "Müllerin" Geburtstag?'


def unheld(memory: Memory, kind: RecordKind[Any]) -> list[str]:
    """The texts of records of a kind that its own query does not find."""
    with read_only(memory.store, None) as tx:
        texts = [
            text
            for record in kind.page(tx, "default", None, 10) or kind.exported(tx, "default", None)
            for text in kind.proof(record)
        ]
        assert texts
        return [text for text in texts if not tx.rows(kind.held, piece=text)]


@pytest.mark.parametrize("kind", SEARCHED, ids=lambda kind: kind.name)
def test_a_kind_finds_what_its_records_hold(kind: RecordKind[Any], memory: Memory) -> None:
    """Else a text of a record that stays counts as a residue of one that was erased."""
    MAKES[kind.name](memory)

    assert unheld(memory, kind) == []


def a_quoted_item(memory: Memory) -> None:
    """An item whose quote says other words than its text."""
    memory.remember("The boat is blue", MINE, details=Details(quote=QUOTE))


def a_quoted_reflection(memory: Memory) -> None:
    """A reflection whose quote says other words than its text."""
    made = Reflection(
        id=ReflectionId("r"), scope=MINE, text="likes blue boats", quote=QUOTE, formed_at=NINE
    )
    with memory.store.transaction(tenant="default") as tx:
        Reflections(tx).add(made, salt=b"salt")


def a_german_search(memory: Memory) -> None:
    """A question with letters that its column escapes."""
    memory.searches.save("birthdays", QUESTION, MINE)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("item", a_quoted_item),
        ("reflection", a_quoted_reflection),
        ("saved_search", a_german_search),
    ],
)
def test_texts_are_looked_for_as_they_are_stored(
    name: str, make: Callable[[Memory], None], memory: Memory
) -> None:
    """Beside the main text, and with any letters."""
    make(memory)

    assert unheld(memory, kind_named(name)) == []


def in_metadata(memory: Memory) -> None:
    """A record that has a text beside its own."""
    memory.remember("Ana told a story", MINE, details=Details(metadata={"told": STORY}))


def in_a_tool_call(memory: Memory) -> None:
    """The call by which an agent stored a text, as its own log has it."""
    memory.tool_calls.record("remember", MINE, args={"text": STORY}, result="stored")


def in_a_filter(memory: Memory) -> None:
    """A saved search for what is tagged with a text."""
    memory.searches.save("s", "What?", MINE, filters=SearchFilters(domain=STORY))


STORY = "The ferry to the island left without the captain and his dog"


@pytest.mark.parametrize("make", [in_metadata, in_a_tool_call, in_a_filter])
def test_what_any_record_holds_is_no_residue(
    make: Callable[[Memory], None], memory: Memory
) -> None:
    """A receipt counts what was found that no record holds."""
    make(memory)
    told = memory.remember(STORY, MINE)

    assert memory.forget(told.id, MINE).residue == 0
