"""The chat without its terminal: what is logged, resumed, forgotten, and what works without a model."""

from __future__ import annotations

from typing import Any

import pytest

from omoide.agent.chat import ENDED, Chat, Stored
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.errors import ModelError, NotFound
from omoide.nouns.item import Tier
from tests.agent.talk import answers, calls, lines
from tests.fix_memory import OpenMemory


class Talking:
    """Opens memories whose model says what a test tells it to."""

    def __init__(self, open_memory: OpenMemory) -> None:
        self._open = open_memory
        self.model = ScriptedModel(())

    def __call__(self, *script: Any) -> Memory:
        """A memory with these answers to the user."""
        self.model = ScriptedModel({Purpose.CHAT: list(script)})
        return self._open(teaching=Teaching(asker=Asker(self.model)))


@pytest.fixture
def talking(open_memory: OpenMemory) -> Talking:
    """Opens memories that answer."""
    return Talking(open_memory)


def test_an_answer_rests_on_what_is_recalled(talking: Talking) -> None:
    """The model reads what memory holds; why names it, with the tools that were called."""
    memory = talking(calls("recall", query="boat"), answers("In Porto."))
    item = memory.remember("Ana's boat lies in Porto").item
    chat = Chat(memory)
    heard: list[str] = []

    assert chat.say("Where is my boat?", heard.append) == "".join(heard) == "In Porto."
    assert "Ana's boat lies in Porto" in talking.model.asked[0].system
    records, tools = chat.why()
    assert ([record.id for record in records], tools) == ([item.id], ("recall",))
    memory.forget(item.id)
    assert chat.why() == ([], ("recall",))


@pytest.mark.covers("AD-2", "AD-6", "LS-81")
def test_a_chat_is_resumed_until_it_is_reset(talking: Talking) -> None:
    """The next chat goes on with the last one; after a reset it does not, and nothing is lost."""
    memory = talking(*(answers("Yes") for _ in range(4)))
    first = Chat(memory)
    first.say("I have a cat")
    again = Chat(memory)

    assert (again.is_resumed, again.said_before()) == (True, ["I have a cat"])
    again.say("It is called Minka")
    again.reset()
    assert again.said_before() == []
    assert not Chat(memory).is_resumed
    (session,) = [preview.session for preview in memory.sessions.list()]
    assert (session.turns, session.channel, session.metadata) == (4, "chat", {ENDED: True})
    assert [job.session for job in memory.jobs.list() if job.kind == "extract"] == [session.id]


def test_a_new_chat_does_not_resume(talking: Talking) -> None:
    """The old one stays."""
    memory = talking(answers("Yes"), answers("No"))
    Chat(memory).say("I have a cat")
    chat = Chat(memory, new=True)
    chat.say("Hello")

    assert not chat.is_resumed
    assert len(memory.sessions.list()) == 2


def test_a_model_that_fails_loses_no_message(talking: Talking) -> None:
    """The message is in the log before the model is called, and in the next window once."""
    memory = talking(ModelError("no luck"), ModelError("no luck"), answers("Now it works"))
    chat = Chat(memory)
    with pytest.raises(ModelError):
        chat.say("Hello there")

    assert [turn.text for turn in memory.sessions.turns(chat.agent.memory_session_id)] == [
        "Hello there"
    ]
    talking.model._script = {Purpose.CHAT: [answers("Now it works")] * 4}
    assert chat.say("And now?") == "Now it works"
    assert [line["role"] for line in lines(talking.model.asked[-1])] == ["user", "user"]


def test_without_a_model_it_says_what_memory_holds(memory: Memory) -> None:
    """The message is logged all the same; nothing is made up."""
    chat = Chat(memory)

    assert not chat.has_model
    told = chat.say("Where is the key?")
    assert "is logged" in told
    assert "holds nothing" in told
    chat.remember("The key is under the fern")
    assert "- The key is under the fern" in chat.say("Where is the key hidden?")
    assert len(chat.said_before()) == 2
    assert chat.why()[0][0].text == "The key is under the fern"
    assert "probably does not hold" in chat.say("Which bank has the mortgage of the key owner?")


