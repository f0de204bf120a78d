"""The command chat: a conversation in the terminal with an agent that remembers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from omoide.cli.plain import printable
from omoide.cli.session import named_store, note_login, opened, scope_of, warn_of_models

if TYPE_CHECKING:
    from omoide.agent.chat import Chat

HELP = (
    ("/remember TEXT", "store TEXT word for word"),
    ("/memory [QUERY]", "list what is stored, or what answers QUERY"),
    ("/forget ID", "erase one record; /forget yes erases all that is stored about you"),
    ("/why", "show what the last answer could rest on"),
    ("/reset", "start a new conversation; the old one stays in the log"),
    ("/incognito", "start a conversation of which nothing is written; again to leave it"),
    ("/help", "show this list"),
    ("/quit", "leave; so does Ctrl-D"),
)
ALIASES = {"clear": "reset", "new": "reset", "exit": "quit", "list": "memory", "?": "help"}
WITHOUT = (
    "No language model is configured. Messages are logged and searched, and /remember, /memory and"
    " /forget work. Answers in words, and learning from the conversation, need a model: set one"
    " with omoide config llm PROVIDER:MODEL, such as anthropic:MODEL or ollama:MODEL."
)
FIRST = (
    "Welcome. I remember what you tell me, in {}. Nothing leaves it except what a language model"
    " that you configure is asked."
)
CONSENT = "May I remember what we talk about? (Y/n) "
NO = frozenset({"n", "no"})
QUESTIONS = (
    ("What may I call you? (Enter to skip) ", "The user's name is {}", "profile"),
    ("What should I always keep in mind? (Enter to skip) ", "{}", "preference"),
)


def chat(
    context: typer.Context,
    incognito: Annotated[
        bool, typer.Option("--incognito", help="Write nothing of this conversation.")
    ] = False,
    new: Annotated[
        bool, typer.Option("--new", help="Start a new conversation; do not resume the last one.")
    ] = False,
) -> None:
    """Talk with an agent that remembers. Commands start with a slash; /help lists them."""
    from omoide.agent.chat import Chat

    warn_of_models(context)
    with opened(context, create=True, background=True) as memory:
        chatting = Chat(memory.at(user=scope_of(context).user), incognito=incognito, new=new)
        note_login(context)
        Terminal(chatting, named_store(context)).run()


class Terminal:
    """Reads lines and prints answers until the user leaves."""

    def __init__(self, chat: Chat, store: str) -> None:
        self.chat, self._store = chat, store
        self._commands: dict[str, Callable[[str], None]] = {
            "remember": self._remember,
            "memory": self._memory,
            "forget": self._forget,
            "why": self._why,
            "reset": self._reset,
            "incognito": self._incognito,
            "help": self._help,
        }

    def run(self) -> None:
        """Greet, then answer line by line."""
        with _history(self.chat.said_before()):
            self._greet()
            for line in _lines(lambda: "(incognito) > " if self.chat.is_incognito else "> "):
                if line.startswith("/"):
                    if not self._command(line[1:]):
                        break
                elif line:
                    self._answer(line)
        _put("Goodbye.")

    def _greet(self) -> None:
        if self.chat.is_first and not self.chat.is_incognito:
            _put(FIRST.replace("{}", self._store))
            if self._may_remember():
                self._introduce()
        elif self.chat.is_resumed:
            _put("Going on with our last conversation; /reset starts a new one.")
        if not self.chat.has_model:
            _put(WITHOUT)
        _put("Type a message, or /help for commands.")

    def _may_remember(self) -> bool:
        """Whether the user lets this conversation be written; if not, it is incognito."""
        said = next(_lines(lambda: CONSENT), "n").lower()
        if said not in NO:
            return True
        self.chat.go_incognito(True)
        _put("Then nothing is written. /incognito changes that.")
        return False

    def _introduce(self) -> None:
        from omoide.agent.chat import BY_USER

        for question, statement, category in QUESTIONS:
            said = next(_lines(lambda question=question: question), "")  # type: ignore[misc]
            if said and not said.startswith("/"):
                text = statement.replace("{}", said)
                self.chat.memory.remember(text, category=category, details=BY_USER)
                _put(f"Remembered: {text}")

    def _answer(self, line: str) -> None:
        from omoide.nouns.errors import OmoideError

        heard = _Printed()
        self.chat.agent.on_tool = lambda tool, args: _put(f"  ({tool} …)")
        try:
            answer = self.chat.say(line, heard)
        except OmoideError as error:
            heard.end()
            kept = "" if self.chat.is_incognito else " Your message is in the log."
            _put(f"The model failed: {error}.{kept}")
            return
        heard.end()
        if heard.text.strip() != answer.strip():  # nothing streamed, or another answer came
            _put(answer)

    def _command(self, line: str) -> bool:
        """Run a command; whether the chat goes on."""
        from omoide.nouns.errors import OmoideError

        word, _, rest = line.strip().partition(" ")
        name = ALIASES.get(word.lower(), word.lower())
        if name == "quit":
            return False
        command = self._commands.get(name)
        if command is None:
            _put(f"There is no command /{word}; /help lists them.")
            return True
        try:
            command(rest.strip())
        except OmoideError as error:
            _put(f"That did not work: {error}")
        return True

    def _remember(self, text: str) -> None:
        if self.chat.is_incognito:
            _put("This conversation is incognito, so nothing is written. /incognito leaves it.")
        elif not text:
            _put("Say what to remember: /remember The spare key is under the fern")
        else:
            item = self.chat.remember(text)
            _put(f"Remembered ({item.id}).")

    def _memory(self, query: str) -> None:
        items, total = self.chat.stored(query)
        for item in items:
            about = "user" if item.tier >= 2 else "inferred"
            _put(f"{item.id}  {item.created_at:%Y-%m-%d}  {item.category}, {about}: {item.text}")
        what = f"{len(items)} of {total} stored" if items else "Nothing is stored"
        _put(f"{what}{' that answers that' if query else ''}.")

    def _forget(self, what: str) -> None:
        from omoide.cli.show import counted

        if what == "yes":
            erased = counted(self.chat.wipe(), "stored record")
            _put(f"Forgot {erased}. The conversation stays in the log.")
        elif what:
            self.chat.forget(what)
            _put("Forgotten.")
        else:
            count = self.chat.count()
            _put(
                f"/forget yes erases {counted(count, 'stored record')} about you, for good. The"
                " conversation stays. /forget ID erases one; /memory shows the ids."
            )

    def _why(self, _: str) -> None:
        records, tools = self.chat.why()
        for record in records:
            _put(f"- {record}")
        if tools:
            _put(f"Tools called: {', '.join(tools)}")
        if not records and not tools:
            _put("The last answer rests on nothing from memory.")

    def _reset(self, _: str) -> None:
        self.chat.reset()
        _put("A new conversation. The old one stays in the log, and memory is untouched.")

    def _incognito(self, _: str) -> None:
        on = not self.chat.is_incognito
        self.chat.go_incognito(on)
        _put(
            "Incognito: nothing of this conversation is written. Memory can still be read."
            if on
            else "No longer incognito. What was said meanwhile is gone."
        )

    def _help(self, _: str) -> None:
        width = max(len(name) for name, _ in HELP)
        for name, what in HELP:
            _put(f"{name:<{width}}  {what}")


class _Printed:
    """Prints pieces of an answer as they come."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, piece: str) -> None:
        """Print one more piece."""
        self.text += piece
        sys.stdout.write(printable(_visible(piece)))
        sys.stdout.flush()

    def end(self) -> None:
        """End the line, if anything was printed."""
        if self.text:
            sys.stdout.write("\n")


def _lines(prompt: Callable[[], str]) -> Iterator[str]:
    """Lines that the user types, without outer space, until the end of the input. Ctrl-C at the
    prompt drops the line.
    """
    while True:
        try:
            yield input(prompt()).strip()
        except EOFError:
            sys.stdout.write("\n")
            return
        except KeyboardInterrupt:
            sys.stdout.write("\n")


def _put(text: str) -> None:
    sys.stdout.write(printable(_visible(text)) + "\n")
    sys.stdout.flush()


def _visible(text: str) -> str:
    """The text without what could steer a terminal."""
    return "".join(char for char in text if char in "\n\t" or char.isprintable())


@contextmanager
def _history(said: list[str]) -> Iterator[None]:
    """Let the arrow keys bring back what was said; it is kept in the store, in no file of ours."""
    readline: Any = None
    with suppress(ImportError):
        import readline
    if readline is not None and sys.stdin.isatty():
        readline.clear_history()
        for line in said:
            readline.add_history(line)
    yield
