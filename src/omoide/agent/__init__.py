"""Agents with memory: tools for a model, a small agent, and a mixin for agents of your own."""

from omoide.agent.agent_tools import ALIASES, BLOCKS, FIVE, SEARCHING, TOOLS, memory_tools
from omoide.agent.block_tools import read_blocks
from omoide.agent.contact_tools import Contact, find_contacts, message_tool
from omoide.agent.tool import Tool, ToolPolicy

__all__ = [
    "ALIASES",
    "BLOCKS",
    "FIVE",
    "SEARCHING",
    "TOOLS",
    "Contact",
    "Tool",
    "ToolPolicy",
    "find_contacts",
    "memory_tools",
    "message_tool",
    "read_blocks",
]
