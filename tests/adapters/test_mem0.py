"""A memory in mem0's shape, called as its versions 1 and 2 are."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from omoide import InvalidInput, Memory, UnknownName
from omoide.adapters.mem0 import AsyncMemory
from omoide.adapters.mem0 import Memory as Mem0
from tests.adapters.kit import in_another_process

READ = """
    import json, sys
    from omoide.adapters.mem0 import Memory
    memory = Memory.from_config({"store": sys.argv[1]})
    found = {user: memory.get_all(user_id=user)["results"] for user in ("ana", "ben")}
    ids = [memory.get(id) for id in sys.argv[2:]]
    print(json.dumps({"found": found, "ids": ids}))
    memory.close()
"""


@pytest.fixture
def mem0(unbound: Memory) -> Mem0:
    return Mem0(unbound)


def texts(answer: dict[str, Any]) -> list[str]:
    return [row["memory"] for row in answer["results"]]


def test_memories_are_there_in_another_process(mem0: Mem0, memory_file: Path) -> None:
    """Added, updated and deleted by ids that hold in every process, for one user."""
    talk = [
        {"role": "user", "content": "I can't eat peanuts"},
        {"role": "assistant", "content": "Noted"},
    ]
    added = mem0.add(talk, user_id="ana", infer=False, metadata={"topic": "food"})["results"]
    assert [row["event"] for row in added] == ["ADD", "ADD"]
    kept, gone = (row["id"] for row in added)
    told = mem0.update(memory_id=kept, data="I can't eat nuts")
    assert told == {"message": "Memory updated successfully!"}
    assert mem0.delete(gone) == {"message": "Memory deleted successfully!"}

    read = in_another_process(READ, memory_file, kept, gone)
    (row,) = read["found"]["ana"]
    assert read["ids"] == [row, None]
    assert row["id"] == kept
    assert (row["memory"], row["metadata"]) == ("I can't eat nuts", {"topic": "food"})
    assert (row["user_id"], row["role"]) == ("ana", "user")
    assert read["found"]["ben"] == []


def test_both_call_styles_find_the_same(mem0: Mem0) -> None:
    """Ids as arguments or in filters; limit or top_k; text or data."""
    for text in ("Ana likes green tea", "Ana likes black coffee", "Ana sails"):
        mem0.add(text, user_id="ana", infer=False)

    first = mem0.search("What tea does she like?", user_id="ana", limit=1)
    assert first == mem0.search("What tea does she like?", filters={"user_id": "ana"}, top_k=1)
    assert texts(first) == ["Ana likes green tea"]
    assert mem0.get_all(user_id="ana", limit=2) == mem0.get_all(filters={"user_id": "ana"}, top_k=2)
    assert texts(mem0.search("tea", user_id="ana", threshold=0.999)) == ["Ana likes green tea"]
    assert mem0.search("tea", user_id="ben") == {"results": []}
    with pytest.raises(InvalidInput):
        mem0.search("tea")


def test_filters_are_mem0s(mem0: Mem0) -> None:
    """Operators, wildcards, and filters joined by AND, OR and NOT."""
    for number in range(4):
        metadata: dict[str, Any] = {"n": number, "tag": f"Tag-{number}"}
        mem0.add(f"fact {number}", user_id="ana", infer=False, metadata=metadata)
    mem0.add("bare", user_id="ana", infer=False)

    def found(**filters: Any) -> list[str]:
        return sorted(texts(mem0.get_all(filters={"user_id": "ana", **filters})))

    assert found(n=2) == ["fact 2"]
    assert found(n={"gte": 1, "lt": 3}) == ["fact 1", "fact 2"]
    assert found(n={"in": [0, 3]}) == ["fact 0", "fact 3"]
    assert found(tag={"icontains": "tag-1"}) == ["fact 1"]
    assert found(tag={"contains": "tag"}) == []
    assert found(n="*") == ["fact 0", "fact 1", "fact 2", "fact 3"]
    assert found(OR=[{"n": 0}, {"tag": "Tag-3"}]) == ["fact 0", "fact 3"]
    assert found(NOT=[{"n": {"gte": 1}}]) == ["bare", "fact 0"]
    assert found(AND=[{"n": {"ne": 1}}, {"n": {"lte": 2}}]) == ["fact 0", "fact 2"]
    with pytest.raises(InvalidInput):
        found(n={"almost": 1})


def test_messages_are_logged_where_no_model_learns(mem0: Mem0, unbound: Memory) -> None:
    """What is added to be inferred from is a turn of the run's session, and found by its words."""
    added = mem0.add([{"role": "user", "content": "I moved to Porto"}], user_id="ana", run_id="r1")
    assert texts(added) == ["I moved to Porto"]
    assert texts(mem0.search("Where did I move?", user_id="ana", run_id="r1")) == [
        "I moved to Porto"
    ]
    assert mem0.search("Where did I move?", user_id="ana", run_id="r2") == {"results": []}
    assert unbound.at(user="ana").sessions.list()[0].session.name == "r1"
    with pytest.raises(InvalidInput):
        mem0.update(added["results"][0]["id"], "I moved to Lisbon")


