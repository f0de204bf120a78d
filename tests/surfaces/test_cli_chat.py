"""omoide chat in a terminal: what a person types, and what they see."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import sys
import time
from pathlib import Path

import pytest

from omoide.cli.chatting import Consent
from omoide.memory import Memory
from tests.agent.talk import answers, calls
from tests.fix_llm_server import LLMServer, Reply, Seen, openai_says

LONGEST_S = 60.0
PROMPT = re.compile(r"(?:> |(?<!incognito)\) )$")
TYPED = "import sys; sys.argv = ['omoide', *sys.argv[1:]]; from omoide.__main__ import main; main()"


class Terminal:
    """A process behind a terminal, to type into."""

    def __init__(self, home: Path, *arguments: str, **settings: str) -> None:
        told = (
            os.environ | {"OMOIDE_HOME": str(home), "OMOIDE_USER": "ana", "TERM": "dumb"} | settings
        )
        told["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:  # the child
            os.execve(sys.executable, [sys.executable, "-c", TYPED, *arguments], told)
        self.seen = ""

    def until(self, end: re.Pattern[str] = PROMPT) -> str:
        """What is printed until that stands at the end."""
        start, limit = len(self.seen), time.monotonic() + LONGEST_S
        while not end.search(self.seen[start:].rstrip("\r\n")) and time.monotonic() < limit:
            if not select.select([self._terminal], [], [], 0.2)[0]:
                continue
            try:
                data = os.read(self._terminal, 65_536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            self.seen += data.decode(errors="replace").replace("\r\n", "\n")
        return self.seen[start:]

    def type(self, line: str) -> str:
        """Type a line; what is printed until the next prompt."""
        os.write(self._terminal, f"{line}\n".encode())
        return self.until()

    def leave(self) -> int:
        """End the input; the exit code."""
        os.write(self._terminal, b"\x04")
        self.until(re.compile("Goodbye"))
        _, status = os.waitpid(self.pid, 0)
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(status)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the store is made."""
    folder = tmp_path / "omoide"
    folder.mkdir()
    return folder


@pytest.mark.covers("CX-22", "AD-33", "AD-34", "AD-35", "GM-106")
def test_without_a_model_it_says_what_works(home: Path) -> None:
    """It asks whether it may remember, then who the user is; commands work, and so does search."""
    chat = Terminal(home, "chat")
    assert "Welcome. I remember what you tell me" in chat.until()
    assert chat.seen.endswith("(Y/n) ")
    assert "What may I call you?" in chat.type("")
    assert "Remembered: The user's name is Ana" in chat.type("Ana")
    told = chat.type("")
    assert "No language model is configured." in told
    assert "is logged" in chat.type("The boat lies in Porto").lower()
    assert "- The boat lies in Porto" in chat.type("Where is the boat?")
    assert "The boat lies in Porto" in chat.type("/why")
    assert "Remembered (" in chat.type("/remember The key is under the fern")
    assert "2 of 2 stored." in chat.type("/memory")
    assert "/forget yes erases 2 stored records" in chat.type("/forget")
    assert "There is no command /dance" in chat.type("/dance")
    assert "did not work" in chat.type("/forget nothing")
    assert "Forgot 2 stored records." in chat.type("/forget yes")
    assert "there is nothing to forget" in chat.type("/forget yes")
    assert chat.leave() == 0

    again = Terminal(home, "chat")
    assert "Going on with our last conversation" in again.until()
    assert "A new conversation." in again.type("/reset")
    assert again.leave() == 0
    last = Terminal(home, "chat")
    assert "Going on" not in last.until()
    assert last.leave() == 0
    with Memory.open(home / "memory.db", user="ana") as memory:
        assert "The boat lies in Porto" in [turn.text for turn in memory.sessions.turns()]


@pytest.mark.covers("CX-22")
def test_who_declines_is_not_remembered(home: Path) -> None:
    """Nothing is written, until they say otherwise."""
    chat = Terminal(home, "chat")
    chat.until()
    told = chat.type("n")
    assert "Then nothing is written." in told
    assert "messages are not logged" in told
    assert chat.seen.endswith("(incognito) > ")
    assert "is not logged" in chat.type("My secret is safe")
    assert "nothing is written" in chat.type("/remember my secret")
    assert chat.leave() == 0
    again = Terminal(home, "chat")
    told = again.until()
    assert "May I remember" not in told
    assert "You chose that nothing is written." in told
    assert again.leave() == 0

    with Memory.open(home / "memory.db", user="ana") as memory:
        assert not memory.sessions.list()
        assert not memory.items.list()


