"""Blocks that a model edits itself: short texts that are always in its context.

A block is a pinned item with the tag ``block:NAME``. An edit corrects it, so every older text stays
in its history.
"""

from __future__ import annotations

from omoide.agent.tool import ToolAnswer, Toolbox, tool
from omoide.memory import Memory
from omoide.nouns.errors import Conflict, Forbidden, InvalidInput
from omoide.nouns.item import Category, Details, Item, Source
from omoide.read.masking import shown
from omoide.read.question import readable
from omoide.store.base import read_only
from omoide.tables.items import Items
from omoide.text.tokens import count_tokens
from omoide.write.remember import Statement

BLOCK = "block:"
NAME_MOST = 64
ALL = 1_000  # pinned items looked through for blocks


def read_blocks(memory: Memory) -> dict[str, Item]:
    """The blocks of a memory's user and agent, by name."""
    found: dict[str, Item] = {}
    for item in _pinned(memory):
        for tag in item.tags:
            if tag.startswith(BLOCK):
                found.setdefault(tag.removeprefix(BLOCK), item)
    return dict(sorted(found.items()))


@tool("core_memory_read")
def read_block(box: Toolbox, name: str = "") -> ToolAnswer:
    """Read your core memory: short blocks of text that you keep about the user and yourself.

    Args:
        name: Only this block, such as persona or human; empty for all.
    """
    blocks = {key: item.text for key, item in read_blocks(box.memory).items()}
    if not name.strip():
        return {"status": "found" if blocks else "empty", "blocks": blocks}
    if name.strip() not in blocks:
        known = ", ".join(blocks) or "none yet"
        return {"status": "not_found", "message": f"There is no block {name!r}; blocks: {known}."}
    return {"status": "found", "blocks": {name.strip(): blocks[name.strip()]}}


@tool("core_memory_write", writes=True)
def write_block(box: Toolbox, name: str, content: str) -> ToolAnswer:
    """Write a block of your core memory, which you see in every conversation. The new text replaces
    the block's old one whole, so repeat what still holds.

    Args:
        name: The block's name, such as persona or human.
        content: The whole text of the block.
    """
    name, content = _named(name), content.strip()
    blocks = read_blocks(box.memory)
    _check_room(box, {key: item.text for key, item in blocks.items()} | {name: content})
    if name in blocks:
        item = _edited(box, blocks[name], content)
    else:
        said = Statement(
            text=content,
            category=Category.NOTE,
            tags=(f"{BLOCK}{name}",),
            details=Details(source=Source.TOOL),
        )
        (made,) = box.memory.items.add_many([said], box.scope())
        item = box.memory.items.pin(made.id)
    return {"status": "stored", "block": name, "content": item.text, "message": "Written."}


@tool("core_memory_replace", writes=True)
def edit_block(box: Toolbox, name: str, old_text: str, new_text: str) -> ToolAnswer:
    """Replace part of a block of your core memory.

    Args:
        name: The block's name.
        old_text: The words to replace, exactly as they stand there, once; empty to add at the end.
        new_text: The words to put there; empty to remove the old ones.
    """
    block = read_blocks(box.memory).get(_named(name))
    if block is None:
        raise InvalidInput("name", f"there is no block {name!r}; write_block makes one")
    if not old_text:
        return _write(box, name, f"{block.text}\n{new_text}")
    if (count := block.text.count(old_text)) != 1:
        raise InvalidInput("old_text", f"stands {count} times in block {name!r}, not once")
    return _write(box, name, block.text.replace(old_text, new_text))


def _write(box: Toolbox, name: str, content: str) -> ToolAnswer:
    written: ToolAnswer = write_block.function(box, name, content)
    return written


def _edited(box: Toolbox, block: Item, content: str) -> Item:
    """
    Raises:
        Conflict: another edit came first.
    """
    if content == block.text:
        return block
    try:
        return box.memory.correct(block.id, content, details=Details(tier=block.tier)).item
    except Conflict:
        raise Conflict("the block was edited meanwhile; read it again") from None


def _pinned(memory: Memory) -> list[Item]:
    scope = memory.scope
    with read_only(memory.store, scope.tenant) as tx:
        found = Items(tx).pinned(readable(tx, scope), memory.clock.now(), ALL)
    blocks: list[Item] = shown(found)
    return blocks


def _named(name: str) -> str:
    """
    Raises:
        InvalidInput: the name is empty or too long.
    """
    if not 1 <= len(name.strip()) <= NAME_MOST:
        raise InvalidInput("name", f"must have 1 to {NAME_MOST} characters")
    return name.strip()


def _check_room(box: Toolbox, blocks: dict[str, str]) -> None:
    """
    Raises:
        Forbidden: the host lets the model write no blocks.
        InvalidInput: a block is empty, or there are too many, or they are too long together.
    """
    policy = box.policy
    if not policy.may_write:
        raise Forbidden("blocks are read-only here")
    if not all(blocks.values()):
        raise InvalidInput("content", "is empty; forget erases a block's item")
    if len(blocks) > policy.blocks_most:
        raise InvalidInput("name", f"there are {policy.blocks_most} blocks already, the most")
    tokens = sum(count_tokens(text) for text in blocks.values())
    if tokens > policy.block_tokens:
        raise InvalidInput(
            "content",
            f"all blocks together would have {tokens} tokens, the limit is {policy.block_tokens};"
            " shorten it, or keep details with remember",
        )
