"""Agents with memory: tools for a model, a small agent, and a mixin for agents of your own."""

from omoide.agent.agent import Agent
from omoide.agent.agent_tools import ALIASES, BLOCKS, FIVE, SEARCHING, TOOLS, memory_tools
from omoide.agent.block_tools import read_blocks
from omoide.agent.contact_tools import Contact, find_contacts, message_tool
from omoide.agent.definitions import Definition, Definitions
from omoide.agent.memory_store import MemoryStore
from omoide.agent.mixin import MemoryMixin
from omoide.agent.registry import ToolRegistry
from omoide.agent.tool import Tool, ToolPolicy

__all__ = [
    "ALIASES",
    "BLOCKS",
    "FIVE",
    "SEARCHING",
    "TOOLS",
    "Agent",
    "Contact",
    "Definition",
    "Definitions",
    "MemoryMixin",
    "MemoryStore",
    "Tool",
    "ToolPolicy",
    "ToolRegistry",
    "find_contacts",
    "memory_tools",
    "message_tool",
    "read_blocks",
]