def test_consent_takes_only_yes_or_no(home: Path) -> None:
    """Anything else is asked about again; a yes is kept, also where nothing was stored."""
    chat = Terminal(home, "chat")
    chat.until()
    for said in ("no thanks", "maybe", "where did I park?"):
        assert "Please answer yes or no" in chat.type(said)
        assert chat.seen.endswith("(Y/n) ")
    assert "What may I call you?" in chat.type("Oui!")
    assert chat.leave() == 0
    again = Terminal(home, "chat")
    assert "May I remember" not in again.until()
    assert again.leave() == 0

    with Memory.open(home / "memory.db", user="ana") as memory:
        assert not memory.items.list()


def test_each_user_of_a_store_is_asked(home: Path) -> None:
    """Neither the consent of another nor what is everybody's is a user's own consent."""
    with Memory.open(home / "memory.db") as memory:
        memory.at(user="ben").remember("The key is under the fern")
        memory.at(shared=True).remember("The office opens at nine")
    ana = Terminal(home, "chat")
    assert "May I remember" in ana.until()
    ana.type("n")
    assert ana.leave() == 0
    cleo = Terminal(home, "chat", OMOIDE_USER="cleo")
    assert "Welcome." in cleo.until()
    assert "What may I call you?" in cleo.type("y")
    assert cleo.leave() == 0

    again = Terminal(home, "chat")
    assert "You chose that nothing is written." in again.until()
    assert again.leave() == 0
    other = Terminal(home, "chat", OMOIDE_USER="cleo")
    told = other.until()
    assert "May I remember" not in told
    assert "nothing is written" not in told
    assert other.leave() == 0


def test_a_tenant_and_a_user_are_never_taken_for_others(tmp_path: Path) -> None:
    """Whatever signs are in their names, each answers for themselves."""
    owners = [("a/b", "c"), ("a", "b/c"), ("a/b/c", ""), ("", "a/b/c")]
    consents = [Consent("ask", tmp_path / "answers.json", owner) for owner in owners]
    consents[0].keep("yes")
    consents[2].keep("no")

    assert [one.answer for one in consents] == ["yes", "ask", "no", "ask"]


@pytest.mark.parametrize("kept", ["null", '"No"', "[]", "0"])
def test_an_answer_that_is_neither_yes_nor_no_is_asked_for_again(home: Path, kept: str) -> None:
    """Nobody who did not say yes is written about."""
    (home / "chat-consent.json").write_text(f'{{"default": {{"ana": {kept}}}}}')
    chat = Terminal(home, "chat")

    assert "May I remember" in chat.until()
    chat.type("y")
    assert chat.leave() == 0


def test_consent_is_kept_though_the_store_is_elsewhere(tmp_path: Path) -> None:
    """Omoide's folder is made for it: a store at a path of its own leaves it missing."""
    home, store = tmp_path / "new" / "omoide", str(tmp_path / "chat.db")
    chat = Terminal(home, "--store", store, "chat")
    chat.until()
    assert "is not kept" not in chat.type("yes")
    assert chat.leave() == 0

    again = Terminal(home, "--store", store, "chat")
    assert "May I remember" not in again.until()
    assert again.leave() == 0


def test_consent_can_be_changed_in_a_chat(home: Path) -> None:
    """From then on, and in later chats."""
    chat = Terminal(home, "chat")
    chat.until()
    chat.type("n")
    assert "I may remember" in chat.type("/consent yes")
    assert "is logged" in chat.type("The boat lies in Porto").lower()
    assert "Nothing of what we talk about is written" in chat.type("/consent no")
    assert chat.seen.endswith("(incognito) > ")
    assert chat.leave() == 0
    again = Terminal(home, "chat")
    assert "You chose that nothing is written." in again.until()
    assert again.leave() == 0
    for_all = Terminal(home, "chat", OMOIDE_CHAT_MEMORY="yes")
    assert "says so for everybody" in for_all.until() + for_all.type("/consent")
    assert for_all.leave() == 0


