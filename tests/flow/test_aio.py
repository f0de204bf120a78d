"""AsyncMemory: the same verbs, in threads of its own."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import pickle
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from omoide.aio import AsyncMemory
from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.change import Because
from omoide.nouns.errors import InvalidInput, NotFound, OmoideError
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.store import open_store
from omoide.verbs.awaited import AsyncItemVerbs
from omoide.verbs.groups import VERBS
from tests.fix_memory import ANA, NINE


@asynccontextmanager
async def opened(memory: Memory) -> AsyncIterator[AsyncMemory]:
    """An asynchronous face of a memory, closed afterwards."""
    async with AsyncMemory(memory) as face:
        yield face


@pytest.mark.covers("CX-25", "LS-36")
def test_every_verb_has_the_same_signature(memory: Memory) -> None:
    """Names, order, kinds, defaults and annotations of every argument, and what comes back."""
    face = AsyncMemory(memory)
    for verb in VERBS:
        twin = attrgetter(verb.full_name)(face)
        own = attrgetter(verb.full_name)(memory)

        assert inspect.iscoroutinefunction(twin), verb.full_name
        assert inspect.signature(twin) == inspect.signature(own), verb.full_name


@pytest.mark.covers("CX-25")
def test_a_life_in_async(memory: Memory) -> None:
    """Each verb does what its twin does."""

    async def live() -> None:
        async with opened(memory) as face:
            said = await face.remember("Ana lives in Rome", entities=["person:ana"], due_at=NINE)
            await face.ingest(
                [Message(text="the wombat eats grass")], Scope(user="ana", session="s")
            )
            assert [h.text for h in (await face.recall("Where does Ana live?", limit=1)).hits] == [
                "Ana lives in Rome"
            ]
            assert (await face.get(said.id)).id == said.id
            assert (await face.why_not("Ana", said.id)).gate == "recalled"
            new = await face.correct(said.id, "Ana lives in Oslo")
            assert (await face.items.edit(new.id, None, tags=["home"])).tags == ("home",)
            assert (await face.items.pin(new.id)).pinned
            assert (await face.items.feedback(new.id, helpful=True)).helpful == 1
            assert len((await face.history(new.id)).items) == 2
            assert (await face.items.list()).total == len(await face.due()) == 1
            assert len(await face.sessions.list()) == len(await face.sessions.turns("s")) == 1
            assert (await face.entities.name("person:ana", "Annie")).aliases
            assert len(await face.entities.list()) == 1
            assert (await face.admin.tidy()).vectors == 1
            assert (await face.stats()).items == 1
            assert (await face.diff(NINE)).changes == ()
            assert not await face.admin.doctor()
            assert not await face.admin.scan()
            assert (await face.admin.verify()).problems == ()
            with pytest.raises(NotFound):
                await face.undo("nothing")
            assert (await face.forget(new.id)).erased["items"] == 2

    asyncio.run(live())


def test_many_calls_at_once(memory: Memory) -> None:
    """Gathered, each gets its own answer; the loop is never blocked."""

    async def live() -> None:
        async with opened(memory) as face:
            ticks = 0

            async def tick() -> None:
                nonlocal ticks
                while True:
                    ticks += 1
                    await asyncio.sleep(0.001)

            ticking = asyncio.create_task(tick())
            names = [f"{a}{b}" for a in "abcdefg" for b in "xyz"]
            said = await asyncio.gather(*(face.remember(f"{n} plays {n}ball") for n in names))
            found = await asyncio.gather(*(face.recall(f"{n}ball", limit=1) for n in names))
            ticking.cancel()
            assert [s.item.text for s in said] == [f"{n} plays {n}ball" for n in names]
            assert [f.hits[0].text for f in found] == [f"{n} plays {n}ball" for n in names]
            assert ticks > 10

    asyncio.run(live())


def test_errors_come_through_as_they_are(memory: Memory) -> None:
    """Typed, with their fields."""

    async def live() -> None:
        async with opened(memory) as face:
            with pytest.raises(InvalidInput) as caught:
                await face.remember(" ")
            assert caught.value.field == "text"
            with pytest.raises(NotFound):
                await face.get("none")

    asyncio.run(live())


def test_acting_is_of_the_same_memory(memory: Memory) -> None:
    """Its changes are put down to whoever acts, in the same threads."""

    async def live() -> None:
        async with opened(memory) as face:
            said = await face.acting(Because(actor="omi")).remember("Ana lives in Rome")
            assert [c.actor for c in (await face.history(said.id)).changes] == ["omi"]
            plain = await face.remember("Ben likes tea")
            assert [c.actor for c in (await face.history(plain.id)).changes] == ["agent"]

    asyncio.run(live())


def test_context_variables_reach_the_threads(
    memory: Memory, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that traces and logs of one request stay together."""
    request = contextvars.ContextVar("request", default="none")
    seen: list[tuple[str, str]] = []
    plain = embedder.embed

    def embed(texts: Any, *, query: bool = False) -> Any:
        seen.append((request.get(), threading.current_thread().name))
        return plain(texts, query=query)

    monkeypatch.setattr(embedder, "embed", embed)

    async def live() -> None:
        async with opened(memory) as face:
            request.set("r1")
            await face.remember("Ana lives in Rome")

    asyncio.run(live())
    assert seen[-1][0] == "r1"
    assert seen[-1][1].startswith("omoide")


