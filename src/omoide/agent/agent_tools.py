"""The memory tools that agents offer to a model, by their names, and bound to a memory.

::

    tools = memory_tools(memory.at(user="ana", session="chat-1"))
    tools["remember"].run({"fact": "Ana likes green tea"})

Each tool has one canonical name here; adapters give it the name that their framework has for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from omoide.agent import block_tools, contact_tools, item_tools, search_tools
from omoide.agent.tool import Declared, Tool, Toolbox, ToolPolicy
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput, UnknownName

NO_POLICY = ToolPolicy()

TOOLS: Mapping[str, Declared] = {
    "remember": item_tools.remember,
    "recall": item_tools.recall,
    "update_memory": item_tools.update_memory,
    "forget": item_tools.forget,
    "search_past_conversations": search_tools.search_past_conversations,
    "search_facts": search_tools.search_facts,
    "load_memory": search_tools.load_memory,
    "search_memory": search_tools.search_memory,
    "get_memory": search_tools.get_memory,
    "log_message": search_tools.log_message,
    "read_block": block_tools.read_block,
    "write_block": block_tools.write_block,
    "edit_block": block_tools.edit_block,
    "find_contact": contact_tools.find_contact,
}
ALIASES: Mapping[str, str] = {
    alias: name for name, declared in TOOLS.items() for alias in declared.aliases
}
FIVE = ("remember", "recall", "update_memory", "forget", "search_past_conversations")
SEARCHING = ("search_memory", "get_memory")
BLOCKS = ("read_block", "write_block", "edit_block", "search_memory", "remember")


def memory_tools(
    memory: Memory,
    names: Iterable[str] = FIVE,
    *,
    policy: ToolPolicy = NO_POLICY,
    renamed: Mapping[str, str] | None = None,
) -> dict[str, Tool]:
    """Return tools of a memory by name; bind it to a user first, with ``memory.at(user=…)``.

    A name is canonical or an alias, under which the tool is then offered. ``renamed`` offers tools
    under names of your own, such as ``{"recall": "recall_memory"}``. Without ``may_write`` in the
    policy, tools that write are left out.

    Raises:
        UnknownName: no tool has such a name.
        InvalidInput: two tools would have one name.
    """
    given, box = dict(renamed or {}), Toolbox(memory, policy)
    found: dict[str, Tool] = {}
    for name in names:
        declared, shown = _declared(name), given.pop(name, name)
        if shown in found:
            raise InvalidInput("names", f"two tools would be called {shown!r}")
        if policy.may_write or not declared.writes:
            found[shown] = Tool(name=shown, declared=declared, box=box)
    if given:
        raise UnknownName("renamed", next(iter(given)), tuple(found))
    return found


def _declared(name: str) -> Declared:
    """
    Raises:
        UnknownName: no tool has that name or alias.
    """
    declared = TOOLS.get(ALIASES.get(name, name))
    if declared is None:
        raise UnknownName("tool", name, (*TOOLS, *ALIASES))
    return declared
