"""Agents of several users, channels and processes over one store."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from omoide.agent.agent import Agent
from omoide.agent.definitions import Definitions
from omoide.agent.mixin import MemoryMixin, before_message
from omoide.dispatch import WITHIN_S, Burst, Dispatcher
from omoide.memory import Memory
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.errors import InvalidInput, SharedSession
from omoide.nouns.scope import Scope
from omoide.nouns.sender import User
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message, Role
from tests.agent.talk import answers, calls, lines
from tests.fix_memory import OpenMemory
from tests.source_tree import SRC

PROMPTLY_S = 20.0  # with the start of an interpreter on a busy machine


class Assistant(MemoryMixin, Agent):
    """An agent with memory."""

    def __init__(self, memory: Memory, *script: Any, **given: Any) -> None:
        self.init_memory(memory=memory, **given)
        self.model = ScriptedModel(list(script) or (lambda ask: answers("Yes")))
        super().__init__(self.model)

    def _register_tools(self) -> None:
        self.register_memory_tools()


@pytest.mark.covers("AD-29", "AD-30", "AD-2")
def test_a_user_of_two_channels_has_one_memory_and_two_conversations(
    open_memory: OpenMemory,
) -> None:
    """A dispatcher keeps an agent for each user and channel; its session has a stable id."""
    memory = open_memory(scope=None)
    memory.users.link("whatsapp", "+351912345678", "ana")
    memory.users.link("mail", "ana@example.org", "ana")

    def agent_of(user: User, channel: str) -> Assistant:
        return Assistant(memory.at(user=user.id), session=f"{user.id}:{channel}")

    agents = Dispatcher(memory, agent_of)
    phone = agents.handler("whatsapp", "+351912345678")
    mail = agents.handler("mail", "ana@example.org")
    stranger = agents.handler("mail", "ben@example.org")
    phone.tools["remember"].run({"fact": "Ana likes green tea"})
    phone.process_query("Hello from the phone")

    assert mail.tools["recall"].run({"query": "green tea"})["count"] == 1
    assert stranger.tools["recall"].run({"query": "green tea"})["status"] == "empty"
    mail.process_query("Hello by mail")
    assert len(lines(mail.model.asked[-1])) == 1  # another conversation
    assert phone.memory_session_id == "ana:whatsapp"
    assert agents.handler("whatsapp", "+351912345678") is phone
    restarted = agent_of(memory.users.of("whatsapp", "+351912345678"), "whatsapp")
    restarted.process_query("And again")
    assert lines(restarted.model.asked[0])[0]["content"] == "Hello from the phone"


@pytest.mark.covers("AD-4", "AD-38")
def test_an_edited_definition_makes_a_new_agent_that_knows_what_was_said(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """An agent is made with the first message and kept; after an edit of its file the next message
    makes another one, in the same session.
    """
    memory, file = open_memory(scope=None), tmp_path / "helper.toml"
    file.write_text('instructions = "Be brief."')
    definitions = Definitions(tmp_path, rest_s=0)
    made: list[Assistant] = []

    def agent_of(user: User, channel: str) -> Assistant:
        agent = Assistant(memory.at(user=user.id), session=f"{user.id}:{channel}")
        agent.instructions = definitions.get("helper").instructions
        made.append(agent)
        return agent

    agents = Dispatcher(memory, agent_of, version=lambda: definitions.get("helper"))
    assert not made
    for text in ("My boat lies in Porto", "It is red"):
        agents.handler("mail", "ana@example.org").process_query(text)
    assert len(made) == 1
    file.write_text('instructions = "Be very polite."')
    agents.handler("mail", "ana@example.org").process_query("Where is it?")

    assert len(made) == 2
    assert "Be very polite." in made[1].system_prompt
    seen = [line["content"] for line in lines(made[1].model.asked[0]) if line["role"] == "user"]
    assert seen[:2] == ["My boat lies in Porto", "It is red"]
    assert agents.handler("mail", "ana@example.org") is made[1]


@pytest.mark.covers("LS-85")
def test_messages_at_once_on_one_durable_session_all_stand_in_it(open_memory: OpenMemory) -> None:
    """Of several agents and threads: each message and its answer once, and the model of an agent
    sees what was said before in order.
    """
    memory = open_memory(scope=None).at(user="ana")
    agents = [Assistant(memory, session="talk") for _ in range(3)]
    threads = [
        threading.Thread(target=agents[n % 3].process_query, args=(f"question {n}",))
        for n in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    turns = memory.sessions.turns("talk")
    asked = [turn.text for turn in turns if turn.role == "user"]
    assert sorted(asked) == sorted(f"question {n}" for n in range(12))
    assert [turn.text for turn in turns if turn.role == "assistant"] == ["Yes"] * 12
    assert [turn.position for turn in turns] == list(range(24))
    agents[0].process_query("And now?")
    seen = [line["content"] for line in lines(agents[0].model.asked[-1])]
    assert [text for text in seen if text.startswith("question")] == asked


@pytest.mark.covers("LS-85")
def test_a_message_is_answered_before_those_that_wait_behind_it(open_memory: OpenMemory) -> None:
    """The model sees what was said before it, and answers that came meanwhile; no later message."""
    memory = open_memory()
    said = [("user", "one"), ("user", "two"), ("user", "three"), ("assistant", "to one")]
    messages = tuple(Message(text=text, role=Role(role)) for role, text in said)
    memory.ingest(Conversation(id="talk", messages=messages))
    turns = memory.sessions.turns("talk")

    def seen(place: int) -> list[str]:
        return [turn.text for turn in before_message(turns, turns[place].id)]

    assert seen(0) == ["to one"]
    assert seen(1) == ["one", "to one"]
    assert seen(2) == ["one", "two", "to one"]
    assert before_message(turns, None) == turns


@pytest.mark.covers("AD-8", "LS-85")
def test_a_burst_of_messages_is_one_turn(open_memory: OpenMemory) -> None:
    """The last call has the answer, and the log has one message with all their texts."""
    memory = open_memory()
    agent = Assistant(memory, session="talk")
    burst = Burst(lambda text: agent.process_query(text)["result"], within_s=2.0)
    answered: list[str | None] = []
    texts = ("Hi", "I moved to Porto", "and I have a cat")
    threads = [
        threading.Thread(target=lambda text=text: answered.append(burst.say(text)))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    said, told = memory.sessions.turns("talk")
    assert sorted(said.text.splitlines()) == sorted(texts)
    assert told.text == "Yes"
    assert sorted(map(str, answered)) == ["None", "None", "Yes"]
    assert WITHIN_S == 1.0
    with pytest.raises(InvalidInput, match="within_s"):
        Burst(str, within_s=-1.0)


@pytest.mark.covers("AD-8")
def test_an_answer_that_a_newer_message_overtakes_is_dropped() -> None:
    """The newer message gets its own; both were handed to whoever answers."""
    begun, may_end, asked = threading.Event(), threading.Event(), list[str]()

    def answer(text: str) -> str:
        asked.append(text)
        begun.set()
        may_end.wait(20)
        return f"to {text}"

    burst = Burst(answer, within_s=0.0)
    answered: list[str | None] = []
    older = threading.Thread(target=lambda: answered.append(burst.say("Book a table")))
    newer = threading.Thread(target=lambda: answered.append(burst.say("No, two")))
    older.start()
    assert begun.wait(20)
    newer.start()
    while len(asked) < 2:
        time.sleep(0.005)
    may_end.set()
    older.join()
    newer.join()

    assert asked == ["Book a table", "No, two"]
    assert sorted(map(str, answered)) == ["None", "to No, two"]


def test_in_a_group_no_user_memory_is_read_or_written(open_memory: OpenMemory) -> None:
    """Where several users talk, an agent bound to the session sees the talk and nobody's items."""
    memory = open_memory(scope=None)
    memory.at(user="ana").remember("Ana's PIN is long")
    people = tuple(Participant(name=name, user=name) for name in ("ana", "ben"))
    talk = Conversation(
        id="group",
        participants=people,
        messages=(Message(text="Hi all", user="ana", speaker="ana"),),
    )
    memory.ingest(talk)
    agent = Assistant(memory.at(agent="helper", session="group"))

    assert agent.tools["recall"].run({"query": "PIN"})["status"] == "empty"
    assert "PIN" not in agent.system_prompt
    with pytest.raises(SharedSession):
        memory.remember("A secret of Ana's", Scope(user="ana", session="group"))