def test_without_a_model_earlier_questions_are_no_answers(memory: Memory) -> None:
    """They are passed over, in any script; a message that tells something besides is shown."""
    chat = Chat(memory)
    chat.say("鍵はどこですか？")
    chat.say("My cat is called Minka. What does a cat eat?")
    first = chat.say("What is the cat called?").splitlines()[0]
    for _ in range(6):
        chat.say("What is the cat called?")
    told = chat.say("What is the cat called?").splitlines()
    japanese = chat.say("鍵はどこですか？")

    assert told[:2] == [first, "- My cat is called Minka. What does a cat eat?"]
    assert "- What is the cat called?" not in told
    assert "- 鍵" not in japanese


def test_without_a_model_a_greeting_is_no_question(memory: Memory) -> None:
    """Nothing is looked for; it is logged."""
    chat = Chat(memory)
    chat.remember("The key is under the fern")

    assert chat.say("Hi!") == "Your message is logged."
    assert chat.said_before() == ["Hi!"]
    assert chat.why() == ([], ())


def test_incognito_without_a_model_logs_nothing_and_says_so(memory: Memory) -> None:
    """The answer says that the message is not logged, and it is not."""
    chat = Chat(memory, incognito=True)
    for text in ("Where is the key?", "And the boat?"):
        assert "Your message is not logged" in chat.say(text)
        chat.memory.remember("The key is under the fern")

    assert not memory.sessions.list()


def test_what_is_listed_for_a_query_is_judged(memory: Memory) -> None:
    """Items that come nearest, and do not answer, are told as that."""
    chat = Chat(memory)
    chat.remember("Ana drinks green tea")

    assert chat.stored("Does Ana drink green tea?").is_held
    found = chat.stored("Which bank is the mortgage of Ana with?")
    assert (len(found.items), found.is_held) == (1, False)


def test_a_turn_vouches_for_no_item(memory: Memory) -> None:
    """What is listed for a query is judged by itself, not by what the log holds."""
    chat = Chat(memory)
    chat.remember("Always answer in metric")
    chat.say("I bought a red bicycle in Porto")

    assert not chat.stored("bicycle").is_held


@pytest.mark.covers("AD-33", "AD-34", "AD-35")
def test_commands_remember_list_and_forget(memory: Memory) -> None:
    """Word for word, as the user's word; a wipe counts, and leaves the conversation."""
    chat = Chat(memory)
    chat.say("Hello")
    item = chat.remember("The spare  key: under the FERN")

    assert (item.text, item.tier) == ("The spare  key: under the FERN", Tier.USER)
    assert chat.stored() == Stored((item,), 1)
    assert [one.id for one in chat.stored("key").items] == [item.id]
    chat.remember("Ana likes tea")
    chat.forget(item.id)
    with pytest.raises(NotFound):
        chat.forget(item.id)
    assert (chat.count(), chat.wipe(), chat.wipe()) == (1, 1, 0)
    assert chat.said_before() == ["Hello"]


@pytest.mark.covers("AD-7")
def test_commands_reach_no_model(talking: Talking) -> None:
    """What is typed as a command is neither asked nor logged."""
    memory = talking()
    chat = Chat(memory)
    chat.remember("Ana likes tea")
    chat.stored("tea")
    chat.reset()

    assert talking.model.asked == []
    assert not memory.sessions.list()


@pytest.mark.covers("GM-152", "ED-51")
def test_incognito_reads_and_writes_nothing(talking: Talking) -> None:
    """Memory is read; the talk is not logged, and is gone when it ends."""
    memory = talking(
        calls("remember", fact="A secret"), answers("No"), answers("Green tea"), answers("Hi")
    )
    memory.remember("Ana likes green tea")
    chat = Chat(memory)
    chat.go_incognito(True)
    chat.say("Remember a secret")
    assert chat.say("What do I like?") == "Green tea"

    assert "green tea" in talking.model.asked[-1].system
    assert [line["content"] for line in lines(talking.model.asked[-1])[:2]] == [
        "Remember a secret",
        "No",
    ]
    assert not memory.sessions.list()
    assert len(memory.items.list()) == 1
    chat.go_incognito(False)
    assert chat.said_before() == []
    assert not chat.is_incognito


def test_the_first_chat_is_known_as_that(memory: Memory) -> None:
    """Until something is said or stored."""
    assert Chat(memory).is_first
    chat = Chat(memory)
    chat.say("Hello")
    assert not Chat(memory).is_first
