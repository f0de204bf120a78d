"""SynthOrg's strategies of memory injection over a memory: how an agent's prompt gets what is
known. By the signatures that its design gives.

Memory is called in this process, by its verbs: no strategy goes through MCP.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from omoide import Memory
from omoide.adapters.synthorg import MemoryConfigError
from omoide.adapters.worker import SerialWorker
from omoide.agent import BLOCKS, SEARCHING, memory_tools
from omoide.nouns.record.frozen import frozen_record


@frozen_record
class ChatMessage:
    """One message of a prompt."""

    role: str
    content: str


@runtime_checkable
class MemoryInjectionStrategy(Protocol):
    """How memory gets into an agent's prompt."""

    @property
    def strategy_name(self) -> str:
        """Its name."""

    async def prepare_messages(
        self, agent_id: str, query_text: str, token_budget: int
    ) -> tuple[ChatMessage, ...]:
        """Return the messages that stand between the system prompt and the task."""

    def get_tool_definitions(self, agent_id: str) -> tuple[dict[str, Any], ...]:
        """Return the tools that the agent's model is offered."""


@frozen_record
class InjectionParts:
    """What a strategy is made of: the strategy of contexts, and the names of its tools."""

    context: str
    tools: tuple[str, ...] = ()


STRATEGIES: Mapping[str, InjectionParts] = {
    "context": InjectionParts(context="messages"),
    "tool_based": InjectionParts(context="tools", tools=SEARCHING),
    "self_editing": InjectionParts(context="blocks", tools=BLOCKS),
}


def parts_of(strategy: str) -> InjectionParts:
    """What the strategy of a name is made of.

    Raises:
        MemoryConfigError: there is no strategy of that name.
    """
    if strategy not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise MemoryConfigError(f"strategy: unknown {strategy!r}; known: {known}")
    return STRATEGIES[strategy]


class OmoideInjectionStrategy:
    """A ``MemoryInjectionStrategy`` over an opened memory: ``context`` puts recalled memories into
    the prompt, ``tool_based`` offers tools to search with, ``self_editing`` blocks that the model
    keeps itself.

    Raises:
        MemoryConfigError: there is no strategy of that name.
    """

    def __init__(self, memory: Memory, strategy: str = "context") -> None:
        self._memory, self._name, self._parts = memory, strategy, parts_of(strategy)
        self._worker = SerialWorker()

    @property
    def strategy_name(self) -> str:
        """Its name."""
        return self._name

    async def prepare_messages(
        self, agent_id: str, query_text: str, token_budget: int
    ) -> tuple[ChatMessage, ...]:
        """Return the messages that stand between the system prompt and the task, within a budget of
        tokens; the agent's own memories and those of everybody.
        """
        made = await self._worker(
            self._memory.at(agent=agent_id).context,
            query_text,
            budget=token_budget,
            strategy=self._parts.context,
        )
        return tuple(ChatMessage(**message) for message in made.messages)

    def get_tool_definitions(self, agent_id: str) -> tuple[dict[str, Any], ...]:
        """Return the tools that the agent's model is offered, as JSON schemas."""
        tools = memory_tools(self._memory.at(agent=agent_id), self._parts.tools)
        return tuple(tool.openai() for tool in tools.values())


__all__ = ["ChatMessage", "MemoryInjectionStrategy", "OmoideInjectionStrategy"]
