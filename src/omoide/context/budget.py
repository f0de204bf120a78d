"""Budgets: how much a context may take, in tokens or in another unit. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from omoide.nouns.errors import InvalidInput
from omoide.nouns.reflection import count_words
from omoide.text.tokens import Counter, count_tokens, token_quarters

LEAST, MOST = 1, 1_000_000
UnitName = Literal["tokens", "characters", "words", "bullets", "quarters"]


class Unit(StrEnum):
    """What a budget counts."""

    TOKENS = "tokens"
    CHARACTERS = "characters"
    WORDS = "words"
    BULLETS = "bullets"
    QUARTERS = "quarters"  # of characters: four of these count as one token


def _count_bullets(text: str) -> int:
    return sum(line.startswith("- ") for line in text.splitlines())


_SIZES: Mapping[Unit, Callable[[str], int]] = {
    Unit.CHARACTERS: len,
    Unit.WORDS: count_words,
    Unit.BULLETS: _count_bullets,
    Unit.QUARTERS: lambda text: max(1, -(-len(text) // 4)) if text else 0,
}
_WRITTEN = re.compile(rf"\s*([0-9]{{1,9}})\s*({'|'.join(Unit)})\s*", re.ASCII)
# so many tokens are not fewer than one unit takes, in ordinary writing
_TOKENS_A_UNIT = {
    Unit.TOKENS: 1.0,
    Unit.CHARACTERS: 0.25,
    Unit.WORDS: 1.5,
    Unit.BULLETS: 40.0,
    Unit.QUARTERS: 1.0,
}


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a context may take: a number of tokens, or of another unit.

    ``count`` counts the tokens of a text as your model does, such as
    ``lambda text: len(encoding.encode(text))``. Without it, Omoide estimates them.
    """

    limit: int
    unit: Unit | UnitName = Unit.TOKENS
    count: Counter | None = None

    def size(self, text: str) -> int:
        """How much a text takes. Lines together take no more than each by itself."""
        unit = Unit(self.unit)
        return self.tokens_in(text) if unit is Unit.TOKENS else _SIZES[unit](text)

    def tokens_in(self, text: str) -> int:
        """How many tokens a text has.

        Raises:
            InvalidInput: ``count`` returns something else.
        """
        if self.count is None:
            return count_tokens(text)
        counted = self.count(text)
        if type(counted) is not int or counted < 0:
            raise InvalidInput("budget count", f"must return 0 or more tokens; got {counted!r:.40}")
        return counted

    def less(self, taken: int) -> Budget:
        """What is left; 0 at least."""
        return replace(self, limit=max(0, self.limit - taken))

    def share(self, part: float) -> Budget:
        """A part of it."""
        return replace(self, limit=int(self.limit * part))

    @property
    def tokens(self) -> int:
        """About how many tokens that is."""
        return int(self.limit * _TOKENS_A_UNIT[Unit(self.unit)])


def size_within(text: str, budget: Budget) -> float:
    """How much of a budget a text takes among others, where the sum alone is rounded up."""
    if budget.unit is Unit.TOKENS and budget.count is None:
        return token_quarters(text) / 4
    return len(text) / 4 if budget.unit is Unit.QUARTERS else budget.size(text)


def read_budget(given: int | str | Budget) -> Budget:
    """A budget as given: itself, a number of tokens, or a number and a unit, such as ``4000
    characters``.

    Raises:
        InvalidInput: it is neither, or out of range.
    """
    if isinstance(given, str):
        if not (found := _WRITTEN.fullmatch(given)):
            raise InvalidInput(
                "budget",
                f"must be a number of tokens, or a number with one of {', '.join(Unit)},"
                f" such as '4000 characters'; got {given[:40]!r}",
            )
        budget = Budget(int(found[1]), Unit(found[2]))
    else:
        budget = given if isinstance(given, Budget) else Budget(given)
    if budget.unit not in tuple(Unit):
        raise InvalidInput("budget unit", f"must be one of {', '.join(Unit)}; got {budget.unit!r}")
    if budget.count is not None and not callable(budget.count):
        raise InvalidInput(
            "budget count", f"must be a function of a text; got {budget.count!r:.40}"
        )
    if not LEAST <= budget.limit <= MOST:
        raise InvalidInput("budget", f"must be from {LEAST} to {MOST:,}; got {budget.limit}")
    return replace(budget, unit=Unit(budget.unit))
