"""The mixin: memory in the prompts of an agent, its five tools, its log of talk and tools."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from omoide.agent.agent import Agent
from omoide.agent.agent_tools import FIVE
from omoide.agent.mixin import DISABLED, MemoryMixin
from omoide.memory import Memory
from omoide.models.chat.scripted import ScriptedModel
from omoide.models.prompts import prompt
from omoide.nouns.item import Details, Source
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from tests.agent.talk import answers, calls, lines
from tests.fix_memory import OpenMemory


class Assistant(MemoryMixin, Agent):
    """An agent with memory, as a user writes it."""

    def __init__(self, memory: Memory | None, *script: Any, **given: Any) -> None:
        self.init_memory(memory=memory, **given)
        self.model = ScriptedModel(list(script))
        super().__init__(self.model)

    def _register_tools(self) -> None:
        super()._register_tools()
        self.register_memory_tools()
        self.tools.register(search_web)


def search_web(query: str) -> dict[str, str]:
    """Search the web."""
    if query == "crash":
        raise ValueError("the page has no such section")
    if query in ("timeout", "paywall"):
        return {
            "status": "error",
            "error": {"timeout": "timed out", "paywall": "paywall: log in first"}[query],
        }
    return {"status": "ok", "text": "Porto is in Portugal"}


@pytest.mark.covers("GM-4")
def test_the_wrong_order_of_classes_is_refused() -> None:
    """Where the agent's methods would hide the mixin's, the class cannot be made."""
    with pytest.raises(
        TypeError, match=r"must come before Agent.*class Wrong\(MemoryMixin, Agent\)"
    ):

        class Wrong(Agent, MemoryMixin):  # type: ignore[misc]
            """The agent first."""

    class Right(MemoryMixin, Agent):
        """With a method of its own, which may call the mixin's."""

        def process_query(self, user_input: str, **kwargs: Any) -> Any:
            return super().process_query(user_input, **kwargs)

    class Child(Right):
        """Of a right one."""

    assert issubclass(Child, MemoryMixin)


@pytest.mark.covers("GM-4", "GM-87")
def test_tools_wait_for_memory(memory: Memory) -> None:
    """Registering before init_memory says what to call; after it, exactly the five are there."""

    class Early(MemoryMixin, Agent):
        def _register_tools(self) -> None:
            self.register_memory_tools()

    with pytest.raises(RuntimeError, match="init_memory"):
        Early()
    assert [name for name in Assistant(memory).tools if name != "search_web"] == list(FIVE)


@pytest.mark.covers("GM-77", "GM-79", "LS-20")
def test_both_turns_are_logged_as_the_user_said_them(memory: Memory) -> None:
    """The model sees the time before the message; the log holds the message alone."""
    agent = Assistant(memory, answers("Hello Ana"))
    agent.process_query("Hi, I am Ana")

    turns = memory.sessions.turns(agent.memory_session_id)
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "Hi, I am Ana"),
        ("assistant", "Hello Ana"),
    ]
    assert "2026-01-05" in lines(agent.model.asked[0])[-1]["content"]
    assert agent.conversation[0]["content"] == "Hi, I am Ana"


@pytest.mark.covers("GM-73", "LS-28")
def test_an_empty_memory_still_tells_how_to_use_it(memory: Memory) -> None:
    """The prompt names each tool and what it is for, and says that nothing is stored yet."""
    said = Assistant(memory).get_memory_system_prompt()

    for word in (
        *FIVE[:4],
        "search_past_conversations",
        "due_at",
        "journal",
        "Nothing is stored yet",
    ):
        assert word in said


@pytest.mark.covers("GM-206", "AD-28")
def test_the_rules_of_answering_are_the_same_for_everybody(memory: Memory) -> None:
    """To greet by the stored name, to answer what is personal, to claim nothing that no tool said;
    the first words of the prompt, so that a cache of it serves all users. The time is no part of
    it.
    """
    own = Details(source=Source.USER)
    memory.remember("The user's name is Ana", category="profile", details=own)
    prompts = [
        memory.at(user=user).context("Hi", strategy="gaia").stable for user in ("ana", "ben")
    ]
    rules = prompts[1].partition("\n\n")[0]

    assert prompts[0].startswith(rules)
    assert "The user's name is Ana" in prompts[0]
    assert "Use the name and the work that memory holds of the user when you greet them" in rules
    assert "when they tell you something personal, answer to that" in rules
    assert "Say that something is saved only after the tool has said so" in rules
    assert "Now:" not in prompts[0]


@pytest.mark.covers("LS-31")
def test_no_prompt_has_an_answer_to_copy() -> None:
    """The prompts that answers are made with hold no sample of a greeting or an answer; they ask to
    answer to what is personal, and by what memory holds.
    """
    names = ("chat", "memory_tools", "context", "context_tools", "context_blocks", "answer")
    texts = {name: prompt(name) for name in names}

    for name, text in texts.items():
        quoted = re.findall(r'"([^"]*)"', text)
        assert not re.search(r"\b(?:hello|hi|hey|dear|welcome|good morning)\b", text, re.I), name
        assert not [one for one in quoted if one.rstrip().endswith(("!", "."))], name
        assert "example" not in text.lower(), name
    for name in ("memory_tools", "context_tools"):
        assert "something personal, answer to that" in texts[name]


