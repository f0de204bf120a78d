"""LangGraph's own objects over a memory: stores, graphs, and LangMem's tools."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import pytest

pytest.importorskip("langgraph.store.base")

from langgraph.config import get_store
from langgraph.graph import START, StateGraph
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from langmem import create_manage_memory_tool, create_search_memory_tool

from omoide import FixedClock, Memory
from omoide.adapters.langgraph import OmoideStore
from tests.adapters.kit import in_another_process, run_page
from tests.fix_memory import NINE

READ = """
    import json, sys
    from omoide import Memory
    from omoide.adapters.langgraph import OmoideStore
    with Memory.open(sys.argv[1]) as memory:
        store = OmoideStore(memory, user_label=1)
        ana, ben = ([i.value for i in store.search(("memories", u))] for u in ("ana", "ben"))
        print(json.dumps({"ana": ana, "ben": ben}))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory.open(path, clock=FixedClock(NINE), background=False) as opened:
        yield opened


@pytest.fixture
def store(memory: Memory) -> OmoideStore:
    return OmoideStore(memory, user_label=1)


ANA, BEN = ("memories", "ana"), ("memories", "ben")


def test_a_graph_writes_what_another_process_reads(store: OmoideStore, path: Path) -> None:
    """A compiled graph puts values for two users; a second process reads them, each apart."""

    class State(TypedDict):
        user: str
        said: str

    def note(state: State) -> dict[str, Any]:
        get_store().put(("memories", state["user"]), "said", {"text": state["said"]})
        return {}

    builder = StateGraph(State)
    builder.add_node("note", note)
    builder.add_edge(START, "note")
    graph = builder.compile(store=store)
    graph.invoke({"user": "ana", "said": "I like tea"})
    graph.invoke({"user": "ben", "said": "I like beer"})
    graph.invoke({"user": "ana", "said": "I like coffee now"})

    read = in_another_process(READ, path)
    assert read == {"ana": [{"text": "I like coffee now"}], "ben": [{"text": "I like beer"}]}


def test_langmems_tools_change_the_store(store: OmoideStore, path: Path) -> None:
    """Create, search, update and delete by LangMem's tools, in the namespace of the run's user."""
    namespace = ("memories", "{user}")
    config = {"configurable": {"user": "ana"}}
    manage = create_manage_memory_tool(namespace, store=store)
    search = create_search_memory_tool(namespace, store=store)

    kept = manage.invoke({"content": "Ana can't eat peanuts"}, config=config)
    id = kept.split()[-1]
    manage.invoke({"content": "Ana likes tea"}, config=config)
    assert id in search.invoke({"query": "peanuts", "limit": 1}, config=config)
    manage.invoke({"content": "Ana eats peanuts", "action": "update", "id": id}, config=config)
    assert {"content": "Ana eats peanuts"} in in_another_process(READ, path)["ana"]

    manage.invoke({"action": "delete", "id": id}, config=config)
    assert in_another_process(READ, path) == {"ana": [{"content": "Ana likes tea"}], "ben": []}


def test_values_come_back_exactly(store: OmoideStore) -> None:
    """JSON of every type, nested deep, and long texts."""
    deep: dict[str, Any] = {"end": [1, 2.5, None, True, "ü\n"]}
    for _ in range(12):
        deep = {"in": deep}
    values = [
        {"n": 1, "f": 1.0, "none": None, "list": [], "text": " spaces \n"},
        {},
        deep,
        {"long": "word " * 5_000},
        {"text": "A sentence that is longer than one hit shows. " * 100},
    ]
    for number, value in enumerate(values):
        store.put(ANA, str(number), value)

    for number, value in enumerate(values):
        found = store.get(ANA, str(number))
        assert found is not None
        assert found.value == value
    (best,) = store.search(ANA, query="a sentence that is longer", limit=1)
    assert best.value == values[-1]


def test_equal_values_stay_apart(store: OmoideStore) -> None:
    """Two keys with the same value are two items, also after both were replaced by the same."""
    for value in ({"text": "Tea"}, {"text": "Coffee"}):
        for key in ("a", "A", "a/b"):
            store.put(ANA, key, value)

    assert sorted(item.key for item in store.search(ANA)) == ["A", "a", "a/b"]
    store.delete(ANA, "a")
    assert sorted(item.key for item in store.search(ANA)) == ["A", "a/b"]


def test_delete_forgets_every_version(store: OmoideStore, memory: Memory, path: Path) -> None:
    """No words of a deleted value are left in the store."""
    store.put(ANA, "k", {"text": "The tortoise is called Ptolemy"})
    store.put(ANA, "k", {"text": "The tortoise is called Hypatia"})
    store.delete(ANA, "k")

    assert store.get(ANA, "k") is None
    assert memory.at(user="ana").stats().items == 0
    memory.close()
    assert not [file for file in path.parent.glob("memory.db*") if b"Ptolemy" in file.read_bytes()]


