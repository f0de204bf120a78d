"""Searches that are saved by name: asked again, and forgotten, masked, exported and moved as every other
record is, though nothing that does so names them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.faculties.searches.saved_search import SavedSearch, SearchFilters
from omoide.faculties.searches.verbs import (
    delete_search,
    find_search,
    list_searches,
    run_search,
    save_search,
)
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput, NotFound
from omoide.nouns.item import Category
from omoide.nouns.scope import Scope
from omoide.store.base import Store
from tests.fix_memory import ANA, BEN, OpenMemory, on_sqlite

KEY = "sk-proj-" + "a1B2c3D4e5" * 5


def save(memory: Memory, name: str, question: str, scope: Scope = ANA) -> SavedSearch:
    """A search of facts, saved."""
    filters = SearchFilters(categories=(Category.FACT,))
    return save_search(memory.store, memory.clock, scope, name, question, filters)


def names(memory: Memory, scope: Scope) -> list[str]:
    """The names of the searches that an asker sees."""
    return [search.name for search in list_searches(memory.store, scope)]


def test_a_saved_search_is_asked_again(memory: Memory) -> None:
    """It finds what is there by then, as far as its filters let it pass."""
    save(memory, "harps", "who plays the harp?")
    played = memory.remember("Ana plays the harp", ANA, category="fact").id
    memory.remember("a harp is to be bought", ANA, category="note")

    found = run_search(memory.store, ANA, "harps", memory.recall)

    assert [hit.id for hit in found.hits] == [played]


def test_a_name_stands_for_one_search(memory: Memory) -> None:
    """Saving under a name that is there replaces that search; deleting needs one that is there."""
    save(memory, "harps", "who plays the harp?")
    newer = save(memory, "harps", "who sells harps?")

    assert list_searches(memory.store, ANA) == [newer]
    delete_search(memory.store, ANA, "harps")
    with pytest.raises(NotFound):
        find_search(memory.store, ANA, "harps")
    with pytest.raises(InvalidInput):
        save(memory, "harps", " ")


def test_searches_of_others_are_hidden_and_stay(memory: Memory) -> None:
    """Of a user who is forgotten, searches go; another's do not."""
    save(memory, "mine", "what did I say of the harp?")
    save(memory, "his", "what did he say of the lute?", BEN)
    assert (names(memory, ANA), names(memory, BEN)) == (["mine"], ["his"])

    receipt = memory.users.forget("ana")

    assert (receipt.erased["saved_searches"], receipt.residue) == (1, 0)
    assert (names(memory, ANA), names(memory, BEN)) == ([], ["his"])


def test_secrets_in_searches_are_masked(memory: Memory, store: Store) -> None:
    """At the door, and where an older row holds one."""
    search = save(memory, "key", f"where is {KEY} used?")
    assert KEY not in search.question
    with store.transaction(tenant=None) as tx:
        tx.run(
            "saved_searches.save",
            tenant="default",
            id=search.id,
            user="ana",
            agent="",
            context="global",
            name="key",
            question=f'"where is {KEY} used?"',
            filters="{}",
            saved_at=0,
        )

    assert [leak.kind for leak in memory.admin.scan(mask=True)] == ["saved_search"]
    assert memory.admin.scan() == []


@on_sqlite
def test_an_archive_brings_searches_along(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Exported with a user, and loaded once."""
    search = save(memory, "harps", "who plays the harp?")
    memory.admin.export(tmp_path / "a.jsonl", ANA)
    memory.users.forget("ana")

    assert memory.admin.load(tmp_path / "a.jsonl").added["saved_search"] == 1
    assert memory.admin.load(tmp_path / "a.jsonl").added == {}
    assert list_searches(memory.store, ANA) == [search]
