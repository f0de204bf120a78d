"""The strategy ``tools``: no memories, only how a model reaches them. Pure."""

from __future__ import annotations

from omoide.context.budget import Budget
from omoide.context.layout import made
from omoide.context.material import Material
from omoide.context.result import Block, Context, Part
from omoide.models.prompts import prompt
from omoide.text.tokens import count_tokens

RULES = prompt("context_tools")


def tool_rules(material: Material, budget: Budget) -> Context:
    """The rules for the memory tools; nothing, where these do not fit."""
    fits = budget.size(RULES) <= budget.limit
    block = Block(part=Part.RULES, text=RULES, tokens=count_tokens(RULES), stable=True)
    return made("tools", material, RULES if fits else "", "", [block] if fits else [])
