"""The strategies by name, with what each needs read, and the presets with their budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from omoide.context.blocks import core_blocks
from omoide.context.budget import Budget, Unit
from omoide.context.frozen import frozen
from omoide.context.material import Material
from omoide.context.messages import injected
from omoide.context.profile import user_profile
from omoide.context.result import Context
from omoide.context.tools import tool_rules
from omoide.context.xml import memory_context
from omoide.nouns.errors import UnknownName


class Need(StrEnum):
    """What a strategy needs read."""

    HITS = "hits"
    STANDING = "standing"
    DUE = "due"
    DIGESTS = "digests"
    PROFILE = "profile"
    CORE = "core"


@dataclass(frozen=True, kw_only=True, slots=True)
class Strategy:
    """How a context is made, a pure function; and what of."""

    make: Callable[[Material, Budget], Context]
    needs: frozenset[Need]


STRATEGIES: Mapping[str, Strategy] = {
    "frozen": Strategy(make=frozen, needs=frozenset({Need.STANDING, Need.DUE, Need.HITS})),
    "xml": Strategy(make=memory_context, needs=frozenset({Need.DIGESTS, Need.HITS})),
    "profile": Strategy(make=user_profile, needs=frozenset({Need.PROFILE})),
    "messages": Strategy(make=injected, needs=frozenset({Need.HITS})),
    "tools": Strategy(make=tool_rules, needs=frozenset()),
    "blocks": Strategy(make=core_blocks, needs=frozenset({Need.CORE})),
}
# the budgets of the systems that Omoide unites, by the strategy that each had
PRESETS: Mapping[str, tuple[str, Budget]] = {
    "gaia": ("frozen", Budget(4_000, Unit.CHARACTERS)),
    "eden": ("xml", Budget(1_700, Unit.WORDS)),
    "adk": ("profile", Budget(20, Unit.BULLETS)),
    "synthorg": ("messages", Budget(2_000, Unit.QUARTERS)),
}


def find_strategy(name: str) -> tuple[Strategy, Budget | None]:
    """The strategy of a name, with the budget of its own that a preset has.

    Raises:
        UnknownName: there is none.
    """
    strategy, budget = PRESETS.get(name, (name, None))
    if strategy not in STRATEGIES:
        raise UnknownName("strategy", name, (*STRATEGIES, *PRESETS))
    return STRATEGIES[strategy], budget