def test_the_store_answers_as_langgraphs_own(store: OmoideStore) -> None:
    """Filters, offsets and namespaces give what InMemoryStore gives."""
    own = InMemoryStore()
    for one in (store, own):
        for n in range(6):
            one.put(("docs", "ana", f"n{n % 2}"), f"k{n}", {"n": n, "kind": {"odd": n % 2 == 1}})
    conditions: list[dict[str, Any]] = [
        {"n": 3},
        {"n": {"$gt": 3}},
        {"n": {"$gte": 3, "$lt": 5}},
        {"n": {"$ne": 3}},
        {"kind": {"odd": True}},
        {"n": 3, "kind": {"odd": False}},
        {"gone": {"$eq": None}},
    ]

    def keys(one: Any, filter: dict[str, Any]) -> list[str]:
        found = one.search(("docs", "ana"), filter=filter, limit=100)
        return sorted(item.key for item in found)

    assert [keys(store, one) for one in conditions] == [keys(own, one) for one in conditions]
    assert len(store.search(("docs", "ana"), limit=3, offset=4)) == 2
    for how in ({}, {"max_depth": 2}, {"suffix": ("n1",)}, {"limit": 1, "offset": 1}):
        mine = store.list_namespaces(prefix=("docs", "ana"), **how)
        assert mine == own.list_namespaces(prefix=("docs", "ana"), **how)


def test_values_expire(memory: Memory) -> None:
    """A time to live ends; reading begins it anew, unless told not to."""
    store = OmoideStore(memory, user_label=1, ttl={"default_ttl": 10, "refresh_on_read": True})
    clock = memory.clock
    assert isinstance(clock, FixedClock)
    for key in ("read", "unread"):
        store.put(ANA, key, {"text": key})
    store.put(ANA, "for ever", {"text": "for ever"}, ttl=None)
    clock.move(minutes=6)
    assert store.get(ANA, "read")
    assert store.get(ANA, "unread", refresh_ttl=False)
    clock.move(minutes=6)

    assert store.get(ANA, "unread") is None
    assert {item.key for item in store.search(ANA)} == {"read", "for ever"}


def test_a_batch_reads_before_it_writes(store: OmoideStore) -> None:
    """As in LangGraph's own stores; the last put of a key stands, and a bad name changes nothing."""
    store.put(ANA, "k", {"n": 1})
    ops = [PutOp(ANA, "k", {"n": 2}), GetOp(ANA, "k"), PutOp(ANA, "k", {"n": 3}), SearchOp(ANA)]
    results = asyncio.run(store.abatch(ops))

    assert [results[1].value, results[3][0].value] == [{"n": 1}, {"n": 1}]
    assert asyncio.run(store.aget(ANA, "k")).value == {"n": 3}
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(ANA, "k", {"n": 4}), GetOp(("memories.ana",), "k")])
    assert store.get(ANA, "k").value == {"n": 3}


def test_search_finds_by_the_words_of_the_fields(store: OmoideStore, memory: Memory) -> None:
    """A query ranks values by their text; ``index`` says which, and False leaves a value out."""
    store.put(ANA, "pet", {"text": "Ana has a tortoise called Hypatia", "note": "quokka"}, ["text"])
    store.put(ANA, "drink", {"text": "Ana drinks green tea in the morning"})
    store.put(ANA, "hidden", {"text": "Ana's tortoise eats dandelions"}, index=False)
    best = store.search(ANA, query="What is her tortoise called?", limit=1)

    assert [(item.key, item.score is not None) for item in best] == [("pet", True)]
    texts = str([item.value["text"] for item in store.search(ANA, query="morning tea", limit=1)])
    assert "green tea" in texts
    assert store.get(ANA, "hidden").value == {"text": "Ana's tortoise eats dandelions"}
    assert "dandelions" not in str(memory.at(user="ana").recall("dandelions"))


def test_what_a_person_corrects_is_what_the_graph_reads(store: OmoideStore, memory: Memory) -> None:
    """The item of a value can be corrected by any door."""
    store.put(ANA, "pet", {"content": "The tortoise is called Ptolemy"})
    ana = memory.at(user="ana")
    ana.correct(ana.recall("tortoise")[0].id, "The tortoise is called Hypatia")

    assert store.get(ANA, "pet").value == {"content": "The tortoise is called Hypatia"}


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    assert "Ana" in str(run_page("langgraph", tmp_path)["answer"])
