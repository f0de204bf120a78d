"""Google ADK's own runner, agents and tools over the memory and session services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk")

from google.adk.agents import LlmAgent
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.tools import load_memory
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai.types import Content, Part
from pydantic import Field

from omoide import Memory
from omoide.adapters.adk import OmoideMemoryService, OmoideSessionService
from omoide.adapters.adk_config import MemoryConfig, memory_service, open_memory, with_profile
from tests.adapters.kit import in_another_process, run_page

READ = """
    import asyncio, json, sys
    from omoide import Memory
    from omoide.adapters.adk import OmoideMemoryService, OmoideSessionService

    async def main(memory):
        found, events = {}, {}
        for user in ("ana", "ben"):
            answer = await OmoideMemoryService(memory).search_memory(
                app_name="app", user_id=user, query="What does she like?")
            found[user] = [entry.content.parts[0].text for entry in answer.memories]
            session = await OmoideSessionService(memory).get_session(
                app_name="app", user_id=user, session_id="s1")
            events[user] = [] if session is None else [
                [event.author, event.content and event.content.parts[0].text] for event in session.events]
        print(json.dumps({"found": found, "events": events}))

    with Memory.open(sys.argv[1]) as memory:
        asyncio.run(main(memory))
"""


class Scripted(BaseLlm):
    """A model that calls a tool where it is told to, and shows what it was given."""

    model: str = "scripted"
    calls: list[dict[str, Any]] = Field(default_factory=list)
    asked: list[Any] = Field(default_factory=list)

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.asked.append(llm_request)
        parts = [Part(text="Noted.")]
        if self.calls:
            parts = [Part.from_function_call(**self.calls.pop(0))]
        yield LlmResponse(content=Content(role="model", parts=parts))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory.open(path, background=False) as opened:
        yield opened


def said(text: str, author: str = "user", **more: Any) -> Event:
    """An event of a text."""
    role = "user" if author == "user" else "model"
    return Event(author=author, content=Content(role=role, parts=[Part(text=text)]), **more)


async def talk(runner: Runner, user: str, text: str, session: str = "s1") -> list[Event]:
    """What a runner answers a user."""
    message = Content(role="user", parts=[Part(text=text)])
    return [
        event
        async for event in runner.run_async(user_id=user, session_id=session, new_message=message)
    ]


def runner_of(memory: Memory, model: Scripted, tools: list[Any]) -> Runner:
    return Runner(
        app_name="app",
        agent=LlmAgent(name="helper", model=model, tools=tools),
        session_service=OmoideSessionService(memory),
        memory_service=OmoideMemoryService(memory),
    )


@pytest.mark.covers("AD-10", "CX-14")
def test_a_runner_remembers_across_processes(memory: Memory, path: Path) -> None:
    """Sessions of two users with one id stay apart, here and in another process; the agent's own
    tool finds what was said before.
    """
    model = Scripted()
    runner = runner_of(memory, model, [load_memory])

    async def go() -> list[Event]:
        for user in ("ana", "ben"):
            await runner.session_service.create_session(
                app_name="app", user_id=user, session_id="s1"
            )
        await talk(runner, "ana", "I like green tea")
        await talk(runner, "ben", "I like stout")
        model.calls.append({"name": "load_memory", "args": {"query": "What do I like to drink?"}})
        await runner.session_service.create_session(app_name="app", user_id="ana", session_id="s2")
        return await talk(runner, "ana", "What do I like?", "s2")

    told = [r.response for event in asyncio.run(go()) for r in event.get_function_responses()]
    answers = told[0]["result"].model_dump_json()
    assert "green tea" in answers
    assert "load_memory" not in answers
    assert "stout" not in answers

    read = in_another_process(READ, path)
    assert read["events"]["ana"] == [["user", "I like green tea"], ["helper", "Noted."]]
    assert read["events"]["ben"] == [["user", "I like stout"], ["helper", "Noted."]]
    assert "I like green tea" in read["found"]["ana"]
    assert not [text for text in read["found"]["ben"] if "tea" in text]


def test_memories_are_preloaded(memory: Memory) -> None:
    """PreloadMemoryTool puts what was said in another session into the request, not the question."""
    model = Scripted()
    runner = runner_of(memory, model, [PreloadMemoryTool()])

    async def go() -> None:
        service = OmoideMemoryService(memory)
        await service.add_events_to_memory(
            app_name="app", user_id="ana", events=[said("I can't eat peanuts")]
        )
        await runner.session_service.create_session(app_name="app", user_id="ana", session_id="s1")
        await talk(runner, "ana", "What can't I eat?")

    asyncio.run(go())
    given = str(model.asked[-1].contents)
    assert "user: I can't eat peanuts" in given.replace("ana:", "user:")
    assert given.count("What can't I eat?") == 1


def test_a_memory_service_adds_lists_deletes_and_forgets(memory: Memory) -> None:
    """Events are logged once, statements remembered; a deleted event does not come back."""
    service = OmoideMemoryService(memory)
    sessions = InMemorySessionService()

    async def go() -> None:
        session = await sessions.create_session(app_name="app", user_id="ana", session_id="x")
        for text in ("The cat is called Miso", "The dog is called Taro"):
            await sessions.append_event(session, said(text))
        for _ in range(2):
            await service.add_session_to_memory(session)
        found = await service.search_memory(app_name="app", user_id="ana", query="cat's name")
        assert [m.content.parts[0].text for m in found.memories].count(
            "The cat is called Miso"
        ) == 1
        assert found.memories[0].timestamp
        await service.delete_memory(app_name="app", user_id="ana", memory_id=found.memories[0].id)
        await service.add_session_to_memory(session)
        found = await service.search_memory(app_name="app", user_id="ana", query="cat's name")
        assert "Miso" not in str(found)
        entry = MemoryEntry(content=Content(parts=[Part(text="Ana likes tea")]), author="user")
        await service.add_memory(app_name="app", user_id="ana", memories=[entry])
        listed = await service.list_memories(app_name="app", user_id="ana")
        assert [m.content.parts[0].text for m in listed] == ["Ana likes tea"]
        elsewhere = await service.search_memory(app_name="other", user_id="ana", query="Ana tea")
        assert not elsewhere.memories
        assert await service.forget(user_id="ana") >= 2
        assert not (
            await service.search_memory(app_name="app", user_id="ana", query="dog")
        ).memories

    asyncio.run(go())


def test_sessions_answer_as_adks_own(memory: Memory) -> None:
    """State by prefix, recent events, order of listing, deletion: as InMemorySessionService does."""

    async def walk(service: Any) -> list[Any]:
        seen: list[Any] = []
        for user in ("ana", "ben"):
            state = {"user:lang": "pt", "app:name": "X", "n": 1, "temp:t": 1}
            made = await service.create_session(
                app_name="app", user_id=user, state=state, session_id="s1"
            )
            seen.append({k: v for k, v in made.state.items() if k != "temp:t"})
        session = await service.get_session(app_name="app", user_id="ana", session_id="s1")
        for number in range(4):
            delta = {"n": number, "user:seen": number, "app:all": number, "temp:x": number}
            event = said(str(number), "helper", timestamp=100.0 + number)
            event.actions = EventActions(state_delta=delta)
            await service.append_event(session, event)
            await service.append_event(session, event)
        await service.append_event(session, said("partial", partial=True))
        seen.append(session.state)
        for config in (
            None,
            GetSessionConfig(num_recent_events=2),
            GetSessionConfig(num_recent_events=0),
            GetSessionConfig(after_timestamp=102.0),
        ):
            got = await service.get_session(
                app_name="app", user_id="ana", session_id="s1", config=config
            )
            seen.append([[e.content.parts[0].text for e in got.events], got.state["n"]])
            seen.append(got.last_update_time)
        other = await service.get_session(app_name="app", user_id="ben", session_id="s1")
        seen.append([other.state, other.events])
        seen.append(await service.get_user_state(app_name="app", user_id="ana"))
        await service.create_session(app_name="app", user_id="ana", session_id="s2")
        listed = await service.list_sessions(app_name="app", user_id="ana")
        seen.append([(one.id, one.events) for one in listed.sessions])
        await service.delete_session(app_name="app", user_id="ana", session_id="s1")
        seen.append(await service.get_session(app_name="app", user_id="ana", session_id="s1"))
        with pytest.raises(AlreadyExistsError):
            await service.create_session(app_name="app", user_id="ana", session_id="s2")
        with pytest.raises(SessionNotFoundError):
            await service.append_event(session, said("gone"))
        return seen

    mine, own = (
        asyncio.run(walk(OmoideSessionService(memory))),
        asyncio.run(walk(InMemorySessionService())),
    )
    assert mine == own


def test_events_come_back_whole(memory: Memory) -> None:
    """Calls of tools, their long results, and events without words."""
    service = OmoideSessionService(memory)
    call = Part.from_function_call(name="look", args={"q": {"a": [1, None, "x"]}})
    result = Part.from_function_response(name="look", response={"rows": ["word " * 20] * 300})
    events = [
        Event(author="helper", content=Content(role="model", parts=[call])),
        Event(author="helper", content=Content(role="user", parts=[result])),
        Event(author="helper", actions=EventActions(state_delta={"k": {"deep": [1]}})),
    ]

    async def go() -> list[Event]:
        session = await service.create_session(app_name="app", user_id="ana", session_id="s")
        for event in events:
            await service.append_event(session, event)
        got = await service.get_session(app_name="app", user_id="ana", session_id="s")
        assert got is not None
        assert got.state == {"k": {"deep": [1]}}
        return list(got.events)

    assert [e.model_dump(mode="json") for e in asyncio.run(go())] == [
        e.model_dump(mode="json") for e in events
    ]


def test_the_page_runs(tmp_path: Path) -> None:
    """The how-to's program remembers across two runs."""
    assert "green tea" in str(run_page("adk", tmp_path)["found"])


