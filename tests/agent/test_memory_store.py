"""GAIA's store over a memory: its names, its shapes, its rules."""

from __future__ import annotations

import inspect

import pytest

from omoide.agent.memory_store import (
    MAX_CONTENT_LENGTH,
    MAX_TURN_LENGTH,
    VALID_CATEGORIES,
    MemoryStore,
)
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from omoide.text.sets import overlap


@pytest.fixture
def gaia(memory: Memory) -> MemoryStore:
    """Ana's."""
    return MemoryStore(memory=memory)


def parameters(name: str) -> list[str]:
    """The parameters of a method, in order."""
    return list(inspect.signature(getattr(MemoryStore, name)).parameters)[1:]


@pytest.mark.covers("GM-14", "GM-19", "GM-20", "GM-35", "GM-36", "GM-38")
def test_methods_have_the_parameters_that_they_promise() -> None:
    """In order, as programs call them by position too."""
    assert {name: parameters(name) for name in PROMISED} == PROMISED


PROMISED = {
    "store": ["category", "content", "domain", "metadata", "confidence", "due_at", "source", "context", "sensitive", "entity"],
    "search": ["query", "category", "context", "entity", "include_sensitive", "top_k", "time_from", "time_to"],
    "get_by_category": ["category", "context", "domain", "limit"],
    "get_by_category_contexts": ["category", "context", "limit"],
    "get_by_entity": ["entity", "limit"],
    "get_upcoming": ["within_days", "include_overdue", "context", "limit"],
    "update_confidence": ["knowledge_id", "delta"],
    "delete": ["knowledge_id"],
    "delete_by_source": ["source"],
    "store_turn": ["session_id", "role", "content", "context"],
    "get_history": ["session_id", "context", "limit"],
    "search_conversations": ["query", "context", "limit"],
    "get_recent_conversations": ["days", "context", "limit"],
    "log_tool_call": ["session_id", "tool_name", "args", "result_summary", "success", "error", "duration_ms"],
    "get_tool_errors": ["tool_name", "limit"],
    "get_tool_stats": ["tool_name"],
    "get_tool_history": ["tool_name", "limit"],
    "get_all_knowledge": [
        "category", "context", "entity", "sensitive", "search", "sort_by", "order", "offset", "limit", "include_superseded",
    ],
    "get_sessions": ["limit"],
    "get_entities": ["limit"],
    "get_contexts": ["limit"],
}  # fmt: skip


@pytest.mark.covers("GM-14", "GM-15", "GM-17", "GM-26")
def test_a_statement_is_stored_and_read(gaia: MemoryStore) -> None:
    """Under its columns; over-long text is cut, blank text and unknown categories are refused."""
    id = gaia.store(
        "note", "x" * 3000, domain="journal", metadata={"a": 1}, context="work", entity="app:vim", sensitive=True
    )  # fmt: skip
    row = gaia.get_item(id)

    assert row is not None
    assert len(row["content"]) == MAX_CONTENT_LENGTH
    assert (row["category"], row["domain"], row["metadata"]) == ("note", "journal", {"a": 1})
    assert (row["context"], row["entity"], row["sensitive"]) == ("work", "app:vim", True)
    assert (row["source"], row["confidence"], row["superseded_by"]) == ("tool", 0.5, None)
    assert gaia.get_item("nothing") is None
    for category, content in (("note", "  "), ("gossip", "x")):
        with pytest.raises(ValueError, match=r"text|not a valid Category"):
            gaia.store(category, content)
    assert len(VALID_CATEGORIES) == 9


@pytest.mark.covers("GM-18")
def test_each_source_has_its_confidence(gaia: MemoryStore) -> None:
    """0.8 for the user, 0.4 for extraction, 0.5 for a tool."""
    texts = {"user": "Ana likes tea", "llm_extract": "Ben cycles", "tool": "Porto is far"}
    ids = [gaia.store("fact", text, source=source) for source, text in texts.items()]

    assert [(gaia.get_item(id) or {})["confidence"] for id in ids] == [0.8, 0.4, 0.5]
    assert gaia.get_source_counts() == {"user": 1, "llm_extract": 1, "tool": 1}
    assert gaia.delete_by_source("tool") == 1
    assert gaia.delete_by_source("tool") == 0