@pytest.mark.covers("GM-71")
def test_the_prompt_is_the_same_for_a_whole_session(memory: Memory) -> None:
    """What is remembered meanwhile comes with the next session; a reset begins one."""
    memory.remember("Ana likes green tea", category="preference")
    agent = Assistant(memory, answers("Yes"), answers("Yes"))
    before = agent.system_prompt
    agent.process_query("Hello")
    memory.remember("Ana likes cycling", category="preference")
    agent.process_query("Hello")

    assert "green tea" in before
    assert agent.system_prompt == before
    agent.reset_memory_session()
    assert "cycling" in agent.system_prompt


@pytest.mark.covers("GM-74")
def test_what_is_due_goes_before_the_message(memory: Memory) -> None:
    """With the time, each turn."""
    memory.remember("Pay the rent", category="reminder", due_at="2026-01-06")
    before = Assistant(memory).get_memory_dynamic_context()

    assert "2026-01-05" in before
    assert "Pay the rent" in before


@pytest.mark.covers("GM-70", "LS-81")
def test_a_reset_begins_a_session_and_loses_nothing(memory: Memory) -> None:
    """The talk before stays in the log, and is queued to be learnt from."""
    agent = Assistant(memory, answers("Noted"), answers("Hello"))
    agent.process_query("I moved to Porto")
    first = agent.memory_session_id
    agent.reset_memory_session()
    agent.process_query("Hi")

    assert agent.memory_session_id != first
    assert [turn.text for turn in memory.sessions.turns(first)] == ["I moved to Porto", "Noted"]
    assert [job.session for job in memory.jobs.list() if job.session == first]
    assert len(lines(agent.model.asked[-1])) == 1  # the model sees none of it again


@pytest.mark.covers("AD-2", "AD-3")
def test_a_session_is_resumed_by_another_agent(memory: Memory) -> None:
    """As after a restart: what was said in it is replayed."""
    Assistant(memory, answers("Nice"), session="ana:phone").process_query("I have a cat")
    later = Assistant(memory, answers("Minka?"), session="ana:phone")
    later.process_query("What is it called?")

    assert [line["content"] for line in lines(later.model.asked[0])[:2]] == ["I have a cat", "Nice"]


@pytest.mark.covers("GM-78")
def test_calls_of_other_tools_are_on_record(memory: Memory) -> None:
    """With arguments, result and duration; calls of memory's own tools are not."""
    agent = Assistant(
        memory,
        calls("search_web", query="Porto"),
        calls("remember", fact="Porto is nice"),
        answers("Done"),
    )
    agent.process_query("Look up Porto")

    (call,) = memory.tool_calls.list()
    assert (call.tool, json.loads(call.args), call.success) == (
        "search_web",
        {"query": "Porto"},
        True,
    )
    assert call.duration_ms is not None
    assert call.scope.session == agent.memory_session_id


@pytest.mark.covers("GM-78")
def test_an_exception_of_a_tool_passes_unchanged(memory: Memory) -> None:
    """Whoever calls the tool gets it; the error is remembered for later prompts."""
    agent = Assistant(memory)
    with pytest.raises(ValueError, match="no such section"):
        agent._execute_tool("search_web", {"query": "crash"})

    (item,) = memory.items.list(Listing(category="error"))
    assert (item.text, item.source) == (
        "search_web: ValueError: the page has no such section", "error_auto",
    )  # fmt: skip
    assert not memory.tool_calls.list()[0].success


@pytest.mark.covers("GM-80")
def test_passing_errors_are_not_remembered_and_a_success_clears_the_others(memory: Memory) -> None:
    """A timeout says nothing of the tool; a tool that works again has no known error."""
    agent = Assistant(memory)
    assert agent._execute_tool("search_web", {"query": "timeout"})["status"] == "error"
    assert not memory.items.list()
    agent._execute_tool("search_web", {"query": "paywall"})
    assert [item.text for item in memory.items.list()] == ["search_web: paywall: log in first"]
    agent._execute_tool("search_web", {"query": "Porto"})

    assert not memory.items.list()
    assert len(memory.tool_calls.list()) == 3


@pytest.mark.covers("GM-81", "GM-88")
def test_the_context_can_be_switched(memory: Memory) -> None:
    """New items go there, and the prompt shows it and the global one; blank means global."""
    memory.remember("Stand-up is at ten", Scope(context="work"))
    agent = Assistant(memory, calls("remember", fact="The desk is by the window"), answers("Noted"))
    assert "Stand-up" not in agent.system_prompt
    agent.set_memory_context("work")
    agent.process_query("My desk is by the window")

    assert "Stand-up" in agent.system_prompt
    assert {item.scope.context for item in memory.items.list(Listing(context="work"))} == {"work"}
    assert len(memory.items.list(Listing(context="work"))) == 2
    agent.set_memory_context("  ")
    assert agent.memory_context == "global"


