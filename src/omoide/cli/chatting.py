"""The command chat: a conversation in the terminal with an agent that remembers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omoide.cli.here import Here
from omoide.cli.options import Incognito, NewChat
from omoide.cli.show import printable
from omoide.nouns.errors import OmoideError
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.lines import counted
from omoide.text.letters import QUESTION_SIGNS

if TYPE_CHECKING:
    from omoide.agent.chat import Chat

HELP = (
    ("/remember TEXT", "store TEXT word for word"),
    ("/memory [QUERY]", "list what is stored, or what answers QUERY"),
    ("/forget ID", "erase one record; /forget yes erases all that is stored about you"),
    ("/why", "show what the last answer could rest on"),
    ("/reset", "start a new conversation; the old one stays in the log"),
    ("/incognito", "start a conversation of which nothing is written; again to leave it"),
    ("/consent [yes|no]", "show or change whether I may remember what we talk about"),
    ("/help", "show this list"),
    ("/quit", "leave; so does Ctrl-D"),
)
ALIASES = {"clear": "reset", "new": "reset", "exit": "quit", "list": "memory", "?": "help"}
LOGGED = "Messages are logged and searched, and /remember, /memory and /forget work."
NOT_LOGGED = (
    "This chat is incognito: messages are not logged, and /remember does not work. Memory is"
    " searched, and /memory and /forget work."
)
WITHOUT = (
    "No language model is configured. {} Answers in words, and learning from the conversation, need"
    " a model: set one with omoide config llm PROVIDER:MODEL, such as anthropic:MODEL or"
    " ollama:MODEL."
)
FIRST = (
    "Welcome. I remember what you tell me, in {}. Only a language model that you configure is sent"
    " any of it."
)
CONSENT = "May I remember what we talk about? (Y/n) "
YES = frozenset(
    "y yes yep yeah ok okay sure j ja oui si sí sim da да evet tak はい 是 好 可以 네 예".split()
)
NO = frozenset(
    "n no nope nein non não nao нет nej nee nie ne hayır いいえ 不 不要 否 아니요 아니오".split()
)
CONSENTED = {
    "yes": "I may remember what we talk about, in this chat and in later ones.",
    "no": "Nothing of what we talk about is written, in this chat or in later ones.",
    "ask": "You have not been asked yet. /consent yes or /consent no answers.",
}
AGAIN = "Please answer yes or no; Enter means yes."
DECLINED = "/incognito changes that for this chat; for good: /consent yes"
ANSWERS = "chat-consent.json"  # in Omoide's folder
LEAVE = frozenset({"quit", "exit"})  # leave also without a slash
NAME = "What may I call you? (Enter to skip) "
SURE = 'Is "{}" your name? (y/N, or type your name) '
IN_MIND = "What should I always keep in mind? (Enter to skip) "


def chat(
    here: Here,
    incognito: Incognito = False,
    new: NewChat = False,
) -> None:
    """Talk with an agent that remembers. Commands start with a slash; /help lists them."""
    from omoide.agent.chat import Chat

    here.warn_of_models()
    given = here.settings
    with here.opened(create=True, background=True) as memory:
        mine = memory.at(user=here.scope.user)
        owner = (mine.scope.tenant, mine.scope.user or "")
        consent = Consent(given.chat_memory, given.home / ANSWERS, owner)
        chatting = Chat(mine, incognito=incognito or consent.answer == "no", new=new)
        here.note_login()
        Terminal(chatting, here.store, consent).run()


@dataclass(frozen=True, slots=True)
class Consent:
    """Whether the chat may write: by the setting chat_memory, else by each user's answer."""

    setting: str
    file: Path  # where the answers are kept, by tenant and user
    owner: tuple[str, str]  # tenant and user; "" where nobody is named

    @property
    def answer(self) -> str:
        """``yes``, ``no``, or ``ask`` where the user has not answered."""
        if self.setting != "ask":
            return self.setting
        tenant, user = self.owner
        kept = self._kept().get(tenant, {}).get(user)
        return kept if kept in ("yes", "no") else "ask"

    def keep(self, answer: str) -> None:
        """Keep the user's answer, so that they are not asked again."""
        from omoide.settings.whole_file import home_file

        tenant, user = self.owner
        answers = self._kept()
        answers = answers | {tenant: answers.get(tenant, {}) | {user: answer}}
        try:
            with home_file(self.file) as out:
                json.dump(answers, out, ensure_ascii=False, indent=2)
        except OmoideError as error:
            _put(f"Your answer is not kept, and the next chat asks again: {error}")

    def _kept(self) -> dict[str, dict[str, Any]]:
        """What is kept for the users of each tenant; nothing where there is no file, or none that
        can be read.
        """
        try:
            kept = parse_json(self.file.read_bytes())
        except (OSError, ValueError):
            return {}
        tenants = kept.items() if isinstance(kept, dict) else ()
        return {tenant: users for tenant, users in tenants if isinstance(users, dict)}


