"""A small agent: a language model, tools, and the loop between them.

It needs nothing but a model that answers questions in JSON, so it works with every model that
Omoide can be given: a provider's, a recorded one, or a function.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from omoide.agent.registry import ToolRegistry
from omoide.agent.streamed import Streamed
from omoide.agent.tool import read_arguments
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import ChatModel, Plain, Purpose
from omoide.models.chat.patient import Patient
from omoide.models.chat.registry import load_chat
from omoide.models.prompts import prompt
from omoide.nouns.errors import InvalidInput
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import counted
from omoide.telemetry.logs import get_logger

ModelMessage: TypeAlias = dict[str, Any]  # a role, and what was said, called or found
STEPS_MOST = 10  # calls of a model for one answer
WINDOW_TURNS = 30  # turns of the user that the model sees again
RESULT_MOST = 20_000  # characters of a tool's result that the model sees
OUT_OF_STEPS = "I could not finish this in {}. Please ask for a smaller part of it."

_log = get_logger(__name__)


@frozen_record
class AgentStep:
    """What a model wants next: a tool called, or its answer given."""

    answer: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] | str = ""


class Agent:
    """A model with tools. Subclass it, and register tools in ``_register_tools``.

    ``model`` is a name such as ``openai:MODEL``, a function, a chat model, or an ``Asker``. Every
    method named ``get_…_system_prompt`` adds to the system prompt.

    Raises:
        InvalidInput: ``max_steps`` or ``window_turns`` is below 1.
    """

    def __init__(
        self,
        model: str | Plain | ChatModel | Asker | None = None,
        *,
        instructions: str = "",
        max_steps: int = STEPS_MOST,
        window_turns: int = WINDOW_TURNS,
    ) -> None:
        for name, value in (("max_steps", max_steps), ("window_turns", window_turns)):
            if not isinstance(value, int) or value < 1:
                raise InvalidInput(name, f"must be a whole number of at least 1; got {value!r}")
        self.instructions, self.max_steps, self.window_turns = instructions, max_steps, window_turns
        self.asker = model if isinstance(model, Asker) else _asker_of(model)
        self.conversation: list[ModelMessage] = []  # since this agent was made
        self.tools = ToolRegistry()
        self._turn = threading.RLock()  # one turn at a time
        self._system_prompt: str | None = None
        self._register_tools()

    @property
    def system_prompt(self) -> str:
        """What the model is told before the conversation; the same until it is rebuilt."""
        if self._system_prompt is None:
            self._system_prompt = self._compose_system_prompt()
        return self._system_prompt

    def rebuild_system_prompt(self) -> None:
        """Compose the system prompt anew before the next turn."""
        self._system_prompt = None

    def process_query(
        self, user_input: str, *, say: Callable[[str], None] | None = None
    ) -> dict[str, Any]:
        """Answer one message of the user, with as many tool calls as that takes.

        ``say`` gets the answer's text as it comes, from a model that streams. The result has
        ``status`` (``success`` or ``incomplete``), ``result`` (the answer) and ``steps``.

        Raises:
            ModelMissing: no language model is configured.
            ModelError: the model failed.
        """
        with self._turn:
            lines = [*self._history(), {"role": "user", "content": user_input}]
            steps: list[ModelMessage] = []
            answer, status = OUT_OF_STEPS.format(counted(self.max_steps, "step")), "incomplete"
            for _ in range(self.max_steps):
                step = self._next_step([*lines, *steps], say)
                if not step.tool:
                    answer, status = step.answer, "success"
                    break
                steps += self._called(step)
            self._note(user_input, answer)
            self._after_process_query(user_input, answer)
        return {"status": status, "result": answer, "steps": steps}

    def _register_tools(self) -> None:
        """Offer tools to the model, with ``self.tools.register``. Here none."""

    def _after_process_query(self, user_input: str, assistant_response: str) -> None:
        """What happens after each answer. Here nothing."""

    def _get_mixin_prompts(self) -> list[str]:
        """What each ``get_…_system_prompt`` method gives; one that fails is logged and left out."""
        names = [n for n in dir(self) if n.startswith("get_") and n.endswith("_system_prompt")]
        return [text for name in names if (text := self._fragment(name))]

    def _compose_system_prompt(self) -> str:
        """The fragments of mixins, the agent's own instructions, its tools, and how to answer."""
        parts = [*self._get_mixin_prompts(), self.instructions, self._told_tools(), prompt("chat")]
        return "\n\n".join(part.strip() for part in parts if part.strip())

    def _execute_tool(self, tool_name: str, tool_args: Mapping[str, Any] | str) -> Any:
        """Run a tool by its name and return what it gives; an unknown name is told in the result.

        Raises:
            Exception: what the tool raises.
        """
        offered = self.tools.get(tool_name.strip())
        if offered is None:
            known = ", ".join(self.tools) or "none"
            return {"status": "error", "error": f"no tool {tool_name!r}; there are: {known}"}
        return offered.run(tool_args)

    def _history(self) -> list[ModelMessage]:
        """What was said before, as far as the model sees it again."""
        return windowed(self.conversation, self.window_turns)

    def _note(self, user_input: str, answer: str) -> None:
        said = getattr(self, "_original_user_input", None) or user_input
        self.conversation += [
            {"role": "user", "content": said},
            {"role": "assistant", "content": answer},
        ]

    def _next_step(self, lines: list[ModelMessage], say: Callable[[str], None] | None) -> AgentStep:
        hear = None if say is None else Streamed(say)
        return self.asker.ask(Purpose.CHAT, self.system_prompt, told(lines), read_step, hear)

    def _called(self, step: AgentStep) -> list[ModelMessage]:
        """The call and its result, each under its own role; an error is a result too."""
        call: ModelMessage = {"role": "assistant", "tool": step.tool, "arguments": step.arguments}
        try:
            arguments = read_arguments(step.arguments)
            result: Any = self._execute_tool(step.tool, arguments)
        except InvalidInput as error:
            result = {"status": "error", "error": str(error)}
        except Exception as error:  # noqa: BLE001 - the edge: a tool may be anybody's function
            result = {"status": "error", "error": f"{type(error).__name__}: {error}"}
        return [call, {"role": "tool", "tool": step.tool, "result": _bounded(result)}]

    def _fragment(self, name: str) -> str:
        try:
            return str(getattr(self, name)() or "")
        except Exception:  # noqa: BLE001 - the edge: a mixin may be anybody's, and the others go on
            _log.warning("a part of the system prompt failed and is left out", part=name)
            return ""

    def _told_tools(self) -> str:
        told = [
            json.dumps(
                {"name": t.name, "description": t.description, "parameters": t.parameters},
                ensure_ascii=False,
            )
            for t in self.tools.values()
        ]
        return "\n".join(("Your tools:", *told)) if told else "You have no tools."