@pytest.mark.covers("GM-48")
def test_memory_that_is_off_says_why(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent works without; it has no memory tools, no prompt, and writes nothing."""
    monkeypatch.setenv(DISABLED, "1")
    agent = Assistant(memory, answers("Hello"))

    assert agent.memory_unavailable_reason == "disabled_by_env"
    told = agent.memory_unavailable_message() or ""
    assert told == f"memory is off: memory is switched off; unset {DISABLED} in the environment"
    assert list(agent.tools) == ["search_web"]
    assert agent.get_memory_system_prompt() == agent.get_memory_dynamic_context() == ""
    assert agent.memory_store is None
    assert agent.process_query("Hi")["result"] == "Hello"
    assert not memory.sessions.list()


@pytest.mark.covers("GM-152")
def test_incognito_writes_nothing(memory: Memory) -> None:
    """No turn, no tool call, no item; the talk goes on within the process."""
    memory.remember("Ana likes tea")
    agent = Assistant(
        memory, calls("remember", fact="A secret"), calls("search_web", query="Porto"), answers("Done"),
        answers("Porto"), incognito=True,
    )  # fmt: skip
    done = agent.process_query("Remember a secret")
    agent.process_query("And again")

    assert "incognito" in done["steps"][1]["result"]["message"]
    assert [item.text for item in memory.items.list()] == ["Ana likes tea"]
    assert not memory.sessions.list()
    assert not memory.tool_calls.list()
    assert len(lines(agent.model.asked[-1])) == 3


@pytest.mark.covers("GM-152")
def test_a_private_session_is_logged_and_not_learnt_from(memory: Memory) -> None:
    """It can be resumed; no job waits for it, also after a reset."""
    agent = Assistant(memory, answers("Yes"), answers("Still"), private=True)
    agent.process_query("I am writing a surprise speech for Ben")
    session = agent.memory_session_id
    agent.process_query("Do you recall?")
    agent.reset_memory_session()

    assert len(memory.sessions.turns(session, Scope(session=session))) == 4
    assert lines(agent.model.asked[-1])[0]["content"] == "I am writing a surprise speech for Ben"
    assert not [job for job in memory.jobs.list() if job.kind == "extract"]


def test_what_a_tool_brought_changes_nothing_that_the_user_said(memory: Memory) -> None:
    """While only the user spoke, the model may act on the user's word; once a tool did, it may not."""
    said = memory.remember("Ana lives in Lisbon", details=Details(source=Source.USER)).item
    change = calls("update_memory", knowledge_id=said.id, content="Ana lives in Porto")
    misled = Assistant(memory, calls("search_web", query="Porto"), change, answers("Done"))
    misled.process_query("Look up Porto")

    assert memory.get(said.id) == said
    asked = Assistant(memory, change, answers("Done"))
    asked.process_query("I moved to Porto")
    assert [item.text for item in memory.items.list(Listing(category="fact"))] == [
        "Ana lives in Porto"
    ]


@pytest.mark.covers("GM-188")
def test_five_agents_in_one_process_share_one_memory(memory: Memory) -> None:
    """What one stage of a pipeline remembers, the next recalls; each has its own session."""
    stages = [
        Assistant(memory, calls("remember", fact=f"Stage {n} decided X{n}"), answers("ok"))
        for n in range(5)
    ]
    for stage in stages:
        stage.process_query("Go")

    assert len({stage.memory_session_id for stage in stages}) == 5
    last = stages[-1].tools["recall"].run({"query": "Stage decided"})
    assert last["count"] == 5


@pytest.mark.covers("LS-6")
def test_two_agents_reach_their_own_memory(open_memory: OpenMemory) -> None:
    """The tools of each act for its own user."""
    memory = open_memory(scope=None)
    ana, ben = (Assistant(memory.at(user=user)) for user in ("ana", "ben"))
    ana.tools["remember"].run({"fact": "Ana likes tea"})

    assert ben.tools["recall"].run({"query": "tea"})["status"] == "empty"
    assert ana.tools["recall"].run({"query": "tea"})["count"] == 1


def test_a_memory_at_a_path_is_opened(tmp_path: Path) -> None:
    """As GAIA's mixin does, with a file of its own."""

    class Own(MemoryMixin, Agent):
        def __init__(self) -> None:
            self.init_memory(tmp_path / "memory.db", embedding_model="none")
            super().__init__(ScriptedModel([]))

    agent = Own()
    assert agent.memory_store is not None
    agent.memory_store.store("fact", "The key is under the fern")
    assert agent.memory is not None
    agent.memory.close()
    with Memory.open(tmp_path / "memory.db", embedder="none") as memory:
        assert memory.at(user="user").recall("key")
