"""The strategy ``blocks``: the pinned blocks that a model edits itself, and how to. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC

from omoide.context.budget import Budget
from omoide.context.fence import fence_size, fenced, kept_inside
from omoide.context.layout import blocks_of, joined, made, rules_block
from omoide.context.material import Material
from omoide.context.pieces import Piece, Section, fill, item_piece
from omoide.context.result import Context, Part
from omoide.models.chat.material import one_name
from omoide.models.prompts import prompt
from omoide.nouns.item import Item
from omoide.text.tokens import count_tokens

RULES = prompt("context_blocks")
TAG = "block:"


def core_blocks(material: Material, budget: Budget) -> Context:
    """The rules, and as many of the blocks as fit."""
    rules = rules_block(RULES, budget)
    room = budget.less(budget.size(f"{RULES}\n\n") + fence_size(budget))
    blocks = blocks_of(fill(_pieces(material), room), budget, stable=True)
    if budget.size(RULES) > budget.limit:
        return made("blocks", material, budget, "", "", [])
    body = fenced(joined(blocks)) if blocks else ""
    text = "\n\n".join(filter(None, (RULES, body)))
    return made("blocks", material, budget, text, "", [rules, *blocks])


def block_name(item: Item) -> str | None:
    """The name of the block that an item is; None if it is none."""
    return next((tag.removeprefix(TAG) for tag in item.tags if tag.startswith(TAG)), None)


def _pieces(material: Material) -> Iterator[Piece]:
    for item in sorted(material.standing.core, key=lambda item: (block_name(item) or "", item.id)):
        head = f"Block {kept_inside(one_name(block_name(item) or ''))}:"
        place = Section(part=Part.CORE, head=head)
        yield item_piece(item, place, material.now.tzinfo or UTC, most=budget_most(item))


def budget_most(item: Item) -> int:
    """A block is shown whole or not at all: a part of it would be written back as the whole."""
    return count_tokens(item.text) + 1
