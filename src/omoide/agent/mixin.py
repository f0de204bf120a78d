"""Memory for an agent of your own: ``class MyAgent(MemoryMixin, Agent)``.

::

    class MyAgent(MemoryMixin, Agent):
        def __init__(self, **kwargs):
            self.init_memory()
            super().__init__(**kwargs)

        def _register_tools(self):
            super()._register_tools()
            self.register_memory_tools()

The mixin wraps ``process_query`` and ``_execute_tool`` of the class that follows it, so it comes
first. It works with Omoide's ``Agent`` and with others that have these two methods.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from omoide.agent.agent_tools import FIVE, memory_tools
from omoide.agent.memory_store import MemoryStore
from omoide.agent.tool import Tool, ToolPolicy
from omoide.agent.tool_log import ToolLog, failure_of
from omoide.memory import Memory
from omoide.models.prompts import prompt
from omoide.nouns.errors import MemoryOff, Off, OmoideError
from omoide.nouns.scope import GLOBAL, Scope
from omoide.nouns.turn import Message, Role, Turn
from omoide.settings.off import off_message, why_off
from omoide.telemetry.logs import get_logger
from omoide.write.ingest import Talk

DISABLED = "GAIA_MEMORY_DISABLED"  # set to 1, memory stays off
REASONS = {
    Off.DISABLED: "disabled_by_env",
    Off.MODEL_MISSING: "model_not_pulled",
    Off.SERVICE_UNREACHABLE: "service_unreachable",
}
STABLE_BUDGET = "4000 characters"
HOOKS = ("process_query", "_execute_tool")

_log = get_logger(__name__)


class MemoryMixin:
    """Gives an agent memory: context in its prompts, five tools, a log of talk and of tool calls.

    Raises:
        TypeError: a subclass names the mixin after the class whose methods it wraps.
    """

    _memory: Memory | None = None
    _memory_off: OmoideError | None = None
    _memory_context = GLOBAL
    _memory_session_id = ""
    _original_user_input: str | None = None
    _memory_prompt: str | None = None
    _incognito = _private = False
    _only_user_spoke = True
    _said_turn: str | None = None  # the turn of the message that is being answered
    _answering: threading.RLock | None = None  # held while one is answered

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for base in cls.__mro__:
            if base is MemoryMixin:
                break
            if not issubclass(base, MemoryMixin) and any(hook in vars(base) for hook in HOOKS):
                raise TypeError(
                    f"{cls.__name__}: MemoryMixin must come before {base.__name__}, whose"
                    f" {' and '.join(HOOKS)} it wraps; write"
                    f" class {cls.__name__}(MemoryMixin, {base.__name__})"
                )

    def init_memory(
        self,
        db_path: Path | str | None = None,
        context: str = GLOBAL,
        embedding_model: str | None = None,
        incognito: bool = False,
        *,
        memory: Memory | None = None,
        session: str | None = None,
        user: str | None = None,
        private: bool = False,
    ) -> None:
        """Open the memory; call it before ``super().__init__()``.

        ``memory`` is one that is open already, bound to its user. ``session`` resumes one; without
        it a new one starts. If memory cannot work, the agent goes on without it, the log says why,
        and ``memory_unavailable_message`` tells what to do. ``incognito`` writes nothing; of a
        ``private`` session the talk is logged, and nothing is learnt from it.

        Raises:
            StoreError: the store cannot be opened.
            InvalidInput: a setting is wrong.
        """
        self._memory_context, self._incognito = context.strip() or GLOBAL, incognito
        self._private, self._answering = private, threading.RLock()
        self._memory = self._memory_off = self._memory_prompt = self._original_user_input = None
        try:
            if os.environ.get(DISABLED) == "1":
                raise MemoryOff(f"unset {DISABLED} in the environment")
            self._memory = memory or _opened(db_path, embedding_model, user)
        except OmoideError as error:
            if why_off(error) is None:
                raise
            self._memory_off = error
            _log.warning("memory is off", error=off_message(error))
        self._memory_session_id = session or self._new_session()

    @property
    def memory(self) -> Memory | None:
        """The agent's memory, bound to its session; None while memory is off."""
        memory = self._memory
        if memory is None or memory.scope.session is not None:
            return memory
        return memory.at(session=self._memory_session_id)

    @property
    def memory_store(self) -> MemoryStore | None:
        """The memory under the names of GAIA's store; None while memory is off."""
        return None if self._memory is None else MemoryStore(memory=self._memory)

    @property
    def memory_session_id(self) -> str:
        """The id of the session that talk is logged in."""
        return self._memory_session_id

    @property
    def memory_context(self) -> str:
        """The active context: where new items go; the prompt shows it beside the global one."""
        return self._memory_context

    def set_memory_context(self, context: str) -> None:
        """Switch the active context; a blank one means ``global``."""
        self._memory_context = context.strip() or GLOBAL
        self._forget_prompt()

    def reset_memory_session(self) -> None:
        """Start a new session. The old one stays in the log and is queued for extraction."""
        self._memory_session_id = self._new_session()
        self._forget_prompt()

    def memory_unavailable_message(self) -> str | None:
        """Why memory is off and what to do about it; None while it works."""
        return None if self._memory_off is None else off_message(self._memory_off)

    @property
    def memory_unavailable_reason(self) -> str | None:
        """One of three codes for why memory is off; None while it works."""
        off = None if self._memory_off is None else why_off(self._memory_off)
        return None if off is None else REASONS[off]

    def get_memory_system_prompt(self) -> str:
        """The stable part of the prompt: how to use memory, and what always matters.

        It stays the same for the whole session, so that prompt caches hold.
        """
        memory = self.memory
        if memory is None:
            return ""
        if self._memory_prompt is None:
            known = memory.context("", self._here, budget=STABLE_BUDGET).stable
            self._memory_prompt = f"{prompt('memory_tools')}\n\n{known}".strip()
        return self._memory_prompt

    def get_memory_dynamic_context(self) -> str:
        """What goes before the user's message: the time, and what is due. Empty without memory."""
        memory = self.memory
        if memory is None:
            return ""
        return memory.context("", self._here, budget=STABLE_BUDGET).turn

    def register_memory_tools(self) -> None:
        """Offer the five memory tools to the model; none where memory is off.

        Raises:
            RuntimeError: ``init_memory`` was not called before.
        """
        if not self._memory_session_id:
            raise RuntimeError("call init_memory() before super().__init__()")
        if self.memory is None:
            return
        for name in FIVE:
            self._offer_memory_tool(name)

    def process_query(self, user_input: str, **kwargs: Any) -> Any:
        """Answer with the time and what is due put before the user's message.

        The message is in the log before the model is called, so a model that fails loses nothing.
        Messages that come meanwhile are logged at once, and answered one after the other.
        """
        before = self._before_message(user_input)
        asked = f"{before}\n\n{user_input}" if before else user_input
        turn = self._log(Role.USER, user_input)
        with self._answering or nullcontext():
            self._original_user_input, self._only_user_spoke = user_input, True
            self._said_turn = turn
            try:
                return super().process_query(asked, **kwargs)  # type: ignore[misc]
            finally:
                self._said_turn = None

    def _execute_tool(self, tool_name: str, tool_args: Any) -> Any:
        """Run a tool; note how it went, unless it is one of memory's own."""
        memory = self.memory
        if tool_name in FIVE or memory is None or self._incognito:
            return super()._execute_tool(tool_name, tool_args)  # type: ignore[misc]
        log, started = ToolLog(memory, self._memory_context), time.monotonic()
        self._only_user_spoke = False  # what a tool brought may be anybody's words
        try:
            result = super()._execute_tool(tool_name, tool_args)  # type: ignore[misc]
        except BaseException as error:
            log.failed(tool_name, tool_args, f"{type(error).__name__}: {error}", started)
            raise
        if problem := failure_of(result):
            log.failed(tool_name, tool_args, problem, started)
        else:
            log.worked(tool_name, tool_args, result, started)
        return result

    def _after_process_query(self, user_input: str, assistant_response: str) -> None:
        """Log the answer, and before it what the user said unless that is logged; learning from
        both waits for its trigger.
        """
        if self._said_turn is None:
            self._log(Role.USER, self._original_user_input or user_input)
        self._log(Role.ASSISTANT, assistant_response)

    def _history(self) -> list[dict[str, Any]]:
        """What was said before in this session, also by another process."""
        memory = self.memory
        if memory is None or self._incognito:
            before: list[dict[str, Any]] = super()._history()  # type: ignore[misc]
            return before
        turns = memory.sessions.window(
            self._memory_session_id, turns=getattr(self, "window_turns", 30)
        )
        return [
            {"role": turn.role.value, "content": turn.text}
            for turn in before_message(turns, self._said_turn)
        ]

    def _before_message(self, user_input: str) -> str:
        """What goes before a message of the user; a subclass may add what is recalled for it."""
        return self.get_memory_dynamic_context()

    def _log(self, role: Role, text: str) -> str | None:
        """Log a turn and return its id; None where nothing is logged."""
        memory = self.memory
        if memory is None or self._incognito or not text.strip():
            return None
        talk = self._talk(Message(text=text, role=role))
        logged = memory.ingest(talk, self._here, private=self._private)
        return logged.turns[0]

    def _talk(self, message: Message) -> Talk:
        """A message as it is logged in the session."""
        return [message]

    @property
    def _here(self) -> Scope:
        """The active context, where calls act that look at one."""
        return Scope(context=self._memory_context)

    def _new_session(self) -> str:
        """Start a session; the one before is queued for extraction."""
        if self._memory is None:
            return "off"
        if self._memory.scope.session is not None:
            return self._memory.scope.session
        before = Scope(session=self._memory_session_id) if self._memory_session_id else None
        return str(self._memory.sessions.start(before).session)

    def _forget_prompt(self) -> None:
        self._memory_prompt = None
        rebuild = getattr(self, "rebuild_system_prompt", None)
        if callable(rebuild):
            rebuild()

    def _offer_memory_tool(self, name: str) -> None:
        """Register a tool that looks up its memory when it is called, as the session may change."""
        offered = _Late(self, name).function()
        registry = getattr(self, "tools", None)
        if hasattr(registry, "register"):
            registry.register(offered, name)  # type: ignore[union-attr]
        else:
            _register_in_gaia(offered)


