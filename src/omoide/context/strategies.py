"""The strategies by name, with what each needs read, and the presets with their budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial

from omoide.context.blocks import core_blocks
from omoide.context.budget import Budget, Unit
from omoide.context.frozen import RULES, frozen
from omoide.context.material import Material
from omoide.context.messages import injected
from omoide.context.profile import user_profile
from omoide.context.result import Context
from omoide.context.tools import RULES as TOOL_RULES
from omoide.context.tools import tool_rules
from omoide.context.xml import memory_context
from omoide.nouns.errors import UnknownName
from omoide.nouns.record.frozen import frozen_record


class Need(StrEnum):
    """What a strategy needs read."""

    HITS = "hits"
    STANDING = "standing"
    DUE = "due"
    DIGESTS = "digests"
    PROFILE = "profile"
    CORE = "core"


@frozen_record
class Strategy:
    """How a context is made, a pure function; and what of."""

    make: Callable[[Material, Budget], Context]
    needs: frozenset[Need]


TO_ASKED = frozenset({Need.STANDING, Need.DUE, Need.HITS})
STRATEGIES: Mapping[str, Strategy] = {
    "frozen": Strategy(make=frozen, needs=TO_ASKED),
    "xml": Strategy(make=memory_context, needs=frozenset({Need.DIGESTS, Need.HITS})),
    "profile": Strategy(make=user_profile, needs=frozenset({Need.PROFILE})),
    "messages": Strategy(make=injected, needs=frozenset({Need.HITS})),
    "tools": Strategy(make=tool_rules, needs=frozenset()),
    "blocks": Strategy(make=core_blocks, needs=frozenset({Need.CORE})),
}
# the systems that Omoide unites: the strategy that each had, with its budget; of GAIA's, the stable
# part has 4,000 characters, and tells how to use the memory tools
PRESETS: Mapping[str, tuple[Strategy, Budget]] = {
    "gaia": (
        Strategy(make=partial(frozen, rules=f"{RULES}\n{TOOL_RULES}"), needs=TO_ASKED),
        Budget(10_000, Unit.CHARACTERS),
    ),
    "eden": (STRATEGIES["xml"], Budget(1_700, Unit.WORDS)),
    "adk": (STRATEGIES["profile"], Budget(20, Unit.BULLETS)),
    "synthorg": (STRATEGIES["messages"], Budget(2_000, Unit.QUARTERS)),
}


def find_strategy(name: str) -> tuple[Strategy, Budget | None]:
    """The strategy of a name, with the budget of its own that a preset has.

    Raises:
        UnknownName: there is none.
    """
    if name in PRESETS:
        return PRESETS[name]
    if name not in STRATEGIES:
        raise UnknownName("strategy", name, (*STRATEGIES, *PRESETS))
    return STRATEGIES[name], None
