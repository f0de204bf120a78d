"""A conversation with an agent that remembers: what the terminal chat does, without a terminal.

A message goes to the model, a command never does. Without a model, messages are still logged and
answered with what memory holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from omoide.agent.agent import Agent
from omoide.agent.mixin import MemoryMixin
from omoide.grounding.chatter import passing
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.errors import ModelMissing, NotFound
from omoide.nouns.hit import Hit, Recall
from omoide.nouns.item import Details, Item, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Role
from omoide.read.answerable import UNSURE, answerable
from omoide.store.base import read_only
from omoide.tables.documents import Documents
from omoide.tables.listing import Listing
from omoide.text.letters import QUESTION_SIGNS
from omoide.text.words import query_terms
from omoide.write.ingest import Talk

CHANNEL = "chat"  # of the sessions that a later chat resumes
ENDED = "ended"  # in the metadata of a session that a reset ended
SESSIONS_MOST, LISTED_MOST, FOUND_MOST = 100, 50, 5
ASKED_MOST = 20  # hits that may be questions of the user's, and are then passed over
INSTRUCTIONS = (
    "You are a helpful assistant in a terminal. Answer briefly and plainly, in the user's language."
)
NO_MODEL = "No language model is configured."
LOGGED = "Your message is logged."
NOT_LOGGED = "Your message is not logged, as this chat is incognito."
HELD = "Memory holds what may fit:"
NEAREST = "Memory probably does not hold anything about that. What comes nearest:"
NOTHING = "Memory holds nothing about that."
BY_USER = Details(source=Source.USER)
_QUESTION = re.compile(rf"[^.!…。！।\n{QUESTION_SIGNS}]+[{QUESTION_SIGNS}]\s*")


@dataclass(frozen=True, slots=True)
class Stored:
    """Stored items: those that answer a query or the latest, how many there are in all, and whether
    memory probably holds the answer.
    """

    items: tuple[Item, ...]
    total: int
    is_held: bool = True


class ChatAgent(MemoryMixin, Agent):
    """The agent of a chat: its prompt holds what is recalled for each message."""

    def __init__(self, memory: Memory, session: str, *, incognito: bool = False) -> None:
        self.init_memory(memory=memory, session=session, incognito=incognito)
        self.on_tool: Callable[[str, Mapping[str, Any]], None] = lambda tool, args: None
        self.recalled: tuple[str, ...] = ()  # ids of what the last prompt held
        super().__init__(memory.asker, instructions=INSTRUCTIONS)

    def _register_tools(self) -> None:
        super()._register_tools()
        self.register_memory_tools()

    def _before_message(self, user_input: str) -> str:
        memory = self.memory
        assert memory is not None  # a chat is opened with one
        replayed = memory.sessions.window(self.memory_session_id, turns=self.window_turns)
        whole = bool(replayed) and replayed[0].position == 0
        # what is replayed need not be recalled too
        without = self.memory_session_id if whole else None
        made = memory.context(Query(text=user_input, without_session=without), self._here)
        self.recalled = made.ids
        return made.turn

    def _talk(self, message: Message) -> Talk:
        return Conversation(id=self.memory_session_id, messages=(message,), channel=CHANNEL)

    def _execute_tool(self, tool_name: str, tool_args: Any) -> Any:
        self.on_tool(tool_name, tool_args)
        return super()._execute_tool(tool_name, tool_args)


class Chat:
    """One user's chat over a memory that is bound to that user.

    It resumes the last session of this channel that was not reset. ``new`` starts another one.
    """

    def __init__(self, memory: Memory, *, incognito: bool = False, new: bool = False) -> None:
        self.memory = memory.acting(Because(actor="chat", tier=Tier.USER))
        last = None if new or incognito else self._last()
        self.is_resumed = last is not None
        self.agent = self._agent(last, incognito=incognito)
        self._because: tuple[str, ...] = ()
        self._called: tuple[str, ...] = ()

    @property
    def has_model(self) -> bool:
        """Whether a language model is configured."""
        return self.memory.asker.is_on

    @property
    def is_incognito(self) -> bool:
        """Whether nothing of this conversation is written."""
        return self.agent._incognito

    @property
    def is_first(self) -> bool:
        """Whether nothing that this user said is held, and nothing is stored of theirs."""
        scope = self.memory.scope
        with read_only(self.memory.store, scope.tenant) as tx:
            return not Documents(tx).holds_any(scope.tenant, scope.user)

    def said_before(self) -> list[str]:
        """What the user said in this session, oldest first."""
        session = self.agent.memory_session_id
        turns = self.memory.sessions.window(session) if not self.is_incognito else ()
        return [turn.text for turn in turns if turn.role == "user"]

    def say(self, text: str, hear: Callable[[str], None] | None = None) -> str:
        """Answer a message; ``hear`` gets the answer's text as it comes.

        Raises:
            ModelError: the model failed. The message is in the log, unless incognito.
        """
        if not self.has_model:
            return self._found(text)
        try:
            done = self.agent.process_query(text, say=hear)
        except ModelMissing:
            return self._found(text)
        self._because = self.agent.recalled
        self._called = tuple(step["tool"] for step in done["steps"] if "arguments" in step)
        return str(done["result"])

    def remember(self, text: str) -> Item:
        """Store a statement word for word, as the user's."""
        return self.memory.remember(text, self.agent._here, details=BY_USER).item

    def stored(self, query: str = "") -> Stored:
        """The items that answer a query, or the latest."""
        page = self.memory.items.list(Listing(limit=LISTED_MOST))
        if not query.strip():
            return Stored(tuple(page), page.total)
        only = Query(text=query, kinds=frozenset({Kind.ITEM}))  # turns vouch for no item
        recalled = self.memory.recall(only, limit=LISTED_MOST)
        items = tuple(hit.item for hit in recalled if hit.item is not None)
        return Stored(items, page.total, recalled.answerable >= UNSURE)

    def count(self) -> int:
        """How many items of the user's own a wipe would erase."""
        try:
            erased = self.memory.admin.erase("items", preview=True).erased
        except NotFound:
            return 0
        return int(erased.get("items", 0))

    def wipe(self) -> int:
        """Erase all items of the user, and return how many. The conversation stays."""
        try:
            return int(self.memory.admin.erase("items").erased.get("items", 0))
        except NotFound:
            return 0

    def forget(self, id: str) -> None:
        """Erase one item or turn.

        Raises:
            NotFound: there is no such record.
        """
        self.memory.forget(id)

    def reset(self) -> None:
        """Start a new session. The old one stays in the log and is queued for extraction."""
        old, incognito = self.agent.memory_session_id, self.is_incognito
        if not incognito and self.memory.sessions.window(old, turns=1):
            ended = Conversation(id=old, messages=(), metadata={ENDED: True})
            self.memory.ingest(ended)
            self.memory.sessions.end(old)
        self._because = self._called = ()
        self.agent = self._agent(None, incognito=incognito)

    def go_incognito(self, on: bool) -> None:
        """Start a conversation of which nothing is written; or, with False, one that is logged."""
        last = None if on else self._last()
        self._because = self._called = ()
        self.agent = self._agent(last, incognito=on)

    def why(self) -> tuple[list[Any], tuple[str, ...]]:
        """What the last answer could rest on: the records that were in its prompt, and the tools
        that it called.
        """
        found: list[Any] = []
        for id in self._because:
            try:
                found.append(self.memory.get(id))
            except NotFound:  # forgotten since
                continue
        return found, self._called

    def _found(self, text: str) -> str:
        """What memory holds about a message, in lines; nothing about a greeting. The message is
        logged unless incognito.
        """
        found = None if passing(text) else self._telling(text)
        self._because, self._called = tuple(hit.id for hit in found or ()), ()
        self.agent._log(Role.USER, text)
        kept = NOT_LOGGED if self.is_incognito else LOGGED
        kept = f"{NO_MODEL} {kept}" if self.has_model else kept  # the server lacks it
        if found is None:
            return kept
        held = HELD if found.answerable >= UNSURE else NEAREST
        head = f"{kept} {held if found.hits else NOTHING}"
        return "\n".join((head, *(f"- {hit.text}" for hit in found)))

    def _telling(self, text: str) -> Recall:
        """The hits for a message, without earlier questions of the user's: they resemble it most,
        and hold no answer.
        """
        recalled = self.memory.recall(text, limit=FOUND_MOST + ASKED_MOST)
        hits = tuple(hit for hit in recalled if not _only_asks(hit))[:FOUND_MOST]
        return replace(recalled, hits=hits, answerable=answerable(query_terms(text), hits))

    def _agent(self, session: str | None, *, incognito: bool) -> ChatAgent:
        """The agent of a session; None: of a new one."""
        new = session or self.memory.clock.new_id()
        return ChatAgent(self.memory, new, incognito=incognito)

    def _last(self) -> str | None:
        """The session to resume: the latest of this channel that was neither reset nor empty."""
        for preview in self.memory.sessions.list(limit=SESSIONS_MOST):
            session = preview.session
            if session.channel == CHANNEL and session.turns and not session.metadata.get(ENDED):
                return session.id
        return None


def _only_asks(hit: Hit) -> bool:
    """Whether a hit is a message of a user's that is one question and nothing else."""
    turn = hit.turn
    return turn is not None and turn.role is Role.USER and bool(_QUESTION.fullmatch(turn.text))
