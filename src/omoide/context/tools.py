"""The strategy ``tools``: no memories, only how a model reaches them. Pure."""

from __future__ import annotations

from omoide.context.budget import Budget
from omoide.context.layout import made, rules_block
from omoide.context.material import Material
from omoide.context.result import Context
from omoide.models.prompts import prompt

RULES = prompt("context_tools")


def tool_rules(material: Material, budget: Budget) -> Context:
    """The rules for the memory tools; nothing, where these do not fit."""
    fits = budget.size(RULES) <= budget.limit
    blocks = [rules_block(RULES, budget)] if fits else []
    return made("tools", material, budget, RULES if fits else "", "", blocks)