def windowed(lines: list[ModelMessage], turns: int) -> list[ModelMessage]:
    """The last lines of a conversation, from the user's first of so many turns on. A tool's result
    never stands without its call.
    """
    starts = [place for place, line in enumerate(lines) if line["role"] == "user"]
    return lines if len(starts) <= turns else lines[starts[-turns] :]


def told(lines: list[ModelMessage]) -> str:
    """A conversation as a model reads it: one JSON object a line, so that no text poses as two."""
    return "\n".join(json.dumps(line, ensure_ascii=False, default=str) for line in lines)


def read_step(said: dict[str, Any]) -> AgentStep:
    """A model's answer as a step.

    Raises:
        ValueError: it neither calls a tool nor answers.
    """
    tool, answer = said.get("tool") or "", said.get("answer") or ""
    if not isinstance(tool, str) or not isinstance(answer, str):
        raise ValueError("tool and answer are not both text")
    if not tool.strip() and not answer.strip():
        raise ValueError("it neither names a tool nor gives an answer")
    return AgentStep(
        answer=answer.strip(), tool=tool.strip(), arguments=said.get("arguments") or ""
    )


def _bounded(result: Any) -> Any:
    """A result as JSON holds it, cut where it is longer than a model should read."""
    text = json.dumps(result, ensure_ascii=False, default=str)
    if len(text) <= RESULT_MOST:
        return json.loads(text)
    return f"{text[:RESULT_MOST]} … ({counted(len(text) - RESULT_MOST, 'character')} left out)"


def _asker_of(model: str | Plain | ChatModel | None) -> Asker:
    """
    Raises:
        UnknownName, InvalidInput, MissingExtra: it names no model that there is.
    """
    found = load_chat(model)
    return Asker(None if found is None else Patient(found))