@pytest.mark.covers("GM-16")
def test_nearly_the_same_takes_the_place_of_the_old(memory: Memory, gaia: MemoryStore) -> None:
    """Over 80 % of the words, in the same category, context and entity; the history stays."""
    old = gaia.store("fact", "the office is in the old building by the river", source="user")
    other = gaia.store("fact", "the office is in the old building by the river", context="work")
    new = gaia.store("fact", "the office is in the new building by the river")

    row = gaia.get_item(new)
    assert row is not None
    assert {one["id"] for one in gaia.get_all_knowledge()["items"]} == {new, other}
    assert (row["source"], row["confidence"]) == ("user", 0.8)
    assert [version.id for version in memory.history(new)] == [old, new]
    assert overlap(set("abcde"), set("abcdx")) == 0.8


@pytest.mark.covers("GM-19")
def test_search_finds_words_and_counts_uses(memory: Memory, gaia: MemoryStore) -> None:
    """Signs of query languages are no syntax; a query without words finds nothing."""
    id = gaia.store("fact", "The spare key is under the fern")
    gaia.store("fact", "Sensitive: the key code", sensitive=True)

    assert [row["id"] for row in gaia.search('key "under* AND (')] == [id]
    assert gaia.search("!!! ???") == []
    assert len(gaia.search("key", include_sensitive=True)) == 2
    memory.stats()  # writes what was counted
    assert (gaia.get_item(id) or {})["use_count"] > 0


@pytest.mark.covers("GM-20", "GM-21", "GM-22", "GM-40")
def test_statements_are_listed(gaia: MemoryStore) -> None:
    """By category, the surest first; by context with the global one; by entity."""
    low = gaia.store("fact", "Sarah works at Acme", confidence=0.4, entity="person:sarah")
    high = gaia.store("fact", "Tea is kept in the kitchen", confidence=0.6)
    work = gaia.store("fact", "Stand-up is at ten", context="work", confidence=0.5)
    hidden = gaia.store("fact", "The PIN of the safe is long", context="work", sensitive=True)

    assert [row["id"] for row in gaia.get_by_category("fact", limit=2)] == [high, *[work][:1]]
    found = {row["id"] for row in gaia.get_by_category_contexts("fact", "work")}
    assert found == {low, high, work}
    assert hidden not in found
    assert [row["id"] for row in gaia.get_by_entity("person:sarah")] == [low]
    assert {row["context"]: row["count"] for row in gaia.get_contexts()} == {
        "global": 2,
        "work": 2,
    }
    assert [row["entity"] for row in gaia.get_entities()] == ["person:sarah"]


@pytest.mark.covers("GM-23")
def test_what_is_due_is_listed_until_reminded_of(gaia: MemoryStore) -> None:
    """Soonest first, with what is overdue."""
    late = gaia.store("reminder", "Pay the rent", due_at="2026-01-01T09:00:00+00:00")
    soon = gaia.store("reminder", "Call the dentist", due_at="2026-01-08T09:00:00+00:00")
    gaia.store("reminder", "Renew the passport", due_at="2026-06-01")

    assert [row["id"] for row in gaia.get_upcoming()] == [late, soon]
    assert [row["id"] for row in gaia.get_upcoming(include_overdue=False)] == [soon]
    assert gaia.update(soon, reminded_at="now")
    assert [row["id"] for row in gaia.get_upcoming()] == [late]


@pytest.mark.covers("GM-24", "GM-25", "GM-26")
def test_updates_change_what_is_given(gaia: MemoryStore) -> None:
    """New content has a new id, which the old row names; an unknown id is False."""
    id = gaia.store("fact", "Ana lives in Lisbon", domain="home")
    assert gaia.update(id, domain="places", sensitive=True)
    assert gaia.update(id, content="Ana lives in Porto")

    old = gaia.get_item(id)
    assert old is not None
    new = gaia.get_item(old["superseded_by"])
    assert new is not None
    assert (new["content"], new["domain"], new["sensitive"]) == (
        "Ana lives in Porto",
        "places",
        True,
    )
    gaia.update_confidence(new["id"], 2.0)
    assert (gaia.get_item(new["id"]) or {})["confidence"] == 1.0
    assert not gaia.update("nothing", domain="x")
    with pytest.raises(InvalidInput, match="row itself"):
        gaia.update(new["id"], superseded_by=new["id"])
    assert gaia.delete(new["id"])
    assert not gaia.delete(new["id"])