@pytest.mark.covers("LS-87")
def test_closing_waits_for_calls_in_flight_and_leaves_no_thread(tmp_path: Path) -> None:
    """What was begun is done; afterwards a call says that the memory is closed; closing twice is
    safe.
    """
    path = str(tmp_path / "m.db")

    async def live() -> None:
        face = AsyncMemory(Memory(open_store(path), scope=ANA, embedder=FakeEmbedder()))
        calls = [asyncio.create_task(face.remember(f"{n} plays {n}ball")) for n in "abcdefgh"]
        await asyncio.sleep(0)
        await face.close()
        assert len({said.id for said in await asyncio.gather(*calls)}) == 8
        await face.close()
        with pytest.raises(OmoideError):
            await face.recall("ball")

    before = set(threading.enumerate())
    asyncio.run(live())
    assert not [
        t
        for t in set(threading.enumerate()) - before
        if t.name.startswith(("omoide_", "omoide-worker"))
    ]
    with Memory(open_store(path), scope=ANA, embedder=FakeEmbedder(), background=False) as memory:
        assert memory.items.list().total == 8


def test_a_cancelled_call_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """Cancelling the wait cancels nothing that was begun: rows, words and ledger agree."""
    path = str(tmp_path / "m.db")

    async def live() -> None:
        async with opened(
            Memory(open_store(path), scope=ANA, embedder=FakeEmbedder(), background=False)
        ) as face:
            calls = [asyncio.create_task(face.remember(f"{n} plays {n}ball")) for n in "abcdefgh"]
            await asyncio.sleep(0.01)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(live())
    with Memory(open_store(path), scope=ANA, embedder=FakeEmbedder(), background=False) as memory:
        assert memory.admin.doctor() == []
        assert memory.admin.verify().problems == ()
        assert memory.items.list().total == memory.admin.verify().head.seq


def test_it_can_be_opened_from_settings(tmp_path: Path) -> None:
    """As Memory.open."""

    async def live() -> None:
        face = await AsyncMemory.open(
            str(tmp_path / "m.db"), user="ana", embedder="none", background=False
        )
        async with face:
            assert face.memory.scope == ANA
            await face.remember("Ana lives in Rome")
            assert (await face.recall("Rome")).degraded == ("vector: no embedder, by choice",)

    asyncio.run(live())


def test_a_verb_is_named_and_pickled_as_what_it_is() -> None:
    """Not as the one that it calls."""
    verbs = (AsyncMemory.remember, AsyncItemVerbs.list)

    assert [verb.__qualname__ for verb in verbs] == ["AsyncGroups.remember", "AsyncItemVerbs.list"]
    assert pickle.dumps(verbs)  # finds each by its name