def before_message(turns: Sequence[Turn], message: str | None) -> list[Turn]:
    """What was said before the turn of a message, with later answers to what was said before; later
    messages wait for theirs.
    """
    place = next((n for n, turn in enumerate(turns) if turn.id == message), len(turns))
    return [*turns[:place], *(turn for turn in turns[place + 1 :] if turn.role is not Role.USER)]


class _Late:
    """A memory tool whose memory is that of its agent at the time of the call."""

    def __init__(self, agent: MemoryMixin, name: str) -> None:
        self._agent, self._name = agent, name

    def tool(self) -> Tool:
        """The tool of the agent's memory as it is now."""
        memory, agent = self._agent.memory, self._agent
        assert memory is not None  # no tool is offered without
        policy = ToolPolicy(
            speaks_for_user=lambda: agent._only_user_spoke,
            context=lambda: agent._memory_context,
        )
        return memory_tools(memory, (self._name,), policy=policy)[self._name]

    def function(self) -> Any:
        """It as a plain function, with the tool's signature and docstring."""
        shape = self.tool().function()

        def call(*args: Any, **kwargs: Any) -> dict[str, Any]:
            tool = self.tool()
            if self._agent._incognito and tool.writes:
                return {
                    "status": "error",
                    "message": "this conversation is incognito: nothing is written to memory",
                }
            answer: dict[str, Any] = tool.function()(*args, **kwargs)
            return answer

        call.__dict__.update(shape.__dict__)
        call.__name__, call.__doc__ = shape.__name__, shape.__doc__
        call.__qualname__, call.__annotations__ = shape.__name__, shape.__annotations__
        return call


def _opened(path: Path | str | None, embedder: str | None, user: str | None) -> Memory:
    """The memory at a path, of a user, or of whom the settings name; else of one user, "user"."""
    opened = Memory.open(path, embedder=embedder) if embedder else Memory.open(path)
    if opened.scope.user or opened.scope.agent:
        return opened if user is None else opened.at(user=user)
    return opened.at(user=user or "user")


def _register_in_gaia(function: Any) -> None:
    """Register a tool in GAIA's own registry, which its agents share.

    Raises:
        ImportError: GAIA is not installed.
    """
    from gaia.agents.base.tools import tool

    tool(atomic=True)(function)