def test_history_and_delete_all(mem0: Mem0) -> None:
    """Each version is told; all memories of a user, an agent or a run go, and no others."""
    id = mem0.add("Tea", user_id="ana", infer=False)["results"][0]["id"]
    mem0.update(id, "Green tea", metadata={"k": 1})
    told = mem0.history(id)
    assert [(row["event"], row["old_memory"], row["new_memory"]) for row in told] == [
        ("ADD", None, "Tea"),
        ("UPDATE", "Tea", "Green tea"),
    ]
    row = mem0.get(id)
    assert row is not None
    assert row["metadata"] == {"k": 1}
    mem0.add("Of the run", user_id="ana", run_id="r1", infer=False)
    mem0.add("Of the agent", agent_id="helper", infer=False)
    mem0.delete_all(user_id="ana", run_id="r1")
    assert texts(mem0.get_all(user_id="ana")) == ["Green tea"]
    assert mem0.delete_all(user_id="ana") == {"message": "Memories deleted successfully!"}
    assert mem0.get_all(user_id="ana") == {"results": []}
    assert texts(mem0.get_all(agent_id="helper")) == ["Of the agent"]
    assert mem0.get(id) is None
    with pytest.raises(InvalidInput):
        mem0.reset()


def test_ids_hold_for_owners_of_any_name(mem0: Mem0) -> None:
    """Also where a name has the signs that ids are made with."""
    for name in ("a/b", "a%2Fb", "agent:x", "Ünï cødé"):
        owners: list[dict[str, Any]] = [{"user_id": name}, {"agent_id": name}, {"run_id": name}]
        assert len(owners) == 3
        for owner in owners:
            id = mem0.add(f"of {owner}", **owner, infer=False)["results"][0]["id"]
            row = mem0.get(id)
            assert row is not None
            assert row["memory"] == f"of {owner}"
            assert texts(mem0.get_all(**owner)) == [f"of {owner}"]
            said = mem0.add("Hello", **{**owner, "run_id": owner.get("run_id", "r/1")})
            assert texts({"results": [mem0.get(said["results"][0]["id"])]}) == ["Hello"]
            mem0.delete_all(**owner)


def test_what_omoide_cannot_do_is_refused(mem0: Mem0) -> None:
    """No argument and no setting is passed over in silence."""
    with pytest.raises(UnknownName):
        Mem0.from_config({"vector_store": {"provider": "qdrant"}})
    with pytest.raises(InvalidInput):
        mem0.add("x", user_id="ana", memory_type="procedural_memory")
    with pytest.raises(InvalidInput):
        mem0.add("x", user_id="ana", prompt="Only food")


def test_the_async_twin_does_the_same(unbound: Memory) -> None:
    """Each method, to be awaited."""
    memory = AsyncMemory(unbound)

    async def go() -> list[str]:
        await memory.add("Ana likes tea", user_id="ana", infer=False)
        return texts(await memory.search("tea", user_id="ana"))

    assert asyncio.run(go()) == ["Ana likes tea"]