def test_a_row_can_give_way_to_another(gaia: MemoryStore) -> None:
    """It is superseded by that one, which stays as it is."""
    old = gaia.store("fact", "Ana drives a red car")
    new = gaia.store("fact", "Ana cycles to work every day")

    assert gaia.update(old, superseded_by=new)
    assert (gaia.get_item(old) or {})["superseded_by"] == new
    assert [row["id"] for row in gaia.get_all_knowledge()["items"]] == [new]


@pytest.mark.covers("GM-38")
def test_pages_are_sorted_and_counted(gaia: MemoryStore) -> None:
    """By the columns that there are; superseded rows only where asked for."""
    for name in ("one apple", "two pears", "three plums"):
        gaia.store("fact", name)

    page = gaia.get_all_knowledge(sort_by="content", order="asc", limit=2)
    assert [row["content"] for row in page["items"]] == ["one apple", "three plums"]
    assert (page["total"], page["offset"], page["limit"]) == (3, 0, 2)
    assert gaia.get_all_knowledge(search="plums")["total"] == 1
    gaia.update(page["items"][0]["id"], content="one lemon instead of it")
    assert gaia.get_all_knowledge()["total"] == 3
    assert gaia.get_all_knowledge(include_superseded=True)["total"] == 4


@pytest.mark.covers("GM-35", "GM-40")
def test_conversations_are_kept_and_searched(gaia: MemoryStore) -> None:
    """Blank turns are left out, long ones cut; the last ones come oldest first."""
    gaia.store_turn("s1", "user", "The boat leaks")
    gaia.store_turn("s1", "assistant", "y" * 5000)
    gaia.store_turn("s1", "user", "   ")
    gaia.store_turn("s2", "user", "Buy paint")

    history = gaia.get_history("s1")
    assert [(row["role"], len(row["content"])) for row in history] == [
        ("user", 14),
        ("assistant", MAX_TURN_LENGTH),
    ]
    assert gaia.get_history("nothing") == []
    assert [row["session_id"] for row in gaia.search_conversations("boat leaks")][:1] == ["s1"]
    assert [row["content"] for row in gaia.get_recent_conversations()][-1] == "Buy paint"
    assert {row["session_id"]: row["turn_count"] for row in gaia.get_sessions()} == {
        "s1": 2,
        "s2": 1,
    }


@pytest.mark.covers("GM-36", "GM-37", "GM-39")
def test_tool_calls_and_figures(gaia: MemoryStore) -> None:
    """What the calls add up to, and what all of it does."""
    gaia.log_tool_call("s1", "search", {"q": "tea"}, "found", True, duration_ms=20)
    gaia.log_tool_call("s1", "search", {"q": "x"}, None, False, error="no network")
    gaia.store("fact", "Ana likes tea")

    assert gaia.get_tool_stats("search")["success_rate"] == 0.5
    assert gaia.get_tool_stats("nothing")["total_calls"] == 0
    assert [row["error"] for row in gaia.get_tool_errors("search")] == ["no network"]
    assert gaia.get_tool_history("search")[0]["args"] == {"q": "x"}
    stats = gaia.get_stats()
    assert (stats["knowledge"]["total"], stats["tools"]["total_errors"]) == (1, 1)
    assert stats["tools"]["overall_success_rate"] == 0.5
    assert gaia.get_embedding_coverage()["coverage_pct"] == 100.0


@pytest.mark.covers("GM-42", "GM-43")
def test_all_can_be_cleared_and_seeded(gaia: MemoryStore) -> None:
    """Seeding compares nothing; clearing counts; closing a store that it did not open does nothing."""
    ids = gaia.seed_bulk(
        [{"content": "Ana likes tea"}, {"content": "Ana likes tea", "category": "note"}]
    )
    gaia.store_turn("s1", "user", "Hello there")

    assert len(set(ids)) == 2
    assert gaia.clear_knowledge() >= 2
    assert gaia.clear_conversations() >= 1
    assert gaia.clear_knowledge() == 0
    assert gaia.apply_confidence_decay() == 0
    assert set(gaia.prune().values()) <= {0}
    gaia.close()
    gaia.close()
    assert gaia.store("fact", "Still open")
