"""CrewAI's own memory over a storage of a memory."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
os.environ["OTEL_SDK_DISABLED"] = "true"
pytest.importorskip("crewai.memory.types")

from crewai import Memory as CrewMemory
from crewai.memory.storage.backend import StorageBackend
from crewai.memory.types import MemoryRecord

from omoide import InvalidInput, Memory
from omoide.adapters.crewai import OmoideStorage
from tests.adapters.kit import in_another_process, run_page

READ = """
    import json, os, sys
    os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["OTEL_SDK_DISABLED"] = "true"
    from crewai import Memory as CrewMemory
    from omoide import Memory
    from omoide.adapters.crewai import OmoideStorage
    with Memory.open(sys.argv[1]) as memory:
        found = {}
        for user in ("ana", "ben"):
            storage = OmoideStorage(memory.at(user=user))
            crew = CrewMemory(storage=storage, embedder=storage.embed)
            matches = crew.recall("What can't they eat?", depth="shallow")
            found[user] = [[match.record.content, match.record.scope] for match in matches]
        print(json.dumps(found))
"""


def crew_memory(memory: Memory, **more: Any) -> CrewMemory:
    storage = OmoideStorage(memory)
    return CrewMemory(storage=storage, embedder=storage.embed, **more)


def remember(crew: CrewMemory, text: str, scope: str = "/food", importance: float = 0.5) -> Any:
    """Remember with every field given, so that no model is asked."""
    return crew.remember(text, scope=scope, categories=["food"], importance=importance, metadata={})


def test_crewais_memory_is_there_in_another_process(unbound: Memory, memory_file: Path) -> None:
    """Remember, update and forget through CrewAI's Memory; another process sees it, each user's."""
    ana, ben = crew_memory(unbound.at(user="ana")), crew_memory(unbound.at(user="ben"))
    kept = remember(ana, "Ana can't eat peanuts")
    gone = remember(ana, "Ana can't eat shrimps", "/food/sea")
    remember(ben, "Ben can eat everything")
    ana.update(kept.id, content="Ana can't eat nuts")
    assert ana.forget(record_ids=[gone.id]) == 1

    read = in_another_process(READ, memory_file)
    assert read == {
        "ana": [["Ana can't eat nuts", "/food"]],
        "ben": [["Ben can eat everything", "/food"]],
    }
    assert "Ana can't eat nuts" in unbound.at(user="ana").recall("nuts")[0].text


def records() -> list[MemoryRecord]:
    made = []
    for number, (scope, names) in enumerate(
        [("/", ["a"]), ("/x", ["a", "b"]), ("/x/y", ["b"]), ("/xy", []), ("/x/y/z", ["c"])]
    ):
        made.append(
            MemoryRecord(
                id=f"r{number}",
                content=f"The jar number {number} holds peanuts",
                scope=scope,
                categories=names,
                metadata={"n": number},
                created_at=datetime(2026, 1, 1) + timedelta(days=number),
                source="ana",
                private=number == 1,
            )
        )
    return made


def test_the_backend_keeps_its_protocol(unbound: Memory) -> None:
    """Scopes, categories, filters, counts, listings and deletion."""
    storage = OmoideStorage(unbound.at(user="ana"))
    assert isinstance(storage, StorageBackend)
    made = records()
    asyncio.run(storage.asave(made))

    assert [storage.get_record(one.id) for one in made] == made
    assert storage.get_record("none") is None
    assert [r.id for r in storage.list_records()] == ["r4", "r3", "r2", "r1", "r0"]
    assert [r.id for r in storage.list_records("/x", limit=2, offset=1)] == ["r2", "r1"]
    assert (storage.count(), storage.count("/x"), storage.count("/x/")) == (5, 3, 3)
    assert storage.list_scopes() == ["/x", "/xy"]
    assert storage.list_scopes("/x") == ["/x/y"]
    assert storage.list_categories("/x") == {"a": 1, "b": 2, "c": 1}
    info = storage.get_scope_info("/x")
    assert (info.record_count, info.categories, info.child_scopes) == (3, ["a", "b", "c"], ["/x/y"])
    assert (info.oldest_record, info.newest_record) == (made[1].created_at, made[4].created_at)

    asked = storage.embed(["Which jar holds peanuts?"])[0]
    found = asyncio.run(storage.asearch(asked, "/x", ["b"], {"n": 2}))
    assert [record.id for record, score in found if 0 < score <= 1] == ["r2"]
    assert len(storage.search(asked, limit=3)) == 3
    with pytest.raises(InvalidInput, match=r"storage\.embed"):
        storage.search([0.5] * len(asked))

    assert storage.delete(older_than=datetime(2026, 1, 3), categories=["a"]) == 2
    assert asyncio.run(storage.adelete("/x", metadata_filter={"n": 4})) == 1
    storage.reset("/xy")
    assert [record.id for record in storage.list_records()] == ["r2"]


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    assert "peanuts" in run_page("crewai", tmp_path)["answer"]