@pytest.mark.parametrize("word", ["/quit", "quit", "exit"])
def test_commands_work_at_the_first_questions(home: Path, word: str) -> None:
    """Help is shown, and the question comes again; who leaves stores nothing."""
    chat = Terminal(home, "chat")
    chat.until()
    assert "/reset" in chat.type("/help")
    assert chat.seen.endswith("(Y/n) ")
    chat.type("y")
    assert "keep in mind" in chat.type("")
    os.write(chat._terminal, f"{word}\n".encode())
    assert "Goodbye." in chat.until(re.compile("Goodbye"))
    os.waitpid(chat.pid, 0)

    with Memory.open(home / "memory.db", user="ana") as memory:
        assert not memory.items.list()


def test_a_message_in_place_of_a_name_is_answered(home: Path) -> None:
    """At once where it asks; where it may be a name, after it was asked about. It is no name, and no
    further question comes.
    """
    chat = Terminal(home, "chat")
    chat.until()
    assert "What may I call you?" in chat.type("yes")
    told = chat.type("The boat lies in Porto")
    assert 'Is "The boat lies in Porto" your name? (y/N, or type your name)' in told
    answered = chat.type("no")
    assert "always keep in mind" not in answered
    assert answered.index("No language model") < answered.index("Your message is logged.")
    assert "- The boat lies in Porto" in chat.type("Where is the boat?")
    assert "Nothing is stored." in chat.type("/memory")
    assert chat.leave() == 0


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (("Ludwig van Beethoven",), "Ludwig van Beethoven"),
        (("ana de la cruz", "y"), "ana de la cruz"),
        (("my name is ana", "Ana"), "Ana"),
        (("no",), None),
    ],
)
def test_a_name_is_taken_as_it_is_meant(
    home: Path, typed: tuple[str, ...], name: str | None
) -> None:
    """One that is in doubt is asked about; no is no name."""
    chat = Terminal(home, "chat")
    chat.until()
    chat.type("y")
    told = [chat.type(line) for line in typed][-1]
    assert ("Remembered: The user's name is" in told) == (name is not None)
    assert "always keep in mind" in told
    assert "Your message is logged." in chat.type("What can you do?")
    assert chat.leave() == 0

    with Memory.open(home / "memory.db", user="ana") as memory:
        names = [f"The user's name is {name}"] if name else []
        assert [item.text for item in memory.items.list()] == names
        assert [turn.text for turn in memory.sessions.turns()] == ["What can you do?"]


def streamed(text: str) -> str:
    """A chat completion in chunks of a few characters."""
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-mini"}
    pieces = [text[start : start + 6] for start in range(0, len(text), 6)]
    choices = [{"index": 0, "delta": {"content": piece}} for piece in pieces]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    lines = [f"data: {json.dumps(base | {'choices': [choice]})}\n\n" for choice in choices]
    return "".join(lines) + "data: [DONE]\n\n"


def test_with_a_model_it_answers_and_remembers(home: Path, llm_server: LLMServer) -> None:
    """The answer streams; tools are named as they are called; nothing steers the terminal; a model
    that fails is told, and the message is kept.
    """
    pytest.importorskip("pydantic_ai")
    said = [calls("remember", fact="Ana has a boat"), answers("Noted.\x1b[31m"), answers("A boat.")]

    def respond(seen: Seen) -> Reply:
        if not said:
            return Reply(body=openai_says("no"), status=400)
        text = json.dumps(said.pop(0))
        events = {"Content-Type": "text/event-stream"}
        return Reply(body=streamed(text), headers=events if seen.body.get("stream") else {})

    llm_server.respond = respond
    model = f"openai:gpt-4o-mini?base_url={llm_server.url}/v1&api_key_env=FAKE_KEY"
    chat = Terminal(home, "chat", OMOIDE_LLM=model, FAKE_KEY="sk-test", OMOIDE_CAPTURE="hand")
    chat.until()
    for line in ("", "", ""):
        chat.type(line)
    told = chat.type("I have a boat")
    assert "(remember …)" in told
    assert "Noted.[31m" in told
    assert "\x1b[31m" not in told
    assert "A boat." in chat.type("What do I have?")
    assert "Ana has a boat" in chat.type("/why")
    failed = chat.type("And now?")
    assert "The model failed" in failed
    assert "Your message is in the log" in failed
    assert chat.leave() == 0
    with Memory.open(home / "memory.db", user="ana") as memory:
        assert [item.text for item in memory.items.list()] == ["Ana has a boat"]
        assert [turn.text for turn in memory.sessions.turns()][-1] == "And now?"
