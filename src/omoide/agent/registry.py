"""The tools that one agent offers to its model. Each agent has its own, so that two agents in one
process never call each other's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from omoide.agent.tool import (
    Tool,
    called_by,
    description_of,
    openai_tool,
    read_arguments,
    schema_of,
)
from omoide.nouns.errors import InvalidInput
from omoide.nouns.record.frozen import frozen_record
from omoide.telemetry.logs import get_logger

_log = get_logger(__name__)


@frozen_record
class Offered:
    """A tool as an agent offers it: what the model reads, and what runs it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any] | str | None], Any]

    def openai(self) -> dict[str, Any]:
        """The tool as OpenAI's chat API describes one."""
        return openai_tool(self.name, self.description, self.parameters)


def _offered(tool: Tool | Offered | Callable[..., Any], name: str) -> Offered:
    if isinstance(tool, Tool | Offered):
        return Offered(
            name=name or tool.name,
            description=tool.description,
            parameters=tool.parameters,
            run=tool.run,
        )
    told = tool.func if isinstance(tool, partial) else tool
    called = name or getattr(told, "__name__", type(told).__name__)
    if inspect.iscoroutinefunction(called_by(tool)):
        raise InvalidInput("tool", f"{called} is asynchronous; register a plain function")
    return Offered(
        name=called,
        description=description_of(told),
        parameters=schema_of(tool, tuple(inspect.signature(tool).parameters.values())),
        run=lambda arguments: tool(**read_arguments(arguments)),
    )


class ToolRegistry(Mapping[str, Offered]):
    """Tools by name. Registering a name again overwrites the tool, with a warning in the log."""

    def __init__(self) -> None:
        self._tools: dict[str, Offered] = {}

    def register(self, tool: Tool | Offered | Callable[..., Any], name: str = "") -> Offered:
        """Offer a memory tool, one of another registry, or a function with type hints and a
        docstring.

        Raises:
            InvalidInput: the function is asynchronous.
        """
        offered = _offered(tool, name)
        if offered.name in self._tools:
            _log.warning(
                "a tool of this name is registered already and is overwritten; is a mixin"
                " registered twice?",
                tool=offered.name,
            )
        self._tools[offered.name] = offered
        return offered

    def __getitem__(self, name: str) -> Offered:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)