class Terminal:
    """Reads lines and prints answers until the user leaves."""

    def __init__(self, chat: Chat, store: str, consent: Consent) -> None:
        self.chat, self._store, self._consent = chat, store, consent
        self._waiting = ""  # a message that was typed in place of an answer
        self._commands: dict[str, Callable[[str], None]] = {
            "remember": self._remember,
            "memory": self._memory,
            "forget": self._forget,
            "why": self._why,
            "reset": self._reset,
            "incognito": self._incognito,
            "consent": self._change_consent,
            "help": self._help,
        }

    def run(self) -> None:
        """Greet, then answer line by line."""
        with _history(self.chat.said_before()):
            with suppress(EOFError):
                self._greet()
                if self._waiting:
                    self._answer(self._waiting)
                while True:
                    if line := self._asked():
                        self._answer(line)
        _put("Goodbye.")

    def _asked(self, prompt: str | None = None) -> str:
        """What the user types; commands are run, and the prompt comes again.

        Raises:
            EOFError: the user leaves.
        """
        while True:
            usual = "(incognito) > " if self.chat.is_incognito else "> "
            line = _line(usual if prompt is None else prompt)
            if not line.startswith("/") and line.lower() not in LEAVE:
                return line
            if not self._command(line.removeprefix("/")):
                raise EOFError

    def _greet(self) -> None:
        if self.chat.is_incognito:
            if self._consent.answer == "no":
                _put(f"You chose that nothing is written. {DECLINED}")
        elif self.chat.is_first and self._consent.answer == "ask":
            _put(FIRST.replace("{}", self._store))
            if self._may_remember():
                self._introduce()
        elif self.chat.is_resumed:
            _put("Going on with our last conversation; /reset starts a new one.")
        if not self.chat.has_model:
            _put(WITHOUT.replace("{}", NOT_LOGGED if self.chat.is_incognito else LOGGED))
        _put("Type a message, or /help for commands.")

    def _may_remember(self) -> bool:
        """Whether the user lets conversations be written; if not, this one is incognito."""
        while (said := _plain(self._asked(CONSENT))) not in YES | NO | {""}:
            _put(AGAIN)
        self.chat.go_incognito(said in NO)
        self._consent.keep("no" if said in NO else "yes")
        if said in NO:
            _put(f"Then nothing is written. {DECLINED}")
        return said not in NO

    def _introduce(self) -> None:
        """Ask for a name and for what always matters. A message in place of an answer ends that: it
        is answered after the greeting.
        """
        name = self._name()
        if name:
            self._keep(f"The user's name is {name}", "profile")
        if self._waiting:
            return
        said = self._asked(IN_MIND)
        if said.endswith(tuple(QUESTION_SIGNS)):
            self._waiting = said
        elif said:
            self._keep(said, "preference")

    def _name(self) -> str:
        """The user's name, as far as they give one; another message waits."""
        from omoide.grounding.own_name import Likely, name_or_sentence

        said = self._asked(NAME)
        while _plain(said) not in NO | {""}:
            likely, answer = name_or_sentence(said), ""
            if likely is Likely.UNSURE:
                answer = self._asked(SURE.replace("{}", said))
            if likely is Likely.NAME or _plain(answer) in YES:
                return said
            if _plain(answer) in NO | {""}:
                self._waiting = said
                break
            said = answer
        return ""

    def _keep(self, text: str, category: str) -> None:
        """Remember what the user tells of themselves, unless the chat went incognito meanwhile."""
        from omoide.agent.chat import BY_USER

        if not self.chat.is_incognito:
            self.chat.memory.remember(text, category=category, details=BY_USER)
            _put(f"Remembered: {text}")

    def _answer(self, line: str) -> None:
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
        stored = self.chat.stored(query)
        if stored.items and not stored.is_held:
            _put("Probably not held; what comes nearest:")
        for item in stored.items:
            about = "user" if item.tier >= 2 else "inferred"
            _put(f"{item.id}  {item.created_at:%Y-%m-%d}  {item.category}, {about}: {item.text}")
        if stored.items:
            _put(f"{len(stored.items)} of {stored.total} stored.")
        else:
            _put(f"Nothing is stored{' that answers that' if query else ''}.")

    def _forget(self, what: str) -> None:
        if what == "yes":
            erased = self.chat.wipe()
            _put(
                f"Forgot {counted(erased, 'stored record')}. The conversation stays in the log."
                if erased
                else "Nothing is stored about you, so there is nothing to forget."
            )
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

    def _change_consent(self, said: str) -> None:
        answer = "yes" if _plain(said) in YES else "no" if _plain(said) in NO else ""
        if answer:
            self._consent.keep(answer)
            self.chat.go_incognito(self._consent.answer == "no")
        _put(CONSENTED[self._consent.answer])
        if self._consent.setting != "ask":
            _put(f"The setting chat_memory says so for everybody: {self._consent.setting}.")

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


def _line(prompt: str) -> str:
    """A line that the user types, without outer space. Ctrl-C drops the line.

    Raises:
        EOFError: the input ended.
    """
    while True:
        try:
            return input(prompt).strip()
        except EOFError:
            sys.stdout.write("\n")
            raise
        except KeyboardInterrupt:
            sys.stdout.write("\n")


def _plain(answer: str) -> str:
    """An answer in small letters, without signs at its ends."""
    return answer.lower().strip(" .!。！")


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
