"""AMD GAIA: memory for its agents, under its own names.

``class MyAgent(MemoryMixin, Agent)``, with GAIA's ``Agent``, keeps GAIA's five memory tools, hooks
and prompts. What is remembered stands in a store of Omoide's. ``omoide import memory.db`` takes
over what GAIA's own memory held.
"""

from omoide.agent.memory_store import MemoryStore
from omoide.agent.mixin import MemoryMixin

__all__ = ["MemoryMixin", "MemoryStore"]
