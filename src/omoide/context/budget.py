"""Budgets: how much a context may take, in tokens or in another unit. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from omoide.nouns.errors import InvalidInput
from omoide.nouns.reflection import count_words
from omoide.text.tokens import count_tokens

LEAST, MOST = 1, 1_000_000


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
    Unit.TOKENS: count_tokens,
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
    """The most that a text may take, in a unit."""

    limit: int
    unit: Unit = Unit.TOKENS

    def size(self, text: str) -> int:
        """How much a text takes. Lines together take no more than each by itself."""
        return _SIZES[self.unit](text)

    def less(self, taken: int) -> Budget:
        """What is left; 0 at least."""
        return Budget(max(0, self.limit - taken), self.unit)

    def share(self, part: float) -> Budget:
        """A part of it."""
        return Budget(int(self.limit * part), self.unit)

    @property
    def tokens(self) -> int:
        """About how many tokens that is."""
        return int(self.limit * _TOKENS_A_UNIT[self.unit])


def read_budget(given: int | str) -> Budget:
    """A budget as given: a number of tokens, or a number and a unit, such as ``4000 characters``.

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
        budget = Budget(given)
    if not LEAST <= budget.limit <= MOST:
        raise InvalidInput("budget", f"must be from {LEAST} to {MOST:,}; got {budget.limit}")
    return budget