@pytest.mark.covers("AD-36")
def test_a_runner_of_adk_is_told_the_profile_and_recalls_so_much(path: Path) -> None:
    """``preload`` puts so many lines into the agent's instruction, once a session; ``recall_limit``
    bounds a search; another user gets neither.
    """
    config = MemoryConfig(recall_limit=2, preload_limit=3)
    with open_memory(config, store=path) as memory:
        for n in range(6):
            memory.at(agent="app", user="ana").remember(f"Ana likes tea number {n}")
        model, service = Scripted(), memory_service(config, memory)

        def runner(config: MemoryConfig) -> Runner:
            instruction = with_profile(config, memory, "Be brief.")
            agent = LlmAgent(name="helper", model=model, instruction=instruction)
            return Runner(
                app_name="app",
                agent=agent,
                session_service=OmoideSessionService(memory),
                memory_service=service,
            )

        async def go() -> list[str]:
            with_it, without = runner(config), runner(replace(config, preload=False))
            for user, session in (("ana", "s1"), ("ben", "s2"), ("ana", "s3")):
                await with_it.session_service.create_session(
                    app_name="app", user_id=user, session_id=session
                )
            await talk(with_it, "ana", "Hello", "s1")
            memory.at(agent="app", user="ana").remember("Ana likes tea of today")
            await talk(with_it, "ana", "Hello again", "s1")
            await talk(with_it, "ben", "Hello", "s2")
            await talk(without, "ana", "Hello", "s3")
            found = await service.search_memory(app_name="app", user_id="ana", query="tea")
            assert len(found.memories) == 2
            return [str(one.config.system_instruction) for one in model.asked]

        first, again, bens, without = asyncio.run(go())
    assert "Be brief." in first
    assert first.count("- Ana likes tea") == 3
    assert again == first  # made when the session began
    assert "tea" not in bens
    assert "tea" not in without
