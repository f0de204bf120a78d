"""SynthOrg's memory tools, by the names that its design gives. They are tools as any other: an
agent's registry holds them, and its own dispatch runs them, with its checks and its log.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from omoide import Memory
from omoide.adapters.synthorg_injection import parts_of
from omoide.adapters.worker import SerialWorker
from omoide.agent import ToolRegistry, memory_tools
from omoide.agent.registry import Offered
from omoide.agent.tool import FAILED
from omoide.nouns.record.frozen import frozen_record


class ToolCategory(StrEnum):
    """What a tool is for."""

    MEMORY = "memory"


@frozen_record
class ToolExecutionResult:
    """What a tool gives: text for the model, which begins with ``Error: `` where it failed."""

    content: str
    is_error: bool = False


class MemoryTool:
    """A tool over the memory of one agent."""

    name = ""
    category = ToolCategory.MEMORY

    def __init__(self, memory: Memory, agent_id: str) -> None:
        self._tool = memory_tools(memory.at(agent=agent_id), (self.name,))[self.name]
        self._worker = SerialWorker()

    @property
    def description(self) -> str:
        """What the model reads about it."""
        return self._tool.description

    @property
    def parameters_schema(self) -> Mapping[str, Any]:
        """The JSON schema of its arguments."""
        return self._tool.parameters

    async def execute(self, *, arguments: Mapping[str, Any]) -> ToolExecutionResult:
        """Call it with what a model wrote; what is wrong is told in the result."""
        told = await self._worker(self._tool.text, arguments)
        return ToolExecutionResult(content=told, is_error=told.startswith(FAILED))


class SearchMemoryTool(MemoryTool):
    """``search_memory``: the memories that answer a query, with their ids."""

    name = "search_memory"


class RecallMemoryTool(MemoryTool):
    """``recall_memory``: one memory by its id."""

    name = "recall_memory"


def registry_with_memory_tools(
    registry: Mapping[str, Offered],
    memory: Memory,
    agent_id: str,
    *,
    memory_injection_strategy: str = "tool_based",
) -> ToolRegistry:
    """A registry with the tools of another one, and those of a strategy over an agent's memory.
    A tool of the same name is overwritten, with a warning in the log.

    Raises:
        MemoryConfigError: there is no strategy of that name.
    """
    names = parts_of(memory_injection_strategy).tools
    grown = ToolRegistry()
    for name, offered in registry.items():
        grown.register(offered, name)
    asked = [RecallMemoryTool.name if name == "get_memory" else name for name in names]
    for name, tool in memory_tools(memory.at(agent=agent_id), asked).items():
        grown.register(tool, name)
    return grown


__all__ = [
    "RecallMemoryTool",
    "SearchMemoryTool",
    "ToolCategory",
    "ToolExecutionResult",
    "registry_with_memory_tools",
]