@pytest.mark.covers("GM-2")
def test_the_model_decides_when_to_recall(open_memory: OpenMemory) -> None:
    """A message brings the time, and no forced search; both turns are captured; a tool recalls."""
    memory = open_memory()
    for number in range(30):
        memory.remember(f"Parcel {number} went to shelf {number}", category="note")
    agent = Assistant(memory, calls("recall", query="parcel 7"), answers("Shelf 7."))
    agent.process_query("Where is parcel 7?")

    first, second = agent.model.asked
    assert "shelf" not in lines(first)[-1]["content"]
    assert "2026-01-05" in lines(first)[-1]["content"]
    assert "shelf 7" in str(lines(second)[-1])
    assert len(memory.sessions.turns(agent.memory_session_id)) == 2


@pytest.mark.covers("LS-87")
def test_a_process_with_a_hanging_model_ends_promptly(tmp_path: Path) -> None:
    """No thread of ours keeps it: neither the worker nor the call that hangs."""
    program = """
        import sys, threading, time
        from omoide import Memory
        from omoide.agent import Agent, MemoryMixin

        class Helper(MemoryMixin, Agent):
            def __init__(self, memory):
                self.init_memory(memory=memory)
                super().__init__(lambda ask: time.sleep(3600))

        memory = Memory.open(sys.argv[1], user="ana", background=True)
        agent = Helper(memory)
        asking = threading.Thread(target=agent.process_query, args=("Hello",), daemon=True)
        asking.start()
        while not memory.sessions.list():
            time.sleep(0.01)
        print("leaves", flush=True)
    """
    started = time.monotonic()
    told = {"PYTHONPATH": f"{SRC.parent}:{':'.join(sys.path)}", "PATH": "", "HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        timeout=PROMPTLY_S * 3,
        env=told,
        check=False,
    )

    assert (ran.returncode, ran.stdout) == (0, "leaves\n"), ran.stderr
    assert time.monotonic() - started < PROMPTLY_S
    with Memory.open(tmp_path / "memory.db", user="ana") as memory:
        assert [turn.text for turn in memory.sessions.turns()] == ["Hello"]
